"""``isogloss markables`` from the outside."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from isogloss.cli.main import app
from isogloss.errors import InputError
from isogloss.sample import sample_path


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["markables", *arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture(scope="module")
def folder(shared_data: Path) -> str:
    path = shared_data / "elitr-wmt20"
    if not path.is_dir():
        pytest.skip(f"the markable study is not at {path}")
    return str(path)


def test_one_command_prints_every_table(folder: str, tmp_path: Path) -> None:
    shown = json.loads(run("analyse", folder, "-o", "json", "--plots", str(tmp_path)))
    assert shown["line_annotations"] == 4264
    assert shown["markable_annotations_used"] == 6240
    tables = {record["table"] for record in shown["results"]}
    assert tables == {
        *("1", "2", "3", "4", "5", "6", "directions"),
        *("correlations", "phenomena", "agreement", "time"),
    }
    sense = [r for r in shown["results"] if r["table"] == "6" and r["row"] == "Sense"]
    rating = next(r for r in sense if r["column"] == "r fluency·adequacy, with reference")
    assert round(rating["value"], 3) == -0.836
    assert rating["n"] == 14
    assert rating["low"] < rating["value"] < rating["high"]
    assert {path.name for path in tmp_path.iterdir()} == {
        *("table2.svg", "table4.svg", "table5.svg", "table6.svg"),
        *("correlations.svg", "phenomena.svg"),
    }


@pytest.mark.parametrize(
    ("form", "expected"),
    [("table", "0.083 | 0.469"), ("latex", r"\toprule"), ("tsv", "table\trow\tcolumn")],
)
def test_the_forms_of_a_table(folder: str, form: str, expected: str) -> None:
    assert expected in run("analyse", folder, "--tables", "5", "-o", form)


def test_an_unknown_table_is_refused(folder: str) -> None:
    with pytest.raises(InputError, match="there is no table '7'"):
        run("analyse", folder, "--tables", "7")


def test_export(folder: str, tmp_path: Path) -> None:
    run("export", folder, "--mqm", str(tmp_path), "--events", str(tmp_path / "log.jsonl"))
    assert len((tmp_path / "log.jsonl").read_text().splitlines()) == 4264 + 6487
    assert (tmp_path / "markables-cs-en.mqm.tsv").is_file()
    with pytest.raises(InputError, match="--mqm"):
        run("export", folder)


def test_propose_and_check() -> None:
    sample = str(sample_path("zh-en"))
    options = ["--aligner", "fast-align"]
    proposed = run("propose", sample, "-n", "3", "--document", "news-ferry", *options)
    assert "news-ferry: proposed markables" in proposed
    assert "news-orchard" not in proposed
    arguments = ["check", sample, "--use-system", "tangled", "-o", "jsonl", *options]
    records = [json.loads(line) for line in run(*arguments).splitlines()]
    severities = [record["severity"] for record in records]
    assert severities == sorted(severities, reverse=True)
    assert {record["system"] for record in records} == {"tangled"}
    one = run("check", sample, "--document", "news-ferry", "--phenomenon", "conflict", *options)
    assert "findings, worst first" in one


def test_own_terms_alone(tmp_path: Path) -> None:
    (tmp_path / "terms.txt").write_text("班次\n", encoding="utf-8")
    arguments = ["--terms", str(tmp_path / "terms.txt"), "--count", "0", "--aligner", "fast-align"]
    shown = run("check", str(sample_path("zh-en")), "-o", "jsonl", *arguments)
    assert {json.loads(line)["markable"] for line in shown.splitlines()} <= {"班次"}
