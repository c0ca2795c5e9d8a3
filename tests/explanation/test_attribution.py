"""Parts of a difference: they add up, for means and corpus scores, and turn with the systems."""

import numpy as np
import pytest

import isogloss
from isogloss.arrays import Floats
from isogloss.comparison import ComparisonSettings, Units, compare
from isogloss.explanation.attribution import Attribution, path_gradients
from isogloss.formula import MeanFormula
from isogloss.metrics import formula_of
from isogloss.scores import ScoreTable

METRICS = "bleu,chrf,ter,cohesion"
SETTINGS = ComparisonSettings(resamples=1000)


@pytest.fixture(scope="module")
def table() -> ScoreTable:
    return isogloss.evaluate(isogloss.load_sample("cs-en"), METRICS)


def attribution(table: ScoreTable, metric: str, first: str, second: str) -> Attribution:
    rows = [Units.of(table[metric, system], "documents") for system in (first, second)]
    return Attribution.of(formula_of(table, table.metric(metric)), *rows)


@pytest.mark.parametrize("metric", METRICS.split(","))
@pytest.mark.parametrize("second", ["shifting", "tangled"])
def test_parts_add_up_and_turn_with_the_systems(
    table: ScoreTable, metric: str, second: str
) -> None:
    there = attribution(table, metric, "steady", second)
    back = attribution(table, metric, second, "steady")
    scores = [table[metric, system].score for system in ("steady", second)]
    assert there.difference == pytest.approx((scores[0] or 0) - (scores[1] or 0), abs=1e-9)
    assert there.carried.sum() == pytest.approx(there.difference, abs=1e-9)
    assert there.remainder == pytest.approx(0, abs=1e-9)
    assert back.carried == pytest.approx(-there.carried, abs=1e-9)


def test_parts_of_a_mean_are_the_differences_over_their_number() -> None:
    rng = np.random.default_rng(3)
    rows = [np.stack([rng.normal(size=20), np.ones(20)], axis=1) for _ in range(2)]
    made = Attribution(MeanFormula(), *rows, np.arange(20) // 2, np.arange(20))
    assert made.carried == pytest.approx((rows[0] - rows[1])[:, 0] / 20, abs=1e-12)
    assert made.weights == pytest.approx(np.full(20, 1 / 20))
    assert made.weighs_all_alike


def test_ratios_weigh_by_what_no_system_changes(table: ScoreTable) -> None:
    """TER's denominator is the reference's words."""
    made = attribution(table, "ter", "steady", "tangled")
    assert made.weights == pytest.approx(made.first[:, 1] / made.first[:, 1].sum())


def test_a_kink_on_the_way_leaves_nothing_out() -> None:
    """One output is shorter than its reference and has a penalty, the other is not."""
    bleu = isogloss.load_metric("bleu")
    start = np.array([[90.0, 100, 60, 40, 25, 15, 90, 85, 80, 75]])
    end = np.array([[120.0, 100, 80, 60, 40, 30, 120, 115, 110, 105]])
    slope = path_gradients(bleu.score_rows, start, end)
    gained = bleu.score_rows(end) - bleu.score_rows(start)
    assert ((end - start) * slope).sum() == pytest.approx(gained[0], abs=1e-10)


def test_the_whole_has_the_interval_of_the_difference(table: ScoreTable) -> None:
    """All segments together carry the difference, with the interval that `compare` gives it."""
    made = attribution(table, "chrf", "steady", "tangled")
    everything = np.ones(len(made.first), dtype=bool)
    ((carried,), (beyond,)) = made.measured([everything], SETTINGS)
    (comparison,) = compare(table, ["chrf"], SETTINGS)
    test = comparison.pair("steady", "tangled")
    assert carried.value == pytest.approx(test.difference)
    assert carried.interval == pytest.approx(test.interval)
    assert beyond.value == pytest.approx(0, abs=1e-9)


def test_nothing_is_said_of_what_shows_in_few_documents(table: ScoreTable) -> None:
    made = attribution(table, "chrf", "steady", "tangled")
    few = np.asarray(made.document < 5)
    ((carried,), _) = made.measured([few], SETTINGS)
    assert carried.interval is None
    assert carried.p is None


def test_without_documents_is_the_difference_on_the_others(table: ScoreTable) -> None:
    made = attribution(table, "bleu", "steady", "tangled")
    kept = made.document > 1

    def score(rows: Floats) -> float:
        return made.formula.score(rows[kept].sum(axis=0)) or 0.0

    assert made.without([0, 1]) == pytest.approx(score(made.first) - score(made.second))
