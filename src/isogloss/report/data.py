"""What the report holds: the data that travels inside its HTML file.

The file has four kinds of parts, each compressed by itself: one `ReportOverview`, read when the
page opens; for each metric its `SegmentScores`, for each document its `DocumentPart`, and for each
pair of systems that was taken apart its `ExplanationPart`, read when someone looks at them.
Systems, documents, metrics and layers are named once, in the overview, and elsewhere by their
position there. The types of the page are made from these classes.

Columns of whole numbers as short printable text, for data that travels inside a page.

A number is written in base 46 with the lowest digit first. 92 printable characters (all of ASCII
but the quotation mark, the backslash and the tilde) hold the digits: those of the first half end
a number, those of the second half say that more follows. Small numbers take one character, and a
column of them deflates as well as bytes would, while JSON can carry it as it is.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NewType

import numpy as np

Packed = NewType("Packed", str)

ALPHABET = "".join(chr(code) for code in range(0x20, 0x7E) if chr(code) not in '"\\')
BASE = len(ALPHABET) // 2


def packed(numbers: Iterable[int]) -> Packed:
    """Whole numbers of 0 or more."""
    return Packed("".join(map(_digits, numbers)))


def packed_signed(numbers: Iterable[int]) -> Packed:
    """Whole numbers of either sign: 0, -1, 1, -2 ... count as 0, 1, 2, 3 ..."""
    return packed(map(_unsigned, numbers))


def packed_scores(scores: Iterable[float | None], digits: int) -> Packed:
    """Numbers with that many decimal digits; 0 stands for `None` (and NaN)."""
    values = np.array([np.nan if score is None else score for score in scores], dtype=np.float64)
    known = np.isfinite(values)
    whole = np.rint(np.where(known, values, 0.0) * 10**digits).astype(np.int64)
    unsigned = np.where(whole >= 0, 2 * whole, -2 * whole - 1)
    return packed(np.where(known, unsigned + 1, 0).tolist())


def _unsigned(number: int) -> int:
    return 2 * number if number >= 0 else -2 * number - 1


@lru_cache(maxsize=1 << 16)
def _digits(number: int) -> str:
    digits = []
    while number >= BASE:
        number, digit = divmod(number, BASE)
        digits.append(ALPHABET[BASE + digit])
    return "".join(digits) + ALPHABET[number]


VERSION = 4

AgreementLevel = Literal["system", "document", "segment"]


@dataclass(frozen=True, slots=True)
class Facts:
    """The test set, and how the numbers were made."""

    testset: str
    source_language: str | None
    target_language: str | None
    references: tuple[str, ...]
    digest: str
    created: str
    isogloss: str
    comparing: str
    blocks: str
    confidence: float
    alpha: float
    corrected: bool


@dataclass(frozen=True, slots=True)
class System:
    """A system; `human` flags a reference that was scored as one.

    `cut_by` is who cut texts of it that had other segments than the source, where there were such.
    """

    name: str
    human: bool
    cut_by: str | None


@dataclass(frozen=True, slots=True)
class Documents:
    """The documents, a column a property: domain by position, segments, source characters."""

    ids: tuple[str, ...]
    domains: tuple[str, ...]
    domain: tuple[int | None, ...]
    segments: tuple[int, ...]
    characters: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SystemPlace:
    """Where one system stands under one metric."""

    system: int
    score: float | None
    low: float | None
    high: float | None
    cluster: int | None
    scored: int
    total: int


@dataclass(frozen=True, slots=True)
class SystemPair:
    """One system against another: first minus second, and how likely that is chance.

    `p` is the pair's own, `corrected` that among all pairs of the metric, which decides.
    """

    first: int
    second: int
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    corrected: float | None
    blocks: int


@dataclass(frozen=True, slots=True)
class MetricView:
    """One metric, or the judgements of people: systems best first, pairs, documents.

    `documents` has the scores system by system, `digits` decimals each. `segment_digits` is
    `None` where there are no scores of segments.
    """

    name: str
    signature: str
    higher_is_better: bool
    people: bool
    digits: int
    places: tuple[SystemPlace, ...]
    pairs: tuple[SystemPair, ...]
    documents: Packed
    segment_digits: int | None


@dataclass(frozen=True, slots=True)
class EvidenceLayer:
    """One kind of highlight: the evidence of a metric, or the errors that people marked.

    A ``heat`` layer colours pieces by their value, a ``marks`` layer by their reason; a ``links``
    layer shows what belongs together when one points at it.
    """

    name: str
    kind: Literal["heat", "marks", "links"]
    people: bool
    reasons: tuple[str, ...]
    digits: int


@dataclass(frozen=True, slots=True)
class MetricAgreement:
    """How far metrics agree with each other at one level: a square of correlations."""

    level: AgreementLevel
    values: tuple[tuple[float | None, ...], ...]


@dataclass(frozen=True, slots=True)
class AgreementFinding:
    """One metric's agreement with people under one statistic."""

    metric: str
    value: float | None
    low: float | None
    high: float | None
    rank: int | None


