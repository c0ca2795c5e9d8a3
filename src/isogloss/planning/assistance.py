"""Judgements helped by a metric: as unbiased as people's alone, with a shorter interval.

People judge some documents, a metric scores them all. Where the metric goes with people, it tells
whether the judged documents happened to be the easy ones, and the mean is set right by that:

    estimate = people's mean - slope * (metric's mean on judged documents - its mean on all)

a control variate (a difference estimator; "prediction-powered" in Angelopoulos et al. 2023). The
slope of people on the metric, from document to document, is one for all systems; it is estimated
for each document without itself, so that the estimate is not biased by it, and drawn to 0 the more,
the more likely it is chance: a worthless metric leaves the estimate as it was. Differences of
systems have a slope of their own. The metric may be as biased as it likes.

The interval is the studentised bootstrap of what each judged document contributes, joined by the
error of the metric's own mean over documents. Documents chosen with unequal probabilities have
weights. Truth is the mean over documents of which all at hand are a sample, as everywhere here.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from isogloss.arrays import Floats, Mask
from isogloss.errors import InputError, MismatchError
from isogloss.verdicts import Interval, Studentised

Indices = NDArray[np.intp]
_LEAST = 5
"""Judged documents below which no slope is estimated."""


@dataclass(frozen=True, slots=True)
class Assisted:
    """An estimate helped by a metric, beside that of people alone.

    `as_if` is how many times as many documents people would have had to judge for an interval as
    short as this (1: the metric is no help).
    """

    plain: float
    estimate: float
    interval: Interval | None
    p: float | None
    as_if: float


@dataclass(frozen=True, slots=True)
class Drawing:
    """How intervals are drawn."""

    resamples: int = 10_000
    seed: int = 12345
    confidence: float = 0.95


@dataclass(frozen=True, slots=True, eq=False)
class Halves:
    """What people say of some documents, and a metric of all: sums over segments, and how many.

    `chosen` tells the judged documents among all; `people` and `judged` (how many segments) are
    systems x judged documents, `metric` and `segments` systems x all documents.
    """

    systems: tuple[str, ...]
    chosen: Mask
    people: Floats
    judged: Floats
    metric: Floats
    segments: Floats
    weights: Floats | None = None

    def __post_init__(self) -> None:
        few = (len(self.systems), int(self.chosen.sum()))
        every = (len(self.systems), len(self.chosen))
        there = [part.shape for part in (self.people, self.judged, self.metric, self.segments)]
        if there != [few, few, every, every]:
            raise MismatchError("people's part is of judged documents, the metric's of all")
        if few[1] < 2:
            raise InputError("nothing can be said of fewer than two judged documents")

    def systems_helped(self, drawing: Drawing | None = None) -> dict[str, Assisted]:
        """The mean of every system."""
        parts = _Parts.of(self)
        found = parts.helped(drawing or Drawing(), parts.slopes())
        return dict(zip(self.systems, found, strict=True))

    def pairs_helped(self, drawing: Drawing | None = None) -> Mapping[tuple[str, str], Assisted]:
        """The difference of every two systems, the first minus the second."""
        parts = _Parts.of(self)
        left, right = np.triu_indices(len(self.systems), 1)
        slopes = parts.between_systems().slopes()
        found = parts.differences(left, right).helped(drawing or Drawing(), slopes)
        return dict(zip(combinations(self.systems, 2), found, strict=True))


@dataclass(frozen=True, slots=True, eq=False)
class _Parts:
    """Means, and what each document contributes: rows are systems, or pairs of them.

    `off` is by how much people's scores of a judged document are above their mean, `metric` by how
    much the metric's are above its mean over all documents, `every` the same for all documents.
    """

    means: Floats
    off: Floats
    metric: Floats
    every: Floats

    @classmethod
    def of(cls, halves: Halves) -> "_Parts":
        weights = np.ones(halves.people.shape[1]) if halves.weights is None else halves.weights
        size = (halves.judged @ weights / len(weights))[:, None]
        means = (halves.people @ weights / (halves.judged @ weights))[:, None]
        overall = (halves.metric.sum(axis=1) / halves.segments.sum(axis=1))[:, None]
        # The metric counts on the judged segments as people do.
        share = halves.judged / halves.segments[:, halves.chosen]
        judged = share * halves.metric[:, halves.chosen] - overall * halves.judged
        every = halves.metric - overall * halves.segments
        return cls(
            means[:, 0],
            weights * (halves.people - means * halves.judged) / size,
            weights * judged / size,
            every / halves.segments.mean(axis=1)[:, None],
        )

    def differences(self, left: Indices, right: Indices) -> "_Parts":
        """Of pairs of rows."""
        parts = (self.means, self.off, self.metric, self.every)
        return _Parts(*(np.asarray(part[left] - part[right]) for part in parts))

    def between_systems(self) -> "_Parts":
        """Every system against the mean of all: what all documents' differences are made of."""
        parts = (self.means, self.off, self.metric, self.every)
        return _Parts(*(part - part.mean(axis=0) for part in parts))

    def slopes(self) -> Floats:
        """For each judged document the slope of people on the metric over the others."""
        documents = self.off.shape[1]
        count = documents - 1
        if documents < _LEAST:
            return np.zeros(documents)
        x, y = self.metric, self.off
        spread, other, both = (_pooled(*pair, count) for pair in ((x, x), (y, y), (x, y)))
        with np.errstate(divide="ignore", invalid="ignore"):
            slope, explained = both / spread, both * both / (spread * other)
            # By how much it is larger than chance makes it, as in Stein's estimator.
            sure = 1 - (1 - explained) / (explained * (count - 2))
        known = np.isfinite(slope) & np.isfinite(sure)
        return np.where(known, slope * np.clip(sure, 0.0, 1.0), 0.0)

    def helped(self, drawing: Drawing, slopes: Floats) -> list[Assisted]:
        """Every row's estimate with its interval."""
        documents, every = self.off.shape[1], self.every.shape[1]
        slope = float(slopes.mean())
        # Judged documents also take part in the metric's mean over all.
        values = self.off - slopes * self.metric + slope * self.metric * documents / every
        drawn = Studentised.of(values.T, drawing.resamples, drawing.seed)
        estimates = self.means - (slopes * self.metric).mean(axis=1)
        rest = abs(slope) * self.every.std(axis=1) * np.sqrt(max(every - documents, 0)) / every
        alone = self.off.std(axis=1) / np.sqrt(documents - 1)
        return [
            _assisted(drawn, row, drawing.confidence, *figures)
            for row, figures in enumerate(
                zip(self.means.tolist(), estimates.tolist(), rest, alone, strict=True)
            )
        ]


def _assisted(
    drawn: Studentised,
    row: int,
    confidence: float,
    plain: float,
    estimate: float,
    rest: float,
    alone: float,
) -> Assisted:
    own, reach = float(drawn.errors[row]), drawn.half_width(row, confidence)
    if reach is None:
        return Assisted(plain, estimate, None, None, 1.0)
    error = float(np.hypot(own, rest))
    reach *= error / own
    p = drawn.p(row, estimate * own / error)
    interval = (estimate - reach, estimate + reach)
    return Assisted(plain, estimate, interval, p, float((alone / error) ** 2))


def _pooled(one: Floats, other: Floats, count: int) -> Floats:
    """The sum over rows of centred products, for each document without that document."""
    products = (one * other).sum(axis=1, keepdims=True) - one * other
    sums = [part.sum(axis=1, keepdims=True) - part for part in (one, other)]
    return np.asarray((products - sums[0] * sums[1] / count).sum(axis=0))
