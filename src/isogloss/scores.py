"""Scores: what metrics found, at segment, document and system level.

A metric reports one `Measurement` per translated document: an additive vector of statistics, and
where it can, the same for each segment. A document's score is a function of its statistics, a
system's score the same function of their sum; resampling sums other documents. A `ScoreTable`
holds the scores of several metrics and systems with the signatures they were made under. `None`
is "not scored", never 0, and every aggregate says how many segments stand behind it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from isogloss.errors import InputError
from isogloss.frozen import FrozenMapping
from isogloss.spans import Evidence

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
    """One document's score under one metric, with the measurement behind it."""

    document: str
    score: float | None
    measurement: Measurement
    domain: str | None = None


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


@dataclass(frozen=True, slots=True)
class MetricInfo:
    """A metric as it was used: its name, its full signature and which way is better.

    `caution` is what a reader must know before ranking systems by it. `not_scored` says why a
    metric could not score the test set at all: its rows have no scores.
    """

    name: str
    signature: str
    higher_is_better: bool = True
    caution: str | None = field(default=None, compare=False)
    not_scored: str | None = None

    @property
    def notes(self) -> tuple[str, ...]:
        """The lines that belong below a table with this metric."""
        if self.not_scored is not None:
            return (f"{self.name}: not scored: {self.not_scored}",)
        caution = () if self.caution is None else (f"{self.name}: {self.caution}",)
        return (*caution, self.signature)


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


@dataclass(frozen=True)
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
