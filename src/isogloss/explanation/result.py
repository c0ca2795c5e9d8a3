"""What an explanation holds: numbers with their intervals, and the clauses made of them.

`first` and `second` are the systems in the order they were asked for; every difference is first
minus second, in the metric's own points.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from isogloss.comparison import ComparisonSettings, PairTest
from isogloss.metaeval import Worth
from isogloss.scores import MetricInfo
from isogloss.verdicts import Interval, corrected

Unit = Literal["segment", "document"]
Weighed = Literal["text", "segments", "documents"]
ViewName = Literal["domain", "length", "position", "kind"]
SectionName = Literal[
    "metrics",
    "documents",
    "domain",
    "length",
    "position",
    "kind",
    "errors",
    "words",
    "marks",
    "terms",
    "chains",
    "ngrams",
    "disputes",
    "passages",
]


@dataclass(frozen=True, slots=True)
class MeasuredNumber:
    """A number with its interval over documents and the p-value of its being 0.

    Both are `None` where nothing can be said, as of what shows in fewer than six documents.
    """

    value: float
    interval: Interval | None = None
    p: float | None = None


@dataclass(frozen=True, slots=True)
class DifferencePart:
    """A group of segments (or documents): both systems' scores in it, and what it carries.

    `share` is how much of the text it is, as the metric weighs it; `beyond` is what it carries over
    and above that share of the difference.
    """

    name: str
    units: int
    documents: int
    share: float
    first: float | None
    second: float | None
    carries: MeasuredNumber
    beyond: MeasuredNumber


@dataclass(frozen=True, slots=True)
class View:
    """The whole text in parts that add up to the difference."""

    name: ViewName
    parts: tuple[DifferencePart, ...]


@dataclass(frozen=True, slots=True)
class DocumentDifference:
    """A document: both systems' scores of it, and what it carries."""

    document: str
    domain: str | None
    segments: int
    first: float | None
    second: float | None
    carries: float


@dataclass(frozen=True, slots=True)
class DocumentsFound:
    """All documents, those first that speak most for the first system.

    `turning` is how many of the leader's best documents must be left out until it leads no more.
    """

    parts: tuple[DocumentDifference, ...]
    for_first: int
    for_second: int
    turning: int | None


@dataclass(frozen=True, slots=True)
class WordClass:
    """The reference's words of one class, and how many of them each system has.

    `difference` is in percentage points of them.
    """

    name: str
    total: int
    first: int
    second: int
    difference: MeasuredNumber


@dataclass(frozen=True, slots=True)
class ErrorClass:
    """Errors of one class by system; `expected` is how many places there are to err, if known.

    In `segments` the systems differ in it, and those together carry `carries`. A segment may have
    errors of several classes.
    """

    name: str
    expected: int | None
    first: int
    second: int
    segments: int
    carries: float | None
    difference: MeasuredNumber


@dataclass(frozen=True, slots=True)
class NGram:
    """Words of the reference in a row, and how often each system has them where it has."""

    text: str
    first: int
    second: int
    documents: int


@dataclass(frozen=True, slots=True)
class TermFound:
    """A repeated word of a document that one system renders more consistently than the other.

    `first_lost` and `second_lost` are the pairs of mentions that are not rendered alike.
    """

    metric: str
    document: str
    word: str
    first: str
    second: str
    first_lost: float
    second_lost: float


@dataclass(frozen=True, slots=True)
class ChainFound:
    """A lexical chain of the reference that one system's output has and the other's has not."""

    metric: str
    document: str
    words: str
    segments: int
    first: bool
    second: bool


@dataclass(frozen=True, slots=True)
class MarkFound:
    """What a metric, or people, marked for one reason, by system."""

    metric: str
    reason: str
    first: int
    second: int
    difference: MeasuredNumber


@dataclass(frozen=True, slots=True)
class MetricFound:
    """Another metric's, or people's, word on the two systems.

    Of the documents in which both it and the metric that is explained prefer a system (`deciding`),
    `agreeing` is in how many it is the same.
    """

    name: str
    higher_is_better: bool
    people: bool
    first: float | None
    second: float | None
    test: PairTest
    agreeing: int
    deciding: int
    explained: bool = False


@dataclass(frozen=True, slots=True)
class DisputedSegment:
    """A segment in which another metric, or people, clearly prefer the other system."""

    document: str
    segment: int
    metric: str
    explained_difference: float
    other_difference: float


