"""PDP, other averages, and tests of single decisions: against plain loops and scipy."""

import warnings
from itertools import permutations, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from scipy import stats

from isogloss.errors import InputError
from isogloss.metaeval import (
    Averaging,
    Resampling,
    Statistic,
    pair_permutation,
    pairwise_difference_pearson,
    williams,
)
from isogloss.metaeval.correlation import correlation
from isogloss.metaeval.intervals import correlation_interval
from isogloss.metaeval.measured import value_of
from isogloss.metaeval.pairwise_difference import pairwise_difference_interval
from isogloss.metaeval.permutation import Draws
from isogloss.metaeval.significance import pdp_permutation
from isogloss.resampling import all_swaps
from metaeval.matrices import Floats, Pair, random_pair, score_pairs
from metaeval.wmt_data import read_matrices

BLOCKS = np.array([7, 7, 3, 3, 3, 5, 5, 9, 7])


def slow_pdp(human: Floats, metric: Floats) -> float | None:
    """Pearson's r over the differences of all ordered pairs of systems on each item."""
    people, scores = [], []
    for item in range(human.shape[1]):
        there = ~np.isnan(human[:, item]) & ~np.isnan(metric[:, item])
        for i, j in permutations(np.flatnonzero(there), 2):
            people.append(human[i, item] - human[j, item])
            scores.append(metric[i, item] - metric[j, item])
    if len(set(people)) < 2 or len(set(scores)) < 2:
        return None
    return float(stats.pearsonr(people, scores).statistic)


@given(score_pairs())
def test_pdp_is_pearson_over_all_differences_within_items(pair: Pair) -> None:
    expected, found = slow_pdp(*pair), pairwise_difference_pearson(*pair)
    assert (found.value is None) == (expected is None)
    if expected is not None:
        assert found.value == pytest.approx(expected, abs=1e-12)
    else:
        assert found.reason


def test_pdp_knows_nothing_of_the_level_of_items_and_scale() -> None:
    human, metric = random_pair(3, missing=0.0)
    shifted = 7 * metric + np.arange(metric.shape[1]) * 1000
    value = pairwise_difference_pearson(human, metric).value
    assert pairwise_difference_pearson(human, shifted).value == pytest.approx(value)
    assert pairwise_difference_pearson(human[::-1], metric[::-1]).value == pytest.approx(value)


def test_a_document_is_left_out_of_pdp_at_a_time() -> None:
    human, metric = random_pair(4)
    interval = pairwise_difference_interval(human, metric, resampling=Resampling(99, 1, BLOCKS))
    whole = slow_pdp(human, metric) or 0.0
    expected = [
        4 * whole - 3 * (slow_pdp(human[:, b != BLOCKS], metric[:, b != BLOCKS]) or 0.0)
        for b in np.unique(BLOCKS)
    ]
    assert interval.blocks == 4
    np.testing.assert_allclose(interval.jackknife, expected)


def test_whole_documents_swap_between_metrics_under_pdp() -> None:
    human, one = random_pair(5, missing=0.0)
    other = np.round(one + np.random.default_rng(1).normal(size=one.shape), 1)
    found = pdp_permutation(human, {"a": one, "b": other}, blocks=BLOCKS, draws=Draws(64))
    sides = [(m - m.mean()) / m.std() for m in (one, other)]
    nulls = []
    for swap in all_swaps(4):
        chosen = swap[np.unique(BLOCKS, return_inverse=True)[1]] > 0
        mixed = [np.where(chosen, b, a) for a, b in (sides, sides[::-1])]
        nulls.append((slow_pdp(human, mixed[0]) or 0.0) - (slow_pdp(human, mixed[1]) or 0.0))
    observed = (slow_pdp(human, one) or 0.0) - (slow_pdp(human, other) or 0.0)
    test = found.tests["a", "b"]
    assert test.difference == pytest.approx(observed)
    assert test.p == np.mean([null >= observed - 1e-12 for null in nulls])


def test_pdp_is_no_statistic_of_whole_systems() -> None:
    for arguments in (("system", "pdp"), ("segment", "pdp", "item")):
        with pytest.raises(InputError, match="pdp compares outputs of an item"):
            Statistic(*arguments)


# --- averages over items -------------------------------------------------------------------------


