"""Resampling: the vectorised sums, draws and clusters against plain loops."""

from itertools import product

import numpy as np
import pytest

from isogloss import resampling
from isogloss.resampling import (
    all_swaps,
    bootstrap_weights,
    percentile_interval,
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


def test_all_swaps_are_all_ways_once() -> None:
    every = all_swaps(3)
    assert {tuple(row) for row in every.tolist()} == set(product((0.0, 1.0), repeat=3))
    assert len(every) == 8
    half = all_swaps(3, first_stays=True)
    opposites = {tuple(row) for row in (1 - half).tolist()}
    assert {tuple(row) for row in half.tolist()} | opposites == set(product((0.0, 1.0), repeat=3))
    assert len(half) == 4
    assert all_swaps(1, first_stays=True).tolist() == [[0.0]]


def test_clusters_need_all_above_to_beat_all_below() -> None:
    order = ["a", "b", "c", "d"]
    wins = {("a", "c"), ("a", "d"), ("b", "c"), ("b", "d"), ("c", "d")}
    assert rank_clusters(order, lambda x, y: (x, y) in wins) == [1, 1, 2, 3]
    wins.remove(("a", "d"))  # one undecided pair across a line removes the line
    assert rank_clusters(order, lambda x, y: (x, y) in wins) == [1, 1, 1, 1]
    assert rank_clusters([], lambda x, y: True) == []
