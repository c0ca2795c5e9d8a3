"""Tests between metrics against plain loops over the same draws, and over all possible ones."""

from collections.abc import Mapping
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from isogloss.errors import InputError, MismatchError
from isogloss.metaeval import Resampling, Significance, Value, acc_eq, permutation, williams
from isogloss.metaeval.matrix import common_cells
from isogloss.metaeval.permutation import Draws, Mixtures, null_differences
from isogloss.metaeval.significance import (
    MetricTest,
    pair_permutation,
    paired_bootstrap,
    perm_both,
    rank_clusters_of_metrics,
)
from isogloss.resampling import all_swaps as every_swap
from isogloss.verdicts import corrected
from metaeval import slow_statistics as slow
from metaeval.matrices import Floats, random_pair
from metaeval.wmt_data import Matrices, read_matrices

STATISTICS = ("pearson", "spearman", "tau-b", "tau-c", "tau-23")
GROUPINGS = ("none", "item", "system")
BLOCKS = np.array([7, 7, 3, 3, 3, 5, 5, 9, 7])
DRAWS = Draws(25, seed=3)


@pytest.fixture(scope="module")
def wmt23(shared_data: Path) -> Matrices:
    return read_matrices(shared_data / "wmt" / "wmt23" / "en-de")


def three_metrics(seed: int, missing: float = 0.15) -> tuple[Floats, dict[str, Floats]]:
    """Human scores with gaps and metrics without, of different quality and one with many ties."""
    human, good = random_pair(seed, missing=missing)
    rng = np.random.default_rng(seed + 100)
    good = np.where(np.isnan(good), 0.5, good)
    poor = np.round(good + rng.normal(size=good.shape) * 3, 1)
    return human, {"good": good, "poor": poor, "coarse": np.round(good / 5)}


def slow_nulls(
    human: Floats,
    pair: tuple[Floats, Floats],
    statistic: str,
    grouping: str,
    blocks: NDArray[np.intp] | None,
) -> list[float]:
    """The differences in all draws, mixing the metrics cell by cell."""
    there = ~np.isnan(human)
    one, other = (np.where(there, (m - m[there].mean()) / m[there].std(), np.nan) for m in pair)
    unit = np.zeros(human.shape, dtype=int)
    if blocks is None:
        unit[there] = np.arange(there.sum())
    else:
        judged = there.any(axis=0)
        unit[:, judged] = np.unique(blocks[judged], return_inverse=True)[1]

    def difference(a: Floats, b: Floats) -> float:
        values = [slow.correlation(statistic, human, m, grouping) for m in (a, b)]
        return np.nan if None in values else values[0] - values[1]

    swaps = np.vstack(list(DRAWS.swaps(int(unit.max()) + 1).weights()))
    mixed = [np.where(swap[unit] > 0, [other, one], [one, other]) for swap in swaps]
    return [difference(a, b) for a, b in mixed]


def share(null: Floats, observed: float, exact: bool) -> float:
    """How often chance is as large: of all ways (four blocks have 16), or of so many draws."""
    hits = sum(not each < observed - 1e-9 for each in null.tolist())
    assert len(null) == (16 if exact else DRAWS.count)
    return hits / 16 if exact else (hits + 1) / (DRAWS.count + 1)


@pytest.mark.parametrize("blocks", [None, BLOCKS], ids=["cells", "blocks"])
@pytest.mark.parametrize("grouping", GROUPINGS)
@pytest.mark.parametrize("statistic", STATISTICS)
def test_perm_both_equals_plain_loops(
    statistic: str, grouping: str, blocks: NDArray[np.intp] | None
) -> None:
    for seed in range(2):
        human, metrics = three_metrics(seed)
        (common,) = common_cells(human, metrics)
        mixtures = Mixtures.of(common, grouping, blocks, DRAWS)
        nulls = null_differences(mixtures, statistic, by_block=blocks is not None)
        found = perm_both(human, metrics, statistic, grouping, blocks=blocks, draws=DRAWS)
        for first, second in combinations(metrics, 2):
            pair = metrics[first], metrics[second]
            expected = np.array(slow_nulls(human, pair, statistic, grouping, blocks))
            assert np.allclose(nulls[first, second], expected, 0, 1e-9, equal_nan=True)
            values = [slow.correlation(statistic, human, m, grouping) for m in pair]
            observed = values[0] - values[1]
            tests = found.tests[first, second], found.tests[second, first]
            assert tests[0].difference == pytest.approx(observed, abs=1e-9)
            assert tests[1].difference == -tests[0].difference
            assert tests[0].p == share(expected, observed, blocks is not None)
            assert tests[1].p == share(-expected, -observed, blocks is not None)


