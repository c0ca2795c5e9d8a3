"""daRR: relative ranks from direct assessments, and the Kendall-like tau of WMT17 to WMT20.

Two outputs for the same item make a pair where their raw direct assessments lie 25 points or more
apart. A metric is concordant with the pair only if it scores the better one strictly higher; ties
count against it. tau = (concordant - discordant) / all pairs, over all pairs and not by item.
Document level is the same on the mean raw score of each document with at least two judged segments
(`document_assessments`).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from isogloss.errors import InputError, MismatchError
from isogloss.metaeval.matrix import Blocks, Floats, Indices, as_matrix, human_matrix
from isogloss.metaeval.means import group_means
from isogloss.metaeval.value import Value

THRESHOLD = 25.0
_NOISE = 1e-9  # 32.3 - 7.3 is 25, whatever the last bits say


@dataclass(frozen=True, slots=True, eq=False)
class RankedPairs:
    """Pairs of outputs: on `item` people find system `better` better than system `worse`."""

    item: Indices
    better: Indices
    worse: Indices

    def __post_init__(self) -> None:
        if not len(self.item) == len(self.better) == len(self.worse):
            raise MismatchError("every pair needs an item, a better and a worse system")

    def __len__(self) -> int:
        return len(self.item)


def ranked_pairs(
    raw: ArrayLike, threshold: float = THRESHOLD, as_given: bool = False
) -> RankedPairs:
    """The pairs of systems whose raw scores (systems x items) on an item are far enough apart.

    `as_given` compares the numbers to the last bit, as WMT20 did with means over documents.
    """
    if not threshold > 0:
        raise InputError(f"outputs {threshold} points apart cannot be told better from worse")
    scores = as_matrix(raw, "raw scores") if as_given else human_matrix(raw)
    left, right = np.triu_indices(len(scores), 1)
    differences = scores[left] - scores[right]
    least = threshold if as_given else threshold - _NOISE
    pair, item = np.nonzero(np.abs(differences) >= least)
    ahead = differences[pair, item] > 0
    first, second = left[pair], right[pair]
    return RankedPairs(item, np.where(ahead, first, second), np.where(ahead, second, first))


def document_assessments(raw: ArrayLike, blocks: ArrayLike, at_least: int = 2) -> Floats:
    """Mean raw scores, systems x documents; NaN where fewer than `at_least` segments are judged."""
    scores = as_matrix(raw, "raw scores")
    return group_means(scores, Blocks.of(blocks, scores.shape[1]).index, at_least=at_least)[0]


def darr_tau(pairs: RankedPairs, metric: ArrayLike) -> Value:
    """The Kendall-like tau of a metric (systems x items); pairs that it lacks are left out."""
    return tau_of_agreement(agreement(pairs, as_matrix(metric, "metric scores")))


def agreement(pairs: RankedPairs, metric: Floats) -> Floats:
    """1 where the metric ranks a pair as people do, 0 where not, NaN where it lacks a score."""
    difference = metric[pairs.better, pairs.item] - metric[pairs.worse, pairs.item]
    return np.where(np.isnan(difference), np.nan, difference > 0)


def tau_of_agreement(agreement: ArrayLike) -> Value:
    """tau from one entry a pair: true (1) where the metric is concordant, NaN where it has none."""
    entries: NDArray[np.float64] = np.asarray(agreement, dtype=np.float64)
    known = entries[~np.isnan(entries)]
    if not len(known):
        return Value(None, 0, reason="no pair of outputs far enough apart that the metric scored")
    return Value(float(2 * known.mean() - 1), len(known))
