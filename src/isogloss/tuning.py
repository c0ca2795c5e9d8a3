"""Hybrids trained on human judgements, and how good they are on documents not trained on.

The parts are brought to mean 0 and deviation 1, which needs no human score, and their weights are
those of the highest Pearson correlation with people (`metaeval.combination`). A correlation on the
training data flatters; the one that counts is that of held-out scores, where every document was
scored with weights trained on others. Intervals and tests are over whole documents.

Human scores of documents are means of segments weighted by length, as in Gong & Zhou (2015).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import numpy as np

from isogloss.arrays import Floats, Integers
from isogloss.errors import InputError
from isogloss.metaeval import (
    CorrelationName,
    Grouping,
    HeldOut,
    Interval,
    Matched,
    Moments,
    Observations,
    Resampling,
    Study,
    best_weights,
    correlation_interval,
    held_out,
)
from isogloss.metrics import Hybrid, PartWeights, load_metric
from isogloss.verdicts import Studentised, bounded

Level = Literal["segment", "document"]
STATISTICS: tuple[CorrelationName, ...] = ("pearson", "tau-b")
EQUAL, IN_SAMPLE, HELD_OUT = "equal weights", "in sample", "held out"

_DIGITS = 4  # significant ones: the numbers stand in the metric's name
_CURVE_POINTS = 101
_NOISE = 1e-12


@dataclass(frozen=True, slots=True)
class TuneSettings:
    """How weights are trained and judged.

    `grouping` says which scores are compared with each other, in training and in judging;
    `signed` lets weights be negative. `repeats` is how often the `folds` of the cross-validation
    are drawn: a document's held-out score is the mean over them.
    """

    level: Level = "document"
    grouping: Grouping = "none"
    signed: bool = False
    folds: int = 10
    repeats: int = 10
    resamples: int = 10_000
    seed: int = 12345
    confidence: float = 0.95

    def __post_init__(self) -> None:
        if self.resamples < 1:
            raise InputError(f"at least one resample is needed, not {self.resamples}")
        if not 0 < self.confidence < 1:
            raise InputError(f"confidence must lie between 0 and 1, not {self.confidence}")


@dataclass(frozen=True, slots=True)
class TunedAgreement:
    """How well one set of scores agrees with people, by statistic."""

    name: str
    intervals: Mapping[CorrelationName, Interval]


@dataclass(frozen=True, slots=True)
class Gain:
    """How far a hybrid is ahead of one of its parts.

    `p` is one-sided: how likely chance puts it as far ahead. All are `None` where nothing can be
    said.
    """

    over: str
    statistic: CorrelationName
    difference: float | None
    low: float | None = None
    high: float | None = None
    p: float | None = None

    @classmethod
    def between(
        cls,
        over: str,
        statistic: CorrelationName,
        hybrid: Interval,
        part: Interval,
        settings: TuneSettings,
    ) -> "Gain":
        """From both on the same documents."""
        if hybrid.jackknife is None or part.jackknife is None:
            return cls(over, statistic, None)
        difference = (hybrid.value.value or 0.0) - (part.value.value or 0.0)
        return cls.of(over, statistic, difference, hybrid.jackknife - part.jackknife, settings)

    @classmethod
    def of(
        cls,
        over: str,
        statistic: CorrelationName,
        difference: float,
        jackknife: Floats,
        settings: TuneSettings,
    ) -> "Gain":
        """From a difference and its jackknife values."""
        # A hybrid of one part alone is that part, give or take the last bits.
        difference = difference if abs(difference) > _NOISE else 0.0
        drawn = Studentised.of(jackknife[:, None], settings.resamples, settings.seed)
        between = bounded(difference, drawn.half_width(0, settings.confidence), -2.0, 2.0)
        low, high = between or (None, None)
        return cls(over, statistic, difference, low, high, drawn.one_sided_p(0, difference))


@dataclass(frozen=True, slots=True, eq=False)
class Tuned:
    """A trained hybrid: its numbers, what they are worth, and (of two parts) the way to them.

    `agreements` are those of each part, of equal weights, of the trained weights on the training
    data, and held out. `curve` has a row (alpha, Pearson) for every step of alpha.
    """

    parts: tuple[PartWeights, ...]
    settings: TuneSettings
    cells: int
    documents: int
    agreements: tuple[TunedAgreement, ...]
    gains: tuple[Gain, ...]
    held_out: HeldOut
    curve: Floats | None = None

    def agreement(self, name: str) -> TunedAgreement:
        """That of a part, or of ``EQUAL``, ``IN_SAMPLE`` or ``HELD_OUT``."""
        return next(agreement for agreement in self.agreements if agreement.name == name)

    def hybrid(self, source_language: str | None, target_language: str | None) -> Hybrid:
        """The metric, ready to measure."""
        return Hybrid.of(
            self.parts,
            partial(load_metric, source_language=source_language, target_language=target_language),
        )


def tune(
    study: Study,
    metrics: Sequence[str] | None = None,
    settings: TuneSettings | None = None,
    *,
    by_length: bool = True,
) -> Tuned:
    """Train the hybrid of the metrics of a study, or of those named.

    `by_length` weights segments by their length in people's scores of documents. How a metric
    scores a document is the study's choice.
    """
    settings = settings or TuneSettings()
    names = tuple(study.metrics if metrics is None else metrics)
    matched = at_level(study, settings.level, by_length)
    observed = _observed(matched, names)
    means, deviations = (_short(numbers) for numbers in _scales(observed, names))
    # The numbers are shortened before training, so that what is judged is what is saved.
    normalised = observed.normalised(means, deviations)
    return _Training(normalised, names, matched.blocks, settings).tuned(
        _own_units(study, names, means), deviations
    )


def agreement_interval(
    statistic: CorrelationName,
    human: Floats,
    scores: Floats,
    blocks: Integers,
    settings: TuneSettings,
) -> Interval:
    """How well scores agree with people, as the settings compare and resample them."""
    return correlation_interval(
        statistic,
        human,
        scores,
        settings.grouping,
        resampling=Resampling(settings.resamples, settings.seed, blocks),
        confidence=settings.confidence,
    )


def at_level(study: Study, level: Level = "document", by_length: bool = True) -> Matched:
    """What is trained on: metrics as the study has them, people's documents weighted by length."""
    matched = study.at(level)
    if level == "document" and by_length:
        weighted = replace(study, documents="weighted").at("document")
        return replace(matched, human=weighted.human)
    return matched


