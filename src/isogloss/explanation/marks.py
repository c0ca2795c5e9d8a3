"""What metrics and people marked in the two outputs: terms, chains, errors, by reason."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from isogloss.arrays import Floats
from isogloss.comparison import ComparisonSettings
from isogloss.documents import Collection, Document
from isogloss.explanation.attribution import measured
from isogloss.explanation.mistakes import ADDED, OMITTED, TERM
from isogloss.explanation.result import ChainFound, MarkFound, TermFound
from isogloss.judgements import NO_ERROR, Judgements
from isogloss.metrics.cohesion import MATCHED, PARTLY
from isogloss.metrics.consistency import INCONSISTENT
from isogloss.scores import ScoreTable
from isogloss.signature import MetricName
from isogloss.spans import SOURCE, Evidence, Span
from isogloss.wholes import Kind

_LISTED = 8

ByDocument = Sequence[tuple[Evidence, ...]]


@dataclass(frozen=True, eq=False)
class MetricMarks:
    """The evidence of one metric on both systems, by document."""

    metric: str
    first: ByDocument
    second: ByDocument

    @property
    def family(self) -> str:
        """The metric's name without its options."""
        return MetricName.parse(self.metric).name

    @property
    def reasons(self) -> Counter[str]:
        """How often each reason is given, for either system."""
        return Counter(
            each.reason for side in (self.first, self.second) for own in side for each in own
        )


def metric_marks(tables: Sequence[ScoreTable], first: str, second: str) -> list[MetricMarks]:
    """Of each metric that gave evidence on either system."""
    found = []
    for table in tables:
        for metric in table.metrics:
            rows = [row for row in table.of_metric(metric.name) if row.system in (first, second)]
            if len(rows) < 2:
                continue
            sides = [
                [document.measurement.evidence for document in table[metric.name, system].documents]
                for system in (first, second)
            ]
            if any(own for side in sides for own in side):
                found.append(MetricMarks(metric.name, *sides))
    return found


def marks_found(
    marks: Sequence[MetricMarks], settings: ComparisonSettings
) -> tuple[MarkFound, ...]:
    """How often each reason was given for each system; what colours every word is left out."""
    rows, columns, documents = [], [], []
    for each in marks:
        if len(each.reasons) < 2:  # a single reason for every word is no finding
            continue
        for reason, _ in each.reasons.most_common(_LISTED):
            first, second = (
                np.array([sum(e.reason == reason for e in own) for own in side], dtype=np.float64)
                for side in (each.first, each.second)
            )
            rows.append((each.metric, reason, int(first.sum()), int(second.sum())))
            columns.append(len(first) * (first - second))
            documents.append(int(np.count_nonzero(first - second)))
    tested = measured(columns, [float(c.mean()) for c in columns], documents, settings)
    return tuple(MarkFound(*row, own) for row, own in zip(rows, tested, strict=True))


def people_marks(
    judgements: Judgements, collection: Collection, systems: Sequence[str]
) -> Iterator[MetricMarks]:
    """The errors that people marked, if they did: severity and category are the reason."""
    numbers = {d.id: number for number, d in enumerate(collection.testset.documents)}
    sides: dict[str, list[list[Evidence]]] = {name: [[] for _ in numbers] for name in systems}
    for item in judgements.items:
        if item.system in sides and item.document in numbers:
            for error in item.errors:
                if error.severity.lower() not in NO_ERROR:
                    reason = f"{error.severity}: {error.category}"
                    own = sides[item.system][numbers[item.document]]
                    own.append(Evidence(reason, () if error.span is None else (error.span,)))
    first, second = ([tuple(own) for own in sides[name]] for name in systems)
    if any(first) or any(second):
        yield MetricMarks(judgements.kind, first, second)


# --- what a segment's evidence tells of its mistakes ----------------------------------------------


def segment_counts(
    marks: Sequence[MetricMarks], collection: Collection
) -> dict[str, tuple[Floats, Floats]]:
    """By class of mistakes that evidence tells of: how many each segment has, by system."""
    found: dict[str, tuple[Floats, Floats]] = {}
    for each in marks:
        if each.family == "ltcr":
            found[TERM] = _in_segments(each, {INCONSISTENT}, collection)
        elif each.family == "coverage":
            found[OMITTED] = _in_segments(each, {Kind.OMITTED.value}, collection)
            found[ADDED] = _in_segments(each, {Kind.ADDED.value, Kind.REPEATED.value}, collection)
    return found


