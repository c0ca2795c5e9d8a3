"""Is one metric better than another, or was it chance? Tests of all pairs, and ranks.

All tests are one-sided: `p` answers "is the first metric better than the second?". A pair is tested
on the scores that both metrics and the people have.

* `perm_both`: permutation of scores, for every correlation and grouping;
* `pair_permutation`: permutation of decisions, for acc_eq and, within items, tau-b and tau-23;
* `pdp_permutation`: permutation of the scores of whole items, for PDP;
* `williams`: Williams' (1959) test of two correlations that share a variable, for Pearson over all
  cells, or within items;
* `paired_bootstrap`: the studentised bootstrap of the difference, for all statistics;
* `bootstrap_significance`: the same from intervals that are there already.

Items are swapped and drawn one by one, or by blocks (documents), whose items depend on each other.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal

import numpy as np
import scipy  # its `stats` take half a second to load, and come when they are used
from numpy.typing import ArrayLike

from isogloss.arrays import Floats
from isogloss.frozen import FrozenMapping
from isogloss.metaeval.correlation import CorrelationName, correlation, pearson_rows
from isogloss.metaeval.intervals import Interval, acc_eq_interval, correlation_interval
from isogloss.metaeval.left_out import Resampling
from isogloss.metaeval.matrix import (
    Common,
    Grouping,
    Rows,
    Value,
    common_cells,
    in_groups,
    mean_of_groups,
)
from isogloss.metaeval.pair_swaps import tau_pair_outcomes
from isogloss.metaeval.pairwise_difference import (
    pairwise_difference_outcomes,
    pairwise_difference_pearson,
)
from isogloss.metaeval.permutation import (
    Draws,
    Mixtures,
    Outcome,
    Pair,
    TauName,
    perm_both_outcomes,
)
from isogloss.metaeval.ties import acc_eq, decision_outcomes
from isogloss.verdicts import Correction, Studentised, corrected

Scores = Mapping[str, ArrayLike]
"""Each metric's scores, systems x items."""

_ALPHA = 0.05


@dataclass(frozen=True, slots=True)
class MetricTest:
    """Is the first metric better than the second?

    `difference` is first minus second; both are `None` where `reason` says that nothing is known.
    """

    first: str
    second: str
    difference: float | None
    p: float | None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Significance:
    """Metrics with their values, best first, and the test of every pair, in both directions."""

    values: Mapping[str, Value]
    tests: Mapping[Pair, MetricTest]

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", FrozenMapping(self.values))
        object.__setattr__(self, "tests", FrozenMapping(self.tests))

    def ranks(self, alpha: float = _ALPHA) -> dict[str, int | None]:
        """The rank of each metric; a metric without a value has none."""
        known = [name for name, value in self.values.items() if value.value is not None]
        ranks: dict[str, int | None] = dict.fromkeys(self.values)
        ranks.update(rank_clusters_of_metrics(known, self._beats(alpha)))
        return ranks

    def _beats(self, alpha: float) -> Callable[[str, str], bool]:
        def beats(first: str, second: str) -> bool:
            p = self.tests[first, second].p
            return p is not None and p <= alpha

        return beats

    def corrected(self, method: Correction) -> "Significance":
        """The same tests with p-values corrected for how many there are.

        The family is every pair once, tested in the direction of the ranking; the tests in the
        other direction are a family of their own.
        """
        order = list(self.values)
        forwards = [pair for pair in self.tests if order.index(pair[0]) < order.index(pair[1])]
        backwards = [(second, first) for first, second in forwards]
        tests = {**self._adjusted(forwards, method), **self._adjusted(backwards, method)}
        return replace(self, tests=tests)

    def _adjusted(self, family: list[Pair], method: Correction) -> dict[Pair, MetricTest]:
        adjusted = corrected([self.tests[pair].p for pair in family], method)
        both = zip(family, adjusted, strict=True)
        return {pair: replace(self.tests[pair], p=p) for pair, p in both}


def rank_clusters_of_metrics(
    ranked: list[str], beats: Callable[[str, str], bool]
) -> dict[str, int]:
    """Ranks from 1, best first, as in mt-metrics-eval.

    A new rank starts where a member of the current cluster beats the metric.
    """
    ranks: dict[str, int] = {}
    cluster: list[str] = []
    rank = 1
    for name in ranked:
        if any(beats(member, name) for member in cluster):
            rank, cluster = rank + 1, []
        cluster.append(name)
        ranks[name] = rank
    return ranks


# --- the tests -----------------------------------------------------------------------------------


