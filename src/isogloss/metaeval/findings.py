"""A task carried out: every statistic of it for every metric, with intervals, ranks and tests.

Intervals are over documents, because the segments of a document depend on each other. At
system level a metric's own score counts; where that is the mean of its segments, the interval
comes from leaving documents out, otherwise Pearson gets Fisher's and an accuracy none. Metrics are
compared by a permutation test where one fits the statistic, otherwise by a paired bootstrap.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import cast

import numpy as np

from isogloss.errors import InputError
from isogloss.metaeval.average import Average, Part, averages_of
from isogloss.metaeval.ceiling import CeilingSettings, NoiseCeiling, noise_ceiling
from isogloss.metaeval.correlation import CorrelationName
from isogloss.metaeval.intervals import (
    Interval,
    acc_eq_interval,
    fisher_interval,
    pairwise_accuracy_interval,
)
from isogloss.metaeval.left_out import Resampling
from isogloss.metaeval.matrix import MACRO, Value
from isogloss.metaeval.measured import interval_between, value_of
from isogloss.metaeval.permutation import Draws
from isogloss.metaeval.ranking import pairwise_accuracy
from isogloss.metaeval.significance import (
    Significance,
    bootstrap_significance,
    pair_permutation,
    pdp_permutation,
    perm_both,
)
from isogloss.metaeval.study import Matched, Study
from isogloss.metaeval.tasks import Statistic, Task
from isogloss.verdicts import Correction

ALL_TESTSETS = "all"
_SAME = 1e-6


@dataclass(frozen=True, slots=True)
class JudgingSettings:
    """How chance is estimated. `draws` = 0 makes no significance tests.

    `ceiling_splits` is how often the annotators are split in halves for the noise ceiling.
    """

    resamples: int = 10_000
    draws: int = 1000
    seed: int = 12345
    by_document: bool = True
    confidence: float = 0.95
    alpha: float = 0.05
    correction: Correction | None = None
    ceiling_splits: int = 0

    def __post_init__(self) -> None:
        if self.resamples < 1 or self.draws < 0 or self.ceiling_splits < 0:
            raise InputError("resamples must be at least 1, draws and splits at least 0")
        for name in ("confidence", "alpha"):
            if not 0 < getattr(self, name) < 1:
                raise InputError(f"{name} must lie between 0 and 1, not {getattr(self, name)}")


@dataclass(frozen=True, slots=True)
class StatisticFinding:
    """One metric under one statistic on one test set.

    `rank` is the metric's cluster among the others; `baseline`, of acc_eq, is what a metric that
    ties everything would get, and `epsilon` the calibrated threshold.
    """

    metric: str
    testset: str
    statistic: Statistic
    interval: Interval
    rank: int | None = None
    baseline: float | None = None
    epsilon: float | None = None

    @property
    def value(self) -> float | None:
        return self.interval.value.value


@dataclass(frozen=True, slots=True)
class Column:
    """One statistic on one test set, for all metrics; the tests where there are any.

    `ceiling` is how well one half of the annotators agrees with the other.
    """

    testset: str
    statistic: Statistic
    findings: tuple[StatisticFinding, ...]
    significance: Significance | None = None
    ceiling: NoiseCeiling | None = None

    def share_of_ceiling(
        self, finding: StatisticFinding, resampling: Resampling | None = None
    ) -> Interval | None:
        """How far a metric gets on the way from chance to where people agree with people.

        More than 1 is possible: metrics are measured by all annotators, halves of them by halves,
        which are noisier. `None` where people agree no better than chance, be it in the lowest
        splits only or at the low end of the interval: shares of next to nothing mean nothing.
        """
        if self.ceiling is None:
            return None
        chance = finding.baseline or _CHANCE.get(self.statistic.name, 0.0)
        return self.ceiling.share(finding.interval, chance, resampling)


_CHANCE = {"pairwise-accuracy": 0.5, "soft-pairwise-accuracy": 0.5}


@dataclass(frozen=True, slots=True)
class Judged:
    """The outcome of a task: its columns, and for each metric the weighted average of them."""

    task: Task
    settings: JudgingSettings
    columns: tuple[Column, ...]
    standing: Mapping[str, Average]
    notices: tuple[str, ...] = ()

    def share_of_ceiling(self, column: Column, finding: StatisticFinding) -> Interval | None:
        """How far a metric gets to where people agree, with an interval as all others have."""
        settings = self.settings
        return column.share_of_ceiling(finding, Resampling(settings.resamples, settings.seed))

    @property
    def averages(self) -> dict[str, float | None]:
        """The average of each metric; `None` if it lacks a value in any column."""
        return {name: average.value for name, average in self.standing.items()}

    @property
    def metrics(self) -> list[str]:
        """Best first by the average, then by the first column."""
        first = {finding.metric: finding.value for finding in self.columns[0].findings}

        def key(name: str) -> tuple[float, float]:
            average, value = self.standing[name].value, first.get(name)
            return (
                np.inf if average is None else -average,
                np.inf if value is None else -value,
            )

        return sorted(self.standing, key=key)


def judge(studies: Sequence[Study], task: Task, settings: JudgingSettings | None = None) -> Judged:
    """Carry out a task on one or several test sets."""
    if not studies:
        raise InputError("there is no test set to judge metrics on")
    settings, task = settings or JudgingSettings(), task.of_testsets(len(studies))
    columns = tuple(_columns(studies, task, settings))
    names = list(dict.fromkeys(name for study in studies for name in study.metrics))
    standing = averages_of(
        {name: _parts(name, columns) for name in names},
        Resampling(settings.resamples, settings.seed),
        settings.confidence,
        settings.alpha if settings.draws else None,
        settings.correction,
    )
    notices = (*(n for study in studies for n in study.notices()), *_outliers(studies, task))
    return Judged(task, settings, columns, standing, notices)


def _outliers(studies: Sequence[Study], task: Task) -> Iterator[str]:
    """Which systems are left out, where some are."""
    if any(statistic.without_outliers for statistic in task.statistics):
        for study in studies:
            every = study.at("system")
            kept = every.without_outliers().systems
            out = [name for name in every.systems if name not in kept]
            named = ", ".join(out) or "no system"
            yield f"{study.testset.name}: without outliers means without {named}"


def _columns(studies: Sequence[Study], task: Task, settings: JudgingSettings) -> Iterator[Column]:
    for statistic in task.statistics:
        if statistic.name == "pairwise-accuracy":
            yield _pooled_accuracy(studies, statistic, settings)
            continue
        for study in studies:
            yield _Judge(study, statistic, settings).column()


def _parts(metric: str, columns: Sequence[Column]) -> list[Part]:
    """The columns as the metric's average knows them."""
    nothing = Interval(Value(None, 0, reason="the metric has no scores here"), None, None)
    return [
        Part(
            None if column.testset == ALL_TESTSETS else column.testset,
            column.statistic,
            next((f.interval for f in column.findings if f.metric == metric), nothing),
        )
        for column in columns
    ]