def test_portions_do_not_change_the_p_values(monkeypatch: pytest.MonkeyPatch) -> None:
    human, metrics = three_metrics(8)
    whole = [perm_both(human, metrics, s, "item", draws=DRAWS) for s in ("tau-b", "spearman")]
    monkeypatch.setattr(permutation, "_CHUNK_CELLS", 200)
    monkeypatch.setattr(permutation, "_CHUNK_CELLS", 3000)
    parts = [perm_both(human, metrics, s, "item", draws=DRAWS) for s in ("tau-b", "spearman")]
    for one, other in zip(whole, parts, strict=True):
        assert [t.p for t in one.tests.values()] == [t.p for t in other.tests.values()]


# --- swapped decisions ---------------------------------------------------------------------------


def decisions(human: Floats, metric: Floats) -> list[list[bool]]:
    """Item by item: is each decision right, at the calibrated threshold?"""
    epsilon = acc_eq(human, metric).epsilon or 0.0
    items = []
    for people, scores in slow.groups(human, metric, "item"):
        right = []
        for i, j in combinations(range(len(people)), 2):
            gap = scores[i] - scores[j]
            said = 0 if abs(gap) <= epsilon else slow.sign(gap)
            right.append(said == slow.sign(people[i] - people[j]))
        items.append(right)
    return items


def weighted_differences(human: Floats, one: Floats, other: Floats) -> list[float]:
    """What swapping each decision that the metrics do not share would change."""
    pairs = zip(decisions(human, one), decisions(human, other), strict=True)
    filled = [(a, b) for a, b in pairs if a]
    return [
        (x - y) / len(a) / len(filled)
        for a, b in filled
        for x, y in zip(a, b, strict=True)
        if x != y
    ]


def all_swaps(differences: list[float]) -> tuple[float, float]:
    """p and reverse p over every possible draw."""
    observed = sum(differences)
    null = [
        sum(s * d for s, d in zip(signs, differences, strict=True))
        for signs in product((1, -1), repeat=len(differences))
    ]
    above = sum(d >= observed - 1e-9 for d in null) / len(null)
    return above, sum(d <= observed + 1e-9 for d in null) / len(null)


def small_matrices(seed: int, missing: float) -> tuple[Floats, dict[str, Floats]]:
    human, one = random_pair(seed, 3, 6, missing)
    _, other = random_pair(seed + 50, 3, 6, missing)
    both = np.isnan(one) | np.isnan(other)
    return human, {"one": np.where(both, np.nan, one), "other": np.where(both, np.nan, other)}


def test_decisions_swapped_in_every_possible_way() -> None:
    for seed in range(12):
        human, metrics = small_matrices(seed, missing=0.0)
        found = pair_permutation(human, metrics)
        differences = weighted_differences(human, metrics["one"], metrics["other"])
        assert len(differences) <= 14
        expected = all_swaps(differences)
        tests = found.tests["one", "other"], found.tests["other", "one"]
        assert (tests[0].p, tests[1].p) == pytest.approx(expected, abs=1e-12)
        assert tests[0].difference == pytest.approx(sum(differences), abs=1e-12)


def test_decisions_of_unequal_weight_are_drawn() -> None:
    unequal = 0
    for seed in range(12):
        human, metrics = small_matrices(seed, missing=0.25)
        found = pair_permutation(human, metrics, draws=Draws(20_000))
        differences = weighted_differences(human, metrics["one"], metrics["other"])
        unequal += len({round(abs(d), 9) for d in differences}) > 1
        tests = found.tests["one", "other"], found.tests["other", "one"]
        assert (tests[0].p, tests[1].p) == pytest.approx(all_swaps(differences), abs=0.02)
    assert unequal > 3


