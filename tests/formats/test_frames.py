"""Rows of data frames, CSV and Parquet."""

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import isogloss
from isogloss.errors import FormatError, InputError
from isogloss.formats import from_rows, read_collection, write_collection
from isogloss.sample import sample_path
from program import run_program

ROWS = [
    {"doc": "a", "source": "Hund, groß", "reference": "dog", "system:x": "dog", "system:y": None},
    {"doc": "a", "source": "Katze\n2", "reference": '"cat"', "system:x": "c", "system:y": "cats"},
    {"doc": "b", "source": "Maus", "reference": "mouse", "system:x": "", "system:y": "mice"},
]  # fmt: skip
EXPECTED = from_rows(ROWS)


def test_rows_are_what_they_say() -> None:
    assert EXPECTED.system_names == ("x", "y")
    assert EXPECTED.outputs[1].documents["a"] == (None, "cats")
    assert EXPECTED.outputs[0].documents["b"] == ("",)
    assert EXPECTED.testset.documents[0].references["ref"] == ("dog", '"cat"')


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.Table.from_pylist])
def test_frames_hold_rows(frame: Callable[[Any], Any]) -> None:
    assert from_rows(frame(ROWS)) == EXPECTED


def test_rows_of_hugging_face_sets() -> None:
    rows = [{"translation": {"de": "Hund", "en": "dog"}, "outputs": {"x": "dog"}}]
    options = isogloss.ReadOptions(source_language="de", target_language="en")
    collection = from_rows(rows, options)
    (document,) = collection.testset.documents
    assert (document.source, document.references["ref"]) == (("Hund",), ("dog",))
    assert collection.system_names == ("x",)
    with pytest.raises(FormatError, match="has the languages de, en; say which"):
        from_rows(rows)
    datasets = pytest.importorskip("datasets", reason="Hugging Face's datasets is not installed")
    assert from_rows(datasets.Dataset.from_list(rows), options) == collection


@pytest.mark.parametrize("rows", ["text", {"source": "a"}, 7])
def test_what_holds_no_rows_is_refused(rows: Any) -> None:
    with pytest.raises(InputError, match="rows are mappings"):
        from_rows(rows)
    with pytest.raises(FormatError, match="no row with named cells"):
        from_rows(["text"])
    with pytest.raises(FormatError, match="there are no rows"):
        from_rows([])


@pytest.mark.parametrize("name", ["a.csv", "a.parquet", "a.arrow"])
def test_files_hold_what_frames_do(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    write_collection(EXPECTED, path, "csv" if name.endswith("csv") else "parquet")
    read = read_collection(path)
    assert read.outputs == EXPECTED.outputs
    assert read.testset.documents == EXPECTED.testset.documents
    if name == "a.csv":
        with path.open(newline="") as file:
            assert [row["source"] for row in csv.DictReader(file)] == [r["source"] for r in ROWS]
    elif name == "a.parquet":
        assert pq.read_table(path).column("source").to_pylist() == [r["source"] for r in ROWS]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("source,ref,x\na,b\n", r"bad.csv:2: has 2 cells, the header has 3; .*in quotes"),
        ('source,ref\n"a,b\n', r"bad.csv:2: not CSV"),
        ("source,source\na,b\n", "a column appears twice"),
    ],
)
def test_bad_csv_says_where(text: str, complaint: str, tmp_path: Path) -> None:
    (tmp_path / "bad.csv").write_text(text)
    with pytest.raises(FormatError, match=complaint):
        read_collection(tmp_path / "bad.csv", "csv")


def test_bad_parquet_says_so(tmp_path: Path) -> None:
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 and nothing else")
    with pytest.raises(FormatError, match="cannot be read"):
        read_collection(tmp_path / "bad.parquet")


def test_scores_are_written_as_frames(tmp_path: Path) -> None:
    path = tmp_path / "documents.parquet"
    command = ["evaluate", str(sample_path("cs-en")), "-m", "chrf", "-q", "--level", "document"]
    done = run_program(*command, "--table", path)
    assert done.returncode == 0, done.stderr
    table = isogloss.evaluate(isogloss.load_sample("cs-en"), "chrf")
    assert pq.read_table(path).to_pylist() == table.records("document")
