"""Which differences between systems are real: intervals, paired tests and rank clusters.

The unit of resampling is the document, because the segments of a document depend on each other;
segments can be chosen instead, which is what sacrebleu does. Two systems are compared on the
segments that both have scores for.

Systems by block: the statistics behind scores, and what they say of systems and of pairs.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from isogloss.arrays import Floats, Mask
from isogloss.comparison.result import Blocks, Comparison, ComparisonSettings, PairTest, Standing
from isogloss.errors import InputError
from isogloss.formula import Formula
from isogloss.metrics import formula_of
from isogloss.resampling import bootstrap_weights, rank_clusters, weighted_sums
from isogloss.scores import MetricInfo, ScoreTable, SystemScore
from isogloss.verdicts import (
    Correction,
    Interval,
    Studentised,
    Swaps,
    bounded,
    corrected,
    jackknife_values,
    sacrebleu_p,
)

Pair = tuple[str, str]
Differences = Mapping[Pair, float]

_COLUMNS = 200  # that are resampled together: memory stays small with fifty systems


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """A system's statistics by unit (segments where known, else documents), and their blocks."""

    statistics: Floats  # units x k, zero where not scored
    scored: Mask
    block: NDArray[np.intp]  # the block that each unit belongs to

    @classmethod
    def of(cls, row: SystemScore, blocks: Blocks) -> "Units":
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
    def _of_segments(cls, by_document: Sequence[Floats], blocks: Blocks) -> "Units":
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


class Samples:
    """The systems on the units that they share: those with the same ones are looked at together."""

    def __init__(
        self, metric: Formula, settings: ComparisonSettings, units: Mapping[str, Units]
    ) -> None:
        self.metric, self.settings, self.units = metric, settings, units

    def intervals(self, systems: Sequence[str]) -> dict[str, Interval | None]:
        """The interval of each system's score, on all that it was scored on."""
        alike: dict[bytes, list[str]] = {}
        for system in systems:
            alike.setdefault(self.units[system].scored.tobytes(), []).append(system)
        found: dict[str, Interval | None] = {}
        for group in alike.values():
            found.update(self._sample(self.units[group[0]].scored, group).intervals())
        return found

    def tests(self, pairs: Sequence[Pair]) -> list[PairTest]:
        """The test of each pair, on what both were scored on."""
        alike: dict[bytes, list[Pair]] = {}
        for pair in pairs:
            alike.setdefault(self._shared(pair).tobytes(), []).append(pair)
        found: dict[Pair, PairTest] = {}
        for group in alike.values():
            systems = list(dict.fromkeys(system for pair in group for system in pair))
            sample = self._sample(self._shared(group[0]), systems)
            found.update(zip(group, sample.tests(group), strict=True))
        return [found[pair] for pair in pairs]

    def _shared(self, pair: Pair) -> Mask:
        return np.asarray(self.units[pair[0]].scored & self.units[pair[1]].scored)

    def _sample(self, counted: Mask, systems: Sequence[str]) -> "Sample":
        blocks = {system: self.units[system].by_block(counted) for system in systems}
        return Sample(self.metric, self.settings, blocks)


