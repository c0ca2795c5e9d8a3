"""Measurements and score tables: frozen, comparable, and unable to mix what must not be mixed."""

from dataclasses import replace

import numpy as np
import pytest

from isogloss.errors import InputError
from isogloss.evaluation import evaluate
from isogloss.sample import load_sample
from isogloss.scores import Measurement, MetricInfo, ScoreTable


@pytest.fixture(scope="module")
def table() -> ScoreTable:
    return evaluate(load_sample("cs-en"), ["bleu", "chrf"])


def test_measurements_compare_by_value_and_do_not_change() -> None:
    rows = np.array([[1.0, 2.0], [np.nan, np.nan]])
    one = Measurement(np.array([1.0, 2.0]), 1, 2, rows, (0.5, None))
    assert one == Measurement(np.array([1.0, 2.0]), 1, 2, rows.copy(), (0.5, None))
    assert one != Measurement(np.array([1.0, 2.0]), 1, 2, None, (0.5, None))
    assert one != "something else"
    rows[0, 0] = 99.0
    assert one.segment_statistics is not None
    assert one.segment_statistics[0, 0] == 1.0
    with pytest.raises(ValueError, match="read-only"):
        one.statistics[0] = 0.0


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ({"statistics": [[1.0]]}, "statistics need 1 dimension"),
        ({"scored": 3}, "3 of 2 segments scored"),
        ({"segment_scores": (1.0,)}, "1 segments measured, the document has 2"),
        ({"segment_statistics": [[1.0]]}, "1 segments measured, the document has 2"),
    ],
)
def test_impossible_measurements_are_refused(fields: dict[str, object], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        Measurement(**{"statistics": [1.0], "scored": 1, "total": 2} | fields)  # type: ignore[arg-type]


def test_looking_things_up(table: ScoreTable) -> None:
    assert table.systems == ("steady", "shifting", "tangled")
    assert table["chrf", "steady"] in table.of_metric("chrf")
    with pytest.raises(InputError, match="no score of 'nobody' under 'bleu'"):
        table["bleu", "nobody"]
    with pytest.raises(InputError, match="it has: bleu, chrf"):
        table.of_metric("ter")


def test_tables_of_one_test_set_merge(table: ScoreTable) -> None:
    more = evaluate(load_sample("cs-en"), ["ter"])
    more = replace(more, provenance=replace(more.provenance, notices=("what ter remarked",)))
    merged = table.merged_with(more)
    assert merged.provenance.notices == (*table.provenance.notices, "what ter remarked")
    assert [metric.name for metric in merged.metrics] == ["bleu", "chrf", "ter"]
    assert merged["ter", "steady"] == more["ter", "steady"]
    with pytest.raises(InputError, match="two scores of 'steady' under 'bleu'"):
        table.merged_with(table)


def test_tables_of_different_texts_do_not_merge(table: ScoreTable) -> None:
    with pytest.raises(InputError, match="the texts or references differ"):
        table.merged_with(evaluate(load_sample("zh-en"), ["ter"]))


def test_one_name_cannot_mean_two_metrics(table: ScoreTable) -> None:
    other = replace(table, metrics=(MetricInfo("bleu", "bleu|tok:char"),), rows=())
    with pytest.raises(InputError, match="two different metrics are called 'bleu'"):
        table.merged_with(other)


def test_every_row_covers_the_same_documents(table: ScoreTable) -> None:
    shorter = replace(table.rows[1], documents=table.rows[1].documents[1:])
    with pytest.raises(InputError, match="has other documents than"):
        replace(table, rows=(table.rows[0], shorter))


def test_rows_need_their_metric_listed(table: ScoreTable) -> None:
    with pytest.raises(InputError, match="the table does not list it"):
        replace(table, metrics=())
