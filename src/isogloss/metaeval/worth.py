"""What a difference is worth: how likely people prefer the system that a metric prefers.

A *contest* is a pair of systems on some documents: by how much the metric prefers the first, how
many other metrics side with it, and whom people preferred, by the mean of what they said of the
same documents. Over contests of many test sets a curve is fitted,

    log odds = (slope * x + trust * agreement) / sqrt(1 + settling / documents)

with x = sign(d) * (|d| / scale) ** power. It has no intercept: with the systems swapped, the
probability is 1 - p. Large differences say less and less more (power below 1), few documents less
than many (settling): people's mean over few documents is a chancy one, too, and the probability is
of what people would say of documents like these, noise of annotators and ties included.

Test sets differ in what a difference is worth far more than chance within one does, so that every
test set counts the same, and the interval comes from leaving each of them out (a jackknife, with
Student's t; the shape is chosen anew, too): it is of the mean over test sets like those. Where the
target language is new, the interval is that of a single new test set. Outside of its data the curve
says nothing, and it promises no more than .9. Nor is anything said of a language pair in which the
curves did worse than a coin on test sets that they had not seen.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from math import log, log1p, tanh

import numpy as np

from isogloss.arrays import Floats
from isogloss.documents import counted
from isogloss.errors import InputError, MetricNameError
from isogloss.signature import Signature

CONFIDENCE = 0.95

SUREST = 0.9
"""No curve promises more: where some did, on test sets they had not seen, people said less."""

COIN = log(2)
"""The log loss of saying .5 each time."""

_OF_LANGUAGES = frozenset({"langs", "engine", "isa"})
"""What a signature says of the languages and of the machine: a curve is for all of them."""


@dataclass(frozen=True, eq=False)
class Contests:
    """Pairs of systems on documents of one test set; in all columns the same pairs.

    `difference` is the first system's lead in the metric, turned so that higher is better;
    `agreement` the mean side that other metrics take (1 all with the first, -1 all against it, NaN
    where there is no other); `ahead` the share of documents on which the metric prefers the first;
    `preferred` 1 where people prefer the first, 0 the second, 0.5 neither.
    """

    testset: str
    languages: tuple[str, str]
    signature: str
    difference: Floats
    documents: Floats
    agreement: Floats
    ahead: Floats
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
        return replace(self, probability=1 - self.probability, low=1 - self.high, high=1 - self.low)

    @property
    def source(self) -> str:
        """The metric that was asked, and how many others."""
        others = f" and {counted(self.others, 'other metric')}" if self.others else ""
        return f"{self.metric}{others}"

    def __str__(self) -> str:
        return f"{two_digits(self.probability)} [{two_digits(self.low)}, {two_digits(self.high)}]"


def two_digits(probability: float) -> str:
    """'.83'; never quite 0 or 1, which no curve can know."""
    return f"{min(max(probability, 0.01), 0.99):.2f}".removeprefix("0")


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
class Fit:
    """A shape with its coefficients: `alone` without other metrics to ask, `together` with them.

    `together` is the slope and the trust in others; empty where there were none to learn it from.
    """

    shape: Shape
    alone: float
    together: tuple[float, ...] = ()

    def log_odds(self, difference: Floats, documents: Floats, agreement: Floats | None) -> Floats:
        """Of contests; without agreement, or where it was not learnt, by the metric alone."""
        asked = agreement if self.together else None
        features = self.shape.features(difference, documents, asked)
        return np.asarray(features @ np.array([self.alone] if asked is None else self.together))


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

    `log_loss` and `brier` are means over test sets; always .5 has 0.693 and 0.25. `error` is the
    expected calibration error with its interval over test sets, where there are several.
    """

    log_loss: float
    brier: float
    error: float
    low: float | None
    high: float | None
    testsets: int


