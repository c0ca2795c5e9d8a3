"""Who marked which characters of which translation: people's error marks, and those of metrics.

A reading is what one annotator or metric marked in one translation of a segment; none is a reading,
too, as long as somebody looked. Only characters of the translation count. What lies elsewhere (an
omission, which has no place; an error in the source; a mark in a text that is not the test set's)
is counted as `unplaced`.

Severities are two, as in WMT: critical errors are major ones, trivial errors minor ones. Marks that
are no errors (neutral ones) or whose severity nobody decided are left out, as WMT25 does.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from isogloss.documents import Collection, Segments
from isogloss.errors import InputError
from isogloss.judgements import NO_ERROR, ErrorMark, Judgement, Judgements
from isogloss.scores import DocumentScore, ScoreTable, SystemScore
from isogloss.spans import Span, output_side, reference_side

Severity = Literal["minor", "major"]
Unit = tuple[str, str, int]
"""A translation of a segment: system, document, segment."""

_SEVERITIES: Mapping[str, Severity | None] = {
    "major": "major",
    "critical": "major",
    "minor": "minor",
    "trivial": "minor",
    "undecided": None,
    **dict.fromkeys(NO_ERROR),
}
_STATED = re.compile(r", (minor|major)$")


@dataclass(frozen=True, slots=True)
class Mark:
    """Some characters that somebody finds wrong; no severity where a metric tells none."""

    start: int
    end: int
    severity: Severity | None


@dataclass(frozen=True, slots=True)
class Reading:
    """What one reader marked in one translation."""

    unit: Unit
    marks: tuple[Mark, ...]
    reader: str | None = None


@dataclass(frozen=True, slots=True)
class Marks:
    """All readings of the annotators of a campaign, or of a metric.

    `unplaced` marks are not among the characters of a translation.
    """

    name: str
    readings: tuple[Reading, ...]
    unplaced: int = 0

    @property
    def by_unit(self) -> dict[Unit, tuple[Mark, ...]]:
        """What a single reader marked; two readings of a translation are a mistake."""
        found: dict[Unit, tuple[Mark, ...]] = {}
        for reading in self.readings:
            if reading.unit in found:
                system, document, segment = reading.unit
                raise InputError(
                    f"{self.name} marked segment {segment + 1} of document {document!r} of system "
                    f"{system!r} twice; the marks of a metric need one reading of each translation"
                )
            found[reading.unit] = reading.marks
        return found

    @property
    def has_severities(self) -> bool:
        """Whether every mark says how bad the error is."""
        return all(mark.severity for reading in self.readings for mark in reading.marks)

    def by_reader(self) -> dict[str, "Marks"]:
        """The readings of each annotator who is named; of one who read twice, the last."""
        named: dict[str, dict[Unit, Reading]] = {}
        for reading in self.readings:
            if reading.reader is not None:
                named.setdefault(reading.reader, {})[reading.unit] = reading
        return {name: Marks(name, tuple(found.values())) for name, found in named.items()}


class Texts:
    """The translations of a collection, those of references that were judged among them."""

    def __init__(self, collection: Collection) -> None:
        self._documents: dict[str, Mapping[str, Segments]] = {
            name: {d.id: d.references[name] for d in collection.testset.documents}
            for name in collection.testset.reference_names
        }
        self._documents |= {output.name: output.documents for output in collection.outputs}

    def of(self, unit: Unit) -> str | None:
        """The text of a translation; `None` where it is not known."""
        system, document, segment = unit
        segments = self._documents.get(system, {}).get(document, ())
        return segments[segment] if segment < len(segments) else None


# --- from judgements -----------------------------------------------------------------------------


def marks_of_judgements(
    judgements: Judgements, texts: Texts, name: str | None = None, *, humans: bool = False
) -> Marks:
    """The readings that judgements of segments are; references take part only with `humans`."""
    counted = [
        (item, unit, text)
        for item in judgements.items
        if item.document is not None and item.segment is not None and (humans or not item.human)
        for unit in [(item.system, item.document, item.segment)]
        if (text := texts.of(unit)) is not None
    ]
    readings, unplaced = [], 0
    for item, unit, text in counted:
        severe = [(e, s) for e in item.errors if (s := _severity(e)) is not None]
        marks = tuple(_marks(severe, item, len(text)))
        unplaced += len(severe) - len(marks)
        readings.append(Reading(unit, marks, item.annotator))
    return Marks(name or judgements.kind, tuple(readings), unplaced)


def _severity(error: ErrorMark) -> Severity | None:
    """The severity that counts; `None` for what is no error, or undecided."""
    if error.category.lower() in NO_ERROR:
        return None
    try:
        return _SEVERITIES[error.severity.lower()]
    except KeyError:
        raise InputError(
            f"severity {error.severity!r} is neither minor nor major; known severities: "
            f"{', '.join(_SEVERITIES)}"
        ) from None


def _marks(
    errors: Iterable[tuple[ErrorMark, Severity]], item: Judgement, length: int
) -> Iterator[Mark]:
    sides = {output_side(item.system)}
    if item.human:
        sides.add(reference_side(item.system))
    for error, severity in errors:
        if error.span is not None and error.span.side in sides and error.span.end <= length:
            yield Mark(error.span.start, error.span.end, severity)


# --- from the evidence of metrics ----------------------------------------------------------------


def marks_of_scores(table: ScoreTable, texts: Texts, *, humans: bool = False) -> list[Marks]:
    """The evidence of each metric that has some in outputs.

    A reason that ends in ``, minor`` or ``, major`` states a severity.
    """
    found = []
    for metric in table.metrics:
        rows = [r for r in table.rows if r.metric == metric.name and (humans or not r.human)]
        readings, unplaced = _evidence_of(rows, texts)
        if any(reading.marks for reading in readings):
            found.append(Marks(metric.name, tuple(readings), unplaced))
    return found


def _evidence_of(rows: Iterable[SystemScore], texts: Texts) -> tuple[list[Reading], int]:
    readings: list[Reading] = []
    unplaced = 0
    for row in rows:
        side = output_side(row.system)
        for document in row.documents:
            marked: dict[int, list[Mark]] = {}
            for span, severity in _stated(document):
                if span.side == side:
                    marked.setdefault(span.segment, []).append(Mark(span.start, span.end, severity))
                else:
                    unplaced += 1
            for segment in _read(document):
                unit = (row.system, document.document, segment)
                if texts.of(unit) is not None:
                    readings.append(Reading(unit, tuple(marked.get(segment, ()))))
    return readings, unplaced


def _stated(document: DocumentScore) -> Iterator[tuple[Span, Severity | None]]:
    """The places of the evidence with the severity that its reason states."""
    for evidence in document.measurement.evidence:
        stated = _STATED.search(evidence.reason)
        severity: Severity | None = None
        if stated:
            severity = "major" if stated[1] == "major" else "minor"
        for span in evidence.spans:
            yield span, severity


def _read(document: DocumentScore) -> Iterator[int]:
    """The segments that the metric looked at: those it scored, or all if it sees documents only."""
    scores = document.measurement.segment_scores
    for segment in range(document.measurement.total):
        if scores is None or scores[segment] is not None:
            yield segment
