"""``isogloss score-corpus`` as people run it."""

import json
import subprocess
from pathlib import Path

import pytest

from program import run_program

ROWS = [
    {"source": "kočka", "mt": "the cat sat", "ref": "the cat sat"},
    {"source": "pes", "mt": "a dog ran", "ref": "the dog ran off"},
    {"source": "dům", "mt": "xyz", "ref": "the house"},
]
LINES = "".join(json.dumps(row) + "\n" for row in ROWS)


def program(
    *arguments: str, given: str = LINES, folder: Path | None = None
) -> subprocess.CompletedProcess[str]:
    return run_program("score-corpus", *arguments, given=given, folder=folder)


def test_rows_in_rows_out() -> None:
    done = program("-", "-m", "chrf", "-j", "1")
    assert done.returncode == 0, done.stderr
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["mt"] for row in found] == [row["mt"] for row in ROWS]
    assert found[0]["chrf"] == 100
    assert "3 rows read, 3 kept" in done.stderr
    assert "chrf: 3 scored, mean" in done.stderr


def test_a_corpus_is_filtered_into_a_folder(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text(LINES)
    command = ("rows.jsonl", "-m", "chrf", "--keep-above", "20", "--into", "kept", "-j", "1")
    done = program(*command, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "3 rows read, 2 kept in kept" in done.stdout
    kept = (tmp_path / "kept" / "part-000000.jsonl").read_text().splitlines()
    assert [json.loads(line)["source"] for line in kept] == ["kočka", "pes"]
    again = program(*command, folder=tmp_path)
    assert again.stdout == done.stdout


def test_lines_side_by_side_need_names() -> None:
    table = "".join(f"{row['mt']}\t{row['ref']}\n" for row in ROWS)
    done = program("-", "-m", "chrf", "--header", "output,reference", "-j", "1", given=table)
    first, *_ = done.stdout.splitlines()
    assert json.loads(first)["output"] == "the cat sat"
    without = program("-", "-m", "chrf", "-j", "1", given=table)
    assert without.returncode == 2
    assert "standard input:1: the first line does not name columns" in without.stderr


def test_bad_rows_make_the_result_incomplete() -> None:
    broken = LINES + "{\n"
    stopped = program("-", "-m", "chrf", "-j", "1", given=broken)
    assert stopped.returncode == 2
    assert "standard input:4: not JSON" in stopped.stderr
    skipped = program("-", "-m", "chrf", "-j", "1", "--skip-bad-rows", "-q", given=broken)
    assert skipped.returncode == 3
    assert len(skipped.stdout.splitlines()) == 3
    assert "standard input:4: not JSON" in skipped.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-m", "chrf,bleu", "--keep-above", "3"), "of which metric? Say METRIC=3"),
        (("-m", "chrf", "--keep-above", "chrf=x"), "takes [METRIC=]SCORE, not 'chrf=x'"),
        (("-m", "chrf", "-w", "parquet"), "name a folder: --into"),
        (("-m", "prism-src"), "needs to know the target language"),
        (("-m", "ltcr", "--from", "cs", "--to", "en"), "'isogloss evaluate' scores documents"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_line(arguments: tuple[str, ...], message: str) -> None:
    done = program("-", "-j", "1", *arguments)
    assert done.returncode == 2
    assert message in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