@dataclass(frozen=True, slots=True)
class WorthCurve:
    """A fitted curve of one metric.

    `without` is the fit without each of the test sets; `spread` how far the log odds of a test set
    differ from the curve's, as a factor.
    """

    metric: str
    signatures: tuple[str, ...]
    level: str
    human: str
    fit: Fit
    without: tuple[Fit, ...]
    spread: float
    range: Range
    held_out: Quality | None

    @property
    def loss(self) -> float:
        """On unseen test sets; that of tossing a coin where it was not tried."""
        return COIN if self.held_out is None else self.held_out.log_loss

    def needed(self, probability: float, documents: int) -> float | None:
        """The difference that makes people's preference so likely; `None` beyond the data."""
        shape = self.fit.shape
        settled = np.sqrt(1.0 + shape.settling / min(documents, self.range.most))
        size = (log(probability) - log1p(-probability)) * settled / self.fit.alone
        found = float(np.sign(size) * np.abs(size) ** (1 / shape.power)) * shape.scale
        return found if 0 <= found <= self.range.largest else None

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
        asked = agreement if agreement and agreement[1] and self.fit.together else None
        pair = (
            np.array([difference]),
            np.array([min(documents, self.range.most)], dtype=np.float64),
            np.array([asked[0]]) if asked else None,
        )
        middle = float(self.fit.log_odds(*pair)[0])
        left_out = np.array([float(fit.log_odds(*pair)[0]) for fit in self.without])
        reach = self._reach(middle, left_out, new_set=widened)
        low, centre, high = (_probability(middle + side * reach) for side in (-1, 0, 1))
        centre = min(max(centre, 1 - SUREST), SUREST)
        low, high = min(low, centre), max(high, centre)
        return Worth(centre, low, high, self.metric, asked[1] if asked else 0, widened)

    def _reach(self, middle: float, left_out: Floats, *, new_set: bool) -> float:
        """How far the log odds may lie from the truth: the jackknife over test sets."""
        sets = len(left_out)
        variance = (sets - 1) * float(left_out.var())
        if new_set:
            variance += (self.spread * middle) ** 2
        from scipy.special import stdtrit  # scipy.stats has it too, and takes a second to load

        return float(stdtrit(sets - 1, (1 + CONFIDENCE) / 2) * np.sqrt(variance))

    @property
    def targets(self) -> frozenset[str]:
        """The languages that were translated into."""
        return frozenset(pair.partition("-")[2] for pair in self.range.languages)

    def _is_stranger(self, languages: tuple[str | None, str | None]) -> bool:
        """Whether neither language is on a side on which one of the fitted pairs has it."""
        sources = {pair.partition("-")[0] for pair in self.range.languages}
        return languages[0] not in sources and languages[1] not in self.targets


def _probability(log_odds: float) -> float:
    return (1 + tanh(log_odds / 2)) / 2


def portable(signature: str) -> str:
    """A signature without languages and machine: what a curve must share with scores."""
    try:
        parsed = Signature.parse(signature)
    except (InputError, MetricNameError):  # people and strangers call their scores as they like
        return signature
    kept = tuple(field for field in parsed.fields if field[0] not in _OF_LANGUAGES)
    return str(replace(parsed, fields=kept))


@dataclass(frozen=True, slots=True)
class SilentPair:
    """A language pair in which curves did worse than a coin, on test sets they had not seen.

    `loss` is the log loss there, the mean over metrics and test sets.
    """

    source: str
    target: str
    testsets: int
    loss: float

    @property
    def reason(self) -> str:
        """Why nothing is quoted here."""
        return (
            f"from {self.source} into {self.target} such curves were no better than a coin on "
            "unseen test sets"
        )


@dataclass(frozen=True, slots=True)
class WorthCurves:
    """Curves of several metrics, as a file holds them, and where they are not to be asked."""

    curves: tuple[WorthCurve, ...]
    silent: tuple[SilentPair, ...] = ()

    def of(self, signature: str, level: str = "system") -> WorthCurve | None:
        """The curve that scores with this signature may ask."""
        fitting = (each for each in self.curves if each.level == level and each.fits(signature))
        return next(fitting, None)
