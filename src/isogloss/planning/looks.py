"""Interim looks: the p-values at which a campaign may stop early, so that it errs no more often.

Who tests at every look at 5 % calls chance real in far more than 5 % of campaigns. A spending
function (Lan & DeMets 1983) says how much of the level may be used up by the time a share of the
documents is judged; the limit of each look follows from the joint distribution of the test at all
looks before it, by recursive numerical integration (Armitage, McPherson & Rowe 1969).

* `obrien-fleming` spends next to nothing at first: early stops are for large differences only, and
  the last look is tested almost as if there had been no other;
* `pocock` spends evenly: it stops earlier, and the last look is stricter.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.optimize import brentq
from scipy.stats import norm

from isogloss.arrays import Floats
from isogloss.errors import InputError

Spending = Literal["obrien-fleming", "pocock"]

_POINTS = 801  # of the grid on which the distribution is carried from look to look
_FARTHEST = 9.0  # deviations: beyond, nothing is left that doubles can hold


def _obrien_fleming(share: float, level: float) -> float:
    return float(4 * norm.sf(norm.isf(level / 4) / np.sqrt(share)))


def _pocock(share: float, level: float) -> float:
    return float(level * np.log1p((np.e - 1) * share))


_FUNCTIONS: dict[Spending, Callable[[float, float], float]] = {
    "obrien-fleming": _obrien_fleming,
    "pocock": _pocock,
}


@dataclass(frozen=True, slots=True)
class Looks:
    """When is looked, in shares of all documents (the last is 1), and how the level is spent."""

    shares: tuple[float, ...]
    spending: Spending = "obrien-fleming"

    def __post_init__(self) -> None:
        object.__setattr__(self, "shares", tuple(self.shares))
        rising = all(a < b for a, b in zip((0.0, *self.shares), self.shares, strict=False))
        if not self.shares or not rising or not np.isclose(self.shares[-1], 1.0):
            raise InputError("looks are shares of the documents that rise to 1, as 0.5, 1")
        if self.spending not in _FUNCTIONS:
            raise InputError(
                f"there is no spending {self.spending!r}; there are: {', '.join(_FUNCTIONS)}"
            )

    @classmethod
    def even(cls, number: int, spending: Spending = "obrien-fleming") -> "Looks":
        """So many looks at even distances."""
        if not 1 <= number <= 20:
            raise InputError(f"{number} looks: there may be 1 to 20")
        return cls(tuple((i + 1) / number for i in range(number)), spending)

    def of_level(self, level: float) -> tuple[float, ...]:
        """The p-value at which each look is significant, two-sided, so that all spend `level`."""
        spent = [_FUNCTIONS[self.spending](min(share, 1.0), level) for share in self.shares]
        limits = _limits(np.array(self.shares), np.diff([0.0, *spent]))
        return tuple(float(2 * norm.sf(limit)) for limit in limits)

    def crossing(self, distance: float, level: float) -> tuple[float, ...]:
        """The chance to stop at each look where the true distance at the end is so many errors."""
        limits = norm.isf(np.array(self.of_level(level)) / 2)
        return tuple(_crossings(np.array(self.shares), limits, distance))


# --- the sums of a random walk that has not yet left its limits ----------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Walk:
    """Where the sum (of variance `share`) stands at a look, of all that went on: a density."""

    places: Floats
    mass: Floats  # density times the weight of the place in the integral
    share: float

    def outside(self, share: float, limit: float, drift: float) -> float:
        """How likely it goes on from here beyond the limit (in deviations) of the next look."""
        step, end = np.sqrt(share - self.share), limit * np.sqrt(share)
        moved = self.places + drift * (share - self.share)
        return float(self.mass @ (norm.sf((end - moved) / step) + norm.cdf((-end - moved) / step)))

    def inside(self, share: float, limit: float, drift: float) -> "_Walk":
        """The walk at the next look, without what left the limits there."""
        step, end = np.sqrt(share - self.share), limit * np.sqrt(share)
        end = min(end, _FARTHEST * np.sqrt(share) + abs(drift) * share)
        places = np.linspace(-end, end, _POINTS)
        moved = self.places + drift * (share - self.share)
        density = norm.pdf((places[:, None] - moved) / step) @ self.mass / step
        return _Walk(places, density * _simpson(places), share)


_START = _Walk(np.zeros(1), np.ones(1), 0.0)


def _simpson(places: Floats) -> Floats:
    weights = np.full(len(places), 2.0)
    weights[1::2] = 4.0
    weights[[0, -1]] = 1.0
    return np.asarray(weights * (places[1] - places[0]) / 3)


def _limits(shares: Floats, spent: Floats) -> list[float]:
    """The limits in deviations at which each look spends its part of the level."""
    walk, limits = _START, []
    for share, part in zip(shares, spent, strict=True):
        limit = _FARTHEST
        if walk.outside(share, _FARTHEST, 0.0) < part:
            limit = float(brentq(_excess(walk, share, part), 0.0, _FARTHEST, xtol=1e-10))
        limits.append(limit)
        walk = walk.inside(share, limit, 0.0)
    return limits


def _excess(walk: _Walk, share: float, part: float) -> Callable[[float], float]:
    return lambda limit: walk.outside(share, limit, 0.0) - part


def _crossings(shares: Floats, limits: Sequence[float] | Floats, drift: float) -> list[float]:
    walk, found = _START, []
    for share, limit in zip(shares, limits, strict=True):
        found.append(walk.outside(share, float(limit), drift))
        walk = walk.inside(share, float(limit), drift)
    return found
