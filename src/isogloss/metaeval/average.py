"""A task's average over its statistics: how far it could be off, and which metrics it parts.

Every statistic has been taken without each document; so has their average, which is linear in them.
As with accuracies that are pooled over test sets, a document of any test set is left out at a time.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from isogloss.arrays import Floats
from isogloss.metaeval.intervals import Interval, interval_of
from isogloss.metaeval.left_out import Resampling
from isogloss.metaeval.matrix import Value
from isogloss.metaeval.significance import bootstrap_significance
from isogloss.metaeval.tasks import Statistic
from isogloss.verdicts import Correction


@dataclass(frozen=True, slots=True)
class Part:
    """One statistic of an average: of a test set, or of all of them together (`testset` None)."""

    testset: str | None
    statistic: Statistic
    interval: Interval


@dataclass(frozen=True, slots=True)
class Average:
    """A metric's average; no interval and no rank where a part of it has no interval by documents.

    A new rank begins where a metric of the rank above is significantly better.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    rank: int | None = None


def averages_of(
    parts: Mapping[str, Sequence[Part]],
    resampling: Resampling,
    confidence: float,
    alpha: float | None,
    correction: Correction | None,
) -> dict[str, Average]:
    """The average of each metric, from its parts; `None` where one of them has no value.

    Without `alpha` nothing is tested, and there are no ranks.
    """
    intervals = {name: _interval(each, resampling, confidence) for name, each in parts.items()}
    known = {name: each for name, each in intervals.items() if each.jackknife is not None}
    significance = bootstrap_significance(known, resampling)
    if significance and correction:
        significance = significance.corrected(correction)
    ranks = significance.ranks(alpha) if significance and alpha is not None else {}
    return {
        name: Average(each.value.value, each.low, each.high, ranks.get(name))
        for name, each in intervals.items()
    }


def _interval(parts: Sequence[Part], resampling: Resampling, confidence: float) -> Interval:
    value = _value(parts)
    left_out = None if value is None else _left_out(parts, value)
    if value is None:
        return Interval(Value(None, 0, reason="a statistic is missing"), None, None, 0, confidence)
    if left_out is None:
        return Interval(Value(value, len(parts)), None, None, 0, confidence)
    return interval_of(Value(value, len(parts)), left_out, resampling, confidence, (0.0, 1.0))


def _value(parts: Sequence[Part]) -> float | None:
    total = 0.0
    for part in parts:
        found = part.interval.value.value
        if found is None:
            return None
        total += part.statistic.weight * part.statistic.in_average(found)
    return total / _weight(parts) if parts else None


def _weight(parts: Sequence[Part]) -> float:
    return sum(part.statistic.weight for part in parts)


def _left_out(parts: Sequence[Part], value: float) -> Floats | None:
    """The average without each document; `None` where a part does not tell, or tells of others."""
    testsets = list(dict.fromkeys(part.testset for part in parts if part.testset is not None))
    counts = {
        name: {part.interval.blocks for part in parts if part.testset == name} for name in testsets
    }
    if any(part.interval.jackknife is None for part in parts) or any(
        len(different) > 1 for different in counts.values()
    ):
        return None
    ends = np.cumsum([0, *(counts[name].copy().pop() for name in testsets)]).tolist()
    place = {name: slice(*ends[i : i + 2]) for i, name in enumerate(testsets)}
    blocks = ends[-1] or parts[0].interval.blocks
    if any(part.testset is None and part.interval.blocks != blocks for part in parts):
        return None
    left_out = np.full(blocks, value)
    for part in parts:
        here = slice(None) if part.testset is None else place[part.testset]
        left_out[here] += part.statistic.weight / _weight(parts) * _change(part)
    return left_out


def _change(part: Part) -> Floats:
    """How the statistic, as it counts in the average, changes without each document."""
    interval, statistic = part.interval, part.statistic
    whole, jackknife = interval.value.value, interval.jackknife
    if whole is None or jackknife is None:
        raise AssertionError("only parts with both are asked")
    without = (interval.blocks * whole - jackknife) / (interval.blocks - 1)
    slope = statistic.in_average(1.0) - statistic.in_average(0.0)
    return np.asarray(slope * (without - whole))
