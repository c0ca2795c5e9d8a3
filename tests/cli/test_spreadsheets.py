"""CSV is for spreadsheets and runs nothing there; TSV and JSON are for programs, and exact."""

import csv
import io
import json
from pathlib import Path

import pytest

from isogloss.cli.consistency_tables import write_list
from isogloss.cli.output import Output, Result, rendered
from isogloss.metrics.consistency import Variation
from isogloss.metrics.consistency.tables import Variant
from isogloss.tables import spreadsheet_cell

FORMULAS = [
    "=cmd|' /C calc'!A0",
    "+1+cmd",
    "-2+3+cmd",
    "@SUM(1,2)",
    "\t=1+1",
    "\r=1+1",
    "  =1+1",
    "＝1+1",
]
HARMLESS = ["", "steady", "a=b", "-1.5", "+3", "1e-5", "'quoted", "–"]


@pytest.mark.parametrize("text", FORMULAS)
def test_a_formula_becomes_a_text(text: str) -> None:
    assert spreadsheet_cell(text) == f"'{text}"


@pytest.mark.parametrize("text", HARMLESS)
def test_other_texts_stay(text: str) -> None:
    assert spreadsheet_cell(text) == text


@pytest.mark.parametrize(
    ("value", "cell"), [(-1.5, "-1.5"), (-3, "-3"), (None, ""), (True, "true")]
)
def test_values_that_are_no_texts_stay(value: object, cell: str) -> None:
    assert spreadsheet_cell(value) == cell


def test_only_csv_is_changed() -> None:
    records = [{"system": text, "=score": -1.5} for text in FORMULAS[:4]]
    result = Result([], records)
    header, *rows = csv.reader(io.StringIO(rendered(result, Output.CSV)))
    assert header == ["system", "'=score"]
    assert rows == [[f"'{text}", "-1.5"] for text in FORMULAS[:4]]
    tsv = rendered(result, Output.TSV).splitlines()
    assert tsv == ["system\t=score", *(f"{text}\t-1.5" for text in FORMULAS[:4])]
    lines = rendered(result, Output.JSONL).splitlines()
    assert [json.loads(line)["system"] for line in lines] == FORMULAS[:4]


@pytest.mark.parametrize(
    ("name", "bom", "safe"),
    [("a.csv", False, True), ("a.csv", True, True), ("a.tsv", True, True), ("a.tsv", False, False)],
)
def test_the_list_of_words_is_safe_where_it_is_for_a_spreadsheet(
    name: str, bom: bool, safe: bool, tmp_path: Path
) -> None:
    variation = Variation("d", "=1+1", (), (Variant("@x", (0, 1)),), 0, 1, varies=True)
    write_list(tmp_path / name, [("-sys", variation)], bom)
    text = (tmp_path / name).read_text(encoding="utf-8-sig")
    (row,) = csv.DictReader(io.StringIO(text), delimiter="," if name.endswith("csv") else "\t")
    assert row["word"] == ("'=1+1" if safe else "=1+1")
    assert row["system"] == ("'-sys" if safe else "-sys")
