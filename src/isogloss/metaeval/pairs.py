"""Pairs of scores within a group: what people and metric say about each, and how much it weighs.

A statistic of pairs is the mean over groups of a share of each group's pairs, so a pair weighs
1 / (pairs of its group x groups). Weights are kept as integers over one denominator wherever they
fit: sums of them are exact, and equal sums compare equal.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isogloss.errors import InputError
from isogloss.metaeval.matrix import Floats, Indices, Mask, Rows

Weights = NDArray[np.int64] | Floats

_CHUNK = 1 << 21  # pairs at a time
_MOST_PAIRS = 2_000_000_000
_LARGEST_SUM = 1 << 53  # up to here a float64 counts exactly


@dataclass(frozen=True, slots=True, eq=False)
class PairWeights:
    """What a pair of each group weighs, and what all pairs of all groups weigh together."""

    of_group: Weights  # 0 for a group without pairs
    total: float
    uniform: bool

    @classmethod
    def of(cls, pairs: NDArray[np.int64]) -> "PairWeights":
        """The weights for groups of so many pairs each."""
        filled = pairs > 0
        groups = int(np.count_nonzero(filled))
        sizes = [int(size) for size in np.unique(pairs[filled])]
        denominator = math.lcm(*sizes) if len(sizes) < 50 else _LARGEST_SUM
        if denominator * groups < _LARGEST_SUM:
            weights = np.where(filled, denominator // np.maximum(pairs, 1), 0)
            return cls(weights, float(denominator * groups), len(sizes) == 1)
        return cls(np.where(filled, 1.0 / np.maximum(pairs, 1), 0.0), float(groups), False)


@dataclass(frozen=True, slots=True, eq=False)
class PairChunk:
    """Some pairs: the members left and right of some groups (pairs x groups)."""

    groups: slice
    people: Floats  # differences of the human scores, NaN where a score is missing
    scores: Floats  # differences of the metric scores

    @property
    def tied(self) -> Mask:
        """People see no difference."""
        return np.asarray(self.people == 0)

    @property
    def agreeing(self) -> Mask:
        """People and metric prefer the same one."""
        return ((self.people > 0) & (self.scores > 0)) | ((self.people < 0) & (self.scores < 0))

    def right(self, epsilon: float) -> Mask:
        """The metric says what people say, if differences up to epsilon count as ties."""
        small = np.abs(self.scores) <= epsilon
        return (self.tied & small) | (self.agreeing & ~small)


def pair_chunks(rows: Rows) -> Iterator[PairChunk]:
    """Every pair of members of every group, some at a time."""
    groups, members = rows.human.shape
    if groups * members * (members - 1) // 2 > _MOST_PAIRS:
        raise InputError(
            f"{groups * members:,} scores have too many pairs to compare them all; "
            "group by item, or give fewer items"
        )
    human, metric = np.ascontiguousarray(rows.human.T), np.ascontiguousarray(rows.metric.T)
    for left, right in _members(members):
        step = max(1, _CHUNK // len(left))
        for start in range(0, groups, step):
            part = slice(start, start + step)
            people = human[left, part] - human[right, part]
            yield PairChunk(part, people, metric[left, part] - metric[right, part])


def _members(members: int) -> Iterator[tuple[Indices, Indices]]:
    """The index pairs left < right, some at a time."""
    step = max(1, _CHUNK // max(members, 1))
    for start in range(0, members - 1, step):
        left = np.arange(start, min(start + step, members - 1))
        partners = members - 1 - left
        before = np.cumsum(partners) - partners
        each = np.repeat(left, partners)
        yield each, np.arange(len(each)) - np.repeat(before, partners) + each + 1


def right_counts(rows: Rows, epsilon: float) -> NDArray[np.int64]:
    """In how many pairs of each group the metric says what people say."""
    counts = np.zeros(len(rows.human), dtype=np.int64)
    for chunk in pair_chunks(rows):
        counts[chunk.groups] += np.count_nonzero(chunk.right(epsilon), axis=0)
    return counts
