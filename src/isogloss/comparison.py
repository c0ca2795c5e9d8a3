"""Which differences between systems are real: intervals, paired tests and rank clusters.

The unit of resampling is the document, because the segments of a document depend on each other;
segments can be chosen instead, which is what sacrebleu does. Two systems are compared on the
segments that both have scores for.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from isogloss.errors import InputError
from isogloss.metrics.protocol import Floats
from isogloss.metrics.registry import from_signature
from isogloss.resampling import (
    bootstrap_p,
    bootstrap_weights,
    percentile_interval,
    randomisation_p,
    rank_clusters,
    swap_weights,
    weighted_sums,
)
from isogloss.scores import MetricInfo, ScoreTable, SystemScore

Test = Literal["bootstrap", "randomisation"]
Blocks = Literal["documents", "segments"]
Mask = NDArray[np.bool_]
Draw = Callable[[int, int, int], Iterator[Floats]]


@dataclass(frozen=True, slots=True)
class Settings:
    """How the comparison is made; all of it changes the numbers, if only in the last digits."""

    test: Test = "bootstrap"
    blocks: Blocks = "documents"
    resamples: int = 1000
    seed: int = 12345
    confidence: float = 0.95
    alpha: float = 0.05

    def __post_init__(self) -> None:
        if self.resamples < 1:
            raise InputError(f"at least one resample is needed, not {self.resamples}")
        for name in ("confidence", "alpha"):
            if not 0 < getattr(self, name) < 1:
                raise InputError(f"{name} must lie between 0 and 1, not {getattr(self, name)}")

    def __str__(self) -> str:
        what = "paired bootstrap" if self.test == "bootstrap" else "approximate randomisation"
        return f"{what}, {self.resamples:,} resamples over {self.blocks}, seed {self.seed}"


@dataclass(frozen=True, slots=True)
class Standing:
    """Where one system stands under one metric."""

    system: str
    score: float | None
    interval: tuple[float, float] | None
    cluster: int | None
    scored: int
    total: int
    human: bool = False


@dataclass(frozen=True, slots=True)
class PairTest:
    """One system against another, on the `blocks` that both were scored on.

    `difference` is first minus second. `p` is `None` where nothing can be said (no common block,
    or a score that is undefined).
    """

    first: str
    second: str
    difference: float | None
    p: float | None
    blocks: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """All systems under one metric, best first, and every pair of them."""

    metric: MetricInfo
    settings: Settings
    standings: tuple[Standing, ...]
    pairs: tuple[PairTest, ...]

    def pair(self, first: str, second: str) -> PairTest:
        """The test of two systems, in either order; the difference is as stored."""
        for test in self.pairs:
            if {test.first, test.second} == {first, second}:
                return test
        raise InputError(f"{first!r} and {second!r} were not compared")


class Formula(Protocol):
    """Turns summed statistics into scores; every metric does."""

    def score(self, statistics: Floats) -> float | None:
        """The score of one vector; `None` where it is undefined."""

    def score_rows(self, statistics: Floats) -> Floats:
        """The scores of many vectors at once (n x k to n), NaN where undefined."""


class MeanFormula:
    """Of scores that are means, as stored and human ones are: statistics are (sum, count)."""

    def score(self, statistics: Floats) -> float | None:
        """The mean, if anything was counted."""
        total, count = statistics
        return float(total / count) if count else None

    def score_rows(self, statistics: Floats) -> Floats:
        """Row by row; NaN where nothing was counted."""
        total, count = statistics[:, 0], statistics[:, 1]
        return np.divide(total, count, out=np.full_like(total, np.nan), where=count != 0)


def compare(
    table: ScoreTable,
    metrics: Iterable[str] | None = None,
    settings: Settings | None = None,
    formula: Formula | None = None,
) -> tuple[Comparison, ...]:
    """Compare all pairs of systems under each metric of the table (or those named).

    A metric's signature says how its statistics become a score; `formula` does so for scores that
    no metric of isogloss made.
    """
    names = [metric.name for metric in table.metrics] if metrics is None else list(metrics)
    settings = settings or Settings()
    return tuple(_comparison(table, table.metric(name), settings, formula) for name in names)


def _comparison(
    table: ScoreTable, info: MetricInfo, settings: Settings, formula: Formula | None
) -> Comparison:
    metric = formula or from_signature(info.signature)
    rows = _ranked(table.of_metric(info.name), info.higher_is_better)
    units = {row.system: _Units.of(row, settings.blocks) for row in rows}
    resampled = _Resampling(metric, settings, units)
    machines = [row.system for row in rows if not row.human and row.score is not None]
    pairs = tuple(
        resampled.test(first.system, second.system)
        for first, second in combinations(rows, 2)
        if first.score is not None and second.score is not None
    )
    clusters = _clusters(machines, pairs, info, settings.alpha)
    standings = tuple(
        Standing(
            row.system,
            row.score,
            resampled.interval(row.system) if row.score is not None else None,
            clusters.get(row.system),
            row.scored,
            row.total,
            row.human,
        )
        for row in rows
    )
    return Comparison(info, settings, standings, pairs)


def _ranked(rows: Sequence[SystemScore], higher_is_better: bool) -> list[SystemScore]:
    """Best first, unscored systems last; ties keep the order of the table."""
    sign = -1.0 if higher_is_better else 1.0
    return sorted(rows, key=lambda row: float("inf") if row.score is None else sign * row.score)


def _clusters(
    ranked: Sequence[str], pairs: Sequence[PairTest], metric: MetricInfo, alpha: float
) -> dict[str, int]:
    """The cluster of each machine system; people are never ranked among them."""
    tests = {(test.first, test.second): test for test in pairs}

    def beats(first: str, second: str) -> bool:
        test = tests[first, second]
        if test.p is None or test.difference is None:
            return False
        # On the segments both have, the better-ranked system may yet be the worse one.
        ahead = test.difference > 0 if metric.higher_is_better else test.difference < 0
        return ahead and test.p <= alpha

    return dict(zip(ranked, rank_clusters(ranked, beats), strict=True))


@dataclass(frozen=True, slots=True, eq=False)
class _Units:
    """A system's statistics by unit (segments where known, else documents), and their blocks."""

    statistics: Floats  # units x k, zero where not scored
    scored: Mask
    block: NDArray[np.intp]  # the block that each unit belongs to

    @classmethod
    def of(cls, row: SystemScore, blocks: Blocks) -> "_Units":
        by_segment = [document.measurement.segment_statistics for document in row.documents]
        known = [rows for rows in by_segment if rows is not None]
        if len(known) == len(by_segment):
            return cls._of_segments(known, blocks)
        if blocks == "segments":
            raise InputError(
                f"{row.metric} has no statistics of single segments; compare by documents"
            )
        measurements = [document.measurement for document in row.documents]
        return cls(
            np.vstack([measurement.statistics for measurement in measurements]),
            np.array([measurement.scored > 0 for measurement in measurements]),
            np.arange(len(measurements)),
        )

    @classmethod
    def _of_segments(cls, by_document: Sequence[Floats], blocks: Blocks) -> "_Units":
        statistics = np.vstack(by_document)
        scored = np.asarray(~np.isnan(statistics).any(axis=1))
        lengths = [len(rows) for rows in by_document]
        block = (
            np.repeat(np.arange(len(lengths)), lengths)
            if blocks == "documents"
            else np.arange(len(statistics))
        )
        return cls(np.where(scored[:, None], statistics, 0.0), scored, block)

    def by_block(self, counted: Mask) -> Floats:
        """The summed statistics of each block that has a counted unit."""
        present, position = np.unique(self.block[counted], return_inverse=True)
        sums = np.zeros((len(present), self.statistics.shape[1]))
        np.add.at(sums, position, self.statistics[counted])
        return sums