def _in_segments(
    marks: MetricMarks, reasons: set[str], collection: Collection
) -> tuple[Floats, Floats]:
    lengths = [len(document) for document in collection.testset.documents]
    starts = np.concatenate([[0], np.cumsum(lengths)])
    counts = np.zeros((2, int(starts[-1])))
    for side, documents in enumerate((marks.first, marks.second)):
        for start, own in zip(starts, documents, strict=False):
            for each in own:
                if each.reason in reasons:
                    for segment in {span.segment for span in each.spans}:
                        counts[side, start + segment] += 1
    return counts[0], counts[1]


# --- terms and chains -----------------------------------------------------------------------------


def terms_found(marks: Sequence[MetricMarks], collection: Collection) -> tuple[TermFound, ...]:
    """Repeated words that one system renders more consistently, the clearest first."""
    differing = [
        (each.metric, document.id, ours[places], theirs[places])
        for each in marks
        if each.family == "ltcr"
        for document, first, second in _by_document(each, collection)
        for ours, theirs in [(_by_places(first), _by_places(second))]
        for places in ours
        if places in theirs and ours[places].value != theirs[places].value
    ]
    differing.sort(key=lambda each: -abs((each[2].value or 0.0) - (each[3].value or 0.0)))
    return tuple(_term(*each, collection) for each in differing[:_LISTED])


def _by_document(
    marks: MetricMarks, collection: Collection
) -> Iterator[tuple[Document, Sequence[Evidence], Sequence[Evidence]]]:
    return zip(collection.testset.documents, marks.first, marks.second, strict=True)


def _term(
    metric: str, document: str, one: Evidence, other: Evidence, collection: Collection
) -> TermFound:
    texts = _Texts(collection, document)
    return TermFound(
        metric,
        document,
        texts.text(one.spans[0]),
        _renderings(one, texts),
        _renderings(other, texts),
        one.value or 0.0,
        other.value or 0.0,
    )


def _by_places(evidence: Sequence[Evidence]) -> dict[tuple[Span, ...], Evidence]:
    """The evidence on each word, by all places that the word has in the source."""
    found = {}
    for each in evidence:
        places = tuple(span for span in each.spans if span.side == SOURCE)
        if places:
            found[places] = each
    return found


def _renderings(evidence: Evidence, texts: "_Texts") -> str:
    """'tenant ×3, renter ×1': what stands for the mentions, the most frequent first."""
    said: list[list[str]] = []
    for span in evidence.spans:
        if span.side == SOURCE:
            said.append([])
        else:
            said[-1].append(texts.text(span))
    counts = Counter(" ".join(words) or "∅" for words in said)
    return ", ".join(f"{text} ×{count}" for text, count in counts.most_common())


class _Texts:
    """The texts of one document by side."""

    def __init__(self, collection: Collection, document: str) -> None:
        self.sides: Mapping[str, Sequence[str | None]] = _sides(collection, document)

    def text(self, span: Span) -> str:
        return span.text(self.sides[span.side])


def _sides(collection: Collection, document: str) -> dict[str, Sequence[str | None]]:
    own = collection.testset.document(document)
    return {
        SOURCE: own.source,
        **{f"reference:{name}": lines for name, lines in own.references.items()},
        **{f"output:{output.name}": output.documents[document] for output in collection.outputs},
    }


def chains_found(marks: Sequence[MetricMarks], collection: Collection) -> tuple[ChainFound, ...]:
    """Chains of the reference that one output has and the other has not, the longest first."""
    found = [
        (len({span.segment for span in places}), each.metric, document.id, places, one, other)
        for each in marks
        if each.family == "cohesion"
        for document, first, second in _by_document(each, collection)
        for ours, theirs in [(_by_reference(first), _by_reference(second))]
        for places in {**ours, **theirs}  # in the order of the text
        for one, other in [(_has(ours.get(places)), _has(theirs.get(places)))]
        if one != other
    ]
    found.sort(key=lambda each: -each[0])
    return tuple(
        ChainFound(metric, document, _words_at(places, document, collection), segments, one, other)
        for segments, metric, document, places, one, other in found[:_LISTED]
    )


def _words_at(places: Sequence[Span], document: str, collection: Collection) -> str:
    texts = _Texts(collection, document)
    return ", ".join(dict.fromkeys(texts.text(span) for span in places))


def _by_reference(evidence: Sequence[Evidence]) -> dict[tuple[Span, ...], Evidence]:
    found = {}
    for each in evidence:
        places = tuple(span for span in each.spans if span.side.startswith("reference:"))
        if places:
            found[places] = each
    return found


def _has(evidence: Evidence | None) -> bool:
    """Whether the chain was matched, by its word or (the reason then says so) by its meaning."""
    return evidence is not None and evidence.reason.partition(": ")[0] in (MATCHED, PARTLY)
