"""Weights with which metrics together agree best with people: maximum-correlation training.

The combination m = X w of parts X (one column a metric) is to correlate with human scores h as far
as it can (Liu & Gildea 2007). With both sides centred,

    rho = m'h / (|m| |h|)        d rho / d w = X'h / (|m| |h|) - rho X'm / |m|^2

which needs the second moments X'X, X'h and h'h alone: a step of the ascent costs the same for ten
scores as for ten million. Grouped (by item or system), rho is the mean over the groups, each
centred by itself. For two parts and one group there is a closed form.

rho does not see the scale of w. Weights are given so that their absolute values sum to 1.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from isogloss.arrays import Floats
from isogloss.errors import InputError
from isogloss.metaeval.matrix import (
    Blocks,
    Grouping,
    Indices,
    as_matrix,
    human_matrix,
    in_groups,
    varies,
)

_NOISE = 1e-12  # relative: a variance below this is that of equal scores
_MOST_STEPS = 1_000
_STILL = 1e-9  # a step shorter than this has arrived
_REACH = 1e-3, 1e3  # how far a step may try to go
_SHORTEST = 1e-14
_FAIR = 1e-4  # Armijo's share of the promised gain


@dataclass(frozen=True, slots=True, eq=False)
class Observations:
    """Human scores and those of k parts, on the cells that all of them have.

    `human` is systems x items, `parts` k x systems x items; NaN in all where any is missing.
    """

    human: Floats
    parts: Floats

    @classmethod
    def of(cls, human: ArrayLike, parts: Sequence[ArrayLike]) -> "Observations":
        """Higher is better on all sides."""
        people = human_matrix(human)
        scores = np.stack([as_matrix(part, "metric scores") for part in parts])
        if scores.shape[1:] != people.shape:
            raise InputError(
                f"the parts are {scores.shape[1:]} systems x items, people {people.shape}"
            )
        missing = np.isnan(people) | np.isnan(scores).any(axis=0)
        return cls(np.where(missing, np.nan, people), np.where(missing, np.nan, scores))

    def of_items(self, chosen: Indices) -> "Observations":
        """Some of the items only."""
        return Observations(self.human[:, chosen], self.parts[:, :, chosen])

    def scales(self) -> tuple[Floats, Floats]:
        """Mean and standard deviation of each part; exactly 0 where its scores are all equal."""
        flat = self.parts.reshape(len(self.parts), -1)
        known = flat[:, ~np.isnan(flat[0])]
        if known.shape[1] < 2:
            raise InputError("fewer than two scores that people and all metrics have in common")
        varied = known.min(axis=1) < known.max(axis=1)
        return known.mean(axis=1), np.where(varied, known.std(axis=1), 0.0)

    def normalised(self, means: Floats, deviations: Floats) -> "Observations":
        """The parts relative to these means and deviations; correlations stay what they are."""
        parts = (self.parts - means[:, None, None]) / deviations[:, None, None]
        return Observations(self.human, parts)

    def combined(self, weights: Floats) -> Floats:
        """systems x items: the weighted sum of the parts."""
        combined: Floats = np.einsum("k,ksi->si", weights, self.parts)
        return combined


@dataclass(frozen=True, slots=True, eq=False)
class Moments:
    """Second moments about the mean, group by group: all that a correlation depends on."""

    parts: Floats  # groups x k x k
    cross: Floats  # groups x k: of the parts with the human scores
    human: Floats  # groups

    @classmethod
    def of(cls, observed: Observations, grouping: Grouping = "none") -> "Moments":
        """Groups that can teach nothing are left out.

        Those are groups in which people see no difference, and groups of two, where a correlation
        is 1 or -1 and no slope leads from one to the other.
        """
        grouped = in_groups(observed.human, grouping)
        human = _centred(grouped)
        parts = np.stack([_centred(in_groups(part, grouping)) for part in observed.parts])
        spread = np.einsum("gi,gi->g", human, human)
        telling = (spread > 0) & ((~np.isnan(grouped)).sum(axis=1) > 2)
        if not telling.any():
            raise InputError(
                "there is nothing to learn: people gave the same score everywhere, or no three "
                "scores can be compared"
            )
        return cls(
            np.einsum("kgi,lgi->gkl", parts, parts)[telling],
            np.einsum("kgi,gi->gk", parts, human)[telling],
            spread[telling],
        )

    def correlation(self, weights: Floats) -> float:
        """The mean over the groups that have a value; NaN where none has."""
        values, _ = self._by_group(weights)
        return float(values.mean()) if len(values) else np.nan

    def gradient(self, weights: Floats) -> Floats:
        """Of the correlation, by the weights."""
        values, there = self._by_group(weights)
        if not len(values):
            return np.zeros_like(weights)
        products = self.parts[there] @ weights
        squares = (products @ weights)[:, None]
        norms = np.sqrt(squares * self.human[there, None])
        slopes = self.cross[there] / norms - values[:, None] * products / squares
        return np.asarray(slopes.mean(axis=0))

    def _by_group(self, weights: Floats) -> tuple[Floats, Indices]:
        """Pearson's r in each group where the combination varies, and which groups these are."""
        squares = np.einsum("k,gkl,l->g", weights, self.parts, weights)
        spreads = np.sqrt(np.einsum("gkk->gk", self.parts))
        # Parts may cancel each other out; what is left then is noise.
        there = np.flatnonzero(squares > _NOISE * (spreads @ np.abs(weights)) ** 2)
        below = np.sqrt(squares[there] * self.human[there])
        return np.clip((self.cross[there] @ weights) / below, -1.0, 1.0), there


