r"""Scores in a TSV file: named places, and a column for every metric.

    system   doc      segment   comet    my-metric
    good     news-1   1         0.81     73.2

``system`` must be there; ``doc`` and ``segment`` (and their other names, see `columns`) say what a
row is about. Segments are counted within the document, or over the test set if no column names the
document, from 0 or from 1. Without ``segment`` a row is a document (or, without ``doc`` either, a
system); a system with as many rows as the test set has segments, and no places, has them in
order. Every other column is a metric, higher is better, and a cell that is empty, ``None``, ``nan``
or ``\N`` was not scored.

Scores that somebody stored, as a table: values by metric, system and segment, no statistics.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import numpy as np

from isogloss.documents import Collection, Document, TestSet, counted
from isogloss.errors import InputError
from isogloss.formats.columns import Row, Table, role_of
from isogloss.formats.places import reference_called
from isogloss.formats.protocol import ScoresFormat
from isogloss.formats.tsv import header_of, read_table
from isogloss.formula import MeanFormula
from isogloss.scores import (
    DocumentScore,
    Measurement,
    MetricInfo,
    Provenance,
    ScoreTable,
    SystemScore,
)

Values = Sequence[float | None]


@dataclass(frozen=True, slots=True)
class StoredScores:
    """What is stored of one metric on one system; `None` is what nobody stored.

    `segments` and `documents` are in the order of the test set.
    """

    metric: str
    system: str
    segments: Values | None = None
    documents: Values | None = None
    score: float | None = None


def table_of_stored(testset: TestSet, scores: Iterable[StoredScores]) -> ScoreTable:
    """The stored scores of a test set as a table.

    The name of a stored metric ends in what it compared with: ``BLEU-refA``, ``prismSrc-src``.
    Statistics are (sum, count), so that a document's or a sample's score is the mean.
    """
    scores = list(scores)
    metrics = _metric_names(each.metric for each in scores)
    rows = tuple(_row(testset, metrics[each.metric], each) for each in scores)
    infos = tuple(
        MetricInfo(name, signature=stored, formula=MeanFormula())
        for stored, name in metrics.items()
    )
    return ScoreTable(_provenance(testset, metrics), infos, rows)


def _metric_names(stored: Iterable[str]) -> dict[str, str]:
    """Stored names to names that our grammar of metric names allows."""
    names: dict[str, str] = {}
    for each in dict.fromkeys(stored):
        name = re.sub(r"[^A-Za-z0-9_.+-]", "_", each)
        name = name if name[:1].isalpha() else f"m{name}"
        if name in names.values():
            raise InputError(f"stored metric {each!r}: another one is called {name!r} already")
        names[each] = name
    return names


def _provenance(testset: TestSet, metrics: Iterable[str]) -> Provenance:
    used = {name for each in metrics for name in each.rpartition("-")[2].split(".")}
    every = testset.reference_names if "all" in used else ()
    references = [each for each in testset.reference_names if each in used or each in every]
    return Provenance(
        testset=testset.name,
        source_language=testset.source_language,
        target_language=testset.target_language,
        references=tuple(references),
        testset_digest=testset.digest(),
        created="",
        isogloss=version("isogloss"),
        notices=("these scores were stored, not computed here",),
    )


def _row(testset: TestSet, metric: str, scores: StoredScores) -> SystemScore:
    reference = reference_called(scores.system, testset.reference_names)
    documents = []
    begin = 0
    for number, document in enumerate(testset.documents):
        end = begin + len(document)
        values = None if scores.segments is None else scores.segments[begin:end]
        score = None if scores.documents is None else scores.documents[number]
        measured = _measurement(document, values)
        documents.append(DocumentScore(document.id, score, measured, document.domain))
        begin = end
    human = reference is not None
    return SystemScore(metric, reference or scores.system, scores.score, tuple(documents), human)


def _measurement(document: Document, values: Values | None) -> Measurement:
    if values is None:
        return Measurement(np.zeros(2), scored=0, total=len(document))
    rows = np.array([[np.nan, np.nan] if v is None else [v, 1.0] for v in values])
    scored = sum(value is not None for value in values)
    return Measurement(np.nansum(rows, axis=0), scored, len(document), rows, tuple(values))


_PLACES = ("system", "doc", "segment", "domain", "lp")
_TEXTS = ("source", "output", "reference")
_NOT_SCORED = ("", "none", "nan")


def recognises(path: Path, head: str) -> bool:  # noqa: ARG001  (every format is asked the same way)
    """A header with tabs that names a system and scores, but no texts and no ratings."""
    header = header_of(head)
    roles = [(role_of(column) or "").partition(":")[0] for column in header]
    ratings = "severity" in (column.strip().lower() for column in header)
    metrics = any(role not in _PLACES for role in roles)
    named = "system" in map(role_of, header)  # 'system:NAME' would be that system's outputs
    return named and metrics and not ratings and not set(roles) & set(_TEXTS)


def read(path: Path, known: TestSet | Collection) -> ScoreTable:
    """The scores of every metric column, on a test set that the file does not name."""
    testset = known.testset if isinstance(known, Collection) else known
    table = read_table(path)
    roles = {role_of(column): column for column in table.columns}
    metrics = [column for column in table.columns if role_of(column) not in _PLACES]
    places = _Places.of(table, testset, roles)
    by_system: dict[str, list[Row]] = {}
    for row in table.rows:
        by_system.setdefault(str(row.cells[roles["system"]]), []).append(row)
    scores = [
        _stored(table, metric, system, rows, places)
        for metric in metrics
        for system, rows in by_system.items()
    ]
    return table_of_stored(testset, scores)


def _stored(
    table: Table, metric: str, system: str, rows: Sequence[Row], places: "_Places"
) -> StoredScores:
    values = [_number(table, row, metric) for row in rows]
    level = places.level(rows)
    if level == "system":
        if len(rows) > 1:
            count = counted(places.testset.segment_count, "segment")
            raise table.fault(
                f"{system!r} has {len(rows):,} rows, the test set has {count}",
                rows[1].line,
                "name the places in columns 'doc' and 'segment'",
            )
        return StoredScores(metric, system, score=values[0])
    placed: list[float | None] = [None] * places.count(level)
    for place, value in zip(places.numbers(rows, level), values, strict=True):
        placed[place] = value
    if level == "document":
        return StoredScores(metric, system, documents=placed)
    return StoredScores(metric, system, segments=placed)


def _number(table: Table, row: Row, column: str) -> float | None:
    cell = row.cells[column]
    if cell is None or str(cell).strip().lower() in _NOT_SCORED:
        return None
    try:
        value = float(str(cell))
    except ValueError:
        value = math.inf
    if not math.isfinite(value):
        raise table.fault(f"column {column!r}: {cell!r} is no score", row.line)
    return value


@dataclass(frozen=True, slots=True)
class _Places:
    """What the rows of a table are about."""

    table: Table
    testset: TestSet
    document: str | None
    segment: str | None
    positions: Mapping[str, tuple[int, int, int]]
    first_segment: int

    @classmethod
    def of(cls, table: Table, testset: TestSet, roles: Mapping[str | None, str]) -> "_Places":
        """The places of a table whose columns play these roles."""
        segment = roles.get("segment")
        numbers = [_segment_number(table, row, segment) for row in table.rows] if segment else [0]
        first = min(numbers, default=0) and 1  # where nobody speaks of segment 0, 1 is the first
        return cls(table, testset, roles.get("doc"), segment, _positions(testset), first)

    def level(self, rows: Sequence[Row]) -> str:
        """Whether a system's rows are its segments, its documents, or itself."""
        if self.segment is not None:
            return "segment"
        if self.document is not None:
            return "document"
        return "segment" if len(rows) == self.testset.segment_count > 1 else "system"

    def count(self, level: str) -> int:
        return self.testset.segment_count if level == "segment" else len(self.testset.documents)

    def numbers(self, rows: Sequence[Row], level: str) -> Iterator[int]:
        """The number of each row's segment (or document) in the test set, no two the same."""
        seen: set[int] = set()
        for position, row in enumerate(rows):
            number = self._document(row)[0] if level == "document" else self._place(row, position)
            if number in seen:
                raise self.table.fault(f"a second row on the same {level}", row.line)
            seen.add(number)
            yield number

    def _place(self, row: Row, position: int) -> int:
        if self.segment is None:
            return position
        within = _segment_number(self.table, row, self.segment) - self.first_segment
        _, begin, length = self._document(row)
        if not 0 <= within < length:
            what = f"segment {row.cells[self.segment]}, but there are {length:,}"
            raise self.table.fault(what, row.line)
        return begin + within

    def _document(self, row: Row) -> tuple[int, int, int]:
        """The number of the row's document, of its first segment, and its length."""
        if self.document is None:
            return 0, 0, self.testset.segment_count
        id = str(row.cells[self.document])
        if id not in self.positions:
            name = self.testset.name
            raise self.table.fault(f"document {id!r} is not in test set {name!r}", row.line)
        return self.positions[id]


def _segment_number(table: Table, row: Row, column: str) -> int:
    cell = row.cells[column]
    if not str(cell).isdecimal() or len(str(cell)) > 18:
        raise table.fault(f"{cell!r} is not the number of a segment", row.line)
    return int(str(cell))


def _positions(testset: TestSet) -> dict[str, tuple[int, int, int]]:
    positions, begin = {}, 0
    for number, document in enumerate(testset.documents):
        positions[document.id] = (number, begin, len(document))
        begin += len(document)
    return positions


FORMAT = ScoresFormat(
    name="score-table",
    description="TSV: system, doc, segment, and a column per metric",
    recognises=recognises,
    read=read,
)
