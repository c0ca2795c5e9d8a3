"""Fitting what a difference is worth, and trying it on test sets that had no part in the fit."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, product

import numpy as np
from scipy.special import expit

from isogloss.arrays import Floats
from isogloss.errors import InputError
from isogloss.metaeval.worth import (
    COIN,
    SUREST,
    Contests,
    Fit,
    Quality,
    Range,
    Shape,
    SilentPair,
    WorthCurve,
    portable,
)

_POWERS = (0.25, 1 / 3, 0.5, 0.75, 1.0)
_SETTLING = (0.0, 2.0, 5.0, 12.0, 30.0)
_NEWTON_STEPS, _NEAR = 25, 1e-9
_RIDGE = 1e-3  # keeps a curve finite where people and metric agree in every contest
_LEAST_SETS = 4  # with fewer an interval over test sets says nothing
_BEYOND = 0.995  # of the contests; the very largest differences are no range


@dataclass(frozen=True, slots=True, eq=False)
class Predicted:
    """Probabilities of contests that had no part in the fit, beside what people preferred."""

    testset: str
    languages: tuple[str, str]
    probability: Floats
    preferred: Floats
    weights: Floats


@dataclass(frozen=True, slots=True, eq=False)
class FittedCurve:
    """A curve, and what curves without them say of each of its test sets."""

    curve: WorthCurve
    unseen: tuple[Predicted, ...]


def fit_curve(sets: Sequence[Contests], metric: str, level: str, human: str) -> FittedCurve:
    """The curve of a metric over test sets, tried on each of them by a fit to the others."""
    curve = curve_of(sets, metric, level, human)
    unseen = tuple(predicted(fit, each) for fit, each in zip(curve.without, sets, strict=True))
    return FittedCurve(replace(curve, held_out=quality(unseen)), unseen)


def curve_of(sets: Sequence[Contests], metric: str, level: str, human: str) -> WorthCurve:
    """The curve alone, not yet tried."""
    if len(sets) < _LEAST_SETS:
        raise InputError(
            f"{metric}: {len(sets)} test sets with scores and judgements; a curve needs at least "
            f"{_LEAST_SETS}, because what a difference is worth changes from set to set"
        )
    whole = _fit(sets)
    # Without its own judgements nothing of a set is known: the shape is chosen anew, too.
    without = tuple(_fit([*sets[:place], *sets[place + 1 :]]) for place in range(len(sets)))
    return WorthCurve(
        metric,
        tuple(dict.fromkeys(portable(each.signature) for each in sets)),
        level,
        human,
        whole,
        without,
        float(np.std([_steepness(each, whole) for each in sets], ddof=1)),
        _range(sets),
        None,
    )


def _fit(sets: Sequence[Contests]) -> Fit:
    """The best shape and its coefficients, with and without others to ask."""
    shape = _best_shape(sets)
    alone, _ = _pooled(sets, shape, asking=False)
    if all(np.isnan(each.agreement).all() for each in sets):
        return Fit(shape, float(alone[0]))
    together, _ = _pooled(sets, shape, asking=True)
    return Fit(shape, float(alone[0]), tuple(together.tolist()))


def _steepness(contests: Contests, whole: Fit) -> float:
    """How many times as steep the curve would be for this set alone."""
    line = whole.log_odds(contests.difference, contests.documents, None)[:, None]
    return float(_logistic(line, contests.preferred, contests.weights)[0][0])


def _range(sets: Sequence[Contests]) -> Range:
    sizes = np.concatenate([np.abs(each.difference) for each in sets])
    return Range(
        float(np.quantile(sizes, _BEYOND)),
        int(min(each.documents.min() for each in sets)),
        int(np.median([each.documents.max() for each in sets])),
        tuple(dict.fromkeys("-".join(each.languages) for each in sets)),
        tuple(f"{each.testset} {'-'.join(each.languages)}" for each in sets),
    )


def _best_shape(sets: Sequence[Contests]) -> Shape:
    """The power and settling with the lowest loss; ties go to the first."""
    squares = [float(np.sum(each.weights * each.difference**2)) for each in sets]
    scale = float(np.sqrt(np.mean(squares))) or 1.0
    shapes = [Shape(scale, *each) for each in product(_POWERS, _SETTLING)]
    return min(shapes, key=lambda shape: _pooled(sets, shape, asking=False)[1])


def _features(contests: Contests, shape: Shape, *, asking: bool) -> Floats:
    asked = np.nan_to_num(contests.agreement) if asking else None
    return shape.features(contests.difference, contests.documents, asked)


def _pooled(sets: Sequence[Contests], shape: Shape, *, asking: bool) -> tuple[Floats, float]:
    """The coefficients that fit all sets best, each counting the same, and the loss."""
    features = np.concatenate([_features(each, shape, asking=asking) for each in sets])
    liked = np.concatenate([each.preferred for each in sets])
    weights = np.concatenate([each.weights for each in sets]) / len(sets)
    return _logistic(features, liked, weights)


def _logistic(features: Floats, liked: Floats, weights: Floats) -> tuple[Floats, float]:
    """Newton's method for a logistic regression without intercept."""
    found = np.zeros(features.shape[1])
    ridge = _RIDGE * np.eye(len(found))
    for _ in range(_NEWTON_STEPS):
        p = expit(features @ found)
        slope = features.T @ (weights * (liked - p)) - ridge @ found
        bend = (features * (weights * p * (1 - p))[:, None]).T @ features + ridge
        step = np.linalg.solve(bend, slope)
        found = found + step
        if np.abs(step).max() < _NEAR:
            break
    return found, _log_loss(features @ found, liked, weights)