def perm_both(
    human: ArrayLike,
    metrics: Scores,
    statistic: CorrelationName = "pearson",
    grouping: Grouping = "none",
    *,
    blocks: ArrayLike | None = None,
    draws: Draws | None = None,
) -> Significance:
    """PERM-BOTH for every pair of metrics; `blocks` (one per item) swaps whole blocks of items."""
    values = {name: correlation(statistic, human, m, grouping) for name, m in metrics.items()}

    def test(common: Common) -> dict[Pair, Outcome | None]:
        mixtures = Mixtures.of(common, grouping, blocks, draws or Draws())
        return perm_both_outcomes(mixtures, statistic, by_block=blocks is not None)

    return _significance(human, metrics, values, test)


def pair_permutation(
    human: ArrayLike,
    metrics: Scores,
    grouping: Grouping = "item",
    *,
    blocks: ArrayLike | None = None,
    draws: Draws | None = None,
    statistic: Literal["acc-eq"] | TauName = "acc-eq",
) -> Significance:
    """The pair-decision permutation of acc_eq, or of tau within items, for every pair of metrics.

    Where whole items swap (`blocks`), tau's decisions swap as its scores do.
    """
    if statistic != "acc-eq":
        return _tau_permutation(human, metrics, grouping, statistic, blocks, draws or Draws())
    found = {name: acc_eq(human, m, grouping) for name, m in metrics.items()}

    def test(common: Common) -> dict[Pair, Outcome | None]:
        return decision_outcomes(common, found, grouping, blocks, draws or Draws())

    return _significance(human, metrics, {name: each.value for name, each in found.items()}, test)


def _tau_permutation(
    human: ArrayLike,
    metrics: Scores,
    grouping: Grouping,
    statistic: TauName,
    blocks: ArrayLike | None,
    draws: Draws,
) -> Significance:
    if blocks is not None:
        return perm_both(human, metrics, statistic, grouping, blocks=blocks, draws=draws)
    values = {name: correlation(statistic, human, m, grouping) for name, m in metrics.items()}

    def test(common: Common) -> dict[Pair, Outcome | None]:
        return tau_pair_outcomes(common, grouping, statistic, draws)

    return _significance(human, metrics, values, test)


def pdp_permutation(
    human: ArrayLike,
    metrics: Scores,
    *,
    blocks: ArrayLike | None = None,
    draws: Draws | None = None,
) -> Significance:
    """PERM-BOTH of PDP for every pair of metrics: items, or blocks of them, swap as wholes."""
    values = {name: pairwise_difference_pearson(human, m) for name, m in metrics.items()}

    def test(common: Common) -> dict[Pair, Outcome | None]:
        return pairwise_difference_outcomes(common, blocks, draws or Draws())

    return _significance(human, metrics, values, test)


def paired_bootstrap(
    human: ArrayLike,
    metrics: Scores,
    statistic: CorrelationName | Literal["acc-eq"] = "pearson",
    grouping: Grouping = "none",
    *,
    resampling: Resampling | None = None,
) -> Significance:
    """The studentised bootstrap of the difference, over items or blocks of them.

    acc_eq keeps the thresholds calibrated on all items.
    """
    chosen = resampling or Resampling()

    def interval(people: ArrayLike, scores: ArrayLike) -> Interval:
        if statistic == "acc-eq":
            return acc_eq_interval(people, scores, grouping, resampling=chosen)[1]
        return correlation_interval(statistic, people, scores, grouping, resampling=chosen)

    def test(common: Common) -> dict[Pair, Outcome | None]:
        found = {name: interval(common.human, metric) for name, metric in common.metrics.items()}
        return _ahead(found, common.pairs, chosen)

    values = {name: _value(statistic, human, m, grouping) for name, m in metrics.items()}
    return _significance(human, metrics, values, test)


def bootstrap_significance(
    intervals: Mapping[str, Interval], resampling: Resampling
) -> Significance | None:
    """The paired bootstrap of metrics whose intervals rest on the same blocks.

    Each metric keeps its own scores, so that a pair is compared on what each of them has. `None`
    where no two metrics can be compared.
    """
    if sum(each.jackknife is not None for each in intervals.values()) < 2:
        return None
    tests: dict[Pair, MetricTest] = {}
    for (first, second), outcome in _ahead(
        intervals, list(combinations(intervals, 2)), resampling
    ).items():
        tests[first, second], tests[second, first] = _both_ways(first, second, outcome)
    return _ordered({name: each.value for name, each in intervals.items()}, tests)