class Sample:
    """Some systems, all of them on the same blocks (statistics: blocks x k)."""

    def __init__(
        self, metric: Formula, settings: ComparisonSettings, statistics: Mapping[str, Floats]
    ) -> None:
        self.metric, self.settings, self.statistics = metric, settings, statistics
        self.count = len(next(iter(statistics.values())))

    @cached_property
    def scores(self) -> dict[str, float | None]:
        return {
            system: self.metric.score(rows.sum(axis=0)) if self.count else None
            for system, rows in self.statistics.items()
        }

    @cached_property
    def _jackknife(self) -> dict[str, Floats]:
        return {
            system: jackknife_values(rows, self.metric.score_rows)
            for system, rows in self.statistics.items()
        }

    def intervals(self) -> dict[str, Interval | None]:
        """Of each system's score."""
        known = {system: score for system, score in self.scores.items() if score is not None}
        columns = [self._jackknife[system] for system in known]
        resampled = self._resampled(columns, list(known.values()))
        return {
            system: bounded(score, each.reach, *self.metric.bounds)
            for (system, score), each in zip(known.items(), resampled, strict=True)
        }

    def tests(self, pairs: Sequence[Pair]) -> list[PairTest]:
        """Of some pairs of these systems."""
        differences = {pair: self._difference(*pair) for pair in pairs}
        known = {pair: d for pair, d in differences.items() if d is not None}
        columns = [self._jackknife[first] - self._jackknife[second] for first, second in known]
        resampled = dict(zip(known, self._resampled(columns, list(known.values())), strict=True))
        p_values = {pair: each.p for pair, each in resampled.items()}
        if self.settings.test == "randomisation":
            p_values = self._randomisation_p_values(known)
        elif self.settings.test == "sacrebleu":
            p_values = self._sacrebleu_p_values(known)
        return [
            PairTest(*pair, d, p_values[pair], self.count, bounded(d, resampled[pair].reach))
            if d is not None
            else PairTest(*pair, None, None, self.count)
            for pair, d in differences.items()
        ]

    def _difference(self, first: str, second: str) -> float | None:
        one, other = self.scores[first], self.scores[second]
        return None if one is None or other is None else one - other

    def _resampled(
        self, columns: Sequence[Floats], observed: Sequence[float]
    ) -> Iterator["_Resampled"]:
        """What the studentised bootstrap says of each column of jackknife values."""
        settings = self.settings
        for start in range(0, len(columns), _COLUMNS):
            part = np.stack(columns[start : start + _COLUMNS], axis=1)
            drawn = Studentised.of(part, settings.resamples, settings.seed)
            for column, value in enumerate(observed[start : start + _COLUMNS]):
                yield _Resampled(
                    drawn.half_width(column, settings.confidence), drawn.p(column, value)
                )

    def _randomisation_p_values(self, pairs: Differences) -> dict[Pair, float | None]:
        swaps = Swaps(self.count, self.settings.resamples, self.settings.seed)
        drawn = weighted_sums(swaps.weights(), list(self.statistics.values()))
        moved = dict(zip(self.statistics, drawn, strict=True))
        totals = {system: rows.sum(axis=0) for system, rows in self.statistics.items()}

        def mixed(stays: str, comes: str) -> Floats:
            return self.metric.score_rows(totals[stays] - moved[stays] + moved[comes])

        return {(a, b): swaps.p(mixed(a, b) - mixed(b, a), d) for (a, b), d in pairs.items()}

    def _sacrebleu_p_values(self, pairs: Differences) -> dict[Pair, float | None]:
        weights = bootstrap_weights(self.count, self.settings.resamples, self.settings.seed)
        drawn = weighted_sums(weights, list(self.statistics.values()))
        scores = {s: self.metric.score_rows(d) for s, d in zip(self.statistics, drawn, strict=True)}
        return {(a, b): sacrebleu_p(scores[a], scores[b], d) for (a, b), d in pairs.items()}


@dataclass(frozen=True, slots=True)
class _Resampled:
    """How far an interval reaches to both sides, and the p-value of no difference."""

    reach: float | None
    p: float | None


def compare(
    table: ScoreTable,
    metrics: Iterable[str] | None = None,
    settings: ComparisonSettings | None = None,
) -> tuple[Comparison, ...]:
    """Compare all pairs of systems under each metric of the table (or those named).

    Args:
        table: scores of two or more systems.
        metrics: the names of those that are looked at; all of them by default.
        settings: the test, its blocks, the correction for many pairs, and the level.

    Returns:
        For each metric where each system stands, with intervals and rank clusters, and the test of
        every pair. Every metric's pairs are corrected by themselves.

    Raises:
        InputError: the table has no such metric, or its statistics cannot be resampled.

    Example:
        >>> import isogloss
        >>> table = isogloss.evaluate(isogloss.load_sample("cs-en"), "chrf")
        >>> (comparison,) = isogloss.compare(table)
        >>> comparison.pair("steady", "tangled").corrected_p <= 0.05
        True
    """
    names = [metric.name for metric in table.metrics] if metrics is None else list(metrics)
    settings = settings or ComparisonSettings()
    return tuple(_comparison(table, table.metric(name), settings) for name in names)


def _comparison(table: ScoreTable, info: MetricInfo, settings: ComparisonSettings) -> Comparison:
    rows = _ranked(table.of_metric(info.name), info.higher_is_better)
    units = {row.system: Units.of(row, settings.blocks) for row in rows}
    samples = Samples(formula_of(table, info), settings, units)
    scored = [row.system for row in rows if row.score is not None]
    intervals = samples.intervals(scored)
    pairs = _corrected(samples.tests(list(combinations(scored, 2))), settings.correction)
    machines = [row.system for row in rows if not row.human and row.score is not None]
    clusters = _clusters(machines, pairs, info, settings.alpha)
    standings = tuple(
        Standing(
            row.system,
            row.score,
            intervals.get(row.system),
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


def _corrected(tests: Sequence[PairTest], correction: Correction | None) -> tuple[PairTest, ...]:
    p_values = [test.p for test in tests]
    adjusted = corrected(p_values, correction) if correction else p_values
    return tuple(replace(test, corrected_p=p) for test, p in zip(tests, adjusted, strict=True))


def _clusters(
    ranked: Sequence[str], pairs: Sequence[PairTest], metric: MetricInfo, alpha: float
) -> dict[str, int]:
    """The cluster of each machine system; people are never ranked among them."""
    tests = {(test.first, test.second): test for test in pairs}

    def beats(first: str, second: str) -> bool:
        test = tests[first, second]
        difference = test.difference or 0.0
        # On the segments both have, the better-ranked system may yet be the worse one.
        ahead = difference > 0 if metric.higher_is_better else difference < 0
        return ahead and test.is_real(alpha)

    return dict(zip(ranked, rank_clusters(ranked, beats), strict=True))