def _log_loss(log_odds: Floats, liked: Floats, weights: Floats) -> float:
    return float(np.sum(weights * (np.logaddexp(0.0, log_odds) - liked * log_odds)))


def predict(learnt: Sequence[Contests], asked: Contests) -> Predicted:
    """A test set by a curve that was fitted on others; other metrics are asked, if there are."""
    return predicted(_fit(learnt), asked)


def predicted(fit: Fit, asked: Contests) -> Predicted:
    """What a fit says of a test set."""
    lonely = np.isnan(asked.agreement)
    alone = fit.log_odds(asked.difference, asked.documents, None)
    together = fit.log_odds(asked.difference, asked.documents, np.nan_to_num(asked.agreement))
    likely = np.clip(expit(np.where(lonely, alone, together)), 1 - SUREST, SUREST)
    return Predicted(asked.testset, asked.languages, likely, asked.preferred, asked.weights)


def by_share_of_documents(asked: Contests) -> Predicted:
    """What a sign test would bet on: how many of the documents the metric's lead is in."""
    documents = asked.documents
    share = (asked.ahead * documents + 1) / (documents + 2)
    return Predicted(asked.testset, asked.languages, share, asked.preferred, asked.weights)


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """Contests with about the same probability, and how often people then did prefer the system."""

    low: float
    high: float
    contests: int
    predicted: float
    observed: float
    testsets: int


_EDGES = np.array([0.5, 0.6, 0.7, 0.8, SUREST])


def reliability(found: Sequence[Predicted]) -> tuple[ReliabilityBin, ...]:
    """Probabilities beside shares; contests are turned so that the first system is expected."""
    folded = [_folded(each) for each in found]
    bins = []
    for low, high in pairwise(_EDGES.tolist()):
        parts = [(p, y, w) for p, y, w in folded if _within(p, low, high).any()]
        if parts:
            p, y, w = (np.concatenate(column) for column in zip(*parts, strict=True))
            chosen = _within(p, low, high)
            bins.append(
                ReliabilityBin(
                    low,
                    high,
                    int(chosen.sum()),
                    float(np.average(p[chosen], weights=w[chosen])),
                    float(np.average(y[chosen], weights=w[chosen])),
                    len(parts),
                )
            )
    return tuple(bins)


def _within(p: Floats, low: float, high: float) -> np.ndarray:
    return np.asarray((p >= low) & ((p < high) | (high >= SUREST)))


def _folded(found: Predicted) -> tuple[Floats, Floats, Floats]:
    turned = found.probability < 0.5
    p = np.where(turned, 1 - found.probability, found.probability)
    return p, np.where(turned, 1 - found.preferred, found.preferred), found.weights


_BOOTSTRAPS, _SEED = 1000, 12345


def quality(found: Sequence[Predicted]) -> Quality:
    """Losses and calibration; the interval of the calibration error draws test sets."""
    losses, squares, sums = [], [], []
    for each in found:
        p = np.clip(each.probability, 1e-6, 1 - 1e-6)
        losses.append(_log_loss(np.log(p / (1 - p)), each.preferred, each.weights))
        squares.append(float(np.sum(each.weights * (p - each.preferred) ** 2)))
        sums.append(_bin_sums(each))
    stacked = np.array(sums)
    low = high = None
    if len(found) >= _LEAST_SETS:
        drawn = np.random.default_rng(_SEED).integers(len(found), size=(_BOOTSTRAPS, len(found)))
        errors = [_calibration_error(stacked[chosen]) for chosen in drawn]
        low, high = (float(end) for end in np.quantile(errors, [0.025, 0.975]))
    return Quality(
        float(np.mean(losses)),
        float(np.mean(squares)),
        _calibration_error(stacked),
        low,
        high,
        len(found),
    )


def _bin_sums(found: Predicted) -> Floats:
    """For each bin: the sums of weights, of probabilities, of preferences."""
    p, y, w = _folded(found)
    place = np.clip(np.searchsorted(_EDGES, p, side="right") - 1, 0, len(_EDGES) - 2)
    return np.stack(
        [np.bincount(place, weights=each, minlength=len(_EDGES) - 1) for each in (w, w * p, w * y)]
    )


def _calibration_error(sums: Floats) -> float:
    _, predicted, observed = sums.sum(axis=0)
    return float(np.abs(predicted - observed).sum() / sums[:, 0].sum())


def silent_pairs(fitted: Sequence[FittedCurve]) -> tuple[SilentPair, ...]:
    """The language pairs in which curves did worse than a coin on what they had not seen.

    Metrics count the same, and so do the test sets of each.
    """
    found = []
    for languages in dict.fromkeys(each.languages for curve in fitted for each in curve.unseen):
        by_metric = [
            chosen
            for curve in fitted
            if (chosen := [each for each in curve.unseen if each.languages == languages])
        ]
        loss = float(np.mean([quality(chosen).log_loss for chosen in by_metric]))
        if loss > COIN:
            testsets = {each.testset for chosen in by_metric for each in chosen}
            found.append(SilentPair(*languages, len(testsets), loss))
    return tuple(found)


def fit_curves(
    sets: Mapping[str, Sequence[Contests]], level: str, human: str
) -> tuple[tuple[FittedCurve, ...], tuple[str, ...]]:
    """A curve for every metric that has enough test sets, and a line for each that has not."""
    curves, missing = [], []
    for metric, contests in sets.items():
        try:
            curves.append(fit_curve(contests, metric, level, human))
        except InputError as error:
            missing.append(str(error))
    return tuple(curves), tuple(missing)
