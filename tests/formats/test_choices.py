"""Preferences as TSV, CSV and JSON lines."""

import json
from pathlib import Path

import pytest

from formats.test_esa import COLLECTION, TESTSET
from isogloss.errors import FormatError, InputError
from isogloss.formats import read_choices, read_judgements, recognise
from isogloss.judgements import Choice

HEADER = "doc\tsegments\tfirst\tsecond\tpreferred\tannotator"


def table(path: Path, *rows: str, header: str = HEADER) -> Path:
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return path


def test_a_table_of_documents_and_passages(tmp_path: Path) -> None:
    path = table(
        tmp_path / "said.tsv",
        "news-1\t\tsys1\tsys2\tsys2\tanna",
        "news-1\t2-3\tsys2\tsys1\ttie\t",
        "news-1\t3\trefA\tsys1\trefA\tbert",
    )
    assert recognise(path).name == "choices"
    assert read_choices(path, COLLECTION).items == (
        Choice("sys1", "sys2", "news-1", "sys2", None, "anna"),
        Choice("sys2", "sys1", "news-1", None, (1, 3)),
        Choice("refA", "sys1", "news-1", "refA", (2, 3), "bert"),
    )
    assert read_choices(path, TESTSET).annotators == ("anna", "bert")


def test_a_spreadsheet(tmp_path: Path) -> None:
    path = table(
        tmp_path / "said.csv",
        'blog,1,sys1,sys2,tie,"\'=ann",,',
        'news-1,2-3,sys1,sys2,sys2,bob,"terms, style","-5, and\nmore"',
        "news-1,2-3,sys2,sys1,sys1,organiser,style,",
        header="doc,segments,first,second,preferred,annotator,reasons,note",
    )
    assert recognise(path).name == "choices"
    assert read_choices(path, COLLECTION).items == (
        Choice("sys1", "sys2", "blog", None, (0, 1), "=ann"),
        Choice("sys2", "sys1", "news-1", "sys1", (1, 3), "organiser", ("style",)),
    ), "what was decided is the only choice"


def test_json_lines(tmp_path: Path) -> None:
    record = {"doc": "blog", "first": "sys1", "second": "sys2", "preferred": "tie", "segments": 1}
    path = tmp_path / "said.jsonl"
    path.write_text(json.dumps(record) + "\n" + json.dumps(record) + "\n", encoding="utf-8")
    assert recognise(path).name == "choices"
    assert (
        read_choices(path, COLLECTION).items == (Choice("sys1", "sys2", "blog", None, (0, 1)),) * 2
    )


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        ("other\t\tsys1\tsys2\ttie\t", ":2: document 'other' is not in test set 'tiny'"),
        ("blog\t\tsys1\tsys3\ttie\t", ":2: there is no system 'sys3'; there are: sys1, sys2"),
        ("blog\t\tsys1\tsys2\tboth\t", ":2: 'both' is neither 'sys1' nor 'sys2'.* or 'tie'"),
        ("blog\t\tsys1\tsys1\ttie\t", ":2: a choice is between two systems"),
        ("blog\t2\tsys1\tsys2\ttie\t", ":2: document 'blog' has 1 segment, no segments 2"),
        ("news-1\t3-1\tsys1\tsys2\ttie\t", ":2: document 'news-1' has 3 segments, no segments 3-1"),
        ("blog\tall\tsys1\tsys2\ttie\t", ":2: segments 'all' are no numbers; such as 3-5, or 3"),
        ("blog\tsys1\tsys2\ttie\t", ":2: has 5 columns, the header has 6"),
        ("blog\t\tsys1\tsys2\t\t", ":2: 'preferred' is missing"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(tmp_path: Path, row: str, complaint: str) -> None:
    with pytest.raises(FormatError, match=complaint):
        read_choices(table(tmp_path / "said.tsv", row), COLLECTION)


def test_unknown_columns_and_other_files_are_refused(tmp_path: Path) -> None:
    path = table(
        tmp_path / "said.tsv", "blog\ta\tb\ttie\t9", header="doc\tfirst\tsecond\tpreferred\tx"
    )
    with pytest.raises(FormatError, match="unknown column 'x'; there are: doc, first"):
        read_choices(path, COLLECTION)
    with pytest.raises(FormatError, match="'isogloss preferences' judges metrics by preferences"):
        read_judgements(path, COLLECTION)
    with pytest.raises(FormatError, match="there are no choices"):
        read_choices(table(tmp_path / "said.tsv"), COLLECTION)
    with pytest.raises(InputError, match="are no part of a document"):
        Choice("a", "b", "d", None, (3, 3))
