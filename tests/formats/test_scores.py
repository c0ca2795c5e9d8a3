"""Score files: everything comes back, and damage is located."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from isogloss.documents import Collection, SystemOutput
from isogloss.errors import FormatError
from isogloss.evaluation import evaluate
from isogloss.formats import read_scores, recognise, scores, write_scores
from isogloss.sample import load_sample
from isogloss.scores import ScoreTable
from isogloss.spans import Evidence, Span


@pytest.fixture(scope="module")
def table() -> ScoreTable:
    sample = load_sample("zh-en")
    first = sample.outputs[0]
    holes = SystemOutput("holes", {d: (None, *s[1:]) for d, s in first.documents.items()})
    made = evaluate(Collection(sample.testset, (first, holes)), ["bleu", "ter"])
    evidence = (Evidence("a reason ✓", (Span("d", "output:s", 0, 1, 3),), 0.5), Evidence("b", ()))
    document = made.rows[0].documents[0]
    marked = replace(
        document,
        measurement=replace(document.measurement, evidence=evidence),
        handed_in=tuple((9 * n, 9 * n + 8) for n in range(document.measurement.total)),
    )
    row = replace(made.rows[0], documents=(marked, *made.rows[0].documents[1:]), human=True)
    return replace(made, rows=(row, *made.rows[1:]))


@pytest.mark.parametrize("name", ["s.jsonl", "s.jsonl.gz", "s.jsonl.xz", "s.jsonl.zst"])
def test_everything_comes_back(table: ScoreTable, tmp_path: Path, name: str) -> None:
    path = tmp_path / "deeper" / name
    write_scores(table, path)
    assert recognise(path).name == "scores"
    assert read_scores(path) == table
    assert [file.name for file in path.parent.iterdir()] == [name]


def lines_of(table: ScoreTable, tmp_path: Path) -> tuple[Path, list[str]]:
    path = tmp_path / "s.jsonl"
    write_scores(table, path)
    return path, path.read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize(
    ("line", "change", "complaint"),
    [
        (1, lambda record: record | {"version": 99}, "version 99 is not known"),
        (1, lambda record: {"other": 1}, "this is no isogloss score file"),
        (2, lambda record: {"metric": "bleu"}, "'system' is missing"),
        (2, lambda record: record | {"document": "d"}, "before its system's"),
        (4, lambda record: record | {"scored": 99}, "99 of"),
        (4, lambda record: record | {"statistics": "x"}, "'statistics' must be a list"),
        (4, lambda record: record | {"handed_in": [[0, 1]]}, "pairs of a start and an end"),
        (4, lambda record: record | {"handed_in": [1] * record["total"]}, "pairs of a start"),
        (4, lambda record: record | {"handed_in": [[2, 1]] * record["total"]}, "pairs of a start"),
        (1, lambda record: record | {"version": "1"}, "'version' must be a whole number"),
        (1, lambda record: record | {"provenance": []}, "'provenance' must be an object"),
        (1, lambda record: record | {"metrics": [1]}, "not a JSON object"),
        (2, lambda record: record | {"score": "88"}, "'score' must be a number, not \"88\""),
        (2, lambda record: record | {"human": 0}, "'human' must be true or false"),
        (2, lambda record: record | {"score": 10**400}, "is out of range"),
        (2, lambda record: record | {"score": float("nan")}, "NaN is no number in JSON"),
        (2, lambda record: record | {"score": float("-inf")}, "-Infinity is no number in JSON"),
        (2, lambda record: record | {"system": "\ud800"}, "half a character"),
        (3, lambda record: record | {"document": 7}, "'document' must be a text"),
        (3, lambda record: record | {"total": 1.5}, "'total' must be a whole number"),
        (3, lambda record: record | {"segment_scores": ["a"]}, "'segment_scores' holds \"a\""),
        (3, lambda record: record | {"segment_statistics": [[1]]}, "must hold lists of"),
        (3, lambda record: record | {"evidence": [{}]}, "'spans' is missing"),
        (3, lambda record: record | {"remarks": {"a": "b"}}, "'a' must be a whole number"),
        (
            3,
            lambda record: record | {"statistics": [n + 1 for n in record["statistics"]]},
            "are not the sum of its segments'",
        ),
    ],
)
def test_damage_is_located(
    table: ScoreTable, tmp_path: Path, line: int, change: object, complaint: str
) -> None:
    path, lines = lines_of(table, tmp_path)
    lines[line - 1] = json.dumps(change(json.loads(lines[line - 1])))  # type: ignore[operator]
    path.write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(FormatError, match=complaint) as raised:
        scores.read(path)
    assert raised.value.line == line
    assert str(path) in str(raised.value)


def test_a_cut_file_is_located(table: ScoreTable, tmp_path: Path) -> None:
    path, lines = lines_of(table, tmp_path)
    path.write_text("\n".join(lines)[:-50], encoding="utf-8")
    with pytest.raises(FormatError, match="not JSON") as raised:
        scores.read(path)
    assert raised.value.line == len(lines)
    path.write_text(lines[0] + "\n[1]", encoding="utf-8")
    with pytest.raises(FormatError, match="not a JSON object"):
        scores.read(path)


def test_brackets_without_end_are_located(table: ScoreTable, tmp_path: Path) -> None:
    path, lines = lines_of(table, tmp_path)
    path.write_text(lines[0] + "\n" + "[" * 100_000, encoding="utf-8")
    with pytest.raises(FormatError, match="nested too deeply") as raised:
        scores.read(path)
    assert raised.value.line == 2
    path.write_text(lines[0] + '\n{"score": 1e999}', encoding="utf-8")
    with pytest.raises(FormatError, match="1e999 is out of range"):
        scores.read(path)
