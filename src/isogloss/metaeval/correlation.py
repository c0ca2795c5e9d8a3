"""Correlation of metric scores with human scores: Pearson, Spearman and Kendall's tau.

Every statistic is one function of rows (groups x members, NaN where missing) to one value per
row, for all rows at once. The definitions are those of mt-metrics-eval: a group with fewer than
two scores, or (but for tau-23) with equal scores on one side, has no value and is not averaged.

* tau-b = (C - D) / sqrt((P - human ties) (P - metric ties)), P all pairs
* tau-c = 2 (C - D) / (n^2 (k - 1) / k), k the smaller number of different values
* tau-23 = (C + both tied - D - tied on one side only) / P (Deutsch et al. 2023)
"""

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from isogloss.errors import InputError
from isogloss.metaeval.concordance import concordance
from isogloss.metaeval.matrix import Floats, Rows, defined_ratio
from isogloss.metaeval.value import Grouping, Value

Statistic = Literal["pearson", "spearman", "tau-b", "tau-c", "tau-23"]
RowStatistic = Callable[[Rows], Floats]
"""One value per row, NaN where it is undefined."""


def correlation(
    statistic: Statistic, human: ArrayLike, metric: ArrayLike, grouping: Grouping = "none"
) -> Value:
    """A correlation by name: the mean over the groups that have a value."""
    rows = Rows.of(human, metric, grouping)
    return mean_value(row_statistic(statistic)(rows), rows, pairs=statistic.startswith("tau"))


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
    names: dict[str, Statistic] = {"b": "tau-b", "c": "tau-c", "23": "tau-23"}
    if variant not in names:
        raise InputError(f"unknown variant {variant!r} of tau; there are: {', '.join(names)}")
    return correlation(names[variant], human, metric, grouping)


def row_statistic(name: Statistic) -> RowStatistic:
    """The function behind a correlation's name."""
    try:
        return ROW_STATISTICS[name]
    except KeyError:
        known = ", ".join(ROW_STATISTICS)
        raise InputError(f"unknown correlation {name!r}; there are: {known}") from None


def mean_value(values: Floats, rows: Rows, pairs: bool) -> Value:
    """The mean of the rows that have a value, with how many pairs or scores are behind it."""
    defined = ~np.isnan(values)
    counted = rows.pairs if pairs else rows.sizes
    groups = None if rows.grouping == "none" else int(np.count_nonzero(defined))
    if not defined.any():
        return Value(None, 0, groups, rows.why_undefined())
    return Value(float(values[defined].mean()), int(counted[defined].sum()), groups)


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