def test_decisions_swapped_by_blocks_equal_plain_loops() -> None:
    for seed in range(6):
        human, metrics = three_metrics(seed)
        human[1:, 7] = np.nan  # a block without pairs is not swapped
        found = pair_permutation(human, metrics, blocks=BLOCKS, draws=DRAWS)
        for first, second in combinations(metrics, 2):
            one, other = (decisions(human, metrics[name]) for name in (first, second))
            filled = [i for i, right in enumerate(one) if right]
            shares = {i: (sum(one[i]) - sum(other[i])) / len(one[i]) / len(filled) for i in filled}
            kept, block = np.unique(BLOCKS[filled], return_inverse=True)
            swaps = every_swap(len(kept))  # three or four blocks: no more ways than draws
            null = [
                sum((1 - 2 * swap[b]) * shares[i] for i, b in zip(filled, block, strict=True))
                for swap in swaps
            ]
            observed = sum(shares.values())
            p = sum(d >= observed - 1e-9 for d in null) / len(null)
            assert found.tests[first, second].p == p
            assert found.tests[first, second].difference == pytest.approx(observed, abs=1e-12)


@pytest.mark.parametrize("grouping", ["none", "system"])
def test_decisions_can_be_swapped_in_any_grouping(grouping: str) -> None:
    human, metrics = three_metrics(4)
    found = pair_permutation(human, metrics, grouping, draws=Draws(500))
    for first, second in combinations(metrics, 2):
        values = [acc_eq(human, metrics[name], grouping).value.value for name in (first, second)]
        test = found.tests[first, second]
        assert test.difference == pytest.approx(values[0] - values[1], abs=1e-12)
        assert (test.p < 0.5) == (test.difference > 0)
    with pytest.raises(InputError, match="within an item"):
        pair_permutation(human, metrics, grouping, blocks=BLOCKS)


# --- Williams and the bootstrap ------------------------------------------------------------------


def test_williams_equals_the_formula_with_a_determinant() -> None:
    human, metrics = three_metrics(1)
    found = williams(human, metrics)
    there = ~np.isnan(human)
    for first, second in combinations(metrics, 2):
        one, other = metrics[first][there], metrics[second][there]
        table = np.corrcoef([np.round(human[there], 9), one, other])
        n, r12, r13, r23 = int(there.sum()), table[0, 1], table[0, 2], table[1, 2]
        inner = 2 * (n - 1) / (n - 3) * np.linalg.det(table)
        inner += ((r12 + r13) / 2) ** 2 * (1 - r23) ** 3
        t = (r12 - r13) * np.sqrt((n - 1) * (1 + r23) / inner)
        assert found.tests[first, second].p == pytest.approx(stats.t(n - 3).sf(t), abs=1e-9)
        assert found.tests[second, first].p == pytest.approx(stats.t(n - 3).cdf(t), abs=1e-9)


def test_williams_needs_four_scores_and_survives_equal_metrics() -> None:
    one = np.array([1.0, 2.0, 4.0, 3.0])
    same = williams(one, {"a": one * 2, "b": one * 2})
    assert same.tests["a", "b"].p == 0.5
    assert williams(one[:3], {"a": one[:3], "b": -one[:3]}).tests["a", "b"].p is None


@pytest.mark.parametrize("blocks", [None, BLOCKS], ids=["items", "blocks"])
@pytest.mark.parametrize(("statistic", "grouping"), [("tau-b", "item"), ("pearson", "none")])
def test_paired_bootstrap_equals_plain_loops(
    statistic: str, grouping: str, blocks: NDArray[np.intp] | None
) -> None:
    human, metrics = three_metrics(2)
    resampling = Resampling(99, 3, blocks)
    found = paired_bootstrap(human, metrics, statistic, grouping, resampling=resampling)
    judged = ~np.isnan(human).all(axis=0)
    given = np.arange(human.shape[1]) if blocks is None else blocks
    block = np.unique(given[judged], return_inverse=True)[1]
    count = int(block.max()) + 1

    def value(metric: Floats, kept: NDArray[np.bool_]) -> float:
        people, scores = human[:, judged][:, kept], metric[:, judged][:, kept]
        return slow.correlation(statistic, people, scores, grouping) or 0.0

    for first, second in combinations(metrics, 2):
        one, other = (
            np.array(
                [
                    count * value(metrics[name], block >= 0)
                    - (count - 1) * value(metrics[name], block != b)
                    for b in range(count)
                ]
            )
            for name in (first, second)
        )
        apart = one - other
        difference = value(metrics[first], block >= 0) - value(metrics[second], block >= 0)
        hits = 0
        for pick in np.random.default_rng(3).integers(count, size=(99, count)):
            own = apart[pick].std(ddof=1)
            far = abs(apart[pick].mean() - apart.mean())
            hits += own < 1e-9 or far / own >= abs(difference) / apart.std(ddof=1)
        p = (hits + 1) / 200
        expected = p if difference > 0 else 1 - p
        assert found.tests[first, second].p == pytest.approx(expected)
        assert found.tests[second, first].p == pytest.approx(1 - expected)