class _Judge:
    """All metrics under one statistic on one test set."""

    def __init__(self, study: Study, statistic: Statistic, settings: JudgingSettings) -> None:
        self.study, self.statistic, self.settings = study, statistic, settings
        self.matched = _compared(study, statistic)

    def column(self) -> Column:
        findings = [self._finding(name, scores) for name, scores in self.matched.metrics.items()]
        significance = self._permutation_test() or _bootstrap_test(findings, self.settings)
        ceiling = _ceiling([self.study], self.statistic, self.settings)
        return _column(findings, significance, ceiling, self.settings)

    def _resampling(self, matched: Matched) -> Resampling:
        blocks = matched.blocks if self.settings.by_document else None
        return Resampling(self.settings.resamples, self.settings.seed, blocks)

    def _finding(self, name: str, scores: np.ndarray) -> StatisticFinding:
        baseline = epsilon = None
        if self.statistic.name == "acc-eq":
            found, interval = acc_eq_interval(
                self.matched.human,
                scores,
                self.statistic.grouping,
                resampling=self._resampling(self.matched),
                confidence=self.settings.confidence,
            )
            baseline, epsilon = found.all_tied.value, found.epsilon
        else:
            interval = self._interval(name, scores)
        testset = self.study.testset.name
        return StatisticFinding(name, testset, self.statistic, interval, None, baseline, epsilon)

    def _interval(self, name: str, scores: np.ndarray) -> Interval:
        if self.statistic.level == "system":
            return self._system_interval(name, scores)
        return interval_between(
            self.statistic,
            self.matched.human,
            scores,
            self._resampling(self.matched),
            self.settings.confidence,
        )

    def _system_interval(self, name: str, scores: np.ndarray) -> Interval:
        segments = self.study.at(self.study.judged_level).of_systems(self.matched.systems)
        confidence = self.settings.confidence
        if _are_means(segments.metrics[name], scores) and _are_means(
            segments.human, self.matched.human
        ):
            return interval_between(
                self.statistic,
                segments.human,
                segments.metrics[name],
                self._resampling(segments),
                confidence,
            )
        value = value_of(self.statistic, self.matched.human, scores)
        if self.statistic.name == "pearson":
            return fisher_interval(value, confidence)
        return Interval(value, None, None, 0, confidence)

    def _permutation_test(self) -> Significance | None:
        """The permutation test that fits the statistic, where there is one."""
        settings, matched = self.settings, self.matched
        untested = ("soft-pairwise-accuracy", "darr")
        too_few = len(matched.metrics) < 2
        if not settings.draws or too_few or self.statistic.level == "system":
            return None
        if self.statistic.name in untested or self.statistic.averaging != MACRO:
            return None
        blocks = matched.blocks if settings.by_document else None
        draws = Draws(settings.draws, settings.seed)
        metrics = matched.metrics
        grouping = self.statistic.grouping
        if self.statistic.name == "acc-eq":
            return pair_permutation(matched.human, metrics, grouping, blocks=blocks, draws=draws)
        if self.statistic.name == "pdp":
            return pdp_permutation(matched.human, metrics, blocks=blocks, draws=draws)
        name = cast(CorrelationName, self.statistic.name)
        return perm_both(matched.human, metrics, name, grouping, blocks=blocks, draws=draws)