def slow_average(human: Floats, metric: Floats, name: str, micro: bool, zeros: bool) -> float:
    """mt-metrics-eval's average over items: by scores or not, NaN as 0 or not at all."""
    functions = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "tau-b": stats.kendalltau}
    total = weight = 0.0
    for item in range(human.shape[1]):
        there = ~np.isnan(human[:, item]) & ~np.isnan(metric[:, item])
        if there.sum() < 2:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value = float(functions[name](human[there, item], metric[there, item]).statistic)
        each = float(there.sum()) if micro else 1.0
        if not np.isnan(value):
            total, weight = total + each * value, weight + each
        elif zeros:
            weight += each
    return total / weight


@pytest.mark.parametrize("name", ["pearson", "spearman", "tau-b"])
@pytest.mark.parametrize(("average", "undefined"), [*product(["macro", "micro"], ["skip", "zero"])])
def test_averages_over_items_as_in_mt_metrics_eval(name, average, undefined) -> None:
    human, metric = random_pair(11, missing=0.3)
    metric[:, 2] = 1.0
    averaging = Averaging(average, undefined)
    expected = slow_average(human, metric, name, average == "micro", undefined == "zero")
    assert correlation(name, human, metric, "item", averaging).value == pytest.approx(expected)
    statistic = Statistic("segment", name, "item", average=average, undefined=undefined)
    assert value_of(statistic, human, metric).value == pytest.approx(expected)
    interval = correlation_interval(
        name, human, metric, "item", averaging=averaging, resampling=Resampling(9, 1, BLOCKS)
    )
    rest = BLOCKS != 3
    without = slow_average(
        human[:, rest], metric[:, rest], name, average == "micro", undefined == "zero"
    )
    assert interval.jackknife is not None
    assert interval.jackknife[0] == pytest.approx(4 * expected - 3 * without)


def test_other_averages_are_for_items_alone() -> None:
    with pytest.raises(InputError, match="within items"):
        correlation("pearson", *random_pair(1), "system", Averaging("micro"))
    with pytest.raises(InputError, match="grouped by item"):
        Statistic("segment", "acc-eq", "item", average="micro")
    with pytest.raises(InputError, match="average must be macro or micro, not 'most'"):
        Averaging("most")  # type: ignore[arg-type]


# --- single decisions, and Williams by item ------------------------------------------------------


def test_every_way_of_swapping_decisions_of_tau_b() -> None:
    human = np.array([[1.0, 2, 0], [2, 2, 1], [3, 1, np.nan]])
    metrics = {"a": np.array([[1.0, 5, 2], [2, 4, 1], [2, 3, 9]]),
               "b": np.array([[2.0, 1, 2], [1, 4, 2], [3, 3, 9]])}  # fmt: skip
    signs = {n: _signs(human, m) for n, m in metrics.items()}
    apart = [k for k, p in enumerate(signs["a"]) if p != signs["b"][k]]

    def mean(decided: list[tuple[int, int, int]]) -> float:
        values = []
        for item in sorted({i for i, _, _ in decided}):
            pairs = [(h, m) for i, h, m in decided if i == item]
            surplus = sum(h * m for h, m in pairs)
            below = sum(h != 0 for h, _ in pairs) * sum(m != 0 for _, m in pairs)
            if below:
                values.append(surplus / np.sqrt(below))
        return float(np.mean(values)) if values else float("nan")

    nulls = []
    for ways in product([0, 1], repeat=len(apart)):
        swapped = {k for k, way in zip(apart, ways, strict=True) if way}
        mixed = [
            [signs[other][k] if k in swapped else p for k, p in enumerate(signs[own])]
            for own, other in (("a", "b"), ("b", "a"))
        ]
        nulls.append(mean(mixed[0]) - mean(mixed[1]))
    observed = mean(signs["a"]) - mean(signs["b"])
    draws = Draws(2 ** len(apart))
    test = pair_permutation(human, metrics, "item", statistic="tau-b", draws=draws).tests["a", "b"]
    assert test.difference == pytest.approx(observed)
    hits = sum(np.isnan(null) or null >= observed - 1e-12 for null in nulls)
    assert test.p == pytest.approx(hits / len(nulls))