@dataclass(frozen=True, slots=True)
class WordMark:
    """A word that only one of two outputs has, by its place; `right` if the reference has it."""

    start: int
    end: int
    right: bool


@dataclass(frozen=True, slots=True)
class TellingPassage:
    """A segment to read: its texts, the words that only one output has, and what it carries."""

    document: str
    segment: int
    domain: str | None
    kind: str
    source: str
    reference: str | None
    first: str
    second: str
    first_score: float | None
    second_score: float | None
    carries: float
    first_marks: tuple[WordMark, ...] = ()
    second_marks: tuple[WordMark, ...] = ()


@dataclass(frozen=True, slots=True)
class Clause:
    """A piece of the summary, with the sections that its evidence is in."""

    text: str
    sections: tuple[SectionName, ...]


@dataclass(frozen=True, slots=True)
class Findings:
    """All that was found, before anything is claimed of it."""

    documents: DocumentsFound
    views: tuple[View, ...] = ()
    words: tuple[WordClass, ...] = ()
    errors: tuple[ErrorClass, ...] = ()
    terms: tuple[TermFound, ...] = ()
    chains: tuple[ChainFound, ...] = ()
    marks: tuple[MarkFound, ...] = ()
    ngrams: tuple[tuple[NGram, ...], tuple[NGram, ...]] = ((), ())
    metrics: tuple[MetricFound, ...] = ()
    disputes: tuple[DisputedSegment, ...] = ()
    passages: tuple[TellingPassage, ...] = ()
    notes: tuple[str, ...] = ()

    def tested(self) -> Iterator[MeasuredNumber]:
        """Every number of which it is asked whether it is other than 0."""
        for view in self.views:
            for part in view.parts:
                yield part.carries
                yield part.beyond
        yield from (each.difference for each in self.words)
        yield from (each.difference for each in self.errors)
        yield from (each.difference for each in self.marks)


@dataclass(frozen=True, slots=True, repr=False)
class Explanation:
    """Why two systems differ under one metric.

    `weighed` is what a part's share is a share of: the text, or segments where all weigh the same.
    `remainder` is what the parts of each view leave of the difference (rounding). `level` is the
    p-value up to which something is claimed: Holm's, for all that was tested; `None` where nothing
    is. `worth` is how likely people prefer the first system, where a curve knows; `silence` why
    nothing is said of it, where curves are no good for these languages.
    """

    metric: MetricInfo
    first: str
    second: str
    first_score: float | None
    second_score: float | None
    test: PairTest
    remainder: float
    unit: Unit
    weighed: Weighed
    found: Findings
    settings: ComparisonSettings
    level: float | None = None
    tests: int = 0
    worth: Worth | None = None
    silence: str | None = None
    clauses: tuple[Clause, ...] = field(default=())

    def __repr__(self) -> str:
        return self.summary

    @property
    def difference(self) -> float:
        """First minus second, on what both were scored on."""
        return self.test.difference or 0.0

    @property
    def summary(self) -> str:
        """The clauses as one paragraph."""
        return " ".join(clause.text for clause in self.clauses)

    @property
    def is_real(self) -> bool:
        """Whether the difference itself may be claimed: by its test, and by its interval."""
        return holds(self.test, self.settings.alpha)

    @property
    def is_significant(self) -> bool:
        """Whether its p-value is low enough."""
        return self.test.is_real(self.settings.alpha)

    def holds(self, measured: MeasuredNumber) -> bool:
        """Whether it may be claimed that the number is not 0."""
        return self.level is not None and measured.p is not None and measured.p <= self.level

    def favours_first(self, value: float) -> bool:
        """Whether a difference in the metric speaks for the first system."""
        return value > 0 if self.metric.higher_is_better else value < 0

    def view(self, name: ViewName) -> View | None:
        """The view of that name, if there is one."""
        return next((view for view in self.found.views if view.name == name), None)


def holds(test: PairTest, alpha: float) -> bool:
    """Whether a difference is significant, and its interval without 0; there must be one."""
    low, high = test.interval or (0.0, 0.0)
    return test.is_real(alpha) and not low <= 0 <= high


def claim_level(found: Findings, alpha: float) -> tuple[float | None, int]:
    """Up to which p-value things are claimed, corrected after Holm, and for how many tests."""
    p_values = [each.p for each in found.tested() if each.p is not None]
    adjusted = corrected(p_values, "holm")
    held = [p for p, own in zip(p_values, adjusted, strict=True) if (own or 0.0) <= alpha]
    return max(held, default=None), len(p_values)