def _compared(study: Study, statistic: Statistic) -> Matched:
    matched = study.at(statistic.level)
    if statistic.without_outliers:
        matched = matched.without_outliers()
    return matched if statistic.best is None else matched.best(statistic.best)


def _bootstrap_test(
    findings: Sequence[StatisticFinding], settings: JudgingSettings
) -> Significance | None:
    """Where no permutation test exists: the studentised bootstrap of the difference."""
    if not settings.draws:
        return None
    return bootstrap_significance(
        {finding.metric: finding.interval for finding in findings},
        Resampling(settings.resamples, settings.seed),
    )


def _column(
    findings: Sequence[StatisticFinding],
    significance: Significance | None,
    ceiling: NoiseCeiling | None,
    settings: JudgingSettings,
) -> Column:
    """The findings of one statistic with the ranks that the tests give them."""
    if significance and settings.correction:
        significance = significance.corrected(settings.correction)
    ranks = significance.ranks(settings.alpha) if significance else {}
    ranked = tuple(replace(finding, rank=ranks.get(finding.metric)) for finding in findings)
    return Column(ranked[0].testset, ranked[0].statistic, ranked, significance, ceiling)


def _ceiling(
    studies: Sequence[Study], statistic: Statistic, settings: JudgingSettings
) -> NoiseCeiling | None:
    """People against people on a single test set, if that was asked for."""
    if not settings.ceiling_splits or len(studies) > 1:
        return None
    systems = _compared(studies[0], statistic).systems
    return noise_ceiling(
        studies[0].ratings.of_systems(systems),
        partial(value_of, statistic),
        CeilingSettings(
            level="item" if statistic.level == "segment" else statistic.level,
            draws=settings.ceiling_splits,
            seed=settings.seed,
            by_document=settings.by_document,
            resamples=settings.resamples,
            confidence=settings.confidence,
            bounds=statistic.bounds,
        ),
        partial(interval_between, statistic),
    )


def _are_means(segments: np.ndarray, systems: np.ndarray) -> bool:
    """Whether the systems' scores are the means of their segments."""
    known = ~np.isnan(segments).all(axis=1)
    if not known.all():
        return False
    return bool(np.allclose(np.nanmean(segments, axis=1), systems[:, 0], rtol=0, atol=_SAME))


def _pooled_accuracy(
    studies: Sequence[Study], statistic: Statistic, settings: JudgingSettings
) -> Column:
    """Pairwise accuracy over all test sets that a metric has scores on."""
    testset = studies[0].testset.name if len(studies) == 1 else ALL_TESTSETS
    names = list(dict.fromkeys(name for study in studies for name in study.metrics))
    findings = []
    for name in names:
        having = [study for study in studies if name in study.metrics]
        levels = [_systems_and_segments(study, statistic) for study in having]
        interval = _accuracy_interval(name, levels, settings)
        findings.append(StatisticFinding(name, testset, statistic, interval))
    significance = _bootstrap_test(findings, settings)
    return _column(findings, significance, _ceiling(studies, statistic, settings), settings)


def _systems_and_segments(study: Study, statistic: Statistic) -> tuple[Matched, Matched]:
    systems = _compared(study, statistic)
    return systems, study.at(study.judged_level).of_systems(systems.systems)


def _accuracy_interval(
    name: str, levels: Sequence[tuple[Matched, Matched]], settings: JudgingSettings
) -> Interval:
    if all(
        _are_means(segments.metrics[name], systems.metrics[name])
        and _are_means(segments.human, systems.human)
        for systems, segments in levels
    ):
        return pairwise_accuracy_interval(
            [(segments.human, segments.metrics[name]) for _, segments in levels],
            resamplings=[
                Resampling(
                    settings.resamples,
                    settings.seed,
                    segments.blocks if settings.by_document else None,
                )
                for _, segments in levels
            ],
            confidence=settings.confidence,
        )
    value = pairwise_accuracy(*((systems.human, systems.metrics[name]) for systems, _ in levels))
    return Interval(value, None, None, 0, settings.confidence)