@dataclass(frozen=True, slots=True)
class AgreementTest:
    """Is the first metric closer to people than the second?"""

    first: str
    second: str
    p: float | None


@dataclass(frozen=True, slots=True)
class StatisticColumn:
    """One statistic of agreement with people, for all metrics."""

    statistic: str
    level: str
    baseline: float | None
    findings: tuple[AgreementFinding, ...]
    tests: tuple[AgreementTest, ...]


@dataclass(frozen=True, slots=True)
class PreferenceBin:
    """What people say of pairs of outputs whose metric scores differ by `low` to `high`."""

    low: float
    high: float
    pairs: int
    same: float
    tied: float
    opposite: float


@dataclass(frozen=True, slots=True)
class MetricPreferences:
    """The worth of a difference: bins from the smallest differences to the largest."""

    metric: str
    level: str
    bins: tuple[PreferenceBin, ...]


@dataclass(frozen=True, slots=True)
class People:
    """What people said, and how well metrics agree with it."""

    kind: str
    annotators: int
    task: str
    settings: str
    averages: tuple[AgreementFinding, ...]
    columns: tuple[StatisticColumn, ...]
    preferences: tuple[MetricPreferences, ...]


@dataclass(frozen=True, slots=True)
class ReportVerdict:
    """Who comes first, in words, and all systems, best first over all metrics.

    No headline where there is nobody to compare with; `first` are the systems that share first
    place, none where metrics disagree or nothing is decided.
    """

    headline: str | None
    clauses: tuple[str, ...]
    order: tuple[int, ...]
    first: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ExplainedPair:
    """Two systems whose difference was taken apart, the better first; under which metrics."""

    first: int
    second: int
    metrics: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Ranking:
    """Systems in one way of looking at what people said: corrected, or a domain by itself."""

    name: str
    documents: int
    digits: int
    places: tuple[SystemPlace, ...]


@dataclass(frozen=True, slots=True)
class MarkedRate:
    """How often something was marked (or a reason given), by system: counts, and in a hundred."""

    what: str
    counts: tuple[int, ...]
    rates: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class PersonFigure:
    """A figure of an annotator with its interval."""

    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class PersonConduct:
    """How an annotator judges beside the others."""

    annotator: str
    kind: str
    documents: int
    shared: int
    mildness: PersonFigure | None
    spread: PersonFigure | None
    agreement: PersonFigure | None
    drift: PersonFigure | None
    beside_others: bool
    spoilt: int
    spoilt_seen: int
    stands_out: bool
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PersonAgreement:
    """Krippendorff's alpha of a question, or why there is none."""

    what: str
    value: float | None
    reason: str | None
    units: int


@dataclass(frozen=True, slots=True)
class PersonMark:
    """An error that somebody marked, in the output or (`side`) in the source."""

    start: int
    end: int
    severity: str
    category: str | None
    missing: bool
    side: str | None


@dataclass(frozen=True, slots=True)
class PersonSaid:
    """What somebody said at a place, in words and as marks."""

    name: str
    said: str
    errors: tuple[PersonMark, ...]


@dataclass(frozen=True, slots=True)
class DisputedPlace:
    """A place at which annotators differ, by positions; `apart` is how far, from 0 to 1."""

    document: int
    segment: int | None
    system: int | None
    against: int | None
    about: str
    source: str
    output: str | None
    other: str | None
    apart: float
    decided: str | None
    voices: tuple[PersonSaid, ...]


@dataclass(frozen=True, slots=True)
class OtherKind:
    """Another kind of judgements of the campaign, and where its results are, if anywhere."""

    kind: str
    address: str | None


@dataclass(frozen=True, slots=True)
class CampaignPart:
    """What stands behind the ranking of a campaign.

    `rankings` are by scores as given and without what annotators differ by; `disputes` those
    furthest apart of `disputed`. `live` says when the page was made, where it is served.
    """

    kind: str
    annotators: int
    chosen: bool
    notes: tuple[str, ...]
    rankings: tuple[Ranking, ...]
    domains: tuple[Ranking, ...]
    marks: tuple[MarkedRate, ...]
    conduct: tuple[PersonConduct, ...]
    agreement: tuple[PersonAgreement, ...]
    disputed: int
    disputes: tuple[DisputedPlace, ...]
    others: tuple[OtherKind, ...]
    live: str | None


