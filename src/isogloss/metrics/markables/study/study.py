"""A study as one value: texts, markables, and what annotators said, row by row.

What annotators saw and said: one screen shows a place of the source in all translations.

Marks of the study as MQM errors: Marot's TSV, by a documented map of phenomena and severities.

The source text carries the place (``<v>...</v>`` around the markable); the note keeps what the map
loses: the phenomenon, the severity from 0 to 1 and the markable.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from isogloss.documents import Collection, Document
from isogloss.errors import InputError
from isogloss.formats import write_judgements
from isogloss.frozen import FrozenMapping
from isogloss.judgements import ErrorMark, Judgement, Judgements
from isogloss.metrics.markables.markable import Markable, Phenomenon, mqm_severity
from isogloss.spans import Span

Marks = Mapping[Phenomenon, float | None]
"""The phenomena that were ticked, each with its severity (`None`: ticked, but not rated).

Empty marks say that somebody looked and saw no error; that nobody looked has no marks at all.
"""


@dataclass(frozen=True, slots=True)
class LineRating:
    """Phase 1: one line of one translation. `reported` is the free text of wrong markables."""

    conflicting: bool
    reported: str
    fluency: float | None = None
    adequacy: float | None = None

    def __post_init__(self) -> None:
        for name in ("fluency", "adequacy"):
            _check_scale(name, getattr(self, name))


def _check_scale(name: str, value: float | None) -> None:
    if value is not None and not 0 <= value <= 1:
        raise InputError(f"{name} {value} does not lie between 0 and 1")


@dataclass(frozen=True, slots=True)
class LineScreen:
    """Phase 1: one line of a document in all translations; `time` in milliseconds since 1970."""

    document: str
    line: int
    ratings: Mapping[str, LineRating]
    time: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "ratings", FrozenMapping(self.ratings))


@dataclass(frozen=True, slots=True)
class MarkScreen:
    """Phase 2: one occurrence of a markable in all translations.

    Occurrences are counted from 0 in the order of the text, which is how the page showed them.
    """

    document: str
    head: str
    occurrence: int
    marks: Mapping[str, Marks]
    time: int

    def __post_init__(self) -> None:
        frozen = {system: FrozenMapping(marks) for system, marks in self.marks.items()}
        object.__setattr__(self, "marks", FrozenMapping(frozen))
        for marks in frozen.values():
            for phenomenon, severity in marks.items():
                _check_scale(f"the severity of {phenomenon}", severity)


@dataclass(frozen=True, slots=True)
class LineSheet:
    """All screens of phase 1 that one annotator finished."""

    annotator: str
    screens: tuple[LineScreen, ...]


@dataclass(frozen=True, slots=True)
class MarkSheet:
    """All screens of phase 2 that one annotator finished."""

    annotator: str
    screens: tuple[MarkScreen, ...]


@dataclass(frozen=True, slots=True)
class LineRow:
    """One annotator's rating of one system on one line."""

    annotator: str
    document: str
    line: int
    system: str
    human: bool
    rating: LineRating

    @property
    def product(self) -> float | None:
        """Fluency times adequacy."""
        if self.rating.fluency is None or self.rating.adequacy is None:
            return None
        return self.rating.fluency * self.rating.adequacy

    @property
    def reported_words(self) -> int:
        """How many different words (of two letters or more) the annotator reported as wrong."""
        words = re.split(r"\W", self.rating.reported.lower())
        return len({word for word in words if len(word) >= 2})


@dataclass(frozen=True, slots=True)
class MarkRow:
    """One annotator's marks on one system at one occurrence of a markable."""

    annotator: str
    document: str
    head: str
    occurrence: int
    system: str
    human: bool
    marks: Marks

    @property
    def unit(self) -> tuple[str, str, int, str]:
        """What was judged, whoever did it."""
        return self.document, self.head, self.occurrence, self.system


