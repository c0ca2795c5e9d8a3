"""A metric that isogloss does not know goes the whole way: the one of docs/metrics.md."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import isogloss
from isogloss.errors import MetricNameError
from isogloss.metrics import Metric
from isogloss.report import report_data
from isogloss.stability import stability

PAGE = Path(__file__).parents[1] / "docs" / "metrics.md"


@pytest.fixture(scope="module")
def stranger() -> Metric:
    """LengthRatio, as the page has it."""
    (program,) = (
        block
        for block in re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
        if "class LengthRatio" in block
    )
    names: dict[str, Any] = {"__name__": __name__}  # where dataclasses look for annotations
    exec(compile(program, PAGE, "exec"), names)  # noqa: S102
    return names["LengthRatio"]()  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def collection() -> isogloss.Collection:
    return isogloss.load_sample("cs-en")


@pytest.fixture(scope="module")
def table(stranger: Metric, collection: isogloss.Collection) -> isogloss.ScoreTable:
    return isogloss.evaluate(collection, [stranger, "chrf"])


def people(collection: isogloss.Collection) -> isogloss.Judgements:
    liked = {"steady": 90, "shifting": 70, "tangled": 30}
    return isogloss.Judgements(
        "da",
        tuple(
            isogloss.Judgement(system, document.id, segment, score=score - segment)
            for system, score in liked.items()
            for document in collection.testset.documents
            for segment in range(len(document))
        ),
    )


def test_it_is_compared_and_settles(table: isogloss.ScoreTable) -> None:
    comparison, _ = isogloss.compare(table)
    best, _, _ = comparison.standings
    assert best.interval is not None
    assert best.interval[0] < best.score < best.interval[1]  # type: ignore[operator]
    curves = stability(table, metrics=["length-ratio"])
    assert [curve.points[-1].mean for curve in curves] == pytest.approx(
        [row.score for row in table.of_metric("length-ratio")]
    )


def test_it_is_judged_by_people_and_reported(
    table: isogloss.ScoreTable, collection: isogloss.Collection, tmp_path: Path
) -> None:
    judged = isogloss.metaevaluate(table, people(collection), collection)
    assert "length-ratio" in {
        found.metric for column in judged.columns for found in column.findings
    }
    isogloss.write_report(tmp_path / "report.html", collection, table, people(collection))
    shown = report_data(collection, table, isogloss.compare(table), people(collection)).overview
    assert [view.name for view in shown.metrics] == ["da", "length-ratio", "chrf"]


def test_saved_ratios_are_compared_without_the_metric(
    table: isogloss.ScoreTable, tmp_path: Path
) -> None:
    isogloss.write_scores(table, tmp_path / "scores.jsonl")
    saved = isogloss.read_scores(tmp_path / "scores.jsonl")
    assert saved.metrics[0].formula is None
    before, after = isogloss.compare(table), isogloss.compare(saved)
    assert [c.pairs for c in after] == [c.pairs for c in before]
    assert [c.standings for c in after] == [c.standings for c in before]


def test_other_saved_scores_need_it(table: isogloss.ScoreTable) -> None:
    (row, *_), info = table.of_metric("length-ratio"), table.metric("length-ratio")
    changed = tuple(
        replace(document, score=None if document.score is None else document.score**2)
        for document in row.documents
    )
    squared = replace(
        table, metrics=(replace(info, formula=None),), rows=(replace(row, documents=changed),)
    )
    with pytest.raises(MetricNameError, match=r"length-ratio is no metric of isogloss.*install"):
        isogloss.compare(squared)
