"""What may be said of a difference: p-values and intervals that hold for few blocks, too.

A block is what was drawn as a whole: a document, usually, and there may be five of them. What is
here was chosen by measuring how often it errs (`benchmarks/calibration.py`, docs/significance.md):

* randomisation: a difference counts as large as another when it reaches it, ties included; with
  few blocks every way of swapping them is looked at, and p is exact;
* studentised bootstrap: a score is taken apart into one jackknife value a block (Tukey 1958), whose
  mean is the score but for its bias, and each resample's mean is measured in its own standard error
  (Efron 1981; the symmetric form of Hall 1988). It knows that five blocks say little about how far
  blocks differ, which a percentile interval does not;
* sacrebleu's paired bootstrap, for those who must reproduce it.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from isogloss.arrays import Floats
from isogloss.errors import InputError
from isogloss.resampling import all_swaps, bootstrap_weights, swap_weights

Interval = tuple[float, float]
Correction = Literal["holm", "benjamini-hochberg"]

EXACT_BLOCKS = 16
"""Up to so many blocks all ways of swapping are looked at (65,536)."""

_NOISE = 1e-9  # relative: differences closer than this are the same but for rounding


# --- randomisation -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Swaps:
    """The ways in which two systems can swap their blocks: all of them, or as many random ones.

    `two_sided` tests see a way and its opposite as the same, so that half of all ways will do.
    """

    blocks: int
    trials: int
    seed: int
    two_sided: bool = True
    exact_blocks: int = EXACT_BLOCKS

    @property
    def exact(self) -> bool:
        """Whether every way is looked at."""
        return self.blocks <= self.exact_blocks

    def weights(self) -> Iterator[Floats]:
        """1.0 where a block is swapped, 0.0 where not (ways x blocks), some ways at a time."""
        if self.exact:
            return iter([all_swaps(self.blocks, first_stays=self.two_sided)])
        return swap_weights(self.blocks, self.trials, self.seed)

    def p(self, null: Floats, observed: float) -> float:
        """How often chance makes a difference as large as the one observed.

        Undefined differences count as large ones. Of random ways, the one observed is one more
        that reaches it.
        """
        reached = np.abs(null) if self.two_sided else null
        limit = abs(observed) if self.two_sided else observed
        hits = len(null) - np.count_nonzero(reached < limit - _NOISE * max(abs(limit), _NOISE))
        return float(hits / len(null)) if self.exact else float((hits + 1) / (len(null) + 1))

    @property
    def smallest_p(self) -> float:
        """The lowest p-value that any difference can have."""
        if not self.exact:
            return 1 / (self.trials + 1)
        return float(0.5 ** max(self.blocks - (1 if self.two_sided else 0), 0))


# --- the studentised bootstrap -------------------------------------------------------------------


def jackknife_values(statistics: Floats, score_rows: Callable[[Floats], Floats]) -> Floats:
    """One value a block (row of statistics), from the score without it; NaN where undefined."""
    count = len(statistics)
    total = statistics.sum(axis=0)
    whole = score_rows(total[None, :])
    return np.asarray(count * whole - (count - 1) * score_rows(total - statistics))


@dataclass(frozen=True, slots=True, eq=False)
class Studentised:
    """How far resampled means lie from the mean, in their own standard errors.

    `distances` is columns x resamples, infinite where a resample has no spread; `errors` are the
    standard errors of the columns themselves.
    """

    distances: Floats
    errors: Floats

    @classmethod
    def of(cls, values: Floats, resamples: int, seed: int) -> "Studentised":
        """Resample the blocks (rows) of some columns of jackknife values together."""
        count = len(values)
        centred = values - values.mean(axis=0)
        squares = centred**2
        spread = squares.mean(axis=0)
        both = np.hstack([centred, squares])
        parts = []
        for weights in bootstrap_weights(count, resamples, seed):
            means, left = np.hsplit(weights @ both / count, 2)
            left = left - means**2
            with np.errstate(divide="ignore", invalid="ignore"):
                far = np.abs(means) / np.sqrt(left / max(count - 1, 1))
            parts.append(np.where(left > _NOISE * spread, far, np.inf).T)
        distances = np.hstack(parts)
        return cls(distances, np.sqrt(spread / max(count - 1, 1)))

    def half_width(self, column: int, confidence: float) -> float | None:
        """How far the interval reaches to both sides; `None` where nothing can be said."""
        drawn, error = self.distances[column], self.errors[column]
        rank = int(np.ceil((len(drawn) + 1) * confidence))
        if rank > len(drawn) or not error > 0:
            return None
        reach = float(np.partition(drawn, rank - 1)[rank - 1] * error)
        return reach if np.isfinite(reach) else None

    def p(self, column: int, difference: float) -> float | None:
        """How often a resample lies as far from its mean as 0 from the difference, two-sided."""
        error = self.errors[column]
        if np.isnan(error):
            return None
        observed = abs(difference) / error if error > 0 else 0.0
        drawn = self.distances[column]
        resamples = len(drawn)
        below = int(np.count_nonzero(drawn < observed * (1 - _NOISE)))
        return (resamples - below + 1) / (resamples + 1)

    def one_sided_p(self, column: int, difference: float) -> float | None:
        """How often chance puts the first as far ahead; 0.5 where neither is."""
        p = self.p(column, difference)
        if p is None:
            return None
        return p / 2 if difference > 0 else 1 - p / 2


def bounded(
    score: float, reach: float | None, low: float | None = None, high: float | None = None
) -> Interval | None:
    """The interval around a score, no further than scores go."""
    if reach is None:
        return None
    return (
        score - reach if low is None else max(low, score - reach),
        score + reach if high is None else min(high, score + reach),
    )


def score_interval(
    statistics: Floats,
    score_rows: Callable[[Floats], Floats],
    resamples: int,
    seed: int,
    confidence: float,
    bounds: tuple[float | None, float | None] = (None, None),
) -> Interval | None:
    """The interval of the score of some blocks (rows); `None` where nothing can be said."""
    if len(statistics) < 2:
        return None
    values = jackknife_values(statistics, score_rows)
    drawn = Studentised.of(values[:, None], resamples, seed)
    score = float(score_rows(statistics.sum(axis=0)[None, :])[0])
    return bounded(score, drawn.half_width(0, confidence), *bounds)


def smallest_studentised_p(blocks: int) -> float:
    """Below this share, resamples that hold one block only decide; they say nothing."""
    return float(blocks ** (1.0 - blocks))


# --- sacrebleu's procedure -----------------------------------------------------------------------


def sacrebleu_p(first: Floats, second: Floats, difference: float) -> float:
    """The p-value of sacrebleu's and Moses' paired bootstrap, from scores on the same resamples.

    How often does the size of the resampled difference exceed its own mean by more than the size
    of the one observed? One side is counted, ties are not, and sizes are centred after signs are
    lost; over thousands of segments that hardly shows, over documents differences come out real
    far too often.
    """
    drawn = np.abs(first - second)
    above = np.count_nonzero(drawn - drawn.mean() > abs(difference))
    return float((above + 1) / (len(drawn) + 1))


# --- many tests at once --------------------------------------------------------------------------


def corrected(p_values: Sequence[float | None], method: Correction) -> list[float | None]:
    """p-values corrected for multiple testing; `None` is no test and stays `None`.

    Holm bounds the chance of any false finding, Benjamini-Hochberg the share of false ones.
    """
    known = [p for p in p_values if p is not None]
    if method not in ("holm", "benjamini-hochberg"):
        raise InputError(f"unknown correction {method!r}; there are: holm, benjamini-hochberg")
    adjust = _holm if method == "holm" else _benjamini_hochberg
    adjusted = iter(adjust(np.array(known, dtype=np.float64)).tolist())
    return [None if p is None else next(adjusted) for p in p_values]


def _holm(p_values: Floats) -> Floats:
    order = np.argsort(p_values, kind="stable")
    steps = p_values[order] * np.arange(len(order), 0, -1)
    return _in_place(np.maximum.accumulate(steps), order)


def _benjamini_hochberg(p_values: Floats) -> Floats:
    order = np.argsort(p_values, kind="stable")
    steps = p_values[order] * len(order) / np.arange(1, len(order) + 1)
    return _in_place(np.minimum.accumulate(steps[::-1])[::-1], order)


def _in_place(ordered: Floats, order: NDArray[np.intp]) -> Floats:
    adjusted = np.empty_like(ordered)
    adjusted[order] = np.minimum(ordered, 1.0)
    return adjusted
