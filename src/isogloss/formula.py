"""How statistics become scores: what whoever resamples documents has to know of a metric."""

from typing import Protocol

import numpy as np

from isogloss.arrays import Floats

Bounds = tuple[float | None, float | None]


class Formula(Protocol):
    """Turns summed statistics into scores; every metric does."""

    @property
    def bounds(self) -> Bounds:
        """The lowest and the highest score there can be, where there are such."""

    def score(self, statistics: Floats) -> float | None:
        """The score of one vector; `None` where it is undefined."""

    def score_rows(self, statistics: Floats) -> Floats:
        """The scores of many vectors at once (n x k to n), NaN where undefined."""


class MeanFormula:
    """Of scores that are means, as stored and human ones are: statistics are (sum, count)."""

    bounds: Bounds = (None, None)

    def score(self, statistics: Floats) -> float | None:
        """The mean, if anything was counted."""
        total, count = statistics
        return float(total / count) if count else None

    def score_rows(self, statistics: Floats) -> Floats:
        """Row by row; NaN where nothing was counted."""
        total, count = statistics[:, 0], statistics[:, 1]
        return np.divide(total, count, out=np.full_like(total, np.nan), where=count != 0)


class BoundedMean(MeanFormula):
    """The same of scores that go no further than these bounds; intervals neither."""

    def __init__(self, bounds: Bounds) -> None:
        self.bounds = bounds
