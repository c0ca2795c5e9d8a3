"""Scores: what metrics found, at segment, document and system level.

A metric reports one `Measurement` per translated document: an additive vector of statistics, and
where it can, the same for each segment. A document's score is a function of its statistics, a
system's score the same function of their sum; resampling sums other documents. A `ScoreTable`
holds the scores of several metrics and systems with the signatures they were made under. `None`
is "not scored", never 0, and every aggregate says how many segments stand behind it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from importlib import import_module
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from isogloss.errors import InputError, MissingExtraError
from isogloss.formula import Formula
from isogloss.frozen import FrozenMapping
from isogloss.spans import Evidence
from isogloss.tables import decimals, html_table, text_table
from isogloss.wholes import Place

Statistics = NDArray[np.float64]


def _frozen_array(values: object, dimensions: int) -> Statistics:
    array = np.array(values, dtype=np.float64)
    if array.ndim != dimensions:
        raise InputError(f"statistics need {dimensions} dimension(s), not {array.ndim}")
    array.setflags(write=False)
    return array


@dataclass(frozen=True, slots=True, eq=False)
class Measurement:
    """What one metric found in one translated document.

    `statistics` is the additive vector of the document. `segment_statistics` (one row a segment,
    all-NaN where a segment was not scored) is `None` for a metric that sees documents only;
    where present its scored rows add up to `statistics`. `scored` of the `total` segments count.
    `remarks` tell in how many segments something happened that a reader of the score should know.
    """

    statistics: Statistics
    scored: int
    total: int
    segment_statistics: Statistics | None = None
    segment_scores: tuple[float | None, ...] | None = None
    evidence: tuple[Evidence, ...] = ()
    remarks: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "remarks", FrozenMapping(self.remarks))
        object.__setattr__(self, "statistics", _frozen_array(self.statistics, 1))
        if self.segment_statistics is not None:
            rows = _frozen_array(self.segment_statistics, 2)
            object.__setattr__(self, "segment_statistics", rows)
        for part in (self.segment_statistics, self.segment_scores):
            if part is not None and len(part) != self.total:
                raise InputError(f"{len(part)} segments measured, the document has {self.total}")
        if not 0 <= self.scored <= self.total:
            raise InputError(f"{self.scored} of {self.total} segments scored: impossible")

    @classmethod
    def of_segments(
        cls,
        rows: Statistics,
        scores: Iterable[float],
        evidence: Iterable[Evidence] = (),
        remarks: Mapping[str, int] | None = None,
    ) -> Self:
        """What was found segment by segment: the statistics and the score of each.

        A row of NaN is a segment that was not scored; the others add up to those of the document.
        """
        scored = ~np.isnan(rows[:, 0])
        return cls(
            statistics=rows[scored].sum(axis=0),
            scored=int(scored.sum()),
            total=len(rows),
            segment_statistics=rows,
            segment_scores=tuple(
                float(score) if there and not np.isnan(score) else None
                for score, there in zip(scores, scored, strict=True)
            ),
            evidence=tuple(evidence),
            remarks=remarks or {},
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Measurement):
            return NotImplemented
        plain = ("scored", "total", "segment_scores", "evidence", "remarks")
        arrays = ("statistics", "segment_statistics")
        return all(getattr(self, name) == getattr(other, name) for name in plain) and all(
            _same_array(getattr(self, name), getattr(other, name)) for name in arrays
        )

    __hash__ = None  # type: ignore[assignment]  # arrays inside: compare, do not hash


def _same_array(one: Statistics | None, other: Statistics | None) -> bool:
    if one is None or other is None:
        return one is other
    return np.array_equal(one, other, equal_nan=True)


def unmeasured(total: int) -> Measurement:
    """What a metric that cannot measure a document of so many segments says of it: nothing."""
    nothing = (None,) * total
    return Measurement(np.zeros(1), 0, total, np.full((total, 1), np.nan), nothing)


@dataclass(frozen=True, slots=True)
class DocumentScore:
    """One document's score under one metric, with the measurement behind it.

    Of a document that had to be cut, `handed_in` are the places of its segments in the text as it
    was handed in: a span at `start` of a segment stands at the segment's place plus `start` there.
    """

    document: str
    score: float | None
    measurement: Measurement
    domain: str | None = None
    handed_in: tuple[Place, ...] | None = None

    @property
    def segment_scores(self) -> tuple[float | None, ...]:
        """The scores of its segments; all absent where the metric sees documents only."""
        return self.measurement.segment_scores or (None,) * self.measurement.total


@dataclass(frozen=True, slots=True)
class SystemScore:
    """One system's score under one metric, with its documents."""

    metric: str
    system: str
    score: float | None
    documents: tuple[DocumentScore, ...]
    human: bool = False

    @property
    def scored(self) -> int:
        """How many segments stand behind the score."""
        return sum(document.measurement.scored for document in self.documents)

    @property
    def total(self) -> int:
        return sum(document.measurement.total for document in self.documents)