def test_paired_bootstrap_of_acc_eq() -> None:
    human, metrics = three_metrics(6)
    found = paired_bootstrap(human, metrics, "acc-eq", "item")
    assert found.values["good"] == acc_eq(human, metrics["good"]).value
    assert found.tests["good", "poor"].p < 0.5


# --- missing scores, undefined values, ranks -----------------------------------------------------


def with_gaps(seed: int) -> tuple[Floats, dict[str, Floats]]:
    human, metrics = three_metrics(seed)
    metrics["poor"][1, :4] = np.nan
    metrics["coarse"][:, 2] = np.nan
    return human, metrics


def test_two_metrics_are_compared_on_what_both_have() -> None:
    human, metrics = with_gaps(3)
    tests: Mapping[str, Significance] = {
        "perm": perm_both(human, metrics, "tau-b", "item", draws=DRAWS),
        "pairs": pair_permutation(human, metrics, blocks=BLOCKS, draws=DRAWS),
        "williams": williams(human, metrics),
        "bootstrap": paired_bootstrap(human, metrics, "pearson", "none"),
    }
    for first, second in combinations(metrics, 2):
        gaps = np.isnan(metrics[first]) | np.isnan(metrics[second])
        less = np.where(gaps, np.nan, human)
        two = {first: metrics[first], second: metrics[second]}
        alone = {
            "perm": perm_both(less, two, "tau-b", "item", draws=DRAWS),
            "pairs": pair_permutation(less, two, blocks=BLOCKS, draws=DRAWS),
            "williams": williams(less, two),
            "bootstrap": paired_bootstrap(less, two, "pearson", "none"),
        }
        for name, found in tests.items():
            assert found.tests[first, second] == alone[name].tests[first, second]


def test_a_metric_does_not_beat_itself() -> None:
    human, metrics = three_metrics(0)
    twins = {"one": metrics["good"], "other": metrics["good"] * 2}
    for found in (perm_both(human, twins, "tau-b", "item"), pair_permutation(human, twins)):
        assert found.tests["one", "other"].difference == 0
        assert found.tests["one", "other"].p == found.tests["other", "one"].p == 1.0
        assert found.ranks() == {"one": 1, "other": 1}


def test_undefined_metrics_have_no_test_and_no_rank() -> None:
    human, metrics = three_metrics(0)
    metrics["constant"] = np.zeros(human.shape)
    for statistic, grouping in (("pearson", "none"), ("tau-b", "item"), ("spearman", "system")):
        found = perm_both(human, metrics, statistic, grouping, draws=DRAWS)
        assert list(found.values)[-1] == "constant"
        assert found.values["constant"].value is None
        test = found.tests["good", "constant"]
        assert (test.p, test.difference) == (None, None)
        assert test.reason is not None
        assert found.ranks()["constant"] is None
        assert found.tests["good", "poor"].p is not None
    nobody = np.full(human.shape, np.nan)
    for found in (
        perm_both(nobody, metrics, draws=DRAWS),
        pair_permutation(nobody, metrics),
        williams(nobody, metrics),
        paired_bootstrap(nobody, metrics),
        perm_both(nobody, metrics, "tau-b", "item", blocks=BLOCKS, draws=DRAWS),
    ):
        assert all(test.p is None for test in found.tests.values())
        assert set(found.ranks().values()) == {None}


