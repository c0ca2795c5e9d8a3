"""Correlation of metric scores with human scores: Pearson, Spearman and Kendall's tau.

Every statistic is one function of rows (groups x members, NaN where missing) to one value per
row, for all rows at once. The definitions are those of mt-metrics-eval: a group with fewer than
two scores, or (but for tau-23) with equal scores on one side, has no value and is not averaged.

* tau-b = (C - D) / sqrt((P - human ties) (P - metric ties)), P all pairs
* tau-c = 2 (C - D) / (n^2 (k - 1) / k), k the smaller number of different values
* tau-23 = (C + both tied - D - tied on one side only) / P (Deutsch et al. 2023)

Counting pairs: in how many do people and metric agree on the order, in how many are they tied?

Small groups (the systems of an item) are counted pair by pair, all groups at once; large ones
(all cells, or all items of a system) by Knight's O(n log n) method, as scipy implements it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy  # its `stats` take half a second to load, and come when they are used
from numpy.typing import ArrayLike, NDArray

from isogloss.arrays import Floats
from isogloss.errors import InputError
from isogloss.metaeval.matrix import MACRO, Averaging, Grouping, Rows, Value, defined_ratio

Counts = NDArray[np.int64]

_PAIR_BY_PAIR = 64  # members up to which comparing every pair is faster than sorting
_CHUNK = 1 << 14  # rows at a time, so that the differences stay in the cache


@dataclass(frozen=True, slots=True, eq=False)
class Concordance:
    """Pairs of each group; a tie is counted in one of the last three, never in two."""

    concordant: Counts
    discordant: Counts
    human_ties: Counts
    metric_ties: Counts
    both_ties: Counts

    @property
    def pairs(self) -> Counts:
        strict = self.concordant + self.discordant
        return strict + self.human_ties + self.metric_ties + self.both_ties

    @property
    def untied_by_human(self) -> Counts:
        return self.concordant + self.discordant + self.metric_ties

    @property
    def untied_by_metric(self) -> Counts:
        return self.concordant + self.discordant + self.human_ties


def concordance(human: Floats, metric: Floats) -> Concordance:
    """Count the pairs of each row; both have NaN in the same places."""
    if human.shape[1] > _PAIR_BY_PAIR:
        tallies = [_of_row(h, m) for h, m in zip(human, metric, strict=True)]
        return Concordance(*np.array(tallies, dtype=np.int64).reshape(-1, 5).T)
    parts = [_pair_by_pair(h, m) for h, m in _columns(human, metric)]
    return Concordance(*np.concatenate([np.zeros((5, 0), dtype=np.int64), *parts], axis=1))


def _columns(human: Floats, metric: Floats) -> Iterator[tuple[Floats, Floats]]:
    """Some rows at a time, turned so that one member of all of them lies together in memory."""
    for start in range(0, len(human), _CHUNK):
        rows = slice(start, start + _CHUNK)
        yield np.ascontiguousarray(human[rows].T), np.ascontiguousarray(metric[rows].T)


def _pair_by_pair(human: Floats, metric: Floats) -> Counts:
    """The five counts (rows of the result) of each column."""
    counts = np.zeros((5, human.shape[1]), dtype=np.int64)
    for member in range(len(human) - 1):
        people = human[member] - human[member + 1 :]  # NaN differences are in none of the counts
        scores = metric[member] - metric[member + 1 :]
        ties = people == 0, scores == 0
        same = ((people > 0) & (scores > 0)) | ((people < 0) & (scores < 0))
        opposite = ((people > 0) & (scores < 0)) | ((people < 0) & (scores > 0))
        kinds = same, opposite, ties[0] & ~ties[1], ties[1] & ~ties[0], ties[0] & ties[1]
        for count, kind in zip(counts, kinds, strict=True):
            # a missing score is NaN in both, so a tie on one side is never a gap on the other
            count += np.count_nonzero(kind, axis=0)
    return counts


def _of_row(human: Floats, metric: Floats) -> Counts:
    """The five counts of one row, which may be long but for what is missing."""
    present = ~np.isnan(human)
    people, scores = human[present], metric[present]
    if len(people) <= _PAIR_BY_PAIR:
        return _pair_by_pair(people[:, None], scores[:, None])[:, 0]
    return np.array(_by_sorting(_ranks(people), _ranks(scores)))


def _by_sorting(people: Counts, scores: Counts) -> tuple[int, int, int, int, int]:
    """The five counts of one long row of ranks."""
    total = _pairs_of(np.array([len(people)]))
    human_ties, metric_ties = _pairs_of(np.bincount(people)), _pairs_of(np.bincount(scores))
    both = np.unique(people * (scores.max(initial=0) + 1) + scores, return_counts=True)[1]
    both_ties = _pairs_of(both)
    strict = total - human_ties - metric_ties + both_ties
    surplus = _surplus(people, scores, total - human_ties, total - metric_ties)
    concordant = (strict + surplus) // 2
    return (
        concordant,
        strict - concordant,
        human_ties - both_ties,
        metric_ties - both_ties,
        both_ties,
    )


def _ranks(values: Floats) -> Counts:
    return np.unique(values, return_inverse=True)[1].astype(np.int64)


def _pairs_of(sizes: NDArray[np.integer]) -> int:
    return int((sizes.astype(np.int64) * (sizes - 1) // 2).sum())


def _surplus(people: Counts, scores: Counts, by_human: int, by_metric: int) -> int:
    """Concordant minus discordant pairs, recovered from tau-b: an integer, so exactly."""
    if not by_human or not by_metric:
        return 0
    tau = scipy.stats.kendalltau(people, scores, method="asymptotic").statistic
    return round(float(tau) * float(np.sqrt(by_human)) * float(np.sqrt(by_metric)))


CorrelationName = Literal["pearson", "spearman", "tau-b", "tau-c", "tau-23"]
RowStatistic = Callable[[Rows], Floats]
"""One value per row, NaN where it is undefined."""


def correlation(
    statistic: CorrelationName,
    human: ArrayLike,
    metric: ArrayLike,
    grouping: Grouping = "none",
    averaging: Averaging = MACRO,
) -> Value:
    """A correlation by name: the mean over the groups that have a value, or another average."""
    rows = Rows.of(human, metric, grouping)
    values, pairs = row_statistic(statistic)(rows), statistic.startswith("tau")
    return mean_value(values, rows, pairs, averaging)


def pearson(human: ArrayLike, metric: ArrayLike, grouping: Grouping = "none") -> Value:
    """Pearson's r."""
    return correlation("pearson", human, metric, grouping)


