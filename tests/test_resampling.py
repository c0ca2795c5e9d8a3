"""Resampling: the vectorised sums, p-values and clusters against plain loops."""

import numpy as np
import pytest

from isogloss import resampling
from isogloss.resampling import (
    bootstrap_p,
    bootstrap_weights,
    percentile_interval,
    randomisation_p,
    rank_clusters,
    swap_weights,
    weighted_sums,
)


def test_every_resample_draws_as_many_blocks_as_there_are() -> None:
    weights = np.vstack(list(bootstrap_weights(7, 50, seed=1)))
    assert weights.shape == (50, 7)
    assert (weights.sum(axis=1) == 7).all()
    assert (weights >= 0).all()


@pytest.mark.parametrize("draw", [bootstrap_weights, swap_weights])
def test_memory_limits_do_not_change_the_draw(
    draw: resampling.Callable[..., object], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = np.vstack(list(draw(9, 40, 3)))  # type: ignore[call-overload]
    monkeypatch.setattr(resampling, "_CHUNK_CELLS", 9 * 7)
    pieces = list(draw(9, 40, 3))  # type: ignore[call-overload]
    assert len(pieces) == 6
    assert np.array_equal(np.vstack(pieces), whole)


def test_sums_equal_a_plain_loop() -> None:
    rng = np.random.default_rng(0)
    statistics = [rng.integers(0, 50, size=(6, k)).astype(float) for k in (2, 4)]
    sums = weighted_sums(bootstrap_weights(6, 20, seed=5), statistics)
    weights = np.vstack(list(bootstrap_weights(6, 20, seed=5)))
    for matrix, summed in zip(statistics, sums, strict=True):
        for weight, row in zip(weights, summed, strict=True):
            drawn = [matrix[block] for block in range(6) for _ in range(int(weight[block]))]
            assert np.array_equal(row, np.sum(drawn, axis=0))


def test_intervals_hold_for_negative_scores() -> None:
    samples = -np.arange(1.0, 101.0)
    low, high = percentile_interval(samples, 0.9) or (0.0, 0.0)
    assert low == pytest.approx(-95.05)
    assert high == pytest.approx(-5.95)
    assert percentile_interval(np.array([np.nan]), 0.95) is None


def test_p_values_of_a_known_sample() -> None:
    first, second = np.array([3.0, 5.0, 1.0, 3.0]), np.array([1.0, 1.0, 1.0, 1.0])
    # differences 2 4 0 2, mean 2, centred 0 2 -2 0; above 1: one; above 2: none
    assert bootstrap_p(first, second, 1.0) == 2 / 5
    assert bootstrap_p(first, second, -2.0) == 1 / 5
    assert randomisation_p(first, second, 1.5) == 4 / 5


def test_a_system_does_not_differ_from_itself_by_chance() -> None:
    same = np.array([1.0, 2.0, 3.0])
    assert randomisation_p(same, same, 0.0) == 1 / 4


def test_clusters_need_all_above_to_beat_all_below() -> None:
    order = ["a", "b", "c", "d"]
    wins = {("a", "c"), ("a", "d"), ("b", "c"), ("b", "d"), ("c", "d")}
    assert rank_clusters(order, lambda x, y: (x, y) in wins) == [1, 1, 2, 3]
    wins.remove(("a", "d"))  # one undecided pair across a line removes the line
    assert rank_clusters(order, lambda x, y: (x, y) in wins) == [1, 1, 1, 1]
    assert rank_clusters([], lambda x, y: True) == []