def _signs(human: Floats, metric: Floats) -> list[tuple[int, int, int]]:
    """(item, what people say, what the metric says) of every pair that people judged."""
    return [
        (item, int(np.sign(human[i, item] - human[j, item])), int(np.sign(metric[i, item] - metric[j, item])))  # noqa: E501
        for item in range(human.shape[1])
        for i in range(len(human))
        for j in range(i + 1, len(human))
        if not np.isnan(human[[i, j], item]).any()
    ]  # fmt: skip


def test_swapped_documents_are_swapped_scores() -> None:
    human, one = random_pair(6, missing=0.0)
    metrics = {"a": one, "b": np.round(one + 1.5 * human, 1)}
    by_pairs = pair_permutation(human, metrics, "item", blocks=BLOCKS, statistic="tau-b")
    assert by_pairs.tests["a", "b"].p is not None
    with pytest.raises(InputError, match="within an item"):
        pair_permutation(human, metrics, "none", statistic="tau-b")


def test_williams_with_correlations_averaged_over_items() -> None:
    human, one = random_pair(8, systems=8, missing=0.0)
    other = one + np.random.default_rng(2).normal(size=one.shape)
    test = williams(human, {"a": one, "b": other}, "item").tests["a", "b"]
    r = [
        float(np.mean([stats.pearsonr(*item).statistic for item in zip(x.T, y.T, strict=True)]))
        for x, y in ((human, one), (human, other), (one, other))
    ]
    n = human.size
    k = 1 - r[0] ** 2 - r[1] ** 2 - r[2] ** 2 + 2 * r[0] * r[1] * r[2]
    below = np.sqrt(2 * (n - 1) / (n - 3) * k + ((r[0] + r[1]) / 2) ** 2 * (1 - r[2]) ** 3)
    t = (r[0] - r[1]) * np.sqrt((n - 1) * (1 + r[2])) / below
    assert test.p == pytest.approx(stats.t.sf(t, n - 3))


def in_matrices(human: Floats, metric: Floats) -> float:
    """r over whole matrices of differences, item by item, the zeros of each with itself too."""
    sides: tuple[list[float], list[float]] = ([], [])
    for people, scores in zip(human.T, metric.T, strict=True):
        there = ~np.isnan(people) & ~np.isnan(scores)
        for side, values in zip(sides, (people[there], scores[there]), strict=True):
            side.extend(np.subtract.outer(values, values).ravel())
    return float(np.corrcoef(*sides)[0, 1])


def counted_once(human: Floats, metric: Floats, order: Floats) -> float:
    """r over the differences of each pair of systems once, the earlier less the later."""
    first, second = np.triu_indices(len(human), 1)
    apart = [(x[order][first] - x[order][second]).ravel() for x in (human, metric)]
    known = ~np.isnan(sum(apart))
    return float(np.corrcoef(*(side[known] for side in apart))[0, 1])


def test_pdp_on_wmt23(shared_data: Path) -> None:
    wmt23 = read_matrices(shared_data / "wmt" / "wmt23" / "en-de")
    human = np.round(wmt23.human, 9)
    golden = {"XCOMET-Ensemble-refA": 0.4881, "MetricX-23-refA": 0.4737, "chrF-refA": 0.3002}
    for name, expected in golden.items():
        found = pairwise_difference_pearson(wmt23.human, wmt23.metrics[name]).value
        assert found == pytest.approx(expected, abs=5e-5)
        assert found == pytest.approx(slow_pdp(human, wmt23.metrics[name]))
        assert found == pytest.approx(in_matrices(human, wmt23.metrics[name]))


def test_a_pair_counted_once_would_hang_on_the_order_of_the_systems(shared_data: Path) -> None:
    """As docs/meta-evaluation.md says: .48 as the file has them, .41 with the best first."""
    wmt23 = read_matrices(shared_data / "wmt" / "wmt23" / "en-de")
    metric = wmt23.metrics["XCOMET-Ensemble-refA"]
    best_first = np.argsort(-np.nanmean(wmt23.human, axis=1))
    orders = np.arange(len(metric)), best_first
    once = [counted_once(wmt23.human, metric, order) for order in orders]
    assert once == pytest.approx([0.4776, 0.4136], abs=5e-5)
