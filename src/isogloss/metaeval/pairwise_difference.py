"""PDP: do differences between outputs of one item grow with the differences that people see?

Pairwise Difference Pearson (DiIanni & Deutsch 2025): Pearson's r over the differences in score of
all pairs of systems on the same item, all items together. A difference and its opposite are one
pair seen from both sides; both count, so that the order of the systems means nothing and both
means are 0. What is left is a cosine, and

    sum over pairs (h_i - h_j)(m_i - m_j) = K sum over systems (h_i - mean h)(m_i - mean m)

for an item with K scores turns all pairs into the scores themselves, less the mean of their item.
So an item gives three numbers that add up, and a document left out, or swapped between two metrics,
is a matter of sums.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from isogloss.arrays import Floats
from isogloss.metaeval.intervals import CONFIDENCE, Interval, interval_of
from isogloss.metaeval.left_out import Resampling, judged_matrices
from isogloss.metaeval.matrix import Blocks, Common, Rows, Value, defined_ratio, judged_items
from isogloss.metaeval.permutation import Draws, Outcome, Pair, standardised
from isogloss.resampling import weighted_sums


@dataclass(frozen=True, slots=True, eq=False)
class ItemSums:
    """For each item: sums over its pairs of human x metric, human², metric² and how many pairs."""

    columns: Floats

    @classmethod
    def of(cls, human: ArrayLike, metric: ArrayLike) -> "ItemSums":
        """The sums of two matrices, systems x items."""
        rows = Rows.of(human, metric, "item")
        people = _centred(rows.human, rows) * rows.human_varies[:, None]
        scores = _centred(rows.metric, rows) * rows.metric_varies[:, None]
        products = np.stack([people * scores, people**2, scores**2], axis=2).sum(axis=1)
        return cls(np.column_stack([products * rows.sizes[:, None], rows.pairs]))


def _centred(side: Floats, rows: Rows) -> Floats:
    """Each score less the mean of its item, 0 where there is none."""
    filled = np.where(rows.present, side, 0.0)
    means = filled.sum(axis=1, keepdims=True) / np.maximum(rows.sizes, 1)[:, None]
    return np.where(rows.present, side - means, 0.0)


def _cosine(sums: Floats) -> Floats:
    """PDP from the summed columns of items (rows)."""
    below = np.sqrt(np.maximum(sums[:, 1], 0.0)) * np.sqrt(np.maximum(sums[:, 2], 0.0))
    return np.clip(defined_ratio(sums[:, 0], below), -1.0, 1.0)


def pairwise_difference_pearson(human: ArrayLike, metric: ArrayLike) -> Value:
    """PDP of a metric (both systems x items); `count` is how many pairs there are."""
    total = ItemSums.of(human, metric).columns.sum(axis=0)
    pairs = int(total[3])
    value = float(_cosine(total[None])[0])
    if not np.isnan(value):
        return Value(value, pairs)
    if not pairs:
        return Value(None, 0, reason="no item has scores of two systems")
    side = "human" if not total[1] > 0 else "metric"
    return Value(None, pairs, reason=f"all {side} scores of an item are equal, whichever item")


def pairwise_difference_interval(
    human: ArrayLike,
    metric: ArrayLike,
    *,
    resampling: Resampling | None = None,
    confidence: float = CONFIDENCE,
) -> Interval:
    """PDP with its interval over items, or blocks of them."""
    chosen = resampling or Resampling()
    people, scores, left = judged_matrices(human, metric, chosen)
    value = pairwise_difference_pearson(people, scores)
    if not left.count:
        return Interval(value, None, None, 0, confidence)
    left_out = _cosine(left.sums(ItemSums.of(people, scores).columns))
    return interval_of(value, left_out, chosen, confidence, (-1.0, 1.0))


def pairwise_difference_outcomes(
    common: Common, blocks: ArrayLike | None, draws: Draws
) -> dict[Pair, Outcome | None]:
    """PERM-BOTH of every pair of metrics: both are standardised, and whole items (or blocks of
    them) swap, since a difference belongs to an item."""
    judged = judged_items(common.human)
    given = Blocks.of(blocks, len(judged)).of_items(judged)
    swaps = draws.swaps(given.count)
    sums = {
        name: given.sums(ItemSums.of(common.human, standardised(m)).columns[judged])
        for name, m in common.metrics.items()
    }
    if not given.count:
        return dict.fromkeys(common.pairs)
    moved = dict(zip(sums, weighted_sums(swaps.weights(), list(sums.values())), strict=True))
    total = {name: each.sum(axis=0) for name, each in sums.items()}
    return {
        (a, b): Outcome.of(
            float(_cosine(total[a][None])[0] - _cosine(total[b][None])[0]),
            _mixed(total, moved, a, b) - _mixed(total, moved, b, a),
            swaps,
        )
        for a, b in common.pairs
    }


def _mixed(
    total: Mapping[str, Floats], moved: Mapping[str, Floats], stays: str, comes: str
) -> Floats:
    """PDP in each draw of one metric with what came over from the other."""
    return _cosine(total[stays] - moved[stays] + moved[comes])
