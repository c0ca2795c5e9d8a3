"""Ranking systems: pairwise accuracy, soft pairwise accuracy, and systems that do not belong.

* Pairwise accuracy (Kocmi et al. 2021): of how many pairs of systems does the metric say what
  people say? Pairs of several test sets are pooled.
* Soft pairwise accuracy (Thompson et al. 2024): 1 - mean |p_human - p_metric|, where p is how often
  the difference between two systems would be as large if their items' scores were swapped at
  random. All draws and pairs are one matrix product, and as in mt-metrics-eval all pairs share
  their draws (the same ones, from the same seed). A pair is compared on the items that both
  systems have.
* Outliers: systems whose human score lies more than 2.5 robust standard deviations off the median.

daRR: relative ranks from direct assessments, and the Kendall-like tau of WMT17 to WMT20.

Two outputs for the same item make a pair where their raw direct assessments lie 25 points or more
apart. A metric is concordant with the pair only if it scores the better one strictly higher; ties
count against it. tau = (concordant - discordant) / all pairs, over all pairs and not by item.
Document level is the same on the mean raw score of each document with at least two judged segments
(`document_assessments`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from isogloss.arrays import Floats, Mask
from isogloss.errors import InputError, MismatchError
from isogloss.metaeval.matrix import (
    Blocks,
    Indices,
    Value,
    as_matrix,
    human_matrix,
    judged_items,
    paired,
)
from isogloss.metaeval.means import group_means

_MAD_TO_DEVIATION = 1.4826  # of a normal distribution
_OUTLYING = 2.5
_NOISE = 1e-9  # relative: a sum of flipped differences may differ from its mirror in the last bits
_CHUNK_CELLS = 8_000_000


def pairwise_accuracy(*sets: tuple[ArrayLike, ArrayLike]) -> Value:
    """Pairwise accuracy over test sets, each (human scores, metric scores), one score a system."""
    right, pairs = np.sum([agreeing_pairs(*_vectors(*one)) for one in sets] or [(0, 0)], axis=0)
    if not pairs:
        return Value(None, 0, reason="there are no two systems with scores to compare")
    return Value(float(right / pairs), int(pairs))


def _vectors(human: ArrayLike, metric: ArrayLike) -> tuple[Floats, Floats]:
    people, scores = paired(human, metric)
    if people.shape[1] != 1:
        raise InputError(f"one score per system is needed, not {people.shape[1]}")
    return people[:, 0], scores[:, 0]


def agreeing_pairs(human: Floats, metric: Floats) -> tuple[int, int]:
    """In how many of how many pairs of systems people and metric agree (ties with ties)."""
    left, right = np.triu_indices(len(human), 1)
    people, scores = np.sign(human[left] - human[right]), np.sign(metric[left] - metric[right])
    return int(np.count_nonzero(people == scores)), int(np.count_nonzero(~np.isnan(people)))


@dataclass(frozen=True, slots=True)
class Flips:
    """How many random swaps to draw, and from which seed (both as in mt-metrics-eval)."""

    draws: int = 1000
    seed: int = 4

    def __post_init__(self) -> None:
        if self.draws < 1:
            raise InputError(f"at least one draw is needed, not {self.draws}")

    def signs(self, items: int) -> Iterator[Floats]:
        """+1 or -1 for each item in each draw, some draws at a time."""
        rng = np.random.default_rng(self.seed)
        step = max(1, _CHUNK_CELLS // max(items, 1))
        for start in range(0, self.draws, step):
            rows = min(step, self.draws - start)
            drawn = rng.random((rows, items), dtype=np.float32)
            np.rint(drawn, out=drawn)
            drawn *= 2
            drawn -= 1
            yield drawn.astype(np.float64)


def soft_pairwise_accuracy(
    human: ArrayLike, metric: ArrayLike, flips: Flips | None = None
) -> Value:
    """Soft pairwise accuracy of a metric (both systems x items)."""
    people, scores = paired(human, metric)
    judged = judged_items(people)
    people, scores = people[:, judged], scores[:, judged]
    human_p, metric_p = swap_p_values([people, scores], flips)
    apart = np.abs(human_p - metric_p)
    known = apart[~np.isnan(apart)]
    if not len(known):
        return Value(None, 0, reason="there are no two systems with scores on the same item")
    return Value(float(1 - known.mean()), len(known))


def swap_p_values(matrices: Sequence[Floats], flips: Flips | None = None) -> list[Floats]:
    """For each pair of systems i < j how often chance puts i as far ahead of j as it is.

    One array for each matrix (systems x items, the same items in all); NaN for pairs without a
    common item.
    """
    flips = flips or Flips()
    every = [SystemPairs.of(scores) for scores in matrices]
    above = [np.zeros(pairs.shared.shape[1]) for pairs in every]
    for signs in flips.signs(matrices[0].shape[1]):
        for counts, pairs in zip(above, every, strict=True):
            counts += pairs.as_far_ahead(signs)
    return [
        np.where(pairs.shared.any(axis=0), counts / flips.draws, np.nan)
        for counts, pairs in zip(above, every, strict=True)
    ]


@dataclass(frozen=True, slots=True, eq=False)
class SystemPairs:
    """The differences between every two systems, item by item, ready to be summed and flipped."""

    systems: int
    columns: Floats  # items x pairs of systems; items x systems where no score is missing
    whole: bool
    shared: Floats  # items x pairs: 1 where both systems have a score

    @classmethod
    def of(cls, scores: Floats) -> "SystemPairs":
        """The pairs of systems of a matrix systems x items."""
        left, right = np.triu_indices(len(scores), 1)
        differences = scores[left] - scores[right]
        present = ~np.isnan(differences)
        # Without gaps a sum of differences is a difference of sums: a column a system will do.
        whole = bool(present.all())
        columns = scores.T if whole else np.where(present, differences, 0.0).T
        return cls(len(scores), columns, whole, present.T.astype(np.float64))

    def apart(self, sums: Floats, axis: int = -1) -> Floats:
        """How far apart each two systems are, from sums of the columns along an axis."""
        if not self.whole:
            return sums
        left, right = np.triu_indices(self.systems, 1)
        return np.asarray(np.take(sums, left, axis) - np.take(sums, right, axis))

    def reached(self, sums: Floats, sizes: Floats) -> Floats:
        """From which sum on a flipped difference counts as being as large as the one observed.

        `sizes` are sums of absolute values, to tell how much noise there may be.
        """
        if not self.whole:
            return sums - _NOISE * sizes
        left, right = np.triu_indices(self.systems, 1)
        return self.apart(sums) - _NOISE * (sizes[..., left] + sizes[..., right])

    def as_far_ahead(self, signs: Floats) -> NDArray[np.int64]:
        """In how many draws (rows of signs) each pair is as far apart as observed."""
        reached = self.reached(self.columns.sum(axis=0), np.abs(self.columns).sum(axis=0))
        flipped = self.apart(signs @ self.columns)
        return np.asarray((flipped >= reached).sum(axis=0, dtype=np.int64))


def outlier_systems(scores: ArrayLike) -> Mask:
    """Which systems' human scores lie far off; none where half of the systems score the same."""
    column = human_matrix(scores)
    if column.shape[1] != 1:
        raise InputError(f"one score per system is needed, not {column.shape[1]}")
    values = column[:, 0]
    known = values[~np.isnan(values)]
    if not len(known):
        return np.zeros(len(values), dtype=bool)
    distance = np.abs(values - np.median(known))
    deviation = _MAD_TO_DEVIATION * np.median(distance[~np.isnan(distance)])
    return np.asarray(distance > _OUTLYING * deviation) & bool(deviation > 0)


THRESHOLD = 25.0
_ROUNDING = 1e-9  # 32.3 - 7.3 is 25, whatever the last bits say


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
    least = threshold if as_given else threshold - _ROUNDING
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
