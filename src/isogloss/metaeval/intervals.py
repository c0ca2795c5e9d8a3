"""How far could a statistic be off? Bootstrap intervals for all of them, Fisher's for Pearson.

Items are resampled one by one or by blocks (documents, whose segments depend on each other); the
interval is the middle 95 % of the resampled values. acc_eq keeps the threshold calibrated on all
items (the question is then how well these decisions hold on other items), or is calibrated anew on
each resample. At system level the systems stay and their items are resampled.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from isogloss.errors import InputError
from isogloss.metaeval.bootstrap import (
    Drawn,
    Resampling,
    bootstrap_values,
    drawn_items,
)
from isogloss.metaeval.correlation import Statistic, correlation, row_statistic
from isogloss.metaeval.darr import RankedPairs, agreement, tau_of_agreement
from isogloss.metaeval.matrix import (
    Floats,
    Indices,
    Rows,
    as_matrix,
    defined_ratio,
    mean_of_groups,
    paired,
)
from isogloss.metaeval.ranking import Flips, SystemPairs, pairwise_accuracy, soft_pairwise_accuracy
from isogloss.metaeval.ties import AccEq, acc_eq
from isogloss.metaeval.value import Grouping, Value
from isogloss.resampling import percentile_interval

CONFIDENCE = 0.95

_CHUNK_CELLS = 1 << 22


@dataclass(frozen=True, slots=True)
class Interval:
    """A statistic with its interval.

    `resamples` is on how many resamples it was defined (0 for Fisher's interval); `low` and `high`
    are `None` where there is no interval. `drawn` are the resampled values themselves, to compare
    statistics that were taken on the same resamples.
    """

    value: Value
    low: float | None
    high: float | None
    resamples: int = 0
    confidence: float = CONFIDENCE
    drawn: Floats | None = field(default=None, compare=False, repr=False)


def correlation_interval(
    statistic: Statistic,
    human: ArrayLike,
    metric: ArrayLike,
    grouping: Grouping = "none",
    *,
    resampling: Resampling | None = None,
    confidence: float = CONFIDENCE,
) -> Interval:
    """A correlation with its bootstrap interval."""
    drawn = bootstrap_values(statistic, human, metric, grouping, resampling or Resampling())
    return _interval(correlation(statistic, human, metric, grouping), drawn, confidence)


def acc_eq_interval(
    human: ArrayLike,
    metric: ArrayLike,
    grouping: Grouping = "item",
    *,
    recalibrate: bool = False,
    resampling: Resampling | None = None,
    confidence: float = CONFIDENCE,
) -> tuple[AccEq, Interval]:
    """acc_eq with its bootstrap interval."""
    found = acc_eq(human, metric, grouping)
    drawn = bootstrap_values(
        "acc-eq",
        human,
        metric,
        grouping,
        resampling or Resampling(),
        epsilon=found.epsilon,
        recalibrate=recalibrate,
    )
    return found, _interval(found.value, drawn, confidence)


def system_correlation_interval(
    statistic: Statistic,
    human: ArrayLike,
    metric: ArrayLike,
    *,
    resampling: Resampling | None = None,
    confidence: float = CONFIDENCE,
) -> Interval:
    """The correlation of the systems' mean scores, with its items (systems x items) resampled."""
    people, scores, drawn = drawn_items(human, metric, resampling or Resampling())
    whole = Rows.of(_means(people), _means(scores), "none")
    value = correlation(statistic, whole.human[0], whole.metric[0])
    if not drawn.blocks.count:
        return Interval(value, None, None, 0, confidence)
    resampled = Rows.of(*_resampled_means(people, scores, drawn), "system")
    return _interval(value, row_statistic(statistic)(resampled), confidence)


def pairwise_accuracy_interval(
    sets: Sequence[tuple[ArrayLike, ArrayLike]],
    *,
    resamplings: Sequence[Resampling] | None = None,
    confidence: float = CONFIDENCE,
) -> Interval:
    """Pairwise accuracy of the systems' means over test sets (each systems x items, resampled)."""
    chosen = resamplings or [Resampling(seed=12345 + number) for number in range(len(sets))]
    if len(chosen) != len(sets) or len({each.count for each in chosen}) > 1:
        raise InputError("every test set needs its resampling, all of the same size")
    means, counts = [], np.zeros((2, chosen[0].count if chosen else 0))
    for (human, metric), resampling in zip(sets, chosen, strict=True):
        people, scores, drawn = drawn_items(human, metric, resampling)
        means.append((_means(people), _means(scores)))
        if drawn.blocks.count:
            counts += _agreeing_pairs(*_resampled_means(people, scores, drawn))
    return _interval(pairwise_accuracy(*means), defined_ratio(*counts), confidence)


def soft_pairwise_accuracy_interval(
    human: ArrayLike,
    metric: ArrayLike,
    *,
    flips: Flips | None = None,
    resampling: Resampling | None = None,
    confidence: float = CONFIDENCE,
) -> Interval:
    """Soft pairwise accuracy with its bootstrap interval; every resample sees the same flips."""
    value = soft_pairwise_accuracy(human, metric, flips)
    people, scores, drawn = drawn_items(human, metric, resampling or Resampling())
    if not drawn.blocks.count:
        return Interval(value, None, None, 0, confidence)
    return _interval(value, _resampled_spa(people, scores, drawn, flips or Flips()), confidence)


def darr_interval(
    pairs: RankedPairs,
    metric: ArrayLike,
    *,
    resampling: Resampling | None = None,
    confidence: float = CONFIDENCE,
) -> Interval:
    """The daRR Kendall-like tau with its bootstrap interval; items without pairs are not drawn."""
    scores = as_matrix(metric, "metric scores")
    agreeing = agreement(pairs, scores)
    value = tau_of_agreement(agreeing)
    known = ~np.isnan(agreeing)
    counts = np.zeros((scores.shape[1], 2))
    np.add.at(counts, pairs.item[known], np.stack([agreeing[known], np.ones(known.sum())], axis=1))
    ranked = counts[:, 1] > 0
    drawn = (resampling or Resampling()).of_items(ranked)
    if not drawn.blocks.count:
        return Interval(value, None, None, 0, confidence)
    right, all_pairs = drawn.sums(counts[ranked]).T
    return _interval(value, 2 * defined_ratio(right, all_pairs) - 1, confidence)


def fisher_interval(value: Value, confidence: float = CONFIDENCE) -> Interval:
    """Fisher's interval for an ungrouped Pearson correlation; needs four observations.

    It takes observations to be independent and normal; scores of the same document are neither.
    """
    _check(confidence)
    if value.groups is not None:
        raise InputError("Fisher's interval is for a single correlation, not for a mean of several")
    if value.value is None or value.count < 4 or abs(value.value) >= 1:
        return Interval(value, None, None, 0, confidence)
    reach = float(stats.norm.ppf((1 + confidence) / 2)) / np.sqrt(value.count - 3)
    centre = np.arctanh(value.value)
    low, high = np.tanh([centre - reach, centre + reach])
    return Interval(value, float(low), float(high), 0, confidence)


# --- the middle of the resampled values ----------------------------------------------------------


def _check(confidence: float) -> None:
    if not 0 < confidence < 1:
        raise InputError(f"confidence must lie between 0 and 1, not {confidence}")


def _interval(value: Value, drawn: Floats, confidence: float) -> Interval:
    _check(confidence)
    defined = int(np.count_nonzero(~np.isnan(drawn)))
    found = percentile_interval(drawn, confidence) if value.value is not None else None
    low, high = found or (None, None)
    return Interval(value, low, high, defined, confidence, drawn)


# --- systems on resampled items ------------------------------------------------------------------


def _means(scores: Floats) -> Floats:
    """Each system's mean over its items."""
    present = ~np.isnan(scores)
    return defined_ratio(np.where(present, scores, 0.0).sum(axis=1), present.sum(axis=1))


def _resampled_means(people: Floats, scores: Floats, drawn: Drawn) -> tuple[Floats, Floats]:
    """resamples x systems: the means of the human and of the metric scores."""
    present = ~np.isnan(people)
    columns = [present, np.where(present, people, 0.0), np.where(present, scores, 0.0)]
    counts, human, metric = np.hsplit(drawn.sums(np.vstack(columns).T), 3)
    return defined_ratio(human, counts), defined_ratio(metric, counts)


def _agreeing_pairs(human: Floats, metric: Floats) -> Floats:
    """On each resample (rows) in how many of how many pairs people and metric agree."""
    people, scores = paired(human, metric)
    left, right = np.triu_indices(people.shape[1], 1)
    order = np.sign(people[:, left] - people[:, right])
    agreeing = order == np.sign(scores[:, left] - scores[:, right])
    return np.stack([agreeing.sum(axis=1), (~np.isnan(order)).sum(axis=1)]).astype(np.float64)


def _resampled_spa(people: Floats, scores: Floats, drawn: Drawn, flips: Flips) -> Floats:
    """Soft pairwise accuracy on each resample, from the differences of p-values of all pairs."""
    human, metric = SystemPairs.of(people), SystemPairs.of(scores)
    apart = np.abs(_flip_p_values(human, drawn, flips) - _flip_p_values(metric, drawn, flips))
    shared = drawn.sums(human.shared) > 0
    return 1 - mean_of_groups(np.where(shared, apart, np.nan))


def _flip_p_values(pairs: SystemPairs, drawn: Drawn, flips: Flips) -> Floats:
    """resamples x pairs; many resamples side by side make one matrix product worth its while."""
    reached = pairs.reached(drawn.sums(pairs.columns), drawn.sums(np.abs(pairs.columns)))
    columns = np.vstack([pairs.columns, np.zeros(pairs.columns.shape[1])])
    above: list[Floats] = []
    cells = max(1, flips.draws * reached.shape[1])  # a lone system makes no pair
    for taken in _taken_items(drawn, max(1, _CHUNK_CELLS // cells)):
        side_by_side = np.moveaxis(columns[taken], 1, 2).reshape(-1, taken.shape[1])
        limits = reached[len(above) : len(above) + len(taken), :, None]
        counts = np.zeros(limits.shape[:2])
        for signs in flips.signs(taken.shape[1]):
            flipped = (side_by_side @ signs.T).reshape(len(taken), -1, len(signs))
            counts += np.count_nonzero(pairs.apart(flipped, axis=1) >= limits, axis=2)
        above.extend(counts)
    return np.array(above) / flips.draws


def _taken_items(drawn: Drawn, resamples: int) -> Iterator[Indices]:
    """The items of so many resamples at a time, filled up with an item past the last.

    Blocks differ in length and so do resamples; all are filled up to the longest of all, so that
    the flips do not depend on how many are looked at together.
    """
    items = np.arange(len(drawn.blocks.index))
    longest = int(drawn.sums(np.ones((len(items), 1))).max())
    for weights in drawn.weights():
        for start in range(0, len(weights), resamples):
            times = weights[start : start + resamples][:, drawn.blocks.index].astype(np.intp)
            taken = np.full((len(times), longest), len(items))
            filled = np.arange(longest) < times.sum(axis=1, keepdims=True)
            taken[filled] = np.repeat(np.tile(items, len(times)), times.ravel())
            yield taken
