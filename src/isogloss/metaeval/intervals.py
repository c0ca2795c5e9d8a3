"""How far could a statistic be off? Intervals by documents for all of them, Fisher's for Pearson.

Each block of items (a document, whose segments depend on each other, or a single item) is left out
once, and the studentised bootstrap of the jackknife values gives the interval (`verdicts`). The
statistic on resamples itself would not do: a resample has fewer different documents, systems are
told apart less well on it, and the resampled correlations lie far below the truth. acc_eq keeps the
threshold calibrated on all items (the question is then how well these decisions hold on other
items), or is calibrated anew each time. At system level the systems stay and items are left out.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import scipy  # its `stats` take half a second to load, and come when they are used
from numpy.typing import ArrayLike

from isogloss.arrays import Floats
from isogloss.errors import InputError
from isogloss.metaeval.correlation import CorrelationName, correlation, row_statistic
from isogloss.metaeval.left_out import LeftOut, Resampling, judged_matrices, left_out_values
from isogloss.metaeval.matrix import (
    MACRO,
    Averaging,
    Grouping,
    Rows,
    Value,
    as_matrix,
    defined_ratio,
    mean_of_groups,
    paired,
)
from isogloss.metaeval.ranking import (
    Flips,
    RankedPairs,
    SystemPairs,
    agreement,
    pairwise_accuracy,
    soft_pairwise_accuracy,
    tau_of_agreement,
)
from isogloss.metaeval.ties import AccEq, acc_eq
from isogloss.verdicts import Studentised, bounded

CONFIDENCE = 0.95

_CHUNK_CELLS = 1 << 22


@dataclass(frozen=True, slots=True)
class Interval:
    """A statistic with its interval.

    `blocks` is how many documents, items or groups of them it rests on (0 for Fisher's); `low` and
    `high` are `None` where nothing can be said. `jackknife` has the value of each block, to compare
    statistics that were taken on the same ones.
    """

    value: Value
    low: float | None
    high: float | None
    blocks: int = 0
    confidence: float = CONFIDENCE
    jackknife: Floats | None = field(default=None, compare=False, repr=False)


def correlation_interval(
    statistic: CorrelationName,
    human: ArrayLike,
    metric: ArrayLike,
    grouping: Grouping = "none",
    *,
    averaging: Averaging = MACRO,
    resampling: Resampling | None = None,
    confidence: float = CONFIDENCE,
) -> Interval:
    """A correlation with its interval."""
    chosen = resampling or Resampling()
    left_out = left_out_values(statistic, human, metric, grouping, chosen, averaging=averaging)
    value = correlation(statistic, human, metric, grouping, averaging)
    return interval_of(value, left_out, chosen, confidence, (-1.0, 1.0))


def acc_eq_interval(
    human: ArrayLike,
    metric: ArrayLike,
    grouping: Grouping = "item",
    *,
    recalibrate: bool = False,
    resampling: Resampling | None = None,
    confidence: float = CONFIDENCE,
) -> tuple[AccEq, Interval]:
    """acc_eq with its interval."""
    found, chosen = acc_eq(human, metric, grouping), resampling or Resampling()
    left_out = left_out_values(
        "acc-eq",
        human,
        metric,
        grouping,
        chosen,
        epsilon=found.epsilon,
        recalibrate=recalibrate,
    )
    return found, interval_of(found.value, left_out, chosen, confidence, (0.0, 1.0))


def system_correlation_interval(
    statistic: CorrelationName,
    human: ArrayLike,
    metric: ArrayLike,
    *,
    resampling: Resampling | None = None,
    confidence: float = CONFIDENCE,
) -> Interval:
    """The correlation of the systems' mean scores, over their items (systems x items)."""
    chosen = resampling or Resampling()
    people, scores, left = judged_matrices(human, metric, chosen)
    whole = Rows.of(_means(people), _means(scores), "none")
    value = correlation(statistic, whole.human[0], whole.metric[0])
    if not left.count:
        return Interval(value, None, None, 0, confidence)
    rows = Rows.of(*_left_out_means(people, scores, left), "system")
    return interval_of(value, row_statistic(statistic)(rows), chosen, confidence, (-1.0, 1.0))


def pairwise_accuracy_interval(
    sets: Sequence[tuple[ArrayLike, ArrayLike]],
    *,
    resamplings: Sequence[Resampling] | None = None,
    confidence: float = CONFIDENCE,
) -> Interval:
    """Pairwise accuracy of the systems' means over test sets (each systems x items).

    A document of any of the sets is left out at a time. Accuracy moves in steps of a pair, so that
    the interval is a wide one.
    """
    chosen = resamplings or [Resampling() for _ in sets]
    if len(chosen) != len(sets):
        raise InputError("every test set needs its resampling")
    means, whole, apart = [], np.zeros((2, 1)), []
    for (human, metric), resampling in zip(sets, chosen, strict=True):
        people, scores, left = judged_matrices(human, metric, resampling)
        means.append((_means(people), _means(scores)))
        if left.count:
            own = _agreeing_pairs(_means(people)[None], _means(scores)[None])
            whole += own
            apart.append(_agreeing_pairs(*_left_out_means(people, scores, left)) - own)
    value = pairwise_accuracy(*means)
    if not apart:
        return Interval(value, None, None, 0, confidence)
    left_out = defined_ratio(*(whole + np.hstack(apart)))
    return interval_of(value, left_out, chosen[0], confidence, (0.0, 1.0))


def soft_pairwise_accuracy_interval(
    human: ArrayLike,
    metric: ArrayLike,
    *,
    flips: Flips | None = None,
    resampling: Resampling | None = None,
    confidence: float = CONFIDENCE,
) -> Interval:
    """Soft pairwise accuracy with its interval; the same flips, whatever is left out."""
    value, chosen = soft_pairwise_accuracy(human, metric, flips), resampling or Resampling()
    people, scores, left = judged_matrices(human, metric, chosen)
    if not left.count:
        return Interval(value, None, None, 0, confidence)
    left_out = _left_out_spa(people, scores, left, flips or Flips())
    return interval_of(value, left_out, chosen, confidence, (0.0, 1.0))


def darr_interval(
    pairs: RankedPairs,
    metric: ArrayLike,
    *,
    resampling: Resampling | None = None,
    confidence: float = CONFIDENCE,
) -> Interval:
    """The daRR Kendall-like tau with its interval; items without pairs are no blocks."""
    chosen = resampling or Resampling()
    scores = as_matrix(metric, "metric scores")
    agreeing = agreement(pairs, scores)
    value = tau_of_agreement(agreeing)
    known = ~np.isnan(agreeing)
    counts = np.zeros((scores.shape[1], 2))
    np.add.at(counts, pairs.item[known], np.stack([agreeing[known], np.ones(known.sum())], axis=1))
    ranked = counts[:, 1] > 0
    left = chosen.of_items(ranked)
    if not left.count:
        return Interval(value, None, None, 0, confidence)
    right, all_pairs = left.sums(counts[ranked]).T
    left_out = 2 * defined_ratio(right, all_pairs) - 1
    return interval_of(value, left_out, chosen, confidence, (-1.0, 1.0))


def fisher_interval(value: Value, confidence: float = CONFIDENCE) -> Interval:
    """Fisher's interval for an ungrouped Pearson correlation; needs four observations.

    It takes observations to be independent and normal; scores of the same document are neither.
    """
    _check(confidence)
    if value.groups is not None:
        raise InputError("Fisher's interval is for a single correlation, not for a mean of several")
    if value.value is None or value.count < 4 or abs(value.value) >= 1:
        return Interval(value, None, None, 0, confidence)
    reach = float(scipy.stats.norm.ppf((1 + confidence) / 2)) / np.sqrt(value.count - 3)
    centre = np.arctanh(value.value)
    low, high = np.tanh([centre - reach, centre + reach])
    return Interval(value, float(low), float(high), 0, confidence)


# --- from what is left out to an interval ---------------------------------------------------------


def _check(confidence: float) -> None:
    if not 0 < confidence < 1:
        raise InputError(f"confidence must lie between 0 and 1, not {confidence}")


def interval_of(
    value: Value,
    left_out: Floats,
    resampling: Resampling,
    confidence: float,
    bounds: tuple[float, float],
) -> Interval:
    """The interval of a statistic from its values without each of some blocks."""
    _check(confidence)
    if value.value is None or not len(left_out):
        return Interval(value, None, None, 0, confidence)
    count = len(left_out)
    jackknife = count * value.value - (count - 1) * left_out
    drawn = Studentised.of(jackknife[:, None], resampling.count, resampling.seed)
    between = bounded(value.value, drawn.half_width(0, confidence), *bounds)
    low, high = between or (None, None)
    return Interval(value, low, high, count, confidence, jackknife)


# --- systems without some items ------------------------------------------------------------------


def _means(scores: Floats) -> Floats:
    """Each system's mean over its items."""
    present = ~np.isnan(scores)
    return defined_ratio(np.where(present, scores, 0.0).sum(axis=1), present.sum(axis=1))


def _left_out_means(people: Floats, scores: Floats, left: LeftOut) -> tuple[Floats, Floats]:
    """groups x systems: the means of the human and of the metric scores without each group."""
    present = ~np.isnan(people)
    columns = [present, np.where(present, people, 0.0), np.where(present, scores, 0.0)]
    counts, human, metric = np.hsplit(left.sums(np.vstack(columns).T), 3)
    return defined_ratio(human, counts), defined_ratio(metric, counts)


def _agreeing_pairs(human: Floats, metric: Floats) -> Floats:
    """In each case (rows) in how many of how many pairs people and metric agree."""
    people, scores = paired(human, metric)
    left, right = np.triu_indices(people.shape[1], 1)
    order = np.sign(people[:, left] - people[:, right])
    agreeing = order == np.sign(scores[:, left] - scores[:, right])
    return np.stack([agreeing.sum(axis=1), (~np.isnan(order)).sum(axis=1)]).astype(np.float64)


def _left_out_spa(people: Floats, scores: Floats, left: LeftOut, flips: Flips) -> Floats:
    """Soft pairwise accuracy without each group, from differences of p-values of all pairs."""
    human, metric = SystemPairs.of(people), SystemPairs.of(scores)
    apart = np.abs(_flip_p_values(human, left, flips) - _flip_p_values(metric, left, flips))
    shared = left.sums(human.shared) > 0
    return 1 - mean_of_groups(np.where(shared, apart, np.nan))


def _flip_p_values(pairs: SystemPairs, left: LeftOut, flips: Flips) -> Floats:
    """groups x pairs: every draw flips all items once, and each group is taken out of the sums."""
    reached = pairs.reached(left.sums(pairs.columns), left.sums(np.abs(pairs.columns)))
    group = left.group[left.blocks.index]
    order = np.argsort(group, kind="stable")
    starts = np.flatnonzero(np.diff(group[order], prepend=-1))
    columns, counts = pairs.columns[order], np.zeros(reached.shape)
    step = max(1, _CHUNK_CELLS // max(columns.size, 1))  # a lone system makes no pair
    for signs in flips.signs(len(columns)):
        for start in range(0, len(signs), step):
            flipped = signs[start : start + step][:, order, None] * columns
            by_group = np.add.reduceat(flipped, starts, axis=1)
            staying = by_group.sum(axis=1, keepdims=True) - by_group
            counts += np.count_nonzero(pairs.apart(staying, axis=2) >= reached, axis=0)
    return counts / flips.draws
