"""acc_eq: how often does a metric say the same of a pair as people, ties included?

Deutsch, Foster & Freitag, "Ties Matter" (2023): acc_eq = (concordant + tied by both) / all pairs.
Metrics hardly ever give two outputs the same score, so differences up to a threshold epsilon count
as ties, and epsilon is calibrated: the smallest one that makes the mean over the groups highest.
Where human ties dominate, a metric that ties everything wins; its score, `all_tied`, stands beside.

Calibration is exact and looks at every pair. As epsilon grows, a pair that people tie is won when
it is reached and a pair on which people and metric agree is lost; all others stay wrong. So the
best epsilon is 0 or the difference of a pair that people tie: two sorted lists are all it takes,
and pairs with equal differences move together.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from isogloss.errors import InputError
from isogloss.metaeval.matrix import Floats, Mask, Rows
from isogloss.metaeval.pairs import PairChunk, PairWeights, pair_chunks
from isogloss.metaeval.value import Grouping, Value

Groups = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class AccEq:
    """acc_eq at a threshold, and what a metric that ties every pair would get."""

    value: Value
    epsilon: float | None
    all_tied: Value


def acc_eq(
    human: ArrayLike, metric: ArrayLike, grouping: Grouping = "item", epsilon: float | None = None
) -> AccEq:
    """acc_eq with epsilon calibrated on these scores, or with the one given."""
    return acc_eq_of_rows(Rows.of(human, metric, grouping), epsilon)


def acc_eq_of_rows(rows: Rows, epsilon: float | None = None) -> AccEq:
    """acc_eq of scores that are grouped already."""
    if epsilon is not None and not epsilon >= 0:
        raise InputError(f"a threshold for ties cannot be {epsilon}; it must be 0 or more")
    groups = None if rows.grouping == "none" else int(np.count_nonzero(rows.pairs))
    count = int(rows.pairs.sum())
    if not count:
        nothing = Value(None, 0, groups, rows.why_undefined())
        return AccEq(nothing, epsilon, nothing)
    weights = PairWeights.of(rows.pairs)
    sides = tied_and_agreeing(rows, with_groups=not weights.uniform)
    tied, agreeing = (side.weighted(weights) for side in sides)
    if epsilon is None:
        epsilon = _calibrated(tied, agreeing)
    right = tied.up_to(epsilon) + agreeing.total - agreeing.up_to(epsilon)
    return AccEq(
        Value(float(right) / weights.total, count, groups),
        epsilon,
        Value(tied.total / weights.total, count, groups),
    )


def _calibrated(tied: "WeightedDifferences", agreeing: "WeightedDifferences") -> float:
    """The smallest threshold with which most is right."""
    candidates = np.concatenate([[0.0], tied.ascending])
    gained = tied.up_to(candidates) - agreeing.up_to(candidates)
    return float(candidates[np.argmax(gained)])


@dataclass(frozen=True, slots=True, eq=False)
class WeightedDifferences:
    """Absolute metric differences of some pairs, and how much the smallest of them weigh."""

    ascending: Floats
    weight: Floats | None  # what the first 0, 1, 2 ... weigh; None if each weighs `unit`
    unit: float

    def up_to(self, epsilon: ArrayLike) -> Floats:
        """What the pairs weigh whose difference is epsilon or less."""
        first = np.searchsorted(self.ascending, epsilon, side="right")
        return np.asarray(first * self.unit if self.weight is None else self.weight[first])

    @property
    def total(self) -> float:
        return float(self.up_to(np.inf))


@dataclass(frozen=True, slots=True, eq=False)
class Differences:
    """Absolute metric differences of some pairs, with the group of each unless not asked for."""

    size: Floats
    group: Groups

    def weighted(self, weights: PairWeights) -> WeightedDifferences:
        """Sorted, each with the weight of a pair of its group."""
        if weights.uniform:
            return WeightedDifferences(np.sort(self.size), None, float(weights.of_group.max()))
        order = np.argsort(self.size, kind="stable")
        sums = np.cumsum(weights.of_group[self.group[order]], dtype=np.float64)
        return WeightedDifferences(self.size[order], np.concatenate([[0.0], sums]), 1.0)


def tied_and_agreeing(rows: Rows, with_groups: bool = True) -> tuple[Differences, Differences]:
    """The pairs that people tie, and those that people and metric order alike."""
    kinds: tuple[list[Differences], list[Differences]] = ([], [])
    for chunk in pair_chunks(rows):
        kinds[0].append(_picked(chunk, chunk.tied, with_groups))
        kinds[1].append(_picked(chunk, chunk.agreeing, with_groups))
    return _joined(kinds[0]), _joined(kinds[1])


def _picked(chunk: PairChunk, wanted: Mask, with_groups: bool) -> Differences:
    group = np.nonzero(wanted)[1] + chunk.groups.start if with_groups else np.arange(0)
    return Differences(np.abs(chunk.scores[wanted]), group)


def _joined(parts: list[Differences]) -> Differences:
    size = np.concatenate([part.size for part in parts])
    return Differences(size, np.concatenate([part.group for part in parts]))
