"""The value of a task's statistic for two matrices of scores, whichever statistic it is."""

from typing import cast

from isogloss.metaeval.correlation import Statistic as CorrelationName
from isogloss.metaeval.correlation import correlation
from isogloss.metaeval.darr import darr_tau, ranked_pairs
from isogloss.metaeval.matrix import Floats
from isogloss.metaeval.ranking import pairwise_accuracy, soft_pairwise_accuracy
from isogloss.metaeval.tasks import Statistic
from isogloss.metaeval.ties import acc_eq
from isogloss.metaeval.value import Value


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
    return correlation(cast(CorrelationName, statistic.name), human, metric, statistic.grouping)
