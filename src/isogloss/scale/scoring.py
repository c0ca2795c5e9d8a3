"""What a worker does to some rows of a corpus: parse, score, choose, write.

Metrics and their models are loaded once in every worker. What comes back is the content of one
part of the output, ready to be put on disk, and what there is to say of it.
"""

import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Literal

import zstandard

from isogloss.documents import Document, TestSet, Translation
from isogloss.errors import FormatError, InputError, NotApplicableError
from isogloss.metrics import LanguageModelJudge, Metric, load_metric, prepared
from isogloss.runtime import Device, Runtime
from isogloss.scale.reading import pyarrow_parquet
from isogloss.scale.rows import Cells, ColumnRoles, RawRow, RowTexts, cells_of

PartFormat = Literal["jsonl", "jsonl.zst", "parquet"]
Scores = Mapping[str, float | None]


@dataclass(frozen=True, slots=True)
class Threshold:
    """A row is kept if its score is at least, or at most, so much; one without a score is not."""

    metric: str
    bound: float
    above: bool = True

    def keeps(self, scores: Scores) -> bool:
        """Whether the row with these scores may stay."""
        score = scores[self.metric]
        if score is None:
            return False
        return score >= self.bound if self.above else score <= self.bound

    def __str__(self) -> str:
        return f"{self.metric}{'>=' if self.above else '<='}{self.bound:g}"


@dataclass(frozen=True, slots=True)
class Tally:
    """What is known of one metric's scores of many rows."""

    scored: int = 0
    total: float = 0.0
    least: float = math.inf
    most: float = -math.inf
    counts: Mapping[float, int] = field(default_factory=dict)  # of scores, to three digits

    @property
    def mean(self) -> float | None:
        """`None` where nothing was scored."""
        return self.total / self.scored if self.scored else None

    def and_also(self, other: "Tally") -> "Tally":
        """Both together."""
        return Tally(
            self.scored + other.scored,
            self.total + other.total,
            min(self.least, other.least),
            max(self.most, other.most),
            dict(Counter(self.counts) + Counter(other.counts)),
        )

    @classmethod
    def of(cls, values: Sequence[float]) -> "Tally":
        """Of these scores."""
        if not values:
            return cls()
        counts = dict(Counter(float(f"{value:.3g}") for value in values))
        return cls(len(values), math.fsum(values), min(values), max(values), counts)

    def quantile(self, share: float) -> float | None:
        """The score, to three digits, that so many of the rows do not exceed."""
        wanted, found = share * sum(self.counts.values()), 0
        for value in sorted(self.counts):
            found += self.counts[value]
            if found >= wanted:
                return value
        return None


@dataclass(frozen=True, slots=True)
class Problem:
    """A row that could not be scored, and why."""

    path: str
    line: int
    why: str


@dataclass(frozen=True, slots=True)
class Part:
    """Some rows of the output, written down, and what there is to say of them."""

    data: bytes
    rows: int
    kept: int
    tallies: Mapping[str, Tally]
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True)
class ScoreRows:
    """Scores rows under some metrics, by their names, in one translation direction.

    `signatures` are those of the worker that was asked first: a machine that would compute other
    digits says so instead of mixing them in.
    """

    metrics: tuple[str, ...]
    source_language: str | None = None
    target_language: str | None = None
    columns: tuple[tuple[str, str], ...] = ()
    keep: tuple[Threshold, ...] = ()
    format: PartFormat = "jsonl"
    skip_bad_rows: bool = False
    device: Device = "cpu"
    signatures: tuple[str, ...] | None = None

    def __call__(self, rows: Sequence[RawRow]) -> Part:
        """A part of the output."""
        metrics = _loaded(self)
        roles = ColumnRoles(self.columns, needed(metrics))
        problems: list[Problem] = []
        read = list(self._read(rows, roles, problems))
        columns = {str(m.name): self._scores(m, [texts for _, texts in read]) for m in metrics}
        scored = [
            (cells, {name: column[n] for name, column in columns.items()})
            for n, (cells, _) in enumerate(read)
        ]
        kept = [{**cells, **own} for cells, own in scored if self._keeps(own)]
        tallies = {
            name: Tally.of([value for value in column if value is not None])
            for name, column in columns.items()
        }
        data = _WRITERS[self.format](kept, list(columns))
        return Part(data, len(rows), len(kept), tallies, tuple(problems))

    def _keeps(self, scores: Scores) -> bool:
        return all(threshold.keeps(scores) for threshold in self.keep)

    def _read(
        self, rows: Sequence[RawRow], roles: ColumnRoles, problems: list[Problem]
    ) -> Iterator[tuple[Cells, RowTexts]]:
        """The rows that can be read; of the others, problems."""
        for row in rows:
            try:
                cells = cells_of(row)
                self._refuse_overwriting(row, cells)
                texts = roles.texts(row, cells)
            except FormatError as error:
                if not self.skip_bad_rows:
                    raise
                problems.append(Problem(error.path, row.number, error.what))
                continue
            if row.poisonous:
                path = row.origin.shown
                problems.append(
                    Problem(path, row.number, "workers died of it, or hung; it has no score")
                )
                texts = RowTexts(None, None, dict.fromkeys(texts.references))
            yield cells, texts

    def _refuse_overwriting(self, row: RawRow, cells: Cells) -> None:
        for name in self.metrics:
            if name in cells:
                raise row.fault(f"there is a column {name!r} already", "rename it")

    def _scores(self, metric: Metric, rows: Sequence[RowTexts]) -> tuple[float | None, ...]:
        """The scores of rows, each as if it were alone."""
        if not rows:
            return ()
        names = dict.fromkeys(name for row in rows for name in row.references)
        references = {name: tuple(row.references.get(name) for row in rows) for name in names}
        document = Document("rows", tuple(row.source or "" for row in rows), references)
        outputs = tuple(row.output for row in rows)
        languages = self.source_language, self.target_language
        (found,) = metric.measure([Translation(document, "output", outputs, *languages)])
        if found.segment_scores is None:
            raise NotApplicableError(f"{metric.name} scores whole documents, not single rows")
        return found.segment_scores


