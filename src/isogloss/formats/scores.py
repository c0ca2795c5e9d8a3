"""isogloss's own score files: JSON lines, with all that later steps need.

The first line is the header: test set, references, metrics with their signatures, and where the
scores come from. Every other line is one of

    {"system": ..., "metric": ..., "score": ..., "human": false}         a system's score
    {"system": ..., "metric": ..., "document": ..., "score": ...,        a document's score, with
     "scored": 6, "total": 6, "statistics": [...],                       additive statistics,
     "segment_scores": [...], "segment_statistics": [[...], null, ...],  those of its segments,
     "evidence": [...], "remarks": {...},                                evidence and remarks,
     "handed_in": [[0, 57], ...]}                                        segments of a cut text

A number that was not computed is ``null``. A span counts code points of its segment; in an output
that was handed in whole, ``handed_in`` tells where that segment stands in the whole text.
`compare`, meta-evaluation and reports start from such a file; nothing is scored again.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np

from isogloss.errors import FormatError, InputError
from isogloss.formats.files import read_lines, stream_lines, write_text
from isogloss.formats.protocol import ScoresFormat
from isogloss.notation import json_value
from isogloss.scores import (
    DocumentScore,
    Measurement,
    MetricInfo,
    Provenance,
    ScoreTable,
    Statistics,
    SystemScore,
)
from isogloss.spans import Evidence, Span
from isogloss.wholes import Place

VERSION = 1
_MARK = '{"isogloss": "scores"'
_HEAD_OF_A_LINE = 2_000


def recognises(path: Path, head: str) -> bool:
    """A score file says so in its first characters."""
    return not path.is_dir() and head.startswith(_MARK)


def write(table: ScoreTable, path: Path) -> None:
    """Save a table; a name ending in .gz, .xz or .zst compresses it."""
    write_text(path, "".join(_lines(table)))


def _lines(table: ScoreTable) -> Iterator[str]:
    yield _line(
        {
            "isogloss": "scores",
            "version": VERSION,
            "provenance": asdict(table.provenance),
            "metrics": [metric.record() for metric in table.metrics],
        }
    )
    for row in table.rows:
        key = {"metric": row.metric, "system": row.system}
        yield _line(key | {"score": row.score, "human": row.human})
        for document in row.documents:
            yield _line(key | _document_as_json(document))


def _line(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False) + "\n"


def _document_as_json(score: DocumentScore) -> dict[str, Any]:
    measured = score.measurement
    cells: dict[str, Any] = {
        "document": score.document,
        "domain": score.domain,
        "score": score.score,
        "scored": measured.scored,
        "total": measured.total,
        "statistics": _numbers(measured.statistics),
        "segment_scores": measured.segment_scores,
    }
    if measured.segment_statistics is not None:
        cells["segment_statistics"] = [
            None if np.isnan(row).any() else _numbers(row) for row in measured.segment_statistics
        ]
    if measured.evidence:
        cells["evidence"] = [asdict(evidence) for evidence in measured.evidence]
    if score.handed_in is not None:
        cells["handed_in"] = score.handed_in
    if measured.remarks:
        cells["remarks"] = dict(measured.remarks)
    return cells


def _numbers(values: Statistics) -> list[float | int]:
    """Counts as whole numbers: shorter, and equal when read back."""
    return [int(v) if v.is_integer() else v for v in values.tolist()]


def outline(path: Path) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names of the metrics and of the systems; the lines of documents are passed over."""
    header, *rows = (
        json_value(line.decode("utf-8"), path)
        for line in stream_lines(path)
        if b'"document"' not in line[:_HEAD_OF_A_LINE]
    )
    metrics = tuple(metric["name"] for metric in header["metrics"])
    return metrics, tuple(dict.fromkeys(row["system"] for row in rows))


