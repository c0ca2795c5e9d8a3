"""The noise ceiling: how well do people agree with people, by the statistic metrics are judged by?

The annotators of every item are split at random into two halves, each half's mean scores are
treated as human and metric scores, and the statistic is taken; many times over. No metric can be
expected to agree with one half much better than the other half does. A correlation between halves
is lower than one between all annotators and as many others; the Spearman-Brown formula, 2r / (1 +
r), says how high that would be (for correlations only, and exact for halves of equal size).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import fsum
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from isogloss.arrays import Floats, Integers
from isogloss.errors import InputError
from isogloss.metaeval.matrix import Value
from isogloss.metaeval.means import document_scores, domain_scores, system_means
from isogloss.metaeval.people import Ratings, ScoreMatrix

SplitBy = Literal["translation", "item", "document", "all"]
Statistic = Callable[[Floats, Floats], Value]
"""Two arrays of the same shape, systems x items (systems x 1 at system level), to a value."""


@dataclass(frozen=True, slots=True)
class NoiseCeiling:
    """The mean of a statistic between two halves of the annotators, over many random splits.

    `value.count` is how many translations were judged by two annotators or more, `value.groups`
    how many splits have a defined value. 95 % of the splits lie in `spread` (not a confidence
    interval: the annotators and items stay the same).
    """

    value: Value
    spread: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class CeilingSettings:
    """How to split, and at which level to compare the means of both halves (item: as judged).

    `by` says within what an annotator stays on one side: a single translation, an item (all
    systems' translations of it), a document, or everything. A mean over a document, a domain or
    a system needs `at_least` so many items that both halves judged.
    """

    level: Literal["item", "document", "domain", "system"] = "item"
    by: SplitBy = "item"
    draws: int = 200
    seed: int = 12345
    spearman_brown: bool = False
    at_least: int = 1

    def __post_init__(self) -> None:
        if self.draws < 1:
            raise InputError(f"{self.draws} draws: at least one is needed")


def noise_ceiling(
    ratings: Ratings, statistic: Statistic, settings: CeilingSettings | None = None
) -> NoiseCeiling:
    """A statistic between random halves of the annotators; undefined where none is rated twice."""
    settings = settings or CeilingSettings()
    named = ratings.named()
    twice = _judged_twice(named)
    if not twice:
        nobody = "no score names its annotator"
        reason = "no translation was judged by two annotators" if len(named.score) else nobody
        return NoiseCeiling(Value(None, 0, 0, reason), None)
    splitter = _Splitter.of(named, settings.by)
    rng = np.random.default_rng(settings.seed)
    halves = (splitter.draw(rng) for _ in range(settings.draws))
    values = [statistic(_lifted(one, settings), _lifted(two, settings)) for one, two in halves]
    defined = [value.value for value in values if value.value is not None]
    if not defined:
        return NoiseCeiling(Value(None, twice, 0, f"in every split: {values[0].reason}"), None)
    return _summary(defined, twice, corrected=settings.spearman_brown)


def _summary(values: list[float], twice: int, *, corrected: bool) -> NoiseCeiling:
    mean = fsum(values) / len(values)
    low, high = (float(end) for end in np.quantile(values, [0.025, 0.975]))
    if not corrected:
        return NoiseCeiling(Value(mean, twice, len(values)), (low, high))
    if low <= -1:
        reason = "a correlation of -1 between halves has no Spearman-Brown correction"
        return NoiseCeiling(Value(None, twice, len(values), reason), None)
    mean, low, high = map(spearman_brown, (mean, low, high))
    return NoiseCeiling(Value(mean, twice, len(values)), (low, high))


def spearman_brown(correlation: float) -> float:
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


def _lifted(matrix: ScoreMatrix, settings: CeilingSettings) -> Floats:
    """The scores at the level at which halves are compared."""
    if settings.level == "document":
        return document_scores(matrix, at_least=settings.at_least).scores
    if settings.level == "domain":
        return domain_scores(matrix, at_least=settings.at_least).scores
    if settings.level == "system":
        return system_means(matrix, at_least=settings.at_least)[:, None]
    return matrix.scores