def _value(
    statistic: CorrelationName | Literal["acc-eq"],
    human: ArrayLike,
    metric: ArrayLike,
    by: Grouping,
) -> Value:
    if statistic == "acc-eq":
        return acc_eq(human, metric, by).value
    return correlation(statistic, human, metric, by)


def _ahead(
    intervals: Mapping[str, Interval], pairs: Sequence[Pair], resampling: Resampling
) -> dict[Pair, Outcome | None]:
    """Is the first of each pair ahead? From the jackknife values of both."""
    columns = {pair: _apart(*(intervals[name] for name in pair)) for pair in pairs}
    outcomes: dict[Pair, Outcome | None] = dict.fromkeys(pairs)
    for count in {len(column) for column in columns.values() if column is not None}:
        alike = {p: c for p, c in columns.items() if c is not None and len(c) == count}
        drawn = Studentised.of(
            np.stack(list(alike.values()), axis=1), resampling.count, resampling.seed
        )
        for number, (first, second) in enumerate(alike):
            one, other = (intervals[name].value.value or 0.0 for name in (first, second))
            p = drawn.one_sided_p(number, one - other)
            if p is not None:
                outcomes[first, second] = Outcome(one - other, p, 1 - p)
    return outcomes


def _apart(one: Interval, other: Interval) -> Floats | None:
    if (
        one.jackknife is None
        or other.jackknife is None
        or len(one.jackknife) != len(other.jackknife)
    ):
        return None
    return one.jackknife - other.jackknife


def williams(human: ArrayLike, metrics: Scores, grouping: Grouping = "none") -> Significance:
    """Williams' test of Pearson's r, over all cells or averaged, for every pair of metrics.

    All scores count as observations, as in mt-metrics-eval; they are not independent of each other
    where they are of one document.
    """
    values = {name: correlation("pearson", human, m, grouping) for name, m in metrics.items()}

    def test(common: Common) -> dict[Pair, Outcome | None]:
        return {(a, b): _williams(common, a, b, grouping) for a, b in common.pairs}

    return _significance(human, metrics, values, test)


def _williams(common: Common, first: str, second: str, by: Grouping) -> Outcome | None:
    one, other = common.metrics[first], common.metrics[second]
    r_one, r_other = _pearson(common.human, one, by), _pearson(common.human, other, by)
    between = _pearson(one, other, by)
    n = int(np.count_nonzero(~np.isnan(common.human)))
    if np.isnan([r_one, r_other, between]).any() or n < 4:
        return None
    determinant = 1 - r_one**2 - r_other**2 - between**2 + 2 * r_one * r_other * between
    mean = (r_one + r_other) / 2
    below = 2 * (n - 1) / (n - 3) * max(determinant, 0.0) + mean**2 * (1 - between) ** 3
    above = (r_one - r_other) * np.sqrt((n - 1) * (1 + between))
    t = above / np.sqrt(below) if below > 0 else 0.0
    p, reverse = scipy.stats.t.sf([t, -t], n - 3)
    return Outcome(r_one - r_other, float(p), float(reverse))


def _pearson(one: Floats, other: Floats, by: Grouping) -> float:
    rows = Rows(in_groups(one, by), in_groups(other, by), by)
    return float(mean_of_groups(pearson_rows(rows)[None])[0])


def _significance(
    human: ArrayLike,
    metrics: Scores,
    values: Mapping[str, Value],
    test: Callable[[Common], dict[Pair, Outcome | None]],
) -> Significance:
    """Run a test on every pair of metrics and put the metrics in order."""
    tests: dict[Pair, MetricTest] = {}
    for common in common_cells(human, metrics):
        for (first, second), outcome in test(common).items():
            tests[first, second], tests[second, first] = _both_ways(first, second, outcome)
    return _ordered(values, tests)


def _ordered(values: Mapping[str, Value], tests: Mapping[Pair, MetricTest]) -> Significance:
    best_first = sorted(values, key=lambda name: _descending(values[name]))
    return Significance({name: values[name] for name in best_first}, tests)


def _descending(value: Value) -> float:
    return np.inf if value.value is None else -value.value


def _both_ways(first: str, second: str, outcome: Outcome | None) -> tuple[MetricTest, MetricTest]:
    if outcome is None:
        reason = "undefined on the scores that both metrics have"
        return (
            MetricTest(first, second, None, None, reason),
            MetricTest(second, first, None, None, reason),
        )
    return (
        MetricTest(first, second, outcome.difference, outcome.p),
        MetricTest(second, first, -outcome.difference, outcome.reverse_p),
    )