def test_ranks_start_anew_where_a_member_of_the_cluster_wins() -> None:
    wins = {("a", "c"), ("b", "d"), ("c", "e")}
    ranks = rank_clusters_of_metrics(list("abcde"), lambda x, y: (x, y) in wins)
    # c is beaten by a; d would be by b, but b is in an earlier cluster; e by c
    assert ranks == {"a": 1, "b": 1, "c": 2, "d": 2, "e": 3}


def test_ranks_and_corrections_of_a_small_table() -> None:
    values = {name: Value(v, 9) for name, v in {"a": 0.9, "b": 0.8, "c": 0.7}.items()}
    p = {("a", "b"): 0.03, ("a", "c"): 0.001, ("b", "c"): 0.04}
    tests = {}
    for (x, y), each in p.items():
        tests[x, y] = MetricTest(x, y, 0.1, each)
        tests[y, x] = MetricTest(y, x, -0.1, 1 - each)
    table = Significance(values, tests)
    assert table.ranks() == {"a": 1, "b": 2, "c": 3}
    assert table.ranks(alpha=0.01) == {"a": 1, "b": 1, "c": 2}
    holm = table.corrected("holm")
    assert holm.tests["a", "c"].p == pytest.approx(0.003)
    assert holm.tests["a", "b"].p == pytest.approx(0.06)
    assert holm.tests["b", "c"].p == pytest.approx(0.06)
    assert holm.ranks() == {"a": 1, "b": 1, "c": 2}
    assert holm.values == table.values


def test_corrections_of_p_values() -> None:
    p = np.random.default_rng(0).random(20) ** 3
    expected = stats.false_discovery_control(p, method="bh")
    assert corrected(p.tolist(), "benjamini-hochberg") == pytest.approx(expected, abs=1e-12)
    assert corrected([0.01, None, 0.04, 0.03], "holm") == [
        pytest.approx(0.03),
        None,
        pytest.approx(0.06),
        pytest.approx(0.06),
    ]
    assert corrected([0.9, 0.8], "holm") == [1.0, 1.0]
    assert corrected([], "holm") == []
    with pytest.raises(InputError, match="holm, benjamini-hochberg"):
        corrected([0.1], "bonferroni")  # type: ignore[arg-type]


def test_what_does_not_fit_is_refused() -> None:
    human, metrics = three_metrics(0)
    with pytest.raises(InputError, match="at least one draw"):
        Draws(0)
    with pytest.raises(MismatchError, match="3 blocks given for 9 items"):
        perm_both(human, metrics, blocks=[1, 2, 3])
    with pytest.raises(MismatchError):
        perm_both(human, {"a": human, "b": human[:2]})


# --- WMT23 ---------------------------------------------------------------------------------------


def test_the_whole_matrix_of_wmt23(wmt23: Matrices) -> None:
    found = pair_permutation(wmt23.human, wmt23.metrics)
    assert len(found.tests) == 20 * 19
    ranks = found.ranks()
    best = [name for name, rank in ranks.items() if rank == 1]
    assert best == ["XCOMET-Ensemble-refA", "MetricX-23-refA"]
    by_document = pair_permutation(wmt23.human, wmt23.metrics, blocks=wmt23.documents).ranks()
    # documents are fewer than decisions: what was told apart by chance no longer is
    assert max(by_document.values()) < max(ranks.values())


def test_decisions_of_wmt23_swapped_in_a_loop(wmt23: Matrices) -> None:
    names = "COMET-refA", "CometKiwi-src"
    two = {name: wmt23.metrics[name] for name in names}
    found = pair_permutation(wmt23.human, two).tests[names]
    right = [np.array(decisions(wmt23.human, two[name]), dtype=object) for name in names]
    one, other = (np.array([x for item in side for x in item], dtype=float) for side in right)
    rng = np.random.default_rng(0)
    null = []
    for _ in range(1000):
        swap = rng.random(len(one)) < 0.5
        null.append((np.where(swap, other, one) - np.where(swap, one, other)).sum())
    p = np.mean(np.array(null) >= (one - other).sum())
    assert 0.01 < found.p < 0.1
    assert found.p == pytest.approx(p, abs=4 * (found.p / 1000) ** 0.5)