_ONLY_HERE = ("formula", "lacking")  # of a metric, and not in its file


@dataclass(frozen=True, slots=True)
class MetricInfo:
    """A metric as it was used: its name, its full signature and which way is better.

    `caution` is what a reader must know before ranking systems by it. `not_scored` says why a
    metric could not score the test set at all: its rows have no scores; `lacking` are the arguments
    that would have helped, as in `IsoglossError`. `formula` makes scores of
    statistics, for whoever resamples them; a score file does not hold it, and a metric that its
    signature names is asked instead.
    """

    name: str
    signature: str
    higher_is_better: bool = True
    caution: str | None = field(default=None, compare=False)
    not_scored: str | None = None
    formula: Formula | None = field(default=None, compare=False, repr=False)
    lacking: tuple[str, ...] = field(default=(), compare=False, repr=False)

    def record(self) -> dict[str, Any]:
        """What can be written down of it."""
        told = (part.name for part in fields(self) if part.name not in _ONLY_HERE)
        return {name: getattr(self, name) for name in told}

    @property
    def warnings(self) -> tuple[str, ...]:
        """What belongs below a table with this metric, whatever else does."""
        if self.not_scored is not None:
            return (f"{self.name}: not scored: {self.not_scored}",)
        return () if self.caution is None else (f"{self.name}: {self.caution}",)


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a table comes from: enough to know whether two tables may stand side by side."""

    testset: str
    source_language: str | None
    target_language: str | None
    references: tuple[str, ...]
    testset_digest: str
    created: str
    isogloss: str
    notices: tuple[str, ...] = ()

    def __str__(self) -> str:
        languages = f"{self.source_language or '?'} → {self.target_language or '?'}"
        return f"{self.testset}, {languages}"


Level = Literal["system", "document", "segment"]
_MOST_SYSTEMS, _MOST_METRICS = 15, 8  # that fit a screen


@dataclass(frozen=True, repr=False)
class ScoreTable:
    """Scores of metrics x systems on one test set."""

    provenance: Provenance
    metrics: tuple[MetricInfo, ...]
    rows: tuple[SystemScore, ...]

    def __post_init__(self) -> None:
        known = {metric.name for metric in self.metrics}
        seen: set[tuple[str, str]] = set()
        for row in self.rows:
            if row.metric not in known:
                raise InputError(f"scores of {row.metric!r}, but the table does not list it")
            if (row.metric, row.system) in seen:
                raise InputError(f"two scores of {row.system!r} under {row.metric!r}")
            seen.add((row.metric, row.system))
        self._check_same_documents()

    def _check_same_documents(self) -> None:
        """Every row covers the same documents in the same order, or pairing would lie."""
        for row in self.rows[1:]:
            first = self.rows[0]
            if [d.document for d in row.documents] != [d.document for d in first.documents]:
                raise InputError(
                    f"{row.system!r} under {row.metric!r} has other documents than "
                    f"{first.system!r} under {first.metric!r}"
                )

    @cached_property
    def _by_key(self) -> dict[tuple[str, str], SystemScore]:
        return {(row.metric, row.system): row for row in self.rows}

    @property
    def systems(self) -> tuple[str, ...]:
        """Every system, in the order of first appearance."""
        return tuple(dict.fromkeys(row.system for row in self.rows))

    @property
    def obstacles(self) -> tuple[str, ...]:
        """A line for each metric that could not score the test set: which, and why."""
        lacking = (metric for metric in self.metrics if metric.not_scored is not None)
        return tuple(f"{metric.name}: not scored: {metric.not_scored}" for metric in lacking)

    def metric(self, name: str) -> MetricInfo:
        """The metric of that name, as it was used."""
        for metric in self.metrics:
            if metric.name == name:
                return metric
        known = ", ".join(metric.name for metric in self.metrics)
        raise InputError(f"the table has no scores of {name!r}; it has: {known}")

    def of_metric(self, name: str) -> tuple[SystemScore, ...]:
        """All systems under one metric."""
        self.metric(name)
        return tuple(row for row in self.rows if row.metric == name)

    def __getitem__(self, key: tuple[str, str]) -> SystemScore:
        """``table["bleu", "system-a"]``"""
        try:
            return self._by_key[key]
        except KeyError:
            raise InputError(f"the table has no score of {key[1]!r} under {key[0]!r}") from None

    def records(self, level: Level = "system") -> list[dict[str, Any]]:
        """The scores of one level as plain rows, for any tool that takes such.

        Args:
            level: ``"system"``, ``"document"`` or ``"segment"``.

        Example:
            >>> import isogloss
            >>> table = isogloss.evaluate(isogloss.load_sample("cs-en"), "bleu")
            >>> table.records()[0]["system"]
            'steady'
        """
        if level not in _ROWS:
            raise InputError(f"there is no level {level!r}; there are: {', '.join(_ROWS)}")
        return [record for row in self.rows for record in _ROWS[level](row)]

    def to_pandas(self, level: Level = "system") -> Any:
        """The records of a level as a data frame of pandas."""
        return _package("pandas").DataFrame(self.records(level))

    def to_polars(self, level: Level = "system") -> Any:
        """The records of a level as a data frame of polars."""
        return _package("polars").DataFrame(self.records(level), infer_schema_length=None)

    def to_arrow(self, level: Level = "system") -> Any:
        """The records of a level as a table of Apache Arrow."""
        return _package("pyarrow").Table.from_pylist(self.records(level))

    def __repr__(self) -> str:
        heading = f"ScoreTable of {self.provenance}"
        return "\n".join([heading, *text_table(self._cells()), *self._beyond()])

    def _repr_html_(self) -> str:
        return html_table(str(self.provenance), self._cells(), *self._beyond())

    def _cells(self) -> list[list[str]]:
        """Systems x metrics as people read them: a heading, then the first systems."""
        metrics = [metric.name for metric in self.metrics[:_MOST_METRICS]]
        digits = {name: decimals(row.score for row in self.of_metric(name)) for name in metrics}
        lines = [["system", *metrics]]
        for system in self.systems[:_MOST_SYSTEMS]:
            scores = ((name, self[name, system].score) for name in metrics)
            lines.append([system, *("–" if s is None else f"{s:.{digits[n]}f}" for n, s in scores)])
        return lines

    def _beyond(self) -> tuple[str, ...]:
        """What the cells leave out, if anything."""
        counts = {
            "systems": len(self.systems) - _MOST_SYSTEMS,
            "metrics": len(self.metrics) - _MOST_METRICS,
        }
        more = [f"{number} more {noun}" for noun, number in counts.items() if number > 0]
        return (f"and {', '.join(more)}",) if more else ()

    def merged_with(self, other: "ScoreTable") -> "ScoreTable":
        """Both tables as one; they must come from the same test set."""
        if self.provenance.testset_digest != other.provenance.testset_digest:
            raise InputError(
                f"cannot put scores on {self.provenance.testset!r} and "
                f"{other.provenance.testset!r} together: the texts or references differ"
            )
        notices = dict.fromkeys(self.provenance.notices + other.provenance.notices)
        return replace(
            self,
            provenance=replace(self.provenance, notices=tuple(notices)),
            metrics=_distinct([*self.metrics, *other.metrics]),
            rows=self.rows + other.rows,
        )


def _system_record(row: SystemScore) -> Iterator[dict[str, Any]]:
    yield {
        "metric": row.metric,
        "system": row.system,
        "score": row.score,
        "human": row.human,
        "scored": row.scored,
        "total": row.total,
    }


def _document_records(row: SystemScore) -> Iterator[dict[str, Any]]:
    for document in row.documents:
        yield {
            "metric": row.metric,
            "system": row.system,
            "document": document.document,
            "score": document.score,
            "domain": document.domain,
            "scored": document.measurement.scored,
            "total": document.measurement.total,
        }


def _segment_records(row: SystemScore) -> Iterator[dict[str, Any]]:
    for document in row.documents:
        for segment, score in enumerate(document.segment_scores, start=1):
            yield {
                "metric": row.metric,
                "system": row.system,
                "document": document.document,
                "segment": segment,
                "score": score,
            }


_ROWS: Mapping[str, Callable[[SystemScore], Iterator[dict[str, Any]]]] = {
    "system": _system_record,
    "document": _document_records,
    "segment": _segment_records,
}


def _package(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise MissingExtraError(f"this needs {name}, which is not installed", "frames") from error


def _distinct(metrics: Iterable[MetricInfo]) -> tuple[MetricInfo, ...]:
    by_name: dict[str, MetricInfo] = {}
    for metric in metrics:
        known = by_name.setdefault(metric.name, metric)
        if known != metric:
            raise InputError(
                f"two different metrics are called {metric.name!r}: "
                f"{known.signature} and {metric.signature}"
            )
    return tuple(by_name.values())
