"""Pairwise and soft pairwise accuracy against plain loops and WMT23; systems that are outliers."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from isogloss.errors import InputError, MismatchError
from isogloss.metaeval import ranking
from isogloss.metaeval.ranking import (
    Flips,
    outlier_systems,
    pairwise_accuracy,
    soft_pairwise_accuracy,
    swap_p_values,
)
from metaeval import slow_statistics as slow
from metaeval.matrices import Pair, random_pair, score_pairs
from metaeval.wmt_data import Matrices, read_matrices

PUBLISHED_SPA = {"COMET-refA": 0.960, "prismRef-refA": 0.926, "chrF-refA": 0.837}


@pytest.fixture(scope="module")
def wmt23(shared_data: Path) -> Matrices:
    return read_matrices(shared_data / "wmt" / "wmt23" / "en-de")


def signs_of(flips: Flips, items: int) -> list[list[float]]:
    return [[float(s) for s in row] for part in flips.signs(items) for row in part]


def test_pairs_of_several_test_sets_are_pooled() -> None:
    first = [3.0, 2.0, 1.0], [30.0, 10.0, 20.0]  # 2 of 3
    second = [1.0, 2.0], [5.0, 4.0]  # 0 of 1
    found = pairwise_accuracy(first, second)
    assert (found.value, found.count) == (0.5, 4)
    assert pairwise_accuracy(first).value == pytest.approx(2 / 3)


def test_a_system_without_a_score_is_in_no_pair() -> None:
    found = pairwise_accuracy(([1.0, np.nan, 2.0], [1.0, 5.0, 2.0]))
    assert (found.value, found.count) == (1.0, 1)
    for nothing in ([], [([1.0], [1.0])], [([1.0, np.nan], [1.0, 1.0])]):
        assert pairwise_accuracy(*nothing).value is None
        assert "no two systems" in str(pairwise_accuracy(*nothing).reason)


def test_ties_agree_with_ties_only() -> None:
    assert pairwise_accuracy(([1.0, 1.0], [2.0, 2.0])).value == 1.0
    assert pairwise_accuracy(([1.0, 1.0], [2.0, 3.0])).value == 0.0


def test_pairwise_accuracy_needs_one_score_a_system() -> None:
    with pytest.raises(InputError, match="one score per system"):
        pairwise_accuracy((np.zeros((2, 2)), np.zeros((2, 2))))
    with pytest.raises(MismatchError):
        pairwise_accuracy(([1.0], [1.0, 2.0]))


@settings(max_examples=40, deadline=None)
@given(score_pairs())
def test_soft_accuracy_of_any_scores_equals_plain_loops(pair: Pair) -> None:
    human, metric = pair
    judged = int((~np.isnan(human) & ~np.isnan(metric)).any(axis=0).sum())
    flips = Flips(draws=30, seed=1)
    found = soft_pairwise_accuracy(human, metric, flips)
    expected = slow.soft_pairwise_accuracy(human, metric, signs_of(flips, judged))
    assert found.value == (None if expected is None else pytest.approx(expected, abs=1e-12))
    assert (found.reason is None) == (expected is not None)


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_soft_accuracy_of_larger_matrices_equals_plain_loops(missing: float) -> None:
    for seed in range(4):
        human, metric = random_pair(seed, 5, 40, missing)
        flips = Flips(draws=100)
        judged = int((~np.isnan(human) & ~np.isnan(metric)).any(axis=0).sum())
        expected = slow.soft_pairwise_accuracy(human, metric, signs_of(flips, judged))
        found = soft_pairwise_accuracy(human, metric, flips)
        assert found.value == pytest.approx(expected, abs=1e-12)
        assert found.count == 10


def test_people_agree_with_themselves_and_not_with_their_opposite() -> None:
    human, _ = random_pair(2, 6, 200, missing=0.1)
    assert soft_pairwise_accuracy(human, human * 3 + 1).value == 1.0
    shifted = human + np.arange(6)[:, None]
    opposite = soft_pairwise_accuracy(shifted, -shifted).value
    assert opposite is not None
    assert opposite < 0.1


def test_draws_are_those_of_mt_metrics_eval() -> None:
    """numpy's generator with seed 4, float32, rounded to 0 and 1: all draws at once or not."""
    whole = np.rint(np.random.default_rng(4).random((1000, 7), dtype=np.float32)) * 2 - 1
    assert np.array_equal(np.vstack(list(Flips().signs(7))), whole)


def test_portions_draw_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = np.vstack(list(Flips(draws=20).signs(7)))
    monkeypatch.setattr(ranking, "_CHUNK_CELLS", 21)
    parts = list(Flips(draws=20).signs(7))
    assert len(parts) == 7
    assert np.array_equal(np.vstack(parts), whole)


def test_p_values_of_a_clear_and_of_no_difference() -> None:
    scores = np.array([[5.0] * 30, [1.0] * 30, [1.0] * 30])
    (p_values,) = swap_p_values([scores])
    ahead, also_ahead, same = p_values
    assert ahead == also_ahead == 0.0
    assert same == 1.0
    assert np.isnan(swap_p_values([np.array([[1.0, np.nan], [np.nan, 1.0]])])).all()


def test_soft_accuracy_needs_two_systems_and_a_draw() -> None:
    assert soft_pairwise_accuracy(np.zeros((1, 5)), np.zeros((1, 5))).value is None
    apart = np.array([[1.0, np.nan], [np.nan, 1.0]])
    assert "same item" in str(soft_pairwise_accuracy(apart, apart).reason)
    with pytest.raises(InputError, match="at least one draw"):
        Flips(draws=0)


def test_outliers_lie_far_off_the_median() -> None:
    scores = [1.0, 1.1, 0.9, 1.05, 5.0, np.nan, -3.0]
    assert outlier_systems(scores).tolist() == [False] * 4 + [True, False, True]
    # |x - 1| = 0 .1 .1 0 .3 -> MAD .1; .3 / .14826 = 2.02, .4 / .14826 = 2.70
    assert not outlier_systems([1.0, 1.1, 0.9, 1.0, 1.3]).any()
    assert outlier_systems([1.0, 1.1, 0.9, 1.0, 1.4]).tolist() == [False] * 4 + [True]
    assert not outlier_systems([1.0, 1.0, 1.0, 9.0]).any()  # no spread, no yardstick
    assert not outlier_systems([np.nan, np.nan]).any()
    with pytest.raises(InputError, match="one score per system"):
        outlier_systems(np.zeros((2, 2)))


def test_published_soft_accuracy_of_wmt23(wmt23: Matrices) -> None:
    for name, expected in PUBLISHED_SPA.items():
        found = soft_pairwise_accuracy(wmt23.human, wmt23.metrics[name])
        assert found.value == pytest.approx(expected, abs=0.005)
        assert found.count == 66
