"""Judgements helped by a metric: as unbiased as people's alone, with a shorter interval.

People judge some documents, a metric scores them all. Where the metric goes with people, it tells
whether the judged documents happened to be the easy ones, and the mean is set right by that:

    estimate = people's mean - slope * (metric's mean on judged documents - its mean on all)

a control variate (a difference estimator; "prediction-powered" in Angelopoulos et al. 2023). The
slope of people on the metric, from document to document, is one for all systems; it is estimated
for each document without itself, and drawn to 0 the more, the more likely it is chance: a worthless
metric leaves the estimate as it was. Differences of systems have a slope of their own. The metric
may be as biased as it likes.

That alone is not unbiased: the documents a slope was estimated from are also in the metric's mean
on all, and where scores are skewed, a slope goes with the mean of its documents. So each document
is compared with the others of which its slope knows nothing: those that people have not judged.
Given the slope, the document is any of them, and what it adds is 0 in the mean.

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
_NOISE = 1e-12


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
    systems x judged documents, `metric` and `segments` systems x all documents. `weights` are 1 /
    the chance of each judged document; without them all had the same.
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
        found = _Parts.of(self).helped(drawing or Drawing(), _slopes(self))
        return dict(zip(self.systems, found, strict=True))

    def pairs_helped(self, drawing: Drawing | None = None) -> Mapping[tuple[str, str], Assisted]:
        """The difference of every two systems, the first minus the second."""
        left, right = np.triu_indices(len(self.systems), 1)
        slopes = _slopes(self, between_systems=True)
        found = _Parts.of(self).differences(left, right).helped(drawing or Drawing(), slopes)
        return dict(zip(combinations(self.systems, 2), found, strict=True))

    def given_weights(self) -> Floats:
        """How many documents each judged one stands for."""
        documents, every = self.people.shape[1], len(self.chosen)
        return np.full(documents, every / documents) if self.weights is None else self.weights

    def metric_on_judged(self) -> Floats:
        """The metric's sums over the judged documents: it counts there as much as people do."""
        share = self.judged / self.segments[:, self.chosen]
        return np.asarray(share * self.metric[:, self.chosen])


@dataclass(frozen=True, slots=True, eq=False)
class _Parts:
    """Means, and what each document contributes: rows are systems, or pairs of them.

    `off` is by how much people's scores of a judged document are above their mean, `metric` by how
    much the metric's move its mean on judged documents above its mean on all, `every` by how much
    they are above the latter, for all documents.
    """

    means: Floats
    off: Floats
    metric: Floats
    every: Floats

    @classmethod
    def of(cls, halves: Halves) -> "_Parts":
        weights = halves.given_weights()
        overall = (halves.metric.sum(axis=1) / halves.segments.sum(axis=1))[:, None]
        every = halves.metric - overall * halves.segments
        return cls(
            halves.people @ weights / (halves.judged @ weights),
            _off_mean(halves.people, halves.judged, weights) * len(weights),
            _above_the_others(halves, weights),
            every / halves.segments.mean(axis=1)[:, None],
        )

    def differences(self, left: Indices, right: Indices) -> "_Parts":
        """Of pairs of rows."""
        parts = (self.means, self.off, self.metric, self.every)
        return _Parts(*(np.asarray(part[left] - part[right]) for part in parts))

    def helped(self, drawing: Drawing, slopes: Floats) -> list[Assisted]:
        """Every row's estimate with its interval."""
        documents, every = self.off.shape[1], self.every.shape[1]
        drawn = Studentised.of((self.off - slopes * self.metric).T, drawing.resamples, drawing.seed)
        estimates = self.means - (slopes * self.metric).mean(axis=1)
        slope = abs(float(slopes.mean()))
        rest = slope * self.every.std(axis=1) * np.sqrt(every - documents) / every
        alone = self.off.std(axis=1) / np.sqrt(documents - 1)
        return [
            _assisted(drawn, row, drawing.confidence, *figures)
            for row, figures in enumerate(
                zip(self.means.tolist(), estimates.tolist(), rest, alone, strict=True)
            )
        ]


def _above_the_others(halves: Halves, weights: Floats) -> Floats:
    """By how much the metric's scores of each judged document move its mean above that on all.

    Its mean is taken over the document and those that nobody judged: of judged documents the slope
    knows too much. In the place of the document any of them could stand, with odds of 1 to how many
    it stands for besides itself; times that, all count alike, and come to 0.
    """
    apart = ~halves.chosen
    if not apart.any():
        return np.zeros_like(halves.people)
    ours, segments = halves.metric[:, halves.chosen], halves.segments[:, halves.chosen]
    sums, sizes = (
        part[:, apart].sum(axis=1, keepdims=True) for part in (halves.metric, halves.segments)
    )
    above = halves.metric_on_judged() - (sums + ours) / (sizes + segments) * halves.judged
    besides = len(weights) * (weights - 1) / weights.sum() * (1 + 1 / apart.sum())
    share = halves.judged.sum(axis=1) / segments.sum(axis=1)
    return np.asarray(besides * above / (share * halves.segments.mean(axis=1))[:, None])


def _slopes(halves: Halves, *, between_systems: bool = False) -> Floats:
    """For each judged document the slope of people on the metric over the other judged ones.

    Between systems it is that of how far each is from the mean of all.
    """
    weights, metric = halves.given_weights(), halves.metric_on_judged()
    documents = len(weights)
    if documents < _LEAST:
        return np.zeros(documents)
    slopes = np.zeros(documents)
    for document in range(documents):
        others = np.arange(documents) != document
        counts, given = halves.judged[:, others], weights[others]
        sides = [_off_mean(side[:, others], counts, given) for side in (halves.people, metric)]
        if between_systems:
            sides = [side - side.mean(axis=0) for side in sides]
        slopes[document] = _slope(*sides)
    return slopes


def _off_mean(sums: Floats, counts: Floats, weights: Floats) -> Floats:
    """By how much each document moves its row's mean."""
    size = (counts @ weights)[:, None]
    off = sums - (sums @ weights)[:, None] / size * counts
    # Rounding leaves something of scores that are all equal, from which no slope must come.
    off[abs(off) < _NOISE * abs(sums).max()] = 0.0
    return np.asarray(weights * off / size)


def _slope(people: Floats, metric: Floats) -> float:
    """Of people on the metric, less what chance makes of it, as in Stein's estimator."""
    spread, other, both = (metric**2).sum(), (people**2).sum(), (people * metric).sum()
    if not (spread > 0 and other > 0 and both):
        return 0.0
    explained = both * both / (spread * other)
    sure = 1 - (1 - explained) / (explained * (people.shape[1] - 2))
    return float(both / spread * np.clip(sure, 0.0, 1.0))


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