def _observed(matched: Matched, names: Sequence[str]) -> Observations:
    if len(names) < 2:
        raise InputError("a hybrid needs at least two metrics")
    for name in names:
        if name not in matched.metrics:
            known = ", ".join(matched.metrics)
            raise InputError(f"there are no scores of {name!r}; there are: {known}")
        if np.isnan(matched.metrics[name]).all():
            raise InputError(
                f"{name} has no scores of {matched.level}s; one that sees whole documents only "
                "can be tuned on them, with its own document scores"
            )
    return Observations.of(matched.human, [matched.metrics[name] for name in names])


def _scales(observed: Observations, names: Sequence[str]) -> tuple[Floats, Floats]:
    means, deviations = observed.scales()
    for name, deviation in zip(names, deviations, strict=True):
        if not deviation > 0:
            raise InputError(f"{name} gives the same score everywhere; it has nothing to add")
    return means, deviations


def _own_units(study: Study, names: Sequence[str], means: Floats) -> Floats:
    """The means as the metrics give them: a study has turned those of error rates."""
    signs = [1.0 if study.higher_is_better[name] else -1.0 for name in names]
    return means * signs


def _short(numbers: Floats) -> Floats:
    return np.array([float(f"{number:.{_DIGITS}g}") for number in numbers])


@dataclass(frozen=True, slots=True, eq=False)
class _Training:
    """Normalised parts, and all that is made of them."""

    observed: Observations
    names: tuple[str, ...]
    blocks: Integers
    settings: TuneSettings

    def tuned(self, means: Floats, deviations: Floats) -> Tuned:
        weights = self._shortened(self._train(self.observed))
        unseen = held_out(
            self.observed,
            self.blocks,
            self._train,
            folds=self.settings.folds,
            repeats=self.settings.repeats,
            seed=self.settings.seed,
        )
        judged = self._judged(weights, unseen)
        numbers = zip(self.names, weights, means, deviations, strict=True)
        there = ~np.isnan(self.observed.human)
        return Tuned(
            tuple(PartWeights(name, *map(float, rest)) for name, *rest in numbers),
            self.settings,
            cells=int(there.sum()),
            documents=len(np.unique(self.blocks[there.any(axis=0)])),
            agreements=tuple(TunedAgreement(name, found) for name, found in judged.items()),
            gains=tuple(
                Gain.between(name, s, judged[HELD_OUT][s], judged[name][s], self.settings)
                for s in STATISTICS
                for name in self.names
            ),
            held_out=unseen,
            curve=self._curve() if len(self.names) == 2 else None,
        )

    def _train(self, observed: Observations) -> Floats:
        moments = Moments.of(observed, self.settings.grouping)
        return best_weights(moments, signed=self.settings.signed)

    def _shortened(self, weights: Floats) -> Floats:
        short = _short(weights)
        if len(short) == 2 and not self.settings.signed:
            return np.array([short[0], 1 - short[0]])  # exactly alpha and 1 - alpha
        return short

    def _judged(
        self, weights: Floats, unseen: HeldOut
    ) -> dict[str, dict[CorrelationName, Interval]]:
        """The agreement of each part, and of the hybrid with weights from several sources."""
        equal = np.full(len(self.names), 1 / len(self.names))
        scores = {
            **dict(zip(self.names, self.observed.parts, strict=True)),
            EQUAL: self.observed.combined(equal),
            IN_SAMPLE: self.observed.combined(weights),
            HELD_OUT: unseen.scores,
        }
        return {
            name: {s: self._interval(s, matrix) for s in STATISTICS}
            for name, matrix in scores.items()
        }

    def _interval(self, statistic: CorrelationName, scores: Floats) -> Interval:
        return agreement_interval(
            statistic, self.observed.human, scores, self.blocks, self.settings
        )

    def _curve(self) -> Floats:
        moments = Moments.of(self.observed, self.settings.grouping)
        alphas = np.linspace(0, 1, _CURVE_POINTS)
        heights = [moments.correlation(np.array([alpha, 1 - alpha])) for alpha in alphas]
        return np.column_stack([alphas, heights])
