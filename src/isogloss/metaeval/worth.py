"""What a difference is worth: how likely people prefer the system that a metric prefers.

A *contest* is a pair of systems on some documents: by how much the metric prefers the first, how
many other metrics side with it, and whom people preferred, by the mean of what they said of the same
documents. Over contests of many test sets a curve is fitted,

    log odds = (slope * x + trust * agreement) / sqrt(1 + settling / documents)

with x = sign(d) * (|d| / scale) ** power. It has no intercept: with the systems swapped, the
probability is 1 - p. Large differences say less and less more (power below 1), few documents less
than many (settling): people's mean over few documents is a chancy one, too, and the probability is
of what people would say of documents like these, noise of annotators and ties included.

Test sets differ in what a difference is worth far more than chance within one does, so that every
test set counts the same, and the interval comes from leaving each of them out (a jackknife, with
Student's t): it is of the mean over test sets like those. Where a language is new, the interval is
that of a single new test set. Outside of its data the curve says nothing.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product

import numpy as np
from scipy.special import expit
from scipy.stats import t as student

from isogloss.arrays import Floats
from isogloss.errors import InputError
from isogloss.signature import Signature

_POWERS = (0.25, 1 / 3, 0.5, 0.75, 1.0)
_SETTLING = (0.0, 2.0, 5.0, 12.0, 30.0)
_NEWTON_STEPS = 8
_RIDGE = 1e-3  # keeps a curve finite where people and metric agree in every contest
_LEAST_SETS = 4  # with fewer an interval over test sets says nothing
_BEYOND = 0.995  # of the contests; the very largest differences are no range
CONFIDENCE = 0.95

_OF_LANGUAGES = frozenset({"langs", "engine", "isa"})
"""What a signature says of the languages and of the machine: a curve is for all of them."""


@dataclass(frozen=True, eq=False)
class Contests:
    """Pairs of systems on documents of one test set; in all columns the same pairs.

    `difference` is the first system's lead in the metric, turned so that higher is better;
    `agreement` the mean side that other metrics take (1 all with the first, -1 all against it, NaN
    where there is no other); `preferred` 1 where people prefer the first, 0 the second, 0.5 neither.
    """

    testset: str
    languages: tuple[str, str]
    signature: str
    difference: Floats
    documents: Floats
    agreement: Floats
    preferred: Floats

    @cached_property
    def weights(self) -> Floats:
        """Each number of documents counts the same; all together make 1."""
        _, size, counts = np.unique(self.documents, return_inverse=True, return_counts=True)
        return np.asarray(1.0 / counts[size] / len(counts))


@dataclass(frozen=True, slots=True)
class Worth:
    """The probability that people prefer the first of two systems, with its interval.

    `metric` is whose difference it was read off, `others` how many metrics were asked whether they
    agree. `widened` where a language is new: the interval is that of one new test set.
    """

    probability: float
    low: float
    high: float
    metric: str
    others: int = 0
    widened: bool = False

    def turned(self) -> "Worth":
        """The same of the second system."""
        return replace(
            self, probability=1 - self.probability, low=1 - self.high, high=1 - self.low
        )

    def __str__(self) -> str:
        return f"{two_digits(self.probability)} [{two_digits(self.low)}, {two_digits(self.high)}]"


def two_digits(probability: float) -> str:
    """'.83'; never quite 0 or 1, which no curve can know."""
    return f"{min(max(probability, 0.01), 0.99):.2f}".removeprefix("0")


@dataclass(frozen=True, slots=True)
class Line:
    """Coefficients with what is known of their error: `errors` is their covariance, row by row.

    `spread` is how far the whole line differs from test set to test set, as a factor.
    """

    coefficients: tuple[float, ...]
    errors: tuple[float, ...]
    spread: float

    def log_odds(self, features: Floats) -> Floats:
        """Of contests (rows of features)."""
        return np.asarray(features @ np.array(self.coefficients))

    def reach(self, features: Floats, sets: int, *, new_set: bool) -> Floats:
        """How far the log odds may lie from the truth, to both sides."""
        size = len(self.coefficients)
        covariance = np.array(self.errors).reshape(size, size)
        variance = np.einsum("ij,jk,ik->i", features, covariance, features)
        if new_set:
            variance = variance + (self.spread * self.log_odds(features)) ** 2
        return np.asarray(student.ppf((1 + CONFIDENCE) / 2, sets - 1) * np.sqrt(variance))


@dataclass(frozen=True, slots=True)
class Shape:
    """How differences and numbers of documents enter, before they are weighed."""

    scale: float
    power: float
    settling: float

    def features(self, difference: Floats, documents: Floats, agreement: Floats | None) -> Floats:
        """A column for the difference, and one for the agreement of others, where that counts."""
        settled = 1.0 / np.sqrt(1.0 + self.settling / documents)
        size = np.sign(difference) * (np.abs(difference) / self.scale) ** self.power
        columns = [size * settled] if agreement is None else [size * settled, agreement * settled]
        return np.stack(columns, axis=1)


@dataclass(frozen=True, slots=True)
class Range:
    """The data behind a curve, which it does not leave: see `WorthCurve.worth`."""

    largest: float
    fewest: int
    most: int
    languages: tuple[str, ...]
    testsets: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Quality:
    """How well probabilities fit test sets that had no part in the fit.

    `log_loss` and `brier` are means over test sets; that of always .5 are 0.693 and 0.25. `error` is
    the expected calibration error with its interval over test sets, where there are several.
    """

    log_loss: float
    brier: float
    error: float
    low: float | None
    high: float | None
    testsets: int


@dataclass(frozen=True, slots=True)
class WorthCurve:
    """A fitted curve of one metric; `alone` without others to ask, `together` with them."""

    metric: str
    signatures: tuple[str, ...]
    level: str
    human: str
    shape: Shape
    alone: Line
    together: Line | None
    range: Range
    held_out: Quality

    def fits(self, signature: str) -> bool:
        """Whether scores were made as those that the curve was fitted on."""
        return portable(signature) in self.signatures

    def worth(
        self,
        difference: float,
        documents: int,
        agreement: tuple[float, int] | None = None,
        languages: tuple[str | None, str | None] | None = None,
    ) -> Worth | None:
        """What people would say of the first system; `None` outside the data of the curve.

        Args:
            difference: the first system's lead, turned so that higher is better.
            documents: on how many; more than were seen count as the most that were.
            agreement: the mean side that other metrics take, and how many they are.
            languages: source and target; `None` skips the question.
        """
        if abs(difference) > self.range.largest or documents < self.range.fewest:
            return None
        widened = languages is not None and languages[1] not in self.targets
        if languages is not None and self._is_stranger(languages):
            return None
        asked = agreement if agreement and agreement[1] and self.together else None
        line = self.together if asked and self.together else self.alone
        features = self.shape.features(
            np.array([difference]),
            np.array([min(documents, self.range.most)], dtype=np.float64),
            np.array([asked[0]]) if asked else None,
        )
        middle = line.log_odds(features)
        reach = line.reach(features, len(self.range.testsets), new_set=widened)
        low, centre, high = (float(expit(middle[0] + side * reach[0])) for side in (-1, 0, 1))
        return Worth(centre, low, high, self.metric, asked[1] if asked else 0, widened)

    @property
    def targets(self) -> frozenset[str]:
        """The languages that were translated into."""
        return frozenset(pair.partition("-")[2] for pair in self.range.languages)

    def _is_stranger(self, languages: tuple[str | None, str | None]) -> bool:
        """Whether neither language is on a side on which one of the fitted pairs has it."""
        sources = {pair.partition("-")[0] for pair in self.range.languages}
        return languages[0] not in sources and languages[1] not in self.targets


def portable(signature: str) -> str:
    """A signature without languages and machine: what a curve must share with scores."""
    try:
        parsed = Signature.parse(signature)
    except InputError:  # a stranger's score file calls its metrics as it likes
        return signature
    kept = tuple(field for field in parsed.fields if field[0] not in _OF_LANGUAGES)
    return str(replace(parsed, fields=kept))


# --- fitting --------------------------------------------------------------------------------------


def fit_curve(sets: Sequence[Contests], metric: str, level: str, human: str) -> WorthCurve:
    """The curve of a metric over test sets, judged on each of them by a fit to the others."""
    if len(sets) < _LEAST_SETS:
        raise InputError(
            f"{metric}: {len(sets)} test sets with scores and judgements; a curve needs at least "
            f"{_LEAST_SETS}, because what a difference is worth changes from set to set"
        )
    shape = _best_shape(sets)
    with_others = [each for each in sets if not np.isnan(each.agreement).all()]
    together = _line(with_others, shape, asking=True) if len(with_others) >= _LEAST_SETS else None
    sizes = np.concatenate([np.abs(each.difference) for each in sets])
    return WorthCurve(
        metric,
        tuple(dict.fromkeys(portable(each.signature) for each in sets)),
        level,
        human,
        shape,
        _line(sets, shape, asking=False),
        together,
        Range(
            float(np.quantile(sizes, _BEYOND)),
            int(min(each.documents.min() for each in sets)),
            int(np.median([each.documents.max() for each in sets])),
            tuple(dict.fromkeys("-".join(each.languages) for each in sets)),
            tuple(f"{each.testset} {'-'.join(each.languages)}" for each in sets),
        ),
        quality(held_out(sets)),
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
        found = found + np.linalg.solve(bend, slope)
    return found, _log_loss(features @ found, liked, weights)


def _log_loss(log_odds: Floats, liked: Floats, weights: Floats) -> float:
    return float(np.sum(weights * (np.logaddexp(0.0, log_odds) - liked * log_odds)))


def _line(sets: Sequence[Contests], shape: Shape, *, asking: bool) -> Line:
    """The pooled coefficients, and their covariance from leaving each set out."""
    whole, _ = _pooled(sets, shape, asking=asking)
    left = np.array([_pooled(rest, shape, asking=asking)[0] for _, rest in _each_left_out(sets)])
    away = left - left.mean(axis=0)
    covariance = (len(sets) - 1) / len(sets) * away.T @ away
    factors = [_factor(each, shape, whole, asking=asking) for each in sets]
    spread = float(np.std(factors, ddof=1))
    return Line(tuple(whole.tolist()), tuple(covariance.ravel().tolist()), spread)


def _factor(contests: Contests, shape: Shape, whole: Floats, *, asking: bool) -> float:
    """How many times as steep the line would be for this set alone."""
    line = (_features(contests, shape, asking=asking) @ whole)[:, None]
    return float(_logistic(line, contests.preferred, contests.weights)[0][0])


def _each_left_out(sets: Sequence[Contests]) -> Iterator[tuple[Contests, Sequence[Contests]]]:
    for place, each in enumerate(sets):
        yield each, [*sets[:place], *sets[place + 1 :]]


# --- judging --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Predicted:
    """Probabilities of contests that had no part in the fit, beside what people preferred."""

    testset: str
    languages: tuple[str, str]
    probability: Floats
    preferred: Floats
    weights: Floats


def held_out(sets: Sequence[Contests]) -> tuple[Predicted, ...]:
    """Every test set by a curve that was fitted on the others, the shape chosen there, too."""
    return tuple(predict(rest, each) for each, rest in _each_left_out(sets))


def predict(learnt: Sequence[Contests], asked: Contests) -> Predicted:
    """A test set by a curve that was fitted on others; other metrics are asked, if there are."""
    shape = _best_shape(learnt)
    log_odds = np.zeros(len(asked.difference))
    lonely = np.isnan(asked.agreement)
    for asking, chosen in ((False, lonely), (True, ~lonely)):
        if chosen.any():
            found, _ = _pooled(learnt, shape, asking=asking)
            log_odds[chosen] = _features(asked, shape, asking=asking)[chosen] @ found
    return Predicted(
        asked.testset, asked.languages, expit(log_odds), asked.preferred, asked.weights
    )


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """Contests with about the same probability, and how often people then did prefer the system."""

    low: float
    high: float
    contests: int
    predicted: float
    observed: float
    testsets: int


_EDGES = np.array([0.5, 0.6, 0.7, 0.8, 0.9, 1.0])


def reliability(found: Sequence[Predicted]) -> tuple[ReliabilityBin, ...]:
    """Probabilities beside shares; contests are turned so that the first system is expected."""
    folded = [_folded(each) for each in found]
    bins = []
    for low, high in zip(_EDGES[:-1], _EDGES[1:], strict=True):
        parts = [(p, y, w) for p, y, w in folded if _within(p, low, high).any()]
        if parts:
            p, y, w = (np.concatenate(column) for column in zip(*parts, strict=True))
            chosen = _within(p, low, high)
            bins.append(
                ReliabilityBin(
                    float(low),
                    float(high),
                    int(chosen.sum()),
                    float(np.average(p[chosen], weights=w[chosen])),
                    float(np.average(y[chosen], weights=w[chosen])),
                    len(parts),
                )
            )
    return tuple(bins)


def _within(p: Floats, low: float, high: float) -> np.ndarray:
    return np.asarray((p >= low) & ((p < high) | (high >= 1.0)))


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


# --- several curves -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class WorthCurves:
    """Curves of several metrics, as a file holds them."""

    curves: tuple[WorthCurve, ...]

    def of(self, signature: str, level: str = "system") -> WorthCurve | None:
        """The curve that scores with this signature may ask."""
        fitting = (each for each in self.curves if each.level == level and each.fits(signature))
        return next(fitting, None)


def fit_curves(
    sets: Mapping[str, Sequence[Contests]], level: str, human: str
) -> tuple[WorthCurves, tuple[str, ...]]:
    """A curve for every metric that has enough test sets, and a line for each that has not."""
    curves, missing = [], []
    for metric, contests in sets.items():
        try:
            curves.append(fit_curve(contests, metric, level, human))
        except InputError as error:
            missing.append(str(error))
    return WorthCurves(tuple(curves)), tuple(missing)
