"""What if two metrics had swapped single decisions? The permutation of pairs for Kendall's tau.

As for acc_eq (`ties`), in each draw every pair of outputs of an item swaps what the two metrics say
of it (which is better, or neither) with probability 1/2, and tau within items is taken anew. As in
mt-metrics-eval, mixtures need not belong to any scores. Only pairs count of which the metrics say
different things. Where whole items swap, pairs, scores and values swap alike: that is `perm_both`.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from isogloss.arrays import Floats
from isogloss.errors import InputError
from isogloss.metaeval.matrix import Common, Grouping, Indices, in_groups, mean_of_groups
from isogloss.metaeval.permutation import Draws, Outcome, Pair, TauItems, TauName

_CHUNK_CELLS = 1 << 22


@dataclass(frozen=True, slots=True, eq=False)
class _Decisions:
    """One metric's decisions on the pairs of all items, and what they add up to.

    `each` is items x pairs x counts: concordant less discordant, and tied by the metric (of tau-23
    how many are right).
    """

    items: TauItems
    each: Floats

    @classmethod
    def of(cls, items: TauItems, scores: Floats) -> "_Decisions":
        return cls(items, items.contributions(scores, scores).astype(np.float64))

    @property
    def totals(self) -> Floats:
        """items x counts."""
        return np.asarray(self.each.sum(axis=1))


def tau_pair_outcomes(
    common: Common, grouping: Grouping, statistic: TauName, draws: Draws
) -> dict[Pair, Outcome | None]:
    """The test of every pair of metrics."""
    if grouping != "item":
        raise InputError("single decisions are swapped where pairs lie within an item")
    human = in_groups(common.human, grouping)
    items = TauItems(human, np.zeros(human.shape, dtype=np.intp), statistic)
    decided = {n: _Decisions.of(items, in_groups(m, "item")) for n, m in common.metrics.items()}
    return {(a, b): _outcome(decided, a, b, draws) for a, b in common.pairs}


def _outcome(
    decided: Mapping[str, _Decisions], first: str, second: str, draws: Draws
) -> Outcome | None:
    one, other = decided[first], decided[second]
    observed = _mean(one.items, one.totals[None]) - _mean(one.items, other.totals[None])
    change = other.each - one.each
    item, pair = np.nonzero(np.any(change != 0, axis=2))
    swaps = draws.swaps(len(item))
    nulls = []
    for weights in swaps.weights():
        step = max(1, _CHUNK_CELLS // max(one.totals.size, 1))
        for start in range(0, len(weights), step):
            moved = _moved(weights[start : start + step], change[item, pair], item, one.totals)
            mixtures = one.totals + moved, other.totals - moved
            nulls.append(_mean(one.items, mixtures[0]) - _mean(one.items, mixtures[1]))
    return Outcome.of(float(observed[0]), np.concatenate(nulls), swaps)


def _moved(weights: Floats, change: Floats, item: Indices, totals: Floats) -> Floats:
    """draws x items x counts: what the swapped pairs change."""
    moved = np.zeros((len(weights), *totals.shape))
    starts = np.flatnonzero(np.diff(item, prepend=-1))
    if len(starts):
        for count in range(totals.shape[1]):
            sums = np.add.reduceat(weights * change[:, count], starts, axis=1)
            moved[:, item[starts], count] = sums
    return moved


def _mean(items: TauItems, counts: Floats) -> Floats:
    """tau of each draw (draws x items x counts), the mean over the items that have one."""
    return mean_of_groups(items.values(np.moveaxis(counts, 0, 1)).T)
