"""The noise ceiling: how well do people agree with people, by the statistic metrics are judged by?

The annotators of every item are split at random into two halves, each half's mean scores are
treated as human and metric scores, and the statistic is taken; many times over. No metric can be
expected to agree with one half much better than the other half does. A correlation between halves
is lower than one between all annotators and as many others; the Spearman-Brown formula, 2r / (1 +
r), says how high that would be (for correlations only, and exact for halves of equal size).

The interval is by documents: each is left out once of some of the splits, and the mean change says
how far other documents could move the ceiling. The annotators stay the same; what others would have
said it does not know.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from statistics import fmean
from typing import Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from isogloss.arrays import Floats, Integers
from isogloss.errors import InputError
from isogloss.metaeval.intervals import CONFIDENCE, Interval, interval_of
from isogloss.metaeval.left_out import Resampling
from isogloss.metaeval.matrix import Value
from isogloss.metaeval.means import document_scores, domain_scores, system_means
from isogloss.metaeval.people import Ratings, ScoreMatrix

SplitBy = Literal["translation", "item", "document", "all"]
Statistic = Callable[[Floats, Floats], Value]
"""Two arrays of the same shape, systems x items (systems x 1 at system level), to a value."""

Between = Callable[[Floats, Floats, Resampling], Interval]
"""Two arrays of the same shape to a value with what it is without each block; at system level the
arrays are systems x items, whose means are compared."""

Number = TypeVar("Number", float, Floats)

LEFT_OUT_SPLITS = 20
"""So many splits say how the ceiling changes without a document."""


@dataclass(frozen=True, slots=True)
class NoiseCeiling:
    """The mean of a statistic between two halves of the annotators, over many random splits.

    `value.count` is how many translations were judged by two annotators or more, `value.groups`
    how many splits have a defined value. 95 % of the splits lie in `spread` (not a confidence
    interval: the annotators and items stay the same). `interval` is over documents, for these
    annotators; `left_out` has the value without each of them.
    """

    value: Value
    spread: tuple[float, float] | None
    interval: Interval | None = None
    left_out: Floats | None = field(default=None, compare=False, repr=False)

    def share(
        self, metric: Interval, chance: float, resampling: Resampling | None = None
    ) -> Interval | None:
        """How far a metric is on the way from chance to the ceiling; see `Column`.

        Its interval leaves a document out of both at a time, so that they move together.
        """
        top, own = self.value.value, metric.value.value
        if top is None or own is None or self._lowest(top) <= chance:
            return None
        found = Value((own - chance) / (top - chance), metric.value.count)
        tops, each = self.left_out, metric.jackknife
        if tops is None or each is None or len(tops) != len(each) or not (tops > chance).all():
            return Interval(found, None, None, 0, metric.confidence)
        without = (len(each) * own - each) / (len(each) - 1)
        left_out = (without - chance) / (tops - chance)
        unbounded = (-np.inf, np.inf)
        return interval_of(
            found, left_out, resampling or Resampling(), metric.confidence, unbounded
        )

    def _lowest(self, top: float) -> float:
        """The lowest value that the splits and the interval allow."""
        low = self.interval.low if self.interval else None
        return min(top, self.spread[0] if self.spread else top, top if low is None else low)


@dataclass(frozen=True, slots=True)
class CeilingSettings:
    """How to split, and at which level to compare the means of both halves (item: as judged).

    `by` says within what an annotator stays on one side: a single translation, an item (all
    systems' translations of it), a document, or everything. A mean over a document, a domain or
    a system needs `at_least` so many items that both halves judged. The interval is by documents,
    or by items, and within `bounds`.
    """

    level: Literal["item", "document", "domain", "system"] = "item"
    by: SplitBy = "item"
    draws: int = 200
    seed: int = 12345
    spearman_brown: bool = False
    at_least: int = 1
    by_document: bool = True
    resamples: int = 10_000
    confidence: float = CONFIDENCE
    bounds: tuple[float, float] = (-1.0, 1.0)

    def __post_init__(self) -> None:
        if self.draws < 1:
            raise InputError(f"{self.draws} draws: at least one is needed")


def noise_ceiling(
    ratings: Ratings,
    statistic: Statistic,
    settings: CeilingSettings | None = None,
    between: Between | None = None,
) -> NoiseCeiling:
    """A statistic between random halves of the annotators; undefined where none is rated twice.

    With `between` it has an interval.
    """
    settings = settings or CeilingSettings()
    named = ratings.of_judged_items().named()
    twice = _judged_twice(named)
    if not twice:
        nobody = "no score names its annotator"
        reason = "no translation was judged by two annotators" if len(named.score) else nobody
        return NoiseCeiling(Value(None, 0, 0, reason), None)
    splitter = _Splitter.of(named, settings.by)
    halves = splitter.halves(settings)
    values = [statistic(_lifted(one, settings), _lifted(two, settings)) for one, two in halves]
    defined = [value.value for value in values if value.value is not None]
    if not defined:
        return NoiseCeiling(Value(None, twice, 0, f"in every split: {values[0].reason}"), None)
    found = _summary(defined, twice, corrected=settings.spearman_brown)
    if between is None or found.value.value is None:
        return found
    changes = _Changes.of(islice(splitter.halves(settings), LEFT_OUT_SPLITS), between, settings)
    return _with_interval(found, fmean(defined), changes, settings)


def _with_interval(
    found: NoiseCeiling, mean: float, changes: "_Changes", settings: CeilingSettings
) -> NoiseCeiling:
    """The ceiling with its interval over those documents that were judged twice."""
    left_out = mean + changes.means
    if settings.spearman_brown:
        left_out = spearman_brown(left_out)
    there = left_out[changes.seen]
    if len(there) < 2 or np.isnan(there).any():
        return found
    resampling = Resampling(settings.resamples, settings.seed)
    interval = interval_of(found.value, there, resampling, settings.confidence, settings.bounds)
    return replace(found, interval=interval, left_out=left_out)


@dataclass(frozen=True, slots=True, eq=False)
class _Changes:
    """How the statistic changes without each group of documents, and which groups it rests on."""

    means: Floats
    seen: NDArray[np.bool_]

    @classmethod
    def of(
        cls,
        halves: Iterable[tuple[ScoreMatrix, ScoreMatrix]],
        between: Between,
        settings: CeilingSettings,
    ) -> "_Changes":
        """The mean over splits; a group that a split has no scores of changes nothing there."""
        rows, seen = [], []
        for one, two in halves:
            first, second = _at_level(one, settings), _at_level(two, settings)
            groups = _left_out_groups(first, settings)
            count = int(groups.max()) + 1
            found = between(first.scores, second.scores, Resampling(1, settings.seed, groups))
            if found.value.value is None or found.jackknife is None or found.blocks < 2:
                continue
            present = np.isin(np.arange(count), groups[~np.isnan(first.scores).all(axis=0)])
            row = np.zeros(count)
            row[present] = (found.value.value - found.jackknife) / (found.blocks - 1)
            rows.append(row)
            seen.append(present)
        if not rows:
            return cls(np.zeros(0), np.zeros(0, dtype=bool))
        return cls(np.mean(rows, axis=0), np.any(seen, axis=0))


def _left_out_groups(matrix: ScoreMatrix, settings: CeilingSettings) -> Integers:
    """The number of the group of documents (or items) with which each column is left out."""
    blocks = matrix.blocks if settings.by_document else None
    left = Resampling(1, settings.seed, blocks).of_items(np.ones(len(matrix.items), dtype=bool))
    return left.group[left.blocks.index]


def _summary(values: list[float], twice: int, *, corrected: bool) -> NoiseCeiling:
    mean = fmean(values)
    low, high = (float(end) for end in np.quantile(values, [0.025, 0.975]))
    if not corrected:
        return NoiseCeiling(Value(mean, twice, len(values)), (low, high))
    if low <= -1:
        reason = "a correlation of -1 between halves has no Spearman-Brown correction"
        return NoiseCeiling(Value(None, twice, len(values), reason), None)
    mean, low, high = (float(spearman_brown(each)) for each in (mean, low, high))
    return NoiseCeiling(Value(mean, twice, len(values)), (low, high))


def spearman_brown(correlation: Number) -> Number:
    """The correlation of measurements twice as long as those that correlate so (above -1)."""
    return 2 * correlation / (1 + correlation)


def _judged_twice(ratings: Ratings) -> int:
    """How many translations have scores of two annotators."""
    if not len(ratings.score):
        return 0
    both = np.unique(ratings.cell * len(ratings.annotators) + ratings.annotator)
    _, annotators = np.unique(both // len(ratings.annotators), return_counts=True)
    return int(np.count_nonzero(annotators > 1))


@dataclass(frozen=True, slots=True, eq=False)
class _Splitter:
    """All that stays the same from split to split.

    A *member* is an annotator within a group (an item, say). Members stand sorted by group:
    `group` is the group of each member, `place` its place there, `member` the member behind each
    score.
    """

    ratings: Ratings
    member: Integers
    group: Integers
    place: Integers

    @classmethod
    def of(cls, ratings: Ratings, by: SplitBy) -> "_Splitter":
        people = len(ratings.annotators)
        members, member = np.unique(
            _groups(ratings, by) * people + ratings.annotator, return_inverse=True
        )
        _, group, sizes = np.unique(members // people, return_inverse=True, return_counts=True)
        place = np.arange(len(members)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        return cls(ratings, member, group, place)

    def halves(self, settings: CeilingSettings) -> Iterator[tuple[ScoreMatrix, ScoreMatrix]]:
        """The same splits each time."""
        rng = np.random.default_rng(settings.seed)
        return (self.draw(rng) for _ in range(settings.draws))

    def draw(self, rng: np.random.Generator) -> tuple[ScoreMatrix, ScoreMatrix]:
        """The mean scores of both halves, where both have one."""
        # Shuffled within their groups, every other member goes to the other half.
        order = np.argsort(self.group + rng.random(len(self.group)))
        half = np.empty(len(order), dtype=np.int64)
        half[order] = self.place % 2
        side = half[self.member]
        first, second = (self.ratings.where(side == number).means() for number in (0, 1))
        alone = np.isnan(first.scores) | np.isnan(second.scores)
        return _without(first, alone), _without(second, alone)


def _groups(ratings: Ratings, by: SplitBy) -> Integers:
    """The number of the group within which each score's annotator stays on one side."""
    if by == "translation":
        return ratings.cell
    if by == "item":
        return ratings.item
    return ratings.blocks[ratings.item] * (by == "document")


def _without(matrix: ScoreMatrix, cells: NDArray[np.bool_]) -> ScoreMatrix:
    return replace(matrix, scores=np.where(cells, np.nan, matrix.scores))


def _at_level(matrix: ScoreMatrix, settings: CeilingSettings) -> ScoreMatrix:
    """The scores at the level at which halves are compared; of systems, still item by item."""
    if settings.level == "document":
        return document_scores(matrix, at_least=settings.at_least)
    if settings.level == "domain":
        return domain_scores(matrix, at_least=settings.at_least)
    return matrix


def _lifted(matrix: ScoreMatrix, settings: CeilingSettings) -> Floats:
    if settings.level == "system":
        return system_means(matrix, at_least=settings.at_least)[:, None]
    return _at_level(matrix, settings).scores
