"""A folder of TSV tables with one WMT test set: texts, outputs, human and metric scores.

    segs.tsv              domain  doc  src  ref:NAME ...    one row per segment
    hyps.tsv              one column per system             \\N = no output
    human.KIND.tsv        one column per judged system      empty = not judged
    human.sys.tsv         kind  system  score
    metric.NAME-REF.tsv   one column per system             stored segment scores
    metrics.sys.tsv       metric  system  score             official system scores

Row i of every table that has a row per segment is the same segment. Any table may be compressed
(``.gz``, ``.xz``, ``.zst``). The folder's name is the language pair, its parent's name the test
set. A row with an empty ``doc`` is a document of its own. Rows that carry the same ``doc`` are
one document, in row order, even where other rows lie between them: in some WMT21 and WMT22 sets
document ids were recovered from annotations, and a line that occurs in two documents carries the
id of the other one. (`human.darr.tsv`, pairs of better and worse outputs, is not read here.)
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from isogloss.documents import Collection, Document, Segments, SystemOutput, TestSet, counted
from isogloss.errors import FormatError, MismatchError
from isogloss.formats.files import COMPRESSED, read_lines
from isogloss.formats.places import reference_called
from isogloss.formats.protocol import (
    Direction,
    ReadOptions,
    StoredJudgements,
    TestSetFormat,
    chosen_direction,
    named_testset,
)
from isogloss.formats.score_table import StoredScores, Values, table_of_stored
from isogloss.judgements import Judgement, Judgements
from isogloss.scores import ScoreTable

_ABSENT = r"\N"
_SEGS = ["domain", "doc", "src"]
_PAIR = re.compile(r"[a-z]{2,3}-[a-z]{2,3}")
_NOT_A_KIND = ("sys", "darr")  # human.sys.tsv and human.darr.tsv have no column per system


def recognises(path: Path, head: str) -> bool:  # noqa: ARG001 - every format is asked the same way
    """A folder that holds ``segs.tsv``, compressed or not."""
    return path.is_dir() and _find(path, "segs") is not None


def read(path: Path, options: ReadOptions) -> Collection:
    """The test set of a folder with all its systems."""
    rows = _Rows.of(path)
    pair = path.resolve().name
    source, _, target = pair.partition("-") if _PAIR.fullmatch(pair) else ("", "", "")
    stated = Direction(source or None, target or None)
    direction = chosen_direction([stated], options.pair, path)
    testset = named_testset(rows.testset(), path.resolve().parent.name, direction, options)
    return Collection(testset, rows.outputs())


def judgement_kinds(path: Path) -> tuple[str, ...]:
    """The kinds of segment-level human scores in a folder: ``mqm``, ``da-z`` ..."""
    return tuple(kind for kind in _kinds(path, "human") if kind not in _NOT_A_KIND)


def read_judgements(path: Path, kind: str, known: TestSet | Collection) -> Judgements:
    """The human scores of one kind, segment by segment; what nobody judged is left out."""
    if kind not in judgement_kinds(path):
        raise _no_such("judgements", kind, judgement_kinds(path), path)
    rows = _Rows.of(path)
    rows.check_documents(known)
    items = []
    for name, values in rows.columns(_table(path, f"human.{kind}")):
        reference = reference_called(name, rows.references)
        for (document, segment), value in zip(rows.places(), values, strict=True):
            if value is not None:
                items.append(
                    Judgement(
                        reference or name,
                        document,
                        segment,
                        score=value,
                        human=reference is not None,
                    )
                )
    return Judgements(kind, tuple(items))


def system_judgement_kinds(path: Path) -> tuple[str, ...]:
    """The kinds of system-level human scores in a folder."""
    return tuple(dict.fromkeys(kind for kind, _, _ in _system_scores(path, "human.sys", "kind")))


def read_system_judgements(path: Path, kind: str, known: TestSet | Collection) -> Judgements:
    """The official system-level human scores of one kind, as judgements of whole systems."""
    if kind not in system_judgement_kinds(path):
        raise _no_such("system judgements", kind, system_judgement_kinds(path), path)
    rows = _Rows.of(path)
    rows.check_documents(known)
    items = []
    for its_kind, name, score in _system_scores(path, "human.sys", "kind"):
        if its_kind == kind:
            reference = reference_called(name, rows.references)
            human = reference is not None
            items.append(Judgement(reference or name, score=score, human=human))
    return Judgements(kind, tuple(items))


def read_metric_scores(path: Path, known: TestSet | Collection) -> ScoreTable:
    """The stored segment scores of every metric, with official system scores where there are."""
    rows = _Rows.of(path)
    testset = rows.check_documents(known)
    metrics = _kinds(path, "metric")
    if not metrics:
        raise FormatError("there are no tables metric.NAME-REF.tsv", path=path)
    official = {}
    if _header(path, "metrics.sys")[:1] == ["metric"]:  # WMT19's has one column per metric
        triples = _system_scores(path, "metrics.sys", "metric")
        official = {(metric, system): score for metric, system, score in triples}
    return table_of_stored(
        testset,
        (
            StoredScores(metric, system, values, score=official.get((metric, system)))
            for metric in metrics
            for system, values in rows.columns(_table(path, f"metric.{metric}"))
        ),
    )


# --- tables --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Table:
    """A TSV file: its header and its rows, all of the same width."""

    path: Path
    header: Sequence[str]
    rows: Sequence[Sequence[str]]

    def fault(self, what: str, row: int | None = None, remedy: str = "") -> FormatError:
        """An error in a row (counted from 0), or in the header."""
        return FormatError(what, path=self.path, line=1 if row is None else row + 2, remedy=remedy)


def _find(folder: Path, stem: str) -> Path | None:
    candidates = (folder / f"{stem}.tsv{suffix}" for suffix in ("", *COMPRESSED))
    return next((path for path in candidates if path.is_file()), None)


def _kinds(folder: Path, prefix: str) -> tuple[str, ...]:
    """The KINDs of the files ``prefix.KIND.tsv``."""
    suffixes = "|".join(map(re.escape, COMPRESSED))
    pattern = re.compile(rf"{prefix}\.(.+)\.tsv(?:{suffixes})?")
    names = sorted(path.name for path in folder.iterdir())
    return tuple(dict.fromkeys(m[1] for m in map(pattern.fullmatch, names) if m))


def _no_such(what: str, kind: str, kinds: Iterable[str], path: Path) -> FormatError:
    known = ", ".join(kinds) or "none"
    return FormatError(f"there are no {what} of kind {kind!r}; there are: {known}", path=path)


def _table(folder: Path, stem: str) -> _Table:
    path = _find(folder, stem)
    if path is None:
        raise FormatError("no such table", path=folder / f"{stem}.tsv")
    header, *rows = (line.split("\t") for line in read_lines(path))
    table = _Table(path, header, rows)
    repeated = next((name for name in header if header.count(name) > 1), None)
    if repeated is not None:
        raise table.fault(f"column {repeated!r} appears twice")
    for number, row in enumerate(rows):
        if len(row) != len(header):
            columns = counted(len(row), "column")
            raise table.fault(f"{columns}, but the header has {len(header)}", number)
    return table


def _header(folder: Path, stem: str) -> Sequence[str]:
    return () if _find(folder, stem) is None else _table(folder, stem).header


def _system_scores(folder: Path, stem: str, first: str) -> Iterator[tuple[str, str, float]]:
    """The rows of a table of system-level scores, if there is one."""
    if _find(folder, stem) is None:
        return
    table = _table(folder, stem)
    if list(table.header) != [first, "system", "score"]:
        raise table.fault(f"the columns should be {first}, system and score")
    for number, (kind, system, cell) in enumerate(table.rows):
        score = _number(table, number, cell)
        if score is not None:
            yield kind, system, score


def _number(table: _Table, row: int, cell: str) -> float | None:
    if cell in ("", _ABSENT):
        return None
    try:
        value = float(cell)
    except ValueError:
        raise table.fault(f"{cell!r} is not a number", row) from None
    if not math.isfinite(value):
        raise table.fault(f"{cell!r} is no score", row, "leave empty what was not scored")
    return value + 0.0  # no "-0.0" for a flawless segment


# --- the segments --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Rows:
    """The segments of a folder, and which of its rows make up each document."""

    folder: Path
    segs: _Table
    documents: Mapping[str, Sequence[int]]

    @classmethod
    def of(cls, folder: Path) -> "_Rows":
        segs = _table(folder, "segs")
        named = all(column.startswith("ref:") and column != "ref:" for column in segs.header[3:])
        if list(segs.header[:3]) != _SEGS or not named:
            raise segs.fault("the columns should be domain, doc, src and then ref:NAME ...")
        if not segs.rows:
            raise segs.fault("there are no segments")
        documents: dict[str, list[int]] = {}
        for number, id in enumerate(_document_ids(segs)):
            documents.setdefault(id, []).append(number)
        return cls(folder, segs, documents)

    @property
    def references(self) -> tuple[str, ...]:
        return tuple(column.removeprefix("ref:") for column in self.segs.header[3:])

    def testset(self) -> tuple[Document, ...]:
        """The documents, in the order in which they begin."""
        return tuple(self._document(id, numbers) for id, numbers in self.documents.items())

    def _document(self, id: str, numbers: Sequence[int]) -> Document:
        rows = [self.segs.rows[number] for number in numbers]
        for number, row in zip(numbers, rows, strict=True):
            if row[0] != rows[0][0]:
                what = f"document {id!r} has domain {row[0]!r}, but began with {rows[0][0]!r}"
                raise self.segs.fault(what, number)
            if row[2] == _ABSENT:
                raise self.segs.fault("the source is absent", number)
        references = {
            name: _texts(row[column] for row in rows)
            for column, name in enumerate(self.references, 3)
        }
        return Document(id, tuple(row[2] for row in rows), references, rows[0][0] or None)

    def outputs(self) -> tuple[SystemOutput, ...]:
        """The systems' outputs, or none if there is no such table."""
        if _find(self.folder, "hyps") is None:
            return ()
        table = self._aligned(_table(self.folder, "hyps"))
        return tuple(
            SystemOutput(
                name,
                {
                    id: _texts(table.rows[number][column] for number in numbers)
                    for id, numbers in self.documents.items()
                },
            )
            for column, name in enumerate(table.header)
        )

    def columns(self, table: _Table) -> Iterator[tuple[str, Values]]:
        """The systems of a table of numbers, with their values in the order of the test set."""
        self._aligned(table)
        numbers = [number for rows in self.documents.values() for number in rows]
        for column, name in enumerate(table.header):
            yield name, [_number(table, number, table.rows[number][column]) for number in numbers]

    def places(self) -> Iterator[tuple[str, int]]:
        """Document and index of every segment, in the order of the test set."""
        for id, numbers in self.documents.items():
            yield from ((id, index) for index in range(len(numbers)))

    def _aligned(self, table: _Table) -> _Table:
        if len(table.rows) != len(self.segs.rows):
            rows = counted(len(table.rows), "row")
            what = f"has {rows}, {self.segs.path.name} has {len(self.segs.rows):,}"
            raise FormatError(what, path=table.path, remedy="it needs one row per segment")
        return table

    def check_documents(self, known: TestSet | Collection) -> TestSet:
        """The test set, once it is known to have the documents of this folder."""
        testset = known.testset if isinstance(known, Collection) else known
        lengths = [(document.id, len(document)) for document in testset.documents]
        if lengths != [(id, len(numbers)) for id, numbers in self.documents.items()]:
            raise MismatchError(
                f"{self.folder}: test set {testset.name!r} has other documents than this folder"
            )
        return testset


def _document_ids(segs: _Table) -> Iterator[str]:
    """The document of every row; a row that names none is a document of its own."""
    width = len(str(len(segs.rows)))
    prefix = "line-"
    while any(row[1].startswith(prefix) for row in segs.rows):
        prefix = f"_{prefix}"
    for number, row in enumerate(segs.rows, 1):
        yield row[1] or f"{prefix}{number:0{width}d}"


def _texts(cells: Iterable[str]) -> Segments:
    return tuple(None if cell == _ABSENT else cell for cell in cells)


FORMAT = TestSetFormat(
    name="wmt-tables",
    description="folder of segs, hyps, human.*, metric.* .tsv tables",
    recognises=recognises,
    read=read,
    judgements=StoredJudgements(kinds=judgement_kinds, read=read_judgements),
    read_metric_scores=read_metric_scores,
)
