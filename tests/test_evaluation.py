"""Evaluation: the same table however the work is shared, and clear refusals."""

from dataclasses import replace

import pytest

from isogloss.documents import Collection, SystemOutput
from isogloss.errors import InputError
from isogloss.evaluation import Step, evaluate
from isogloss.metrics.surface import Chrf
from isogloss.sample import load_sample
from isogloss.scores import ScoreTable


def same_scores(one: ScoreTable, other: ScoreTable) -> bool:
    """All but the time at which they were made."""
    return (one.metrics, one.rows) == (other.metrics, other.rows)


def test_processes_and_order_leave_no_trace() -> None:
    collection = load_sample("cs-en")
    alone = evaluate(collection, ["bleu", "ter"])
    assert same_scores(evaluate(collection, ["bleu", "ter"], jobs=2), alone)
    turned = Collection(collection.testset, collection.outputs[::-1])
    for row in evaluate(turned, ["bleu", "ter"]).rows:
        assert row == alone[row.metric, row.system]


def test_progress_comes_to_its_end() -> None:
    collection = load_sample("zh-en")
    steps: list[Step] = []
    evaluate(collection, ["bleu", "chrf"], progress=steps.append)
    total = 3 * collection.testset.segment_count
    assert [step for step in steps if step.done == step.total] == [
        Step("bleu", total, total),
        Step("chrf", total, total),
    ]
    assert [step.done for step in steps if step.metric == "bleu"] == sorted(
        step.done for step in steps if step.metric == "bleu"
    )


def test_a_metric_named_twice_is_scored_once() -> None:
    table = evaluate(load_sample("cs-en"), ["chrf", "chrf(beta=2)", Chrf()])
    assert [metric.name for metric in table.metrics] == ["chrf"]


def test_a_document_that_nobody_translated_has_no_score() -> None:
    collection = load_sample("cs-en")
    first = collection.testset.documents[0]
    steady = collection.outputs[0]
    absent = {**steady.documents, first.id: (None,) * len(first)}
    partly = SystemOutput("partly", absent)
    never = SystemOutput("never", {d: (None,) * len(s) for d, s in steady.documents.items()})
    table = evaluate(Collection(collection.testset, (steady, partly, never)), ["bleu"])
    row = table["bleu", "partly"]
    assert row.documents[0].score is None
    assert row.documents[1] == table["bleu", steady.name].documents[1]
    assert row.scored == row.total - len(first)
    assert table["bleu", "never"].score is None
    assert any("'never'" in notice and "absent" in notice for notice in table.provenance.notices)


def test_people_are_flagged() -> None:
    collection = load_sample("zh-en")
    human = SystemOutput(
        "refB", {d.id: d.references["refB"] for d in collection.testset.documents}, human=True
    )
    whole = replace(collection, outputs=(*collection.outputs, human)).with_references(["refA"])
    assert [row.human for row in evaluate(whole, ["chrf"]).rows] == [False, False, False, True]


@pytest.mark.parametrize(
    ("systems", "metrics", "jobs", "complaint"),
    [
        ([], ["bleu"], 1, "there is no system to score"),
        (["steady"], [], 1, "there is no metric to score with"),
        (["steady"], ["bleu"], 0, "jobs must be at least 1"),
    ],
)
def test_nothing_to_do_is_an_error(
    systems: list[str], metrics: list[str], jobs: int, complaint: str
) -> None:
    with pytest.raises(InputError, match=complaint):
        evaluate(load_sample("cs-en").with_systems(systems), metrics, jobs=jobs)
