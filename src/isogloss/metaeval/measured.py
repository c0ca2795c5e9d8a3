"""A task's statistic of two matrices of scores, whichever statistic it is: value and interval."""

from typing import cast

from isogloss.arrays import Floats
from isogloss.metaeval.correlation import CorrelationName, correlation
from isogloss.metaeval.intervals import (
    CONFIDENCE,
    Interval,
    acc_eq_interval,
    correlation_interval,
    darr_interval,
    pairwise_accuracy_interval,
    soft_pairwise_accuracy_interval,
    system_correlation_interval,
)
from isogloss.metaeval.left_out import Resampling
from isogloss.metaeval.matrix import Value
from isogloss.metaeval.pairwise_difference import (
    pairwise_difference_interval,
    pairwise_difference_pearson,
)
from isogloss.metaeval.ranking import (
    darr_tau,
    pairwise_accuracy,
    ranked_pairs,
    soft_pairwise_accuracy,
)
from isogloss.metaeval.tasks import Statistic
from isogloss.metaeval.ties import acc_eq


def value_of(statistic: Statistic, human: Floats, metric: Floats) -> Value:
    """The statistic of two matrices, systems x items (of one item at system level)."""
    if statistic.name == "acc-eq":
        return acc_eq(human, metric, statistic.grouping).value
    if statistic.name == "pairwise-accuracy":
        return pairwise_accuracy((human, metric))
    if statistic.name == "soft-pairwise-accuracy":
        return soft_pairwise_accuracy(human, metric)
    if statistic.name == "darr":
        return darr_tau(ranked_pairs(human), metric)
    if statistic.name == "pdp":
        return pairwise_difference_pearson(human, metric)
    return correlation(_named(statistic), human, metric, statistic.grouping, statistic.averaging)


def interval_between(
    statistic: Statistic,
    human: Floats,
    metric: Floats,
    resampling: Resampling,
    confidence: float = CONFIDENCE,
) -> Interval:
    """The statistic with its interval by blocks of items.

    Of a statistic of systems the matrices are systems x judged items; their means are compared.
    """
    if statistic.name == "acc-eq":
        grouping = statistic.grouping
        return acc_eq_interval(
            human, metric, grouping, resampling=resampling, confidence=confidence
        )[1]
    if statistic.name == "soft-pairwise-accuracy":
        return soft_pairwise_accuracy_interval(
            human, metric, resampling=resampling, confidence=confidence
        )
    if statistic.name == "darr":
        pairs = ranked_pairs(human)
        return darr_interval(pairs, metric, resampling=resampling, confidence=confidence)
    if statistic.name == "pdp":
        return pairwise_difference_interval(
            human, metric, resampling=resampling, confidence=confidence
        )
    if statistic.level == "system":
        return _system_interval(statistic, human, metric, resampling, confidence)
    return correlation_interval(
        _named(statistic),
        human,
        metric,
        statistic.grouping,
        averaging=statistic.averaging,
        resampling=resampling,
        confidence=confidence,
    )


def _system_interval(
    statistic: Statistic, human: Floats, metric: Floats, resampling: Resampling, confidence: float
) -> Interval:
    if statistic.name == "pairwise-accuracy":
        return pairwise_accuracy_interval(
            [(human, metric)], resamplings=[resampling], confidence=confidence
        )
    return system_correlation_interval(
        _named(statistic), human, metric, resampling=resampling, confidence=confidence
    )


def _named(statistic: Statistic) -> CorrelationName:
    return cast(CorrelationName, statistic.name)