def read(path: Path) -> ScoreTable:
    """Read a saved table."""
    records = (
        _Record(path, line, json_value(text, path, line))
        for line, text in enumerate(read_lines(path), start=1)
    )
    header = next(records)
    if header.get("isogloss", str, "") != "scores":
        raise header.fault("this is no isogloss score file", remedy="")
    if header.get("version", int) != VERSION:
        raise header.fault(
            f"score file version {header.get('version', int)} is not known",
            remedy=f"this isogloss reads version {VERSION}; score again or upgrade",
        )
    rows: list[_Row] = []
    for record in records:
        with record.located():
            _take(record, rows)
    with header.located():
        return ScoreTable(
            _provenance(header.inner("provenance")),
            tuple(map(_metric, header.inners("metrics"))),
            tuple(row.finished() for row in rows),
        )


_NEEDED: Any = object()
_DAMAGED = "the file is damaged or not written by isogloss"
_KINDS = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}
_KINDS |= {list: "a list", dict: "an object"}
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class _Record:
    """A line of a score file (or an object in it), whose values are known to be of their kind."""

    path: Path
    line: int
    content: Mapping[str, Any]

    def __post_init__(self) -> None:
        if not isinstance(self.content, dict):
            raise self.fault("not a JSON object")

    def fault(self, what: str, remedy: str = _DAMAGED) -> FormatError:
        return FormatError(what, path=self.path, line=self.line, remedy=remedy)

    @contextmanager
    def located(self) -> Iterator[None]:
        """Turns what is wrong with the values into an error that says where they stand."""
        try:
            yield
        except FormatError:
            raise
        except (TypeError, ValueError, InputError) as error:
            raise self.fault(str(error)) from error

    def get(self, key: str, kind: type[Value], default: Any = _NEEDED) -> Value:
        """The value of a key; `default` stands in where there is none."""
        value = self.content.get(key, default)
        if value is _NEEDED:
            raise self.fault(f"{key!r} is missing")
        if value is default or _is_a(value, kind):
            return cast(Value, value)
        raise self.fault(f"{key!r} must be {_KINDS[kind]}, not {_shown(value)}")

    def maybe(self, key: str, kind: type[Value], *, needed: bool = True) -> Value | None:
        """The value of a key that may be null, and must be there if `needed`."""
        if self.content.get(key, _NEEDED if needed else None) is None:
            return None
        return self.get(key, kind)

    def each(self, key: str, kind: type[Value], default: Any = _NEEDED) -> tuple[Value, ...]:
        """The values of a list, all of one kind."""
        values = self.get(key, list, default)
        for value in values:
            if not _is_a(value, kind):
                raise self.fault(f"{key!r} must hold {_KINDS[kind]}s, not {_shown(value)}")
        return tuple(values)

    def inner(self, key: str) -> "_Record":
        return replace(self, content=self.get(key, dict))

    def inners(self, key: str, default: Any = _NEEDED) -> Iterator["_Record"]:
        return (replace(self, content=each) for each in self.get(key, list, default))


def _is_a(value: object, kind: type) -> bool:
    if isinstance(value, bool):
        return kind is bool
    return isinstance(value, (int, float) if kind is float else kind)


def _shown(value: object) -> str:
    return f"{json.dumps(value, ensure_ascii=False):.60}"


class _Row:
    """A system's score while its documents are still being read."""

    def __init__(self, record: _Record) -> None:
        self.key = record.get("metric", str), record.get("system", str)
        self.score = record.maybe("score", float)
        self.human = record.get("human", bool)
        self.documents: list[DocumentScore] = []

    def finished(self) -> SystemScore:
        return SystemScore(*self.key, self.score, tuple(self.documents), self.human)


def _take(record: _Record, rows: list[_Row]) -> None:
    if "document" not in record.content:
        rows.append(_Row(record))
    elif rows and rows[-1].key == (record.get("metric", str), record.get("system", str)):
        rows[-1].documents.append(_document(record))
    else:
        raise record.fault("a document's score stands before its system's")


