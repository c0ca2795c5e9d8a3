"""isogloss's own score files: JSON lines, with all that later steps need.

The first line is the header: test set, references, metrics with their signatures, and where the
scores come from. Every other line is one of

    {"system": ..., "metric": ..., "score": ..., "human": false}         a system's score
    {"system": ..., "metric": ..., "document": ..., "score": ...,        a document's score, with
     "scored": 6, "total": 6, "statistics": [...],                       additive statistics,
     "segment_scores": [...], "segment_statistics": [[...], null, ...],  those of its segments,
     "evidence": [...], "remarks": {...}}                                evidence and remarks

A number that was not computed is ``null``. `compare`, meta-evaluation and reports start from such
a file; nothing is scored again.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from isogloss.errors import FormatError, InputError
from isogloss.formats.files import read_lines, write_text
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

VERSION = 1
_MARK = '{"isogloss": "scores"'


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
            "metrics": [asdict(metric) for metric in table.metrics],
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
    if measured.remarks:
        cells["remarks"] = dict(measured.remarks)
    return cells


def _numbers(values: Statistics) -> list[float | int]:
    """Counts as whole numbers: shorter, and equal when read back."""
    return [int(v) if v.is_integer() else v for v in values.tolist()]


def read(path: Path) -> ScoreTable:
    """Read a saved table."""
    records = enumerate(read_lines(path), start=1)
    number, first = next(records)
    header = _parsed(first, path, number)
    if header.get("isogloss") != "scores":
        raise FormatError("this is no isogloss score file", path=path, line=number)
    if header.get("version") != VERSION:
        raise FormatError(
            f"score file version {header.get('version')} is not known",
            path=path,
            line=number,
            remedy=f"this isogloss reads version {VERSION}; score again or upgrade",
        )
    rows: list[_Row] = []
    for number, text in records:
        with _located(path, number):
            _take(_parsed(text, path, number), rows)
    with _located(path, 1):
        return ScoreTable(
            _provenance(header["provenance"]),
            tuple(MetricInfo(**metric) for metric in header["metrics"]),
            tuple(row.finished() for row in rows),
        )


class _Row:
    """A system's score while its documents are still being read."""

    def __init__(self, record: Mapping[str, Any]) -> None:
        self.key: tuple[str, str] = record["metric"], record["system"]
        self.score: float | None = record["score"]
        self.human: bool = record["human"]
        self.documents: list[DocumentScore] = []

    def finished(self) -> SystemScore:
        return SystemScore(*self.key, self.score, tuple(self.documents), self.human)


def _take(record: Mapping[str, Any], rows: list[_Row]) -> None:
    if "document" not in record:
        rows.append(_Row(record))
    elif rows and rows[-1].key == (record["metric"], record["system"]):
        rows[-1].documents.append(_document_from_json(record))
    else:
        raise InputError("a document's score stands before its system's")


def _document_from_json(record: Mapping[str, Any]) -> DocumentScore:
    statistics = record["statistics"]
    rows, scores = record.get("segment_statistics"), record["segment_scores"]
    unscored = [np.nan] * len(statistics)
    measured = Measurement(
        statistics=statistics,
        scored=record["scored"],
        total=record["total"],
        segment_statistics=None if rows is None else np.array([r or unscored for r in rows]),
        segment_scores=None if scores is None else tuple(scores),
        evidence=tuple(_evidence(item) for item in record.get("evidence", ())),
        remarks=record.get("remarks", {}),
    )
    return DocumentScore(record["document"], record["score"], measured, record["domain"])


def _evidence(item: Mapping[str, Any]) -> Evidence:
    spans = tuple(Span(**span) for span in item["spans"])
    return Evidence(item["reason"], spans, item["value"])


def _provenance(fields: Mapping[str, Any]) -> Provenance:
    lists = {key: tuple(value) for key, value in fields.items() if isinstance(value, list)}
    return Provenance(**{**fields, **lists})


def _parsed(text: str, path: Path, line: int) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise FormatError(f"not JSON ({error.msg})", path=path, line=line) from None
    if not isinstance(value, dict):
        raise FormatError("not a JSON object", path=path, line=line)
    return value


@contextmanager
def _located(path: Path, line: int) -> Iterator[None]:
    """Turns what is wrong with a record into an error that says where it stands."""
    try:
        yield
    except FormatError:
        raise
    except (KeyError, TypeError, ValueError, InputError) as error:
        what = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        remedy = "the file is damaged or not written by isogloss"
        raise FormatError(what, path=path, line=line, remedy=remedy) from error
