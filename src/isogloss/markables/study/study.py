"""A study as one value: texts, markables, and what annotators said, row by row."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from isogloss.documents import Collection, Document
from isogloss.errors import InputError
from isogloss.frozen import FrozenMapping
from isogloss.judgements import ErrorMark, Judgement, Judgements
from isogloss.markables.markable import Markable
from isogloss.markables.phenomena import Phenomenon
from isogloss.markables.study.screens import LineRating, LineSheet, Marks, MarkSheet
from isogloss.spans import Span


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
class Study:
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
