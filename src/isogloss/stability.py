"""How many documents a score needs: scores of samples of ever more documents (Lei et al. 2024).

For each sample size, documents are drawn many times over, and the scores of the draws make a
band. Drawn without replacement, as in the paper's Figure 3, the band closes at the size of the
whole test set, where every sample is the same; drawn with replacement it shows how far scores of
so many documents scatter. Neither is an interval of the true score: that is for `compare`.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from isogloss.arrays import Floats
from isogloss.errors import InputError
from isogloss.formula import Formula
from isogloss.metrics import formula_of
from isogloss.resampling import percentile_interval, weighted_sums
from isogloss.scores import ScoreTable, SystemScore

_STEPS = 10
_CHUNK_CELLS = 8_000_000


@dataclass(frozen=True, slots=True)
class StabilitySettings:
    """How samples are drawn."""

    sizes: tuple[int, ...] | None = None
    draws: int = 1000
    seed: int = 12345
    confidence: float = 0.95
    replacement: bool = False

    def __post_init__(self) -> None:
        if self.draws < 1:
            raise InputError(f"at least one draw is needed, not {self.draws}")
        if not 0 < self.confidence < 1:
            raise InputError(f"confidence must lie between 0 and 1, not {self.confidence}")
        if self.sizes is not None and (not self.sizes or min(self.sizes) < 1):
            raise InputError("sample sizes must be 1 or more")


@dataclass(frozen=True, slots=True)
class Point:
    """The scores of samples of one size: their mean and band; `None` if none is defined."""

    size: int
    mean: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Curve:
    """One system under one metric: its score on all `documents`, and on samples of them."""

    metric: str
    system: str
    score: float | None
    documents: int
    points: tuple[Point, ...]

    def enough(self, width: float) -> int | None:
        """The smallest size from which on the band is at most that wide; `None` if none is."""
        size = None
        for point in reversed(self.points):
            if point.low is None or point.high is None or point.high - point.low > width:
                break
            size = point.size
        return size


def stability(
    table: ScoreTable,
    settings: StabilitySettings | None = None,
    *,
    metrics: Iterable[str] | None = None,
    systems: Iterable[str] | None = None,
) -> tuple[Curve, ...]:
    """A curve for each system under each metric of the table (or those named)."""
    settings = settings or StabilitySettings()
    names = [metric.name for metric in table.metrics] if metrics is None else list(metrics)
    wanted = table.systems if systems is None else tuple(systems)
    return tuple(
        _curve(formula_of(table, table.metric(name)), table[name, system], settings)
        for name in names
        for system in wanted
    )


def _curve(formula: Formula, row: SystemScore, settings: StabilitySettings) -> Curve:
    measured = [d.measurement for d in row.documents if d.measurement.scored]
    if not measured:
        return Curve(row.metric, row.system, row.score, 0, ())
    statistics = np.vstack([measurement.statistics for measurement in measured])
    points = []
    for size in _sizes(len(measured), settings):
        (sums,) = weighted_sums(_samples(len(measured), size, settings), [statistics])
        points.append(_point(size, formula.score_rows(sums), settings.confidence))
    return Curve(row.metric, row.system, row.score, len(measured), tuple(points))


def _sizes(documents: int, settings: StabilitySettings) -> Sequence[int]:
    if settings.sizes is None:
        steps = np.linspace(documents / _STEPS, documents, _STEPS)
        return sorted({max(1, round(float(step))) for step in steps})
    if max(settings.sizes) > documents and not settings.replacement:
        raise InputError(
            f"there are {documents} scored documents, fewer than {max(settings.sizes)}; "
            "ask for smaller samples, or draw with replacement"
        )
    return sorted(set(settings.sizes))


def _samples(documents: int, size: int, settings: StabilitySettings) -> Iterator[Floats]:
    """How often each document is in each sample, some samples at a time."""
    # A stream of its own for each size: no size changes with the others that are asked for.
    rng = np.random.default_rng([settings.seed, size])
    step = max(1, _CHUNK_CELLS // max(documents, size))
    for start in range(0, settings.draws, step):
        rows = min(step, settings.draws - start)
        weights = np.zeros((rows, documents))
        if settings.replacement:
            drawn = rng.integers(documents, size=(rows, size))
            np.add.at(weights, (np.arange(rows)[:, None], drawn), 1.0)
        else:
            order = rng.random((rows, documents)).argsort(axis=1)
            np.put_along_axis(weights, order[:, :size], 1.0, axis=1)
        yield weights


def _point(size: int, scores: Floats, confidence: float) -> Point:
    interval = percentile_interval(scores, confidence)
    if interval is None:
        return Point(size, None, None, None)
    return Point(size, float(scores[np.isfinite(scores)].mean()), *interval)