def _centred(rows: Floats) -> Floats:
    """Each row less its mean, 0 where missing and, without noise, in rows of equal scores."""
    present = ~np.isnan(rows)
    filled = np.where(present, rows, 0.0)
    means = filled.sum(axis=1, keepdims=True) / np.maximum(present.sum(axis=1, keepdims=True), 1)
    return np.where(present & varies(rows, present)[:, None], filled - means, 0.0)


# --- the best weights ----------------------------------------------------------------------------


def best_weights(moments: Moments, *, signed: bool = False) -> Floats:
    """The weights with the highest correlation, none of them negative unless `signed`.

    One group has a single peak. With several there may be more, and the highest of those counts
    that are reached from each part alone and from all of them together.
    """
    count = moments.cross.shape[1]
    if count == 2 and len(moments.human) == 1 and not signed:
        alpha = best_alpha(moments)
        return np.array([alpha, 1 - alpha])
    starts = [np.ones(count), *np.eye(count)]
    reached = [ascend(moments, start, signed=signed) for start in starts]
    best = max(reached, key=lambda w: _or_lowest(moments.correlation(w)))
    return np.asarray(best / np.abs(best).sum())


def best_alpha(moments: Moments) -> float:
    """The closed form for two parts: alpha in [0, 1] of alpha a + (1 - alpha) b.

    Where the slope is zero lies a peak or a trough, so the ends are looked at too.
    """
    if moments.parts.shape != (1, 2, 2):
        raise InputError("the closed form is for two parts and one group")
    (aa, ab), (_, bb) = moments.parts[0]
    ah, bh = moments.cross[0]
    below = ah * (bb - ab) + bh * (aa - ab)
    candidates = [0.0, 1.0]
    if below != 0:
        candidates.append(float(np.clip((ah * bb - bh * ab) / below, 0.0, 1.0)))
    return max(candidates, key=lambda a: _or_lowest(moments.correlation(np.array([a, 1 - a]))))


def ascend(moments: Moments, start: Floats, *, signed: bool = False) -> Floats:
    """Projected gradient ascent from a start, over weights of length 1.

    A step goes up the slope and back into the allowed region, and is halved until it gains enough;
    how far the next one tries to go follows from how the slope has changed (Birgin et al. 2000).
    """
    weights = np.asarray(start / np.linalg.norm(start), dtype=np.float64)
    height, slope, reach = _or_lowest(moments.correlation(weights)), moments.gradient(weights), 1.0
    for _ in range(_MOST_STEPS):
        if np.linalg.norm(_allowed(weights + slope, signed) - weights) < _STILL:
            break
        found, reached = _uphill(moments, weights, slope, reach, signed)
        if reached <= height:
            break
        moved, before = found - weights, slope
        weights, height, slope = found, reached, moments.gradient(found)
        bend = float(moved @ (before - slope))
        reach = float(np.clip(moved @ moved / bend, *_REACH)) if bend > 0 else _REACH[1]
    return weights


def _uphill(
    moments: Moments, weights: Floats, slope: Floats, reach: float, signed: bool
) -> tuple[Floats, float]:
    """The first point on the way that gains a fair share of what the slope promises."""
    height = _or_lowest(moments.correlation(weights))
    while reach > _SHORTEST:
        found = _allowed(weights + reach * slope, signed)
        reached = _or_lowest(moments.correlation(found))
        if reached > height + _FAIR * float(slope @ (found - weights)):
            return found, reached
        reach /= 2
    return weights, height


def _allowed(weights: Floats, signed: bool) -> Floats:
    """Weights of length 1, without negative ones unless these are allowed."""
    kept = weights if signed else np.maximum(weights, 0.0)
    length = np.linalg.norm(kept)
    return np.asarray(kept / length) if length > 0 else weights


def _or_lowest(value: float) -> float:
    return -np.inf if np.isnan(value) else value


# --- on documents that the weights have not seen -------------------------------------------------

Trainer = Callable[[Observations], Floats]
"""Finds weights."""


@dataclass(frozen=True, slots=True, eq=False)
class HeldOut:
    """Scores (systems x items) by weights that did not see the item, and all those weights."""

    scores: Floats
    weights: Floats  # repeats x folds x k


def held_out(
    observed: Observations,
    blocks: ArrayLike,
    train: Trainer,
    *,
    folds: int = 10,
    repeats: int = 1,
    seed: int = 12345,
) -> HeldOut:
    """k-fold cross-validation by blocks: a document, in all systems' translations, is in one fold.

    Each fold is scored with the weights that were trained on the others. What that gives depends
    on how the folds were drawn; with several `repeats` the mean over as many draws is taken, which
    is the score by the mean of weights that all have not seen the document.
    """
    if repeats < 1:
        raise InputError(f"at least one repeat is needed, not {repeats}")
    given = Blocks.of(blocks, observed.human.shape[1])
    scores = np.zeros(observed.human.shape)
    weights = np.empty((repeats, folds, len(observed.parts)))
    for repeat in range(repeats):
        fold = folds_of(given.count, folds, seed + repeat)[given.index]
        for number in range(folds):
            chosen = np.flatnonzero(fold == number)
            found = train(observed.of_items(np.flatnonzero(fold != number)))
            scores[:, chosen] += observed.of_items(chosen).combined(found) / repeats
            weights[repeat, number] = found
    return HeldOut(scores, weights)


def folds_of(blocks: int, folds: int, seed: int) -> Indices:
    """The fold of each block, drawn at random; the folds are as equal as can be."""
    if not 2 <= folds <= blocks:
        raise InputError(f"cannot make {folds} folds of {blocks} documents; use 2 to {blocks}")
    return np.random.default_rng(seed).permutation(np.arange(blocks) % folds)