@dataclass(frozen=True, slots=True)
class ReportOverview:
    """All that the page needs before someone asks for texts or single segments.

    What people said stands first among the metrics, where they said something. Of each pair of
    `explained` there is a part by its position; `unexplained` says which others there are not.
    """

    version: int
    facts: Facts
    verdict: ReportVerdict
    warnings: tuple[str, ...]
    systems: tuple[System, ...]
    documents: Documents
    metrics: tuple[MetricView, ...]
    layers: tuple[EvidenceLayer, ...]
    agreement: tuple[MetricAgreement, ...]
    people: People | None
    campaign: CampaignPart | None
    explained: tuple[ExplainedPair, ...]
    unexplained: str | None


@dataclass(frozen=True, slots=True)
class ExplainedClause:
    """A piece of the paragraph that says why, and the tables that its evidence is in."""

    text: str
    tables: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ExplainedRow:
    """The number that a row is about, with its interval; `holds` if it is not chance."""

    value: float
    low: float | None
    high: float | None
    holds: bool


@dataclass(frozen=True, slots=True)
class ExplainedTable:
    """One of the tables behind the paragraph, as it is read; A and B are the systems.

    `numeric` are the columns of numbers; `measured` has a number for each of the first rows.
    """

    name: str
    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...]
    numeric: tuple[int, ...]
    measured: tuple[ExplainedRow | None, ...]


@dataclass(frozen=True, slots=True)
class ExplainedPassage:
    """A segment to read, by the positions of document and segment, and what is said of it.

    For each of the two outputs the words that it alone has: where each begins, counted from the
    end of the one before, how long it is, and whether the reference has it.
    """

    document: int
    segment: int
    facts: tuple[str, ...]
    first: Packed
    second: Packed


@dataclass(frozen=True, slots=True)
class ExplainedMetric:
    """Why two systems differ under one metric."""

    clauses: tuple[ExplainedClause, ...]
    notes: tuple[str, ...]
    tables: tuple[ExplainedTable, ...]
    passages: tuple[ExplainedPassage, ...]


@dataclass(frozen=True, slots=True)
class ExplanationPart:
    """Why two systems differ, metric by metric, as `ExplainedPair` lists them."""

    metrics: tuple[ExplainedMetric, ...]


@dataclass(frozen=True, slots=True)
class SetScore:
    """Where a system stands under a metric on one of several test sets; both by position."""

    system: int
    metric: int
    score: float | None
    cluster: int | None
    digits: int


@dataclass(frozen=True, slots=True)
class SetSummary:
    """One of several test sets: what it is, and what its own overview says first."""

    testset: str
    source_language: str | None
    target_language: str | None
    documents: int
    segments: int
    headline: str | None
    scores: tuple[SetScore, ...]


@dataclass(frozen=True, slots=True)
class SetsIndex:
    """Several test sets in one file: all systems and metrics that any of them has.

    The parts of each test set have names that begin with its position and a point.
    """

    version: int
    headline: str
    systems: tuple[str, ...]
    metrics: tuple[str, ...]
    sets: tuple[SetSummary, ...]


@dataclass(frozen=True, slots=True)
class SegmentScores:
    """One metric's scores of all segments, system by system, in the order of the test set."""

    metric: int
    scores: Packed


@dataclass(frozen=True, slots=True)
class LayerPart:
    """The evidence of one layer in one document, a column a property.

    `system`, `reason`, `value` and `spans` (how many) have a number for each evidence; `side`,
    `segment`, `start` and `length` one for each span. Side 0 is the source, then come the
    references, then the systems. Systems, sides and segments are differences to the one before;
    so is a start, to the end of the span before, where that lies in the same text.
    """

    layer: int
    system: Packed
    reason: Packed
    value: Packed
    spans: Packed
    side: Packed
    segment: Packed
    start: Packed
    length: Packed


@dataclass(frozen=True, slots=True)
class DocumentPart:
    """The texts of one document (segments x sides) and the evidence in them.

    Segment by segment, because the translations of a segment resemble each other, and what
    stands close together is compressed best. `handed_in` tells of each system that handed in
    the document as one text where the segments begin in it, as differences to the one before.
    `labels` are what segments are called where they come from, such as the times of subtitles.
    """

    texts: tuple[tuple[str | None, ...], ...]
    layers: tuple[LayerPart, ...]
    handed_in: tuple[Packed | None, ...]
    labels: tuple[str, ...] | None