@dataclass(frozen=True)
class MarkableStudy:
    """Documents with their translations (one collection a direction), markables and annotations.

    `index_lines` is the line that the study's own files give for the index of an occurrence. They
    count occurrences form by form while its page showed them in the order of the text, so it
    serves to repeat what the authors computed and nothing else.
    """

    name: str
    collections: tuple[Collection, ...]
    markables: tuple[Markable, ...]
    line_sheets: tuple[LineSheet, ...] = ()
    mark_sheets: tuple[MarkSheet, ...] = ()
    index_lines: Mapping[tuple[str, str, int], int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "index_lines", FrozenMapping(self.index_lines))
        for markable in self.markables:
            if markable.document not in self.documents:
                raise InputError(f"markable {markable.head!r}: no document {markable.document!r}")

    @cached_property
    def documents(self) -> dict[str, Document]:
        """Every document by its id."""
        return {d.id: d for c in self.collections for d in c.testset.documents}

    @cached_property
    def _collection_of(self) -> dict[str, Collection]:
        return {d.id: c for c in self.collections for d in c.testset.documents}

    def collection(self, document: str) -> Collection:
        """The collection that holds the document."""
        return self._collection_of[document]

    @cached_property
    def humans(self) -> frozenset[str]:
        """The names of those "systems" that are people."""
        return frozenset(o.name for c in self.collections for o in c.outputs if o.human)

    def text(self, document: str, system: str, line: int) -> str:
        """A line of a translation; an absent one is empty."""
        for output in self.collection(document).outputs:
            if output.name == system:
                return output.documents[document][line] or ""
        raise InputError(f"document {document!r} has no translation by {system!r}")

    @cached_property
    def _occurrences(self) -> dict[tuple[str, str], tuple[Span, ...]]:
        return {(m.document, m.head): m.occurrences for m in self.markables}

    def span(self, document: str, head: str, occurrence: int) -> Span:
        """Where an occurrence lies in the source."""
        spans = self._occurrences.get((document, head), ())
        if occurrence >= len(spans):
            raise InputError(
                f"markable {head!r} occurs {len(spans)} times in document {document!r}, "
                f"so there is no occurrence {occurrence} (from 0)"
            )
        return spans[occurrence]

    @cached_property
    def line_rows(self) -> tuple[LineRow, ...]:
        """Phase 1, one row for each annotator, line and system."""
        return tuple(
            LineRow(
                sheet.annotator, screen.document, screen.line, system, system in self.humans, rating
            )
            for sheet in self.line_sheets
            for screen in sheet.screens
            for system, rating in screen.ratings.items()
        )

    @cached_property
    def mark_rows(self) -> tuple[MarkRow, ...]:
        """Phase 2, one row for each annotator, occurrence and system."""
        return tuple(
            MarkRow(
                sheet.annotator,
                screen.document,
                screen.head,
                screen.occurrence,
                system,
                system in self.humans,
                marks,
            )
            for sheet in self.mark_sheets
            for screen in sheet.screens
            for system, marks in screen.marks.items()
        )

    def ratings(self) -> Judgements:
        """Phase 1 in the shared nouns: fluency times adequacy as the score of a segment."""
        items = (
            Judgement(row.system, row.document, row.line, row.annotator, row.product, (), row.human)
            for row in self.line_rows
        )
        return Judgements("fluency-adequacy", tuple(items))

    def marked_errors(self) -> Judgements:
        """Phase 2 in the shared nouns: the marks of a line's markables as errors, no score."""
        by_place: dict[Judgement, list[ErrorMark]] = {}
        for row in self.mark_rows:
            span = self.span(row.document, row.head, row.occurrence)
            place = Judgement(
                row.system, row.document, span.segment, row.annotator, human=row.human
            )
            by_place.setdefault(place, []).extend(_errors(row, span))
        items = (
            Judgement(j.system, j.document, j.segment, j.annotator, None, tuple(errors), j.human)
            for j, errors in by_place.items()
        )
        return Judgements("markables", tuple(items))


def _errors(row: MarkRow, span: Span) -> Iterator[ErrorMark]:
    for phenomenon, severity in row.marks.items():
        yield ErrorMark(phenomenon.value, severity_text(severity), span, row.head)


def severity_text(severity: float | None) -> str:
    """A severity as text; ``unrated`` where a phenomenon was ticked and nothing more."""
    return "unrated" if severity is None else f"{severity:g}"


def severity_of(row: MarkRow, phenomenon: Phenomenon) -> float | None:
    """How severe the phenomenon is in a row: 0 where it is not marked, `None` where not rated."""
    return row.marks.get(phenomenon, 0.0)


_MQM = "mqm"


def mqm_judgements(study: MarkableStudy) -> Judgements:
    """Everything that was marked, as MQM errors."""
    items = study.marked_errors().items
    return Judgements(_MQM, tuple(_in_mqm(item) for item in items))


def _in_mqm(item: Judgement) -> Judgement:
    return replace(item, errors=tuple(map(_error, item.errors)))


def _error(mark: ErrorMark) -> ErrorMark:
    phenomenon = Phenomenon(mark.category)
    severity = None if mark.severity == "unrated" else float(mark.severity)
    note = f"{phenomenon.title} {mark.severity}: {mark.comment}"
    return ErrorMark(phenomenon.mqm_category, mqm_severity(severity), mark.span, note)


def write_mqm(study: MarkableStudy, folder: Path) -> list[Path]:
    """One file for each direction: ``<folder>/<test set>.mqm.tsv``."""
    judgements = mqm_judgements(study)
    paths = []
    for collection in study.collections:
        known = {document.id for document in collection.testset.documents}
        items = tuple(item for item in judgements.items if item.document in known)
        path = folder / f"{collection.testset.name.replace('/', '_')}.mqm.tsv"
        write_judgements(Judgements(_MQM, items), collection, path, _MQM)
        paths.append(path)
    return paths