def _document(record: _Record) -> DocumentScore:
    statistics = record.each("statistics", float)
    measured = Measurement(
        statistics=np.array(statistics, dtype=np.float64),
        scored=record.get("scored", int),
        total=record.get("total", int),
        segment_statistics=_segment_statistics(record, len(statistics)),
        segment_scores=_segment_scores(record),
        evidence=tuple(map(_evidence, record.inners("evidence", ()))),
        remarks=_remarks(record),
    )
    _refuse_contradictions(record, measured)
    return DocumentScore(
        record.get("document", str),
        record.maybe("score", float),
        measured,
        record.maybe("domain", str),
        _handed_in(record, measured.total),
    )


def _handed_in(record: _Record, total: int) -> tuple[Place, ...] | None:
    places = record.maybe("handed_in", list, needed=False)
    if places is None:
        return None
    if len(places) != total or not all(map(_is_place, places)):
        raise record.fault(f"'handed_in' must hold {total} pairs of a start and an end")
    return tuple((start, end) for start, end in places)


def _is_place(value: object) -> bool:
    if not isinstance(value, list) or len(value) != 2:
        return False
    return all(_is_a(edge, int) for edge in value) and 0 <= value[0] <= value[1]


def _segment_statistics(record: _Record, width: int) -> Statistics | None:
    if "segment_statistics" not in record.content:
        return None
    unscored = [np.nan] * width
    rows = [unscored if row is None else row for row in record.get("segment_statistics", list)]
    for row in rows:
        if not isinstance(row, list) or len(row) != width:
            raise record.fault(f"'segment_statistics' must hold lists of {width}, or null")
        for value in row:
            if not _is_a(value, float):
                raise record.fault(f"'segment_statistics' holds {_shown(value)}")
    return np.array(rows, dtype=np.float64).reshape(-1, width)


def _segment_scores(record: _Record) -> tuple[float | None, ...] | None:
    scores = record.maybe("segment_scores", list)
    if scores is None:
        return None
    for score in scores:
        if score is not None and not _is_a(score, float):
            raise record.fault(f"'segment_scores' holds {_shown(score)}")
    return tuple(scores)


def _remarks(record: _Record) -> dict[str, int]:
    remarks = record.get("remarks", dict, {})
    inner = replace(record, content=remarks)
    return {name: inner.get(name, int) for name in remarks}


def _refuse_contradictions(record: _Record, measured: Measurement) -> None:
    """A document is the sum of its segments; a file in which it is not would lie to `compare`."""
    rows = measured.segment_statistics
    if rows is None:
        return
    there = ~np.isnan(rows).any(axis=1)
    if there.sum() != measured.scored:
        raise record.fault(f"{measured.scored} segments scored, but {there.sum()} have statistics")
    if not np.allclose(rows[there].sum(axis=0), measured.statistics, rtol=1e-6, atol=1e-6):
        raise record.fault("the statistics of the document are not the sum of its segments'")


def _evidence(item: _Record) -> Evidence:
    spans = tuple(map(_span, item.inners("spans")))
    return Evidence(item.get("reason", str), spans, item.maybe("value", float))


def _span(item: _Record) -> Span:
    places = (item.get(name, int) for name in ("segment", "start", "end"))
    return Span(item.get("document", str), item.get("side", str), *places)


def _metric(item: _Record) -> MetricInfo:
    return MetricInfo(
        item.get("name", str),
        item.get("signature", str),
        item.get("higher_is_better", bool),
        caution=item.maybe("caution", str, needed=False),
        not_scored=item.maybe("not_scored", str, needed=False),
    )


def _provenance(item: _Record) -> Provenance:
    return Provenance(
        testset=item.get("testset", str),
        source_language=item.maybe("source_language", str),
        target_language=item.maybe("target_language", str),
        references=item.each("references", str),
        testset_digest=item.get("testset_digest", str),
        created=item.get("created", str),
        isogloss=item.get("isogloss", str),
        notices=item.each("notices", str, ()),
    )


FORMAT = ScoresFormat(
    name="scores",
    description="isogloss scores with statistics and signatures",
    recognises=recognises,
    read=lambda path, _known: read(path),
    write=write,
)
