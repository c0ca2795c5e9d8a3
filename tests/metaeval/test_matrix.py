"""Score matrices: what fits together, what is grouped, what two metrics have in common."""

import numpy as np
import pytest

from isogloss.errors import InputError, MismatchError
from isogloss.metaeval import Value
from isogloss.metaeval.matrix import (
    Blocks,
    Rows,
    common_cells,
    defined_ratio,
    in_groups,
    mean_of_groups,
    paired,
)


def test_what_either_lacks_is_missing_in_both() -> None:
    human, metric = paired([[1.0, np.nan], [2.0, 3.0]], [[1.0, 1.0], [np.nan, 1.0]])
    assert np.isnan(human).tolist() == np.isnan(metric).tolist() == [[False, True], [True, False]]


def test_human_scores_are_rounded_unless_they_are_to_stay() -> None:
    noisy = np.array([[-25.200000000000003, -0.0]])
    human, metric = paired(noisy, noisy)
    assert human[0, 0] == -25.2
    assert not np.signbit(human[0, 1])
    assert metric[0, 0] == noisy[0, 0]
    assert paired(noisy, noisy, as_given=True)[0][0, 0] == noisy[0, 0]


def test_the_inputs_stay_as_they_are() -> None:
    human, metric = np.array([[1.0, np.nan]]), np.array([[2.0, 3.0]])
    Rows.of(human, metric, "none")
    assert metric.tolist() == [[2.0, 3.0]]


def test_groups_are_cells_items_or_systems() -> None:
    matrix = np.arange(6.0).reshape(2, 3)
    assert in_groups(matrix, "none").tolist() == [[0, 1, 2, 3, 4, 5]]
    assert in_groups(matrix, "item").tolist() == [[0, 3], [1, 4], [2, 5]]
    assert in_groups(matrix, "system").tolist() == matrix.tolist()


def test_blocks_are_numbered_without_gaps() -> None:
    blocks = Blocks.of([8, 3, 8], 3)
    assert (blocks.index.tolist(), blocks.count) == ([1, 0, 1], 2)
    assert blocks.sums(np.array([[1.0], [2.0], [4.0]])).tolist() == [[2.0], [5.0]]
    fewer = blocks.of_items(np.array([True, False, True]))
    assert (fewer.index.tolist(), fewer.count) == ([0, 0], 1)
    assert Blocks.of(None, 3).index.tolist() == [0, 1, 2]
    with pytest.raises(MismatchError, match="2 blocks given for 3 items"):
        Blocks.of([1, 2], 3)


def test_nothing_below_is_no_ratio() -> None:
    ratio = defined_ratio([1.0, 2.0, 3.0], [2.0, 0.0, np.nan])
    assert ratio[0] == 0.5
    assert np.isnan(ratio[1:]).all()
    means = mean_of_groups(np.array([[1.0, np.nan, 3.0], [np.nan] * 3]))
    assert means[0] == 2.0
    assert np.isnan(means[1])


def test_metrics_without_gaps_share_their_cells() -> None:
    human = np.array([[1.0, np.nan], [2.0, 3.0]])
    whole = {name: np.ones((2, 2)) for name in "abc"}
    (common,) = common_cells(human, whole)
    assert common.pairs == (("a", "b"), ("a", "c"), ("b", "c"))
    gap = {**whole, "c": np.array([[np.nan, 1.0], [1.0, 1.0]])}
    first, second = common_cells(human, gap)
    assert first.pairs == (("a", "b"),)
    assert second.pairs == (("a", "c"), ("b", "c"))
    assert np.isnan(second.human).tolist() == [[True, True], [False, False]]
    assert np.isnan(second.metrics["a"]).tolist() == [[True, True], [False, False]]
    assert common_cells(human, {"a": whole["a"]}) == []


def test_a_value_is_a_number_or_a_reason() -> None:
    assert Value(0.5, 3).reason is None
    for wrong in (
        {"value": None},
        {"value": 0.5, "reason": "both"},
        {"value": float("nan")},
        {"value": float("inf")},
    ):
        with pytest.raises(InputError):
            Value(count=3, **wrong)
