"""What people said about translations: scores and error marks, by annotator.

Every protocol ends in the same nouns. A `Judgement` is one annotator's word on one segment (or,
with `segment=None`, on a whole document; with `document=None`, on a whole system): a score, or
error marks, or both. Higher is better always; a penalty is stored negated. `score=None` means
that nobody scored it. Human references that were judged as if they were systems are flagged.

People who compare rather than score make a `Choice` between two translations of a passage.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from statistics import fmean

from isogloss.errors import InputError
from isogloss.frozen import FrozenMapping
from isogloss.spans import Span


@dataclass(frozen=True, slots=True)
class ErrorMark:
    """One error: its category and severity and, where the annotator marked it, its place."""

    category: str
    severity: str
    span: Span | None = None
    comment: str | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """One annotator's word on one segment, document or system."""

    system: str
    document: str | None = None
    segment: int | None = None
    annotator: str | None = None
    score: float | None = None
    errors: tuple[ErrorMark, ...] = ()
    human: bool = False

    def __post_init__(self) -> None:
        if not self.system:
            raise InputError("a judgement names no system")
        if self.segment is not None and (self.document is None or self.segment < 0):
            raise InputError(f"segment {self.segment} of document {self.document!r}: no such place")
        if self.score is not None and not math.isfinite(self.score):
            raise InputError(f"{self.score} is no score; leave out what was not scored")


@dataclass(frozen=True, slots=True)
class Judgements:
    """All judgements of one kind (``mqm``, ``da-z``, ``esa`` ...) on one test set.

    `unplaced` is how many more there are that the test set has no place for.
    """

    kind: str
    items: tuple[Judgement, ...]
    unplaced: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "items", tuple(self.items))

    @property
    def systems(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(item.system for item in self.items))

    @property
    def annotators(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(i.annotator for i in self.items if i.annotator is not None))

    @property
    def of_documents(self) -> bool:
        """Whether people scored documents as wholes, and no segment."""
        judged = [item.segment is None for item in self.items if item.document is not None]
        return bool(judged) and all(judged)

    def segment_means(self) -> dict[tuple[str, str, int], float]:
        """(system, document, segment) to the mean over annotators; what nobody scored is absent."""
        scores: dict[tuple[str, str, int], list[float]] = {}
        for item in self.items:
            if item.document is not None and item.segment is not None and item.score is not None:
                place = (item.system, item.document, item.segment)
                scores.setdefault(place, []).append(item.score)
        return {place: fmean(values) for place, values in scores.items()}

    def document_means(self) -> dict[tuple[str, str], float]:
        """(system, document) to the mean of what annotators said of the whole document."""
        scores: dict[tuple[str, str], list[float]] = {}
        for item in self.items:
            if item.document is not None and item.segment is None and item.score is not None:
                scores.setdefault((item.system, item.document), []).append(item.score)
        return {place: fmean(values) for place, values in scores.items()}


def side_by_side(campaigns: Mapping[str, Judgements]) -> Judgements:
    """Several campaigns on the same translations, as if each were an annotator.

    Those that have annotators keep them apart. Scores must be of one scale: they are averaged.
    """
    items = tuple(
        replace(item, annotator=name if item.annotator is None else f"{name}: {item.annotator}")
        for name, said in campaigns.items()
        for item in said.items
    )
    kinds = ", ".join(dict.fromkeys(said.kind for said in campaigns.values()))
    return Judgements(kinds, items, sum(said.unplaced for said in campaigns.values()))


@dataclass(frozen=True, slots=True)
class Choice:
    """One annotator's choice between two systems' translations of a document, or of a part of it.

    `preferred` is the better one, `None` where neither is. `segments` are those that were compared,
    from one up to before another, `None` for the whole document. `reasons` are words for why.
    """

    first: str
    second: str
    document: str
    preferred: str | None = None
    segments: tuple[int, int] | None = None
    annotator: str | None = None
    reasons: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.first or not self.second or self.first == self.second:
            raise InputError(
                f"a choice is between two systems, not {self.first!r}, {self.second!r}"
            )
        if self.preferred is not None and self.preferred not in self.systems:
            raise InputError(f"{self.preferred!r} is neither {self.first!r} nor {self.second!r}")
        if self.segments is not None and not 0 <= self.segments[0] < self.segments[1]:
            raise InputError(f"segments {self.segments} are no part of a document")

    @property
    def systems(self) -> tuple[str, str]:
        return self.first, self.second


@dataclass(frozen=True, slots=True)
class Choices:
    """All choices that people made between translations of one test set."""

    items: tuple[Choice, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "items", tuple(self.items))

    @property
    def annotators(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(i.annotator for i in self.items if i.annotator is not None))

    def shares(self) -> dict[tuple[str, str], list[float]]:
        """(system, document) to what it won of each comparison: the mean over annotators.

        A choice for it is 1, one for the other 0, a tie a half.
        """
        won: dict[tuple[str, str, str, tuple[int, int] | None], list[float]] = {}
        for each in self.items:
            for system, other in (each.systems, each.systems[::-1]):
                part = 0.5 if each.preferred is None else float(each.preferred == system)
                won.setdefault((system, each.document, other, each.segments), []).append(part)
        found: dict[tuple[str, str], list[float]] = {}
        for (system, document, *_), parts in won.items():
            found.setdefault((system, document), []).append(fmean(parts))
        return found


@dataclass(frozen=True, slots=True)
class MqmWeights:
    """What an error costs: by category if listed, else by severity within category, else severity.

    Keys of `by_category` match a category or any of its sub-categories, in any letter case.
    """

    by_severity: Mapping[str, float]
    by_category: Mapping[str, float]
    by_both: Mapping[tuple[str, str], float]

    def __post_init__(self) -> None:
        for name in ("by_severity", "by_category", "by_both"):
            object.__setattr__(self, name, FrozenMapping(getattr(self, name)))

    def penalty(self, error: ErrorMark) -> float:
        """The cost of one error."""
        severity, category = error.severity.lower(), error.category.lower()
        if severity in NO_ERROR or category in NO_ERROR:
            return 0.0
        for name, cost in self.by_category.items():
            if _within(category, name):
                return cost
        for (name, at_severity), cost in self.by_both.items():
            if severity == at_severity and _within(category, name):
                return cost
        try:
            return self.by_severity[severity]
        except KeyError:
            known = ", ".join(self.by_severity)
            raise InputError(
                f"MQM severity {error.severity!r} has no weight; known severities: {known}"
            ) from None


NO_ERROR = frozenset({"no-error", "neutral", "no error"})


def _within(category: str, name: str) -> bool:
    return category == name or category.startswith((name + "/", name + "!"))


GOOGLE_MQM = MqmWeights(
    by_severity={"critical": 5.0, "major": 5.0, "minor": 1.0, "trivial": 0.1},
    by_category={"non-translation": 25.0, "source error": 0.0, "source issue": 0.0},
    by_both={("fluency/punctuation", "minor"): 0.1},
)
"""The weights of Freitag et al. (2021): the ones the WMT metrics task uses."""


def scored_by_errors(items: Iterable[Judgement], weights: MqmWeights) -> tuple[Judgement, ...]:
    """The same judgements with minus the summed cost of their errors as score."""
    return tuple(
        # 0.0 - x rather than -x: no "-0.0" for a flawless segment.
        replace(item, score=0.0 - math.fsum(map(weights.penalty, item.errors)))
        for item in items
    )