class _Resampling:
    """Resampled sums of the systems' statistics, each computed once for all pairs.

    Systems that were scored on the same units (usually all of them) share one matrix product.
    """

    def __init__(self, metric: Formula, settings: Settings, units: Mapping[str, _Units]) -> None:
        self.metric, self.settings, self.units = metric, settings, units
        self._sums: dict[tuple[Draw, bytes], dict[str, Floats]] = {}
        self._scores: dict[tuple[bytes, str], Floats] = {}

    def interval(self, system: str) -> tuple[float, float] | None:
        scores = self._bootstrap_scores(system, self.units[system].scored)
        return percentile_interval(scores, self.settings.confidence)

    def test(self, first: str, second: str) -> PairTest:
        both = self.units[first].scored & self.units[second].scored
        observed = [self._observed(system, both) for system in (first, second)]
        blocks = len(np.unique(self.units[first].block[both]))
        if observed[0] is None or observed[1] is None:
            return PairTest(first, second, None, None, blocks)
        difference = observed[0] - observed[1]
        if self.settings.test == "bootstrap":
            one, other = (self._bootstrap_scores(system, both) for system in (first, second))
            p = bootstrap_p(one, other, difference)
        else:
            p = randomisation_p(*self._mixed_scores(first, second, both), difference)
        return PairTest(first, second, difference, p, blocks)

    def _observed(self, system: str, counted: Mask) -> float | None:
        if not counted.any():
            return None
        return self.metric.score(self.units[system].statistics[counted].sum(axis=0))

    def _bootstrap_scores(self, system: str, counted: Mask) -> Floats:
        key = counted.tobytes(), system
        if key not in self._scores:
            sums = self._drawn(bootstrap_weights, system, counted)
            self._scores[key] = self.metric.score_rows(sums)
        return self._scores[key]

    def _mixed_scores(self, first: str, second: str, counted: Mask) -> tuple[Floats, Floats]:
        """The scores of both systems after each trial has swapped its blocks."""
        gives, takes = (self._drawn(swap_weights, system, counted) for system in (first, second))
        totals = [self.units[s].statistics[counted].sum(axis=0) for s in (first, second)]
        return (
            self.metric.score_rows(totals[0] - gives + takes),
            self.metric.score_rows(totals[1] - takes + gives),
        )

    def _drawn(self, draw: Draw, system: str, counted: Mask) -> Floats:
        """The system's statistics summed over the blocks of each resample."""
        known = self._sums.setdefault((draw, counted.tobytes()), {})
        if system not in known:
            alike = [name for name, u in self.units.items() if np.array_equal(u.scored, counted)]
            wanted = alike if system in alike else [system]
            matrices = [self.units[name].by_block(counted) for name in wanted]
            weights = draw(len(matrices[0]), self.settings.resamples, self.settings.seed)
            known.update(zip(wanted, weighted_sums(weights, matrices), strict=True))
        return known[system]
