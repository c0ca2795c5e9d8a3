"""Intervals against plain loops over what is left out; Fisher's against scipy."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from isogloss.errors import InputError, MismatchError
from isogloss.metaeval import (
    Interval,
    Resampling,
    Value,
    acc_eq,
    correlation_interval,
    fisher_interval,
    intervals,
    left_out,
    pearson,
)
from isogloss.metaeval.intervals import (
    acc_eq_interval,
    darr_interval,
    pairwise_accuracy_interval,
    soft_pairwise_accuracy_interval,
    system_correlation_interval,
)
from isogloss.metaeval.left_out import MOST_GROUPS, left_out_values
from isogloss.metaeval.ranking import Flips, pairwise_accuracy, ranked_pairs
from metaeval import slow_statistics as slow
from metaeval.matrices import Floats, Pair, random_pair
from metaeval.wmt_data import Matrices, read_matrices

STATISTICS = ("pearson", "spearman", "tau-b", "tau-c", "tau-23")
GROUPINGS = ("none", "item", "system")
BLOCKS = np.array([7, 7, 3, 3, 3, 5, 5, 9, 7])
EITHER = pytest.mark.parametrize("blocks", [None, BLOCKS], ids=["items", "blocks"])
COUNT, SEED = 99, 11
Judged = tuple[Floats, Floats, NDArray[np.intp]]


@pytest.fixture(scope="module")
def wmt23(shared_data: Path) -> Matrices:
    return read_matrices(shared_data / "wmt" / "wmt23" / "en-de")


def judged_blocks(human: Floats, metric: Floats, blocks: NDArray[np.intp] | None) -> Judged:
    """Both matrices on the items that someone judged and the metric scored, and their blocks."""
    missing = np.isnan(human) | np.isnan(metric)
    judged = ~missing.all(axis=0)
    given = np.arange(human.shape[1]) if blocks is None else blocks
    sides = [np.where(missing, np.nan, m)[:, judged] for m in (human, metric)]
    return sides[0], sides[1], np.unique(given[judged], return_inverse=True)[1]


def left_out_tables(human: Floats, metric: Floats, blocks: NDArray[np.intp] | None) -> list[Pair]:
    """Both matrices without each of the blocks."""
    people, scores, block = judged_blocks(human, metric, blocks)
    return [(people[:, block != b], scores[:, block != b]) for b in range(block.max() + 1)]


def limits(
    value: float | None, without: list[float | None], lowest: float, highest: float
) -> tuple[float | None, float | None]:
    """The studentised interval of a statistic, resample by resample."""
    if value is None or None in without:
        return None, None
    count = len(without)
    values = np.array([count * value - (count - 1) * w for w in without])  # type: ignore[operator]
    error = values.std(ddof=1) / np.sqrt(count)
    distances = []
    for pick in np.random.default_rng(SEED).integers(count, size=(COUNT, count)):
        own = values[pick].std(ddof=1) / np.sqrt(count)
        far = abs(values[pick].mean() - values.mean())
        distances.append(far / own if own > 3e-5 * error else np.inf)
    reach = sorted(distances)[int(np.ceil(0.95 * (COUNT + 1))) - 1] * error
    if not np.isfinite(reach) or not error > 0:
        return None, None
    return max(lowest, value - reach), min(highest, value + reach)


def holds(found: Interval, without: list[float | None], lowest: float = -1.0) -> None:
    expected = limits(found.value.value, without, lowest, 1.0)
    assert (found.low, found.high) == pytest.approx(expected, abs=1e-9)
    assert found.blocks == len(without)


def same(found: Floats, expected: list[float | None]) -> None:
    wanted = np.array([np.nan if value is None else value for value in expected])
    assert np.allclose(found, wanted, rtol=0, atol=1e-9, equal_nan=True)


@EITHER
@pytest.mark.parametrize("grouping", GROUPINGS)
@pytest.mark.parametrize("statistic", STATISTICS)
def test_correlations_without_a_block_equal_plain_loops(
    statistic: str, grouping: str, blocks: NDArray[np.intp] | None
) -> None:
    for seed in range(2):
        human, metric = random_pair(seed)
        without = left_out_values(
            statistic, human, metric, grouping, Resampling(COUNT, SEED, blocks)
        )
        expected = [
            slow.correlation(statistic, *pair, grouping)
            for pair in left_out_tables(human, metric, blocks)
        ]
        same(without, expected)
        interval = correlation_interval(
            statistic, human, metric, grouping, resampling=Resampling(COUNT, SEED, blocks)
        )
        holds(interval, expected)
        assert interval.value.value == pytest.approx(
            slow.correlation(statistic, human, metric, grouping), abs=1e-12
        )


@EITHER
@pytest.mark.parametrize("grouping", GROUPINGS)
def test_acc_eq_keeps_its_threshold(grouping: str, blocks: NDArray[np.intp] | None) -> None:
    for seed in range(3):
        human, metric = random_pair(seed)
        resampling = Resampling(COUNT, SEED, blocks)
        found, interval = acc_eq_interval(human, metric, grouping, resampling=resampling)
        assert found == acc_eq(human, metric, grouping)
        expected = [
            slow.acc_eq(*pair, grouping, found.epsilon)
            for pair in left_out_tables(human, metric, blocks)
        ]
        same(left_out_values("acc-eq", human, metric, grouping, resampling), expected)
        holds(interval, expected, 0.0)


@EITHER
def test_acc_eq_recalibrated_each_time(blocks: NDArray[np.intp] | None) -> None:
    for seed in range(4):
        human, metric = random_pair(seed)
        resampling = Resampling(COUNT, SEED, blocks)
        _, interval = acc_eq_interval(human, metric, recalibrate=True, resampling=resampling)
        without = left_out_values("acc-eq", human, metric, "item", resampling, recalibrate=True)
        expected = [
            (slow.calibrated_acc_eq(*pair, "item") or [None])[0]
            for pair in left_out_tables(human, metric, blocks)
        ]
        same(without, expected)
        holds(interval, expected, 0.0)


def test_only_acc_eq_by_item_is_recalibrated() -> None:
    human, metric = random_pair(0)
    for statistic, grouping in (("acc-eq", "none"), ("tau-b", "item")):
        with pytest.raises(InputError, match="acc_eq by item"):
            left_out_values(statistic, human, metric, grouping, Resampling(), recalibrate=True)


@EITHER
@pytest.mark.parametrize("missing", [0.0, 0.15, 0.5])
def test_soft_accuracy_without_a_block_equals_plain_loops(
    missing: float, blocks: NDArray[np.intp] | None
) -> None:
    human, metric = random_pair(4, 4, 9, missing)
    flips = Flips(draws=25, seed=2)
    people, scores, block = judged_blocks(human, metric, blocks)
    signs = np.vstack(list(flips.signs(people.shape[1])))
    expected = [
        slow.soft_pairwise_accuracy(
            people[:, block != b], scores[:, block != b], signs[:, block != b].tolist()
        )
        for b in range(block.max() + 1)
    ]
    found = soft_pairwise_accuracy_interval(
        human, metric, flips=flips, resampling=Resampling(COUNT, SEED, blocks)
    )
    holds(found, expected, 0.0)


@EITHER
def test_system_statistics_without_a_block_equal_plain_loops(
    blocks: NDArray[np.intp] | None,
) -> None:
    human, metric = random_pair(7)
    tables = left_out_tables(human, metric, blocks)
    resampling = Resampling(COUNT, SEED, blocks)
    for statistic in STATISTICS:
        expected = [
            slow.correlation(statistic, *(np.nanmean(m, axis=1)[:, None] for m in pair), "none")
            for pair in tables
        ]
        holds(
            system_correlation_interval(statistic, human, metric, resampling=resampling), expected
        )
    accuracy = pairwise_accuracy_interval([(human, metric)], resamplings=[resampling])
    pairs = [pairwise_accuracy(tuple(np.nanmean(m, axis=1) for m in pair)).value for pair in tables]
    holds(accuracy, pairs, 0.0)


def test_pairs_of_several_sets_are_pooled() -> None:
    sets = [random_pair(1, 3, 8, 0), random_pair(2, 5, 6, 0)]
    found = pairwise_accuracy_interval(sets)
    means = [(h.mean(axis=1), m.mean(axis=1)) for h, m in sets]
    assert found.value == pairwise_accuracy(*means)
    assert found.value.count == 13
    assert found.blocks == 14
    without = [
        pairwise_accuracy(
            *(
                (np.delete(h, item, axis=1).mean(axis=1), np.delete(m, item, axis=1).mean(axis=1))
                if which == number
                else means[number]
                for number, (h, m) in enumerate(sets)
            )
        ).value
        for which, items in enumerate((8, 6))
        for item in range(items)
    ]
    value = found.value.value
    assert found.jackknife == pytest.approx([14 * value - 13 * w for w in without])
    with pytest.raises(InputError, match="every test set"):
        pairwise_accuracy_interval(sets, resamplings=[Resampling()])
    assert pairwise_accuracy_interval([]).low is None


@EITHER
def test_darr_without_a_block_equals_plain_loops(blocks: NDArray[np.intp] | None) -> None:
    raw, metric = random_pair(5)
    raw = raw * 30
    pairs = ranked_pairs(raw)
    found = darr_interval(pairs, metric, resampling=Resampling(COUNT, SEED, blocks))
    ranked = np.zeros(raw.shape[1], dtype=bool)
    agreeing = metric[pairs.better, pairs.item] - metric[pairs.worse, pairs.item]
    ranked[pairs.item[~np.isnan(agreeing)]] = True
    given = np.arange(9) if blocks is None else blocks
    block = np.unique(given[ranked], return_inverse=True)[1]
    expected = [
        slow.darr_tau(*(m[:, ranked][:, block != b] for m in (raw, metric)))
        for b in range(block.max() + 1)
    ]
    holds(found, expected)
    assert found.value.value == pytest.approx(slow.darr_tau(raw, metric))


def test_many_blocks_are_left_out_in_groups() -> None:
    human, metric = random_pair(1, 3, 5 * MOST_GROUPS + 7, 0)
    found = correlation_interval("pearson", human, metric)
    assert found.blocks == MOST_GROUPS
    fisher = fisher_interval(pearson(human, metric))
    # Independent normal scores: both answer the same question.
    assert found.high - found.low == pytest.approx(fisher.high - fisher.low, rel=0.25)


def test_fishers_interval_is_scipys() -> None:
    human, metric = random_pair(9, missing=0)
    expected = stats.pearsonr(human.ravel(), metric.ravel())
    for confidence in (0.9, 0.95):
        limits = expected.confidence_interval(confidence)
        found = fisher_interval(pearson(human, metric), confidence)
        assert (found.low, found.high) == pytest.approx((limits.low, limits.high), abs=1e-12)


def test_fishers_interval_needs_one_correlation_short_of_perfect() -> None:
    for value in (Value(0.5, 3), Value(1.0, 10), Value(None, 10, reason="constant")):
        found = fisher_interval(value)
        assert (found.low, found.high, found.value) == (None, None, value)
    with pytest.raises(InputError, match="mean of several"):
        fisher_interval(Value(0.5, 10, 3))


def test_portions_do_not_change_the_intervals(monkeypatch: pytest.MonkeyPatch) -> None:
    human, metric = random_pair(3)

    def everything() -> list[Interval]:
        resampling = Resampling(COUNT, SEED, BLOCKS)
        return [
            correlation_interval("spearman", human, metric, resampling=resampling),
            correlation_interval("tau-c", human, metric, resampling=resampling),
            acc_eq_interval(human, metric, recalibrate=True, resampling=resampling)[1],
            soft_pairwise_accuracy_interval(human, metric, resampling=resampling),
        ]

    whole = everything()
    monkeypatch.setattr(left_out, "_CHUNK_CELLS", 100)
    monkeypatch.setattr(left_out, "_CHUNK_CELLS", 100)
    monkeypatch.setattr(intervals, "_CHUNK_CELLS", 100)
    assert everything() == whole


def test_without_a_value_there_is_no_interval() -> None:
    flat, rising = np.zeros((3, 4)), np.arange(12.0).reshape(3, 4)
    nobody = np.full((3, 4), np.nan)
    for human in (flat, nobody):
        for grouping in GROUPINGS:
            found = correlation_interval("tau-b", human, rising, grouping)
            assert (found.value.value, found.low, found.high, found.blocks) == (None,) * 3 + (0,)
    assert system_correlation_interval("pearson", flat, rising).low is None
    for found in (
        acc_eq_interval(nobody, rising)[1],
        acc_eq_interval(nobody, rising, recalibrate=True)[1],
        acc_eq_interval(rising[:1], rising[:1], recalibrate=True)[1],
        acc_eq_interval(rising[:1], rising[:1])[1],
        soft_pairwise_accuracy_interval(nobody, rising),
        system_correlation_interval("pearson", nobody, rising),
        pairwise_accuracy_interval([(nobody, rising)]),
        darr_interval(ranked_pairs(flat), rising),
    ):
        assert (found.value.value, found.low, found.high, found.blocks) == (None,) * 3 + (0,)


def test_what_does_not_fit_is_refused() -> None:
    human, metric = random_pair(0)
    with pytest.raises(InputError, match="between 0 and 1"):
        correlation_interval("pearson", human, metric, confidence=95)
    with pytest.raises(InputError, match="at least one resample"):
        Resampling(count=0)
    with pytest.raises(MismatchError, match="2 blocks given for 9 items"):
        correlation_interval("pearson", human, metric, resampling=Resampling(blocks=[1, 2]))
    many = np.zeros((1, 70_000))
    with pytest.raises(InputError, match="group by item"):
        correlation_interval("tau-b", many, many)


def test_documents_make_wider_intervals_than_segments(wmt23: Matrices) -> None:
    metric = wmt23.metrics["COMET-refA"]
    wider = 0
    for statistic in ("pearson", "tau-b", "spearman"):
        by_segment = correlation_interval(statistic, wmt23.human, metric)
        resampling = Resampling(blocks=wmt23.documents)
        by_document = correlation_interval(statistic, wmt23.human, metric, resampling=resampling)
        for found in (by_segment, by_document):
            assert found.low < found.value.value < found.high
        wider += by_document.high - by_document.low > by_segment.high - by_segment.low
    assert wider == 3


def test_intervals_of_wmt23_hold_their_values(wmt23: Matrices) -> None:
    metric = wmt23.metrics["prismRef-refA"]
    fixed = acc_eq_interval(wmt23.human, metric)[1]
    anew = acc_eq_interval(wmt23.human, metric, recalibrate=True)[1]
    assert fixed.low < fixed.value.value < fixed.high
    assert anew.value == fixed.value
    assert anew.low < anew.value.value < anew.high
    spa = soft_pairwise_accuracy_interval(
        wmt23.human, metric, resampling=Resampling(100, blocks=wmt23.documents)
    )
    assert spa.low < spa.value.value < spa.high