@dataclass(frozen=True)
class Describe:
    """Says under which signatures a worker would score."""

    task: ScoreRows

    def __call__(self, items: Sequence[object]) -> tuple[str, ...]:  # noqa: ARG002
        """The signatures of all metrics, in their order."""
        return _signatures(self.task, _made(self.task))


def needed(metrics: Sequence[Metric]) -> tuple[str, ...]:
    """The columns that these metrics read."""
    source = ("source",) if any(metric.needs_source for metric in metrics) else ()
    reference = ("reference",) if any(metric.needs_references for metric in metrics) else ()
    return ("output", *source, *reference)


@lru_cache(maxsize=4)
def _made(task: ScoreRows) -> tuple[Metric, ...]:
    languages = task.source_language, task.target_language
    # What was scored is not kept: the cache would grow with a corpus that has no end.
    runtime = Runtime(task.device)
    metrics = tuple(prepared(load_metric(n, *languages), runtime) for n in task.metrics)
    for metric in metrics:
        _refuse_documents(metric)
    return metrics


def _refuse_documents(metric: Metric) -> None:
    context: Any = getattr(metric, "context", 0)
    judged = isinstance(metric, LanguageModelJudge)  # several segments in one question
    if metric.learns_from_system or context or judged:
        raise NotApplicableError(
            f"{metric.name} reads whole documents, and the rows of a corpus stand alone; "
            "'isogloss evaluate' scores documents"
        )


@lru_cache(maxsize=4)
def _loaded(task: ScoreRows) -> tuple[Metric, ...]:
    """The metrics, once it is known that this machine computes as the first one did."""
    metrics = _made(replace(task, signatures=None))
    if task.signatures is not None:
        for expected, found in zip(task.signatures, _signatures(task, metrics), strict=True):
            if expected != found:
                raise InputError(
                    f"a machine would score under another signature, {found}, than {expected}; "
                    "take machines of one kind"
                )
    return metrics


def _signatures(task: ScoreRows, metrics: Sequence[Metric]) -> tuple[str, ...]:
    document = Document("rows", ("",), {"ref": ("",)})
    testset = TestSet("rows", task.source_language, task.target_language, (document,))
    return tuple(str(metric.signature(testset)) for metric in metrics)


def _jsonl(rows: Sequence[Cells], scores: Sequence[str]) -> bytes:  # noqa: ARG001 - one of several
    lines = [json.dumps(row, ensure_ascii=False, default=str) + "\n" for row in rows]
    return "".join(lines).encode()


def _packed_jsonl(rows: Sequence[Cells], scores: Sequence[str]) -> bytes:
    return zstandard.ZstdCompressor(write_checksum=True).compress(_jsonl(rows, scores))


def _parquet(rows: Sequence[Cells], scores: Sequence[str]) -> bytes:
    """A Parquet file; columns without a value are texts, scores are numbers."""
    import pyarrow

    table = pyarrow.Table.from_pylist(list(rows))
    kinds: dict[str, Any] = {
        column.name: pyarrow.string() if pyarrow.types.is_null(column.type) else column.type
        for column in table.schema
    }
    kinds |= {name: pyarrow.float64() for name in scores}
    schema = pyarrow.schema(list(kinds.items()))
    sink = pyarrow.BufferOutputStream()
    pyarrow_parquet().write_table(pyarrow.Table.from_pylist(list(rows), schema=schema), sink)
    return bytes(sink.getvalue())


_WRITERS = {"jsonl": _jsonl, "jsonl.zst": _packed_jsonl, "parquet": _parquet}