def spearman(human: ArrayLike, metric: ArrayLike, grouping: Grouping = "none") -> Value:
    """Spearman's rho: Pearson's r of the ranks, tied scores sharing their mean rank."""
    return correlation("spearman", human, metric, grouping)


def kendall(
    human: ArrayLike,
    metric: ArrayLike,
    grouping: Grouping = "none",
    variant: Literal["b", "c", "23"] = "b",
) -> Value:
    """Kendall's tau in one of its variants."""
    names: dict[str, CorrelationName] = {"b": "tau-b", "c": "tau-c", "23": "tau-23"}
    if variant not in names:
        raise InputError(f"unknown variant {variant!r} of tau; there are: {', '.join(names)}")
    return correlation(names[variant], human, metric, grouping)


def row_statistic(name: CorrelationName) -> RowStatistic:
    """The function behind a correlation's name."""
    try:
        return ROW_STATISTICS[name]
    except KeyError:
        known = ", ".join(ROW_STATISTICS)
        raise InputError(f"unknown correlation {name!r}; there are: {known}") from None


def mean_value(values: Floats, rows: Rows, pairs: bool, averaging: Averaging = MACRO) -> Value:
    """The mean of the rows that have a value, with how many pairs or scores are behind it."""
    if averaging != MACRO and rows.grouping != "item":
        raise InputError("averages other than the plain mean are for statistics within items")
    filled, weights = averaging.weighted(values, rows.sizes)
    defined = weights > 0
    counted = rows.pairs if pairs else rows.sizes
    groups = None if rows.grouping == "none" else int(np.count_nonzero(defined))
    if not defined.any():
        return Value(None, 0, groups, rows.why_undefined())
    mean = np.average(filled[defined], weights=weights[defined])
    return Value(float(mean), int(counted[defined].sum()), groups)


