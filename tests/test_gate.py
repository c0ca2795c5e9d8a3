"""The gate: its test against enumeration, its verdicts, and what it refuses."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy import stats

import isogloss
from isogloss.comparison import GateSettings, GateVerdict, non_inferiority
from isogloss.documents import SystemOutput
from isogloss.errors import InputError


@pytest.fixture(scope="module")
def collection() -> isogloss.Collection:
    return isogloss.load_sample("cs-en")


@pytest.fixture(scope="module")
def table(collection: isogloss.Collection) -> isogloss.ScoreTable:
    return isogloss.evaluate(collection, "bleu,ter")


@pytest.mark.parametrize("documents", [5, 8, 11])
def test_every_way_of_turning_signs_is_looked_at(documents: int) -> None:
    gains = np.random.default_rng(documents).normal(0.1, 1, documents)
    p, bound = non_inferiority(gains, 0.4, GateSettings())
    sums = [sum(s * (g + 0.4) for s, g in zip(signs, gains, strict=True))
            for signs in product((1, -1), repeat=documents)]  # fmt: skip
    assert p == pytest.approx(np.mean(np.array(sums) >= sums[0] - 1e-12))
    theirs = stats.permutation_test(
        (gains + 0.4,), np.sum, permutation_type="samples", alternative="greater"
    )
    assert p == pytest.approx(theirs.pvalue)
    # The bound is where the test turns round.
    assert bound is not None
    assert non_inferiority(gains, -bound + 1e-6, GateSettings())[0] <= 0.05
    assert non_inferiority(gains, -bound - 1e-6, GateSettings())[0] > 0.05


def test_with_many_documents_ways_are_drawn() -> None:
    gains = np.random.default_rng(3).normal(0, 1, 40)
    p, bound = non_inferiority(gains, 0.3, GateSettings())
    drop = stats.ttest_1samp(gains + 0.3, 0, alternative="greater")
    assert p == pytest.approx(drop.pvalue, abs=0.01)
    assert bound == pytest.approx(
        gains.mean() - stats.t.ppf(0.95, 39) * gains.std(ddof=1) / 40**0.5, abs=0.03
    )


def test_unchanged_outputs_pass_whatever_is_allowed(table: isogloss.ScoreTable) -> None:
    gate = isogloss.check(table, table, {"bleu": 0, "ter": 0})
    assert gate.passed
    assert {each.verdict for each in gate.checks} == {GateVerdict.UNCHANGED}
    assert len(gate.checks) == 6


def test_a_loss_shows_whichever_way_the_metric_runs(table: isogloss.ScoreTable) -> None:
    both = {"steady": "shifting", "shifting": "steady"}
    gate = isogloss.check(table, table, {"bleu": 0.5, "ter": 1}, systems=both)
    verdicts = {(c.system, c.metric.name): c.verdict for c in gate.checks}
    assert verdicts == {
        ("steady", "bleu"): GateVerdict.HELD,
        ("steady", "ter"): GateVerdict.HELD,
        ("shifting", "bleu"): GateVerdict.FALLEN,
        ("shifting", "ter"): GateVerdict.FALLEN,
    }
    for each in gate.checks:
        sign = 1 if each.metric.higher_is_better else -1
        assert each.gain == pytest.approx(sign * (each.new - each.old))  # type: ignore[operator]
        assert each.bound < each.gain  # type: ignore[operator]


def few(collection: isogloss.Collection, count: int) -> isogloss.Collection:
    return collection.with_documents([d.id for d in collection.testset.documents[:count]])


def test_few_documents_can_show_nothing(collection: isogloss.Collection) -> None:
    small = isogloss.evaluate(few(collection, 4), "bleu")
    gate = isogloss.check(small, small, {"bleu": 1}, systems={"steady": "tangled"})
    (found,) = gate.checks
    assert found.verdict is GateVerdict.UNSURE
    assert found.reason == "4 documents can show nothing; score at least 5"
    enough = isogloss.evaluate(few(collection, 5), "bleu")
    assert isogloss.check(enough, enough, {"bleu": 1}, systems={"steady": "tangled"}).passed


def without_first_segment(output: SystemOutput) -> SystemOutput:
    first, lines = next(iter(output.documents.items()))
    return replace(output, documents={**output.documents, first: (None, *lines[1:])})


def test_what_is_no_longer_scored_does_not_pass(
    collection: isogloss.Collection, table: isogloss.ScoreTable
) -> None:
    outputs = tuple(map(without_first_segment, collection.outputs))
    gate = isogloss.check(
        isogloss.evaluate(replace(collection, outputs=outputs), "bleu"), table, {"bleu": 100}
    )
    assert {each.verdict for each in gate.checks} == {GateVerdict.INCOMPLETE}
    assert gate.checks[0].reason.startswith("1 of 53 segments have no new score")


def test_what_cannot_be_compared_is_refused(
    collection: isogloss.Collection, table: isogloss.ScoreTable
) -> None:
    other = isogloss.evaluate(few(collection, 5), "bleu")
    with pytest.raises(InputError, match="texts, documents or references differ"):
        isogloss.check(other, table, {"bleu": 1})
    info = replace(
        table.metrics[0], signature=table.metrics[0].signature.replace("exp", "none"), formula=None
    )
    changed = replace(table, metrics=(info, table.metrics[1]))
    with pytest.raises(InputError, match=r"bleu: the baseline was scored otherwise .smooth:none, "):
        isogloss.check(changed, table, {"bleu": 1})
    with pytest.raises(InputError, match="no scores of 'chrf'"):
        isogloss.check(table, table, {"chrf": 1})
    with pytest.raises(InputError, match="may lose 0 points or more"):
        isogloss.check(table, table, {"bleu": -1})
    with pytest.raises(InputError, match="there is no metric to check"):
        isogloss.check(table, table, {})


def test_a_lone_system_is_held_against_the_only_one(collection: isogloss.Collection) -> None:
    new, old = (
        isogloss.evaluate(collection.with_systems([name]), "chrf") for name in ("steady", "tangled")
    )
    (found,) = isogloss.check(new, old, {"chrf": 1}).checks
    assert (found.system, found.baseline, found.passed) == ("steady", "tangled", True)