# --- one value per row ---------------------------------------------------------------------------


def pearson_rows(rows: Rows) -> Floats:
    """Pearson's r of each row."""
    human, metric = (_centred(side, rows) for side in (rows.human, rows.metric))
    norms = np.sqrt(_dots(human, human) * _dots(metric, metric))
    below = np.where(rows.human_varies & rows.metric_varies, norms, 0.0)
    return np.clip(defined_ratio(_dots(human, metric), below), -1.0, 1.0)


def spearman_rows(rows: Rows) -> Floats:
    """Spearman's rho of each row."""
    ranked = Rows(mean_ranks(rows.human), mean_ranks(rows.metric), rows.grouping)
    return pearson_rows(ranked)


def tau_b_rows(rows: Rows) -> Floats:
    """Kendall's tau-b of each row."""
    counts = concordance(rows.human, rows.metric)
    untied = np.sqrt(counts.untied_by_human) * np.sqrt(counts.untied_by_metric)
    return defined_ratio(counts.concordant - counts.discordant, untied)


def tau_c_rows(rows: Rows) -> Floats:
    """Stuart's tau-c of each row."""
    counts = concordance(rows.human, rows.metric)
    classes = np.minimum(distinct_values(rows.human), distinct_values(rows.metric))
    surplus = 2 * (counts.concordant - counts.discordant) * classes
    return defined_ratio(surplus, rows.sizes**2 * (classes - 1))


def tau_23_rows(rows: Rows) -> Floats:
    """Tau-23 of each row: 1 where all pairs, tied or not, are told right, -1 where none is."""
    counts = concordance(rows.human, rows.metric)
    right = counts.concordant + counts.both_ties
    return defined_ratio(2 * right - counts.pairs, counts.pairs)


ROW_STATISTICS: dict[str, RowStatistic] = {
    "pearson": pearson_rows,
    "spearman": spearman_rows,
    "tau-b": tau_b_rows,
    "tau-c": tau_c_rows,
    "tau-23": tau_23_rows,
}


def _dots(one: Floats, other: Floats) -> Floats:
    dots: Floats = np.einsum("ij,ij->i", one, other)
    return dots


def _centred(side: Floats, rows: Rows) -> Floats:
    """Each row less its mean, 0 where missing, scaled so that squares neither vanish nor explode.

    A correlation does not depend on the scale.
    """
    filled = np.where(rows.present, side, 0.0)
    means = filled.sum(axis=1) / np.maximum(rows.sizes, 1)
    centred = np.where(rows.present, side - means[:, None], 0.0)
    largest = np.abs(centred).max(axis=1, initial=0.0, keepdims=True)
    return centred / np.where(largest > 0, largest, 1.0)


def mean_ranks(rows: Floats) -> Floats:
    """Ranks from 1 within each row; tied values share their mean rank; NaN stays NaN."""
    order = np.argsort(rows, axis=1, kind="stable")
    ordered = np.take_along_axis(rows, order, axis=1)
    places = np.broadcast_to(np.arange(rows.shape[1]), rows.shape)
    starts = np.ones(rows.shape, dtype=bool)
    starts[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    ends = np.ones(rows.shape, dtype=bool)
    ends[:, :-1] = starts[:, 1:]
    first = np.maximum.accumulate(np.where(starts, places, 0), axis=1)
    backwards = np.where(ends, places, rows.shape[1])[:, ::-1]
    last = np.minimum.accumulate(backwards, axis=1)[:, ::-1]
    ranks = np.empty(rows.shape)
    np.put_along_axis(ranks, order, (first + last) / 2 + 1, axis=1)
    return np.where(np.isnan(rows), np.nan, ranks)


def distinct_values(rows: Floats) -> Floats:
    """How many different values each row holds."""
    ordered = np.sort(rows, axis=1)
    changes = (ordered[:, 1:] != ordered[:, :-1]) & ~np.isnan(ordered[:, 1:])
    first = ~np.isnan(ordered[:, :1])
    return np.asarray(changes.sum(axis=1) + first.sum(axis=1), dtype=np.float64)
