"""What annotators said beside each other, in numbers: mildness, spread, agreement, drift.

Each figure is of one annotator against the others on the same translations, and its interval is
over documents, which are what a longer campaign would have more of. Intervals hold for all
annotators together (Bonferroni): among ten people one would otherwise stand out by chance in two
of five campaigns. `benchmarks/annotators.py` measures all that.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from isogloss.arrays import Floats, Integers

LEAST_DOCUMENTS = 3
"""With fewer that were judged by others, too, there is no interval."""
LEAST_FOR_DRIFT = 5
_ZERO = 1e-12


@dataclass(frozen=True, slots=True)
class Bounded:
    """A figure with its interval; without one where there is too little to tell."""

    value: float
    low: float | None = None
    high: float | None = None

    def excludes(self, value: float) -> bool:
        """Whether the interval lies on one side of a value."""
        return self.low is not None and self.high is not None and not self.low <= value <= self.high


@dataclass(frozen=True, slots=True)
class Manner:
    """How one annotator judges, beside the others.

    `mildness` is by how much they score higher than others do, in the mean over documents; `spread`
    the deviation of their scores over that of the others'; `agreement` the correlation with the
    others' mean (of answers that are no scores: the share of others who say the same); `drift` how
    mildness changed from the first document to the last. Where nobody else judged the same, drift
    is of their own scores, and `beside_others` is false; the order of documents is drawn by lot,
    so that it should be 0.
    """

    documents: int
    shared: int
    mildness: Bounded | None
    spread: Bounded | None
    agreement: Bounded | None
    drift: Bounded | None
    beside_others: bool


@dataclass(frozen=True, slots=True, eq=False)
class Readings:
    """Numbers of annotators x units (NaN: not judged), when they came, and units' documents.

    `same` marks answers of which only sameness counts, such as which of two is better.
    """

    values: Floats
    times: Floats
    document: Integers
    same: Floats | None = None

    def manner(self, person: int, confidence: float) -> Manner:
        """How somebody judges; `confidence` is that of all annotators together."""
        own = self.values[person]
        others = np.delete(self.values, person, axis=0)
        mean = _mean(others)
        each = 1 - (1 - confidence) / max(len(self.values), 1)
        drift, against = self._drift(person, own - mean, each)
        beside = ~np.isnan(mean) & ~np.isnan(own)
        return Manner(
            documents=len(np.unique(self.document[~np.isnan(own)])),
            shared=len(np.unique(self.document[beside])),
            mildness=_mildness((own - mean)[beside], self.document[beside], each),
            spread=None if self.same is not None else self._spread(own, others, each),
            agreement=self._correlation(own, mean, each)
            if self.same is None
            else _sameness(np.delete(self.same, person, 0), self.same[person], self.document, each),
            drift=drift,
            beside_others=against,
        )

    def _spread(self, own: Floats, others: Floats, confidence: float) -> Bounded | None:
        """One's own deviation over that of each of the others, in their geometric mean."""
        ratios = [_Moments.of(own, other, self.document).log_deviations() for other in others]
        known = [each for each in ratios if not np.isnan(each[0])]
        if not known:
            return None
        there = ~np.isnan(known).all(axis=0)
        means = np.nanmean(np.array(known)[:, there], axis=0)
        return _through(_jackknifed(means[0], means[1:], confidence), np.exp)

    def _correlation(self, own: Floats, mean: Floats, confidence: float) -> Bounded | None:
        values = _Moments.of(own, mean, self.document).fisher()
        if np.isnan(values[0]):
            return None
        without = values[1:][~np.isnan(values[1:])]
        return _through(_jackknifed(values[0], without, confidence), np.tanh)

    def _drift(self, person: int, above: Floats, confidence: float) -> tuple[Bounded | None, bool]:
        found = _change(above, self.times[person], self.document, confidence)
        if found is not None:
            return found, True
        own = self.values[person]
        return _change(own, self.times[person], self.document, confidence), False


def _mean(others: Floats) -> Floats:
    number = (~np.isnan(others)).sum(axis=0)
    return np.where(number > 0, np.nansum(others, axis=0) / np.maximum(number, 1), np.nan)


def _mildness(above: Floats, document: Integers, confidence: float) -> Bounded | None:
    if not len(above):
        return None
    _, place = np.unique(document, return_inverse=True)
    means = _sums(place, above) / _sums(place, np.ones_like(above))
    error = float(means.std(ddof=1) / np.sqrt(len(means))) if len(means) > 1 else 0.0
    return _interval(float(means.mean()), error, len(means) - 1, confidence)


def _sums(place: Integers, values: ArrayLike) -> Floats:
    """Sums of values by where they belong."""
    return np.bincount(place, np.asarray(values, dtype=np.float64)).astype(np.float64)


def _sameness(others: Floats, own: Floats, document: Integers, confidence: float) -> Bounded | None:
    """With what share of the others somebody says the same."""
    known = ~np.isnan(others) & ~np.isnan(own)
    asked = known.sum(axis=0)
    if not asked.any():
        return None
    equal = (known & (others == own)).sum(axis=0)[asked > 0]
    _, place = np.unique(document[asked > 0], return_inverse=True)
    found = _ratio(_sums(place, equal), _sums(place, asked[asked > 0]), confidence)
    return _within(found, 0.0, 1.0)


@dataclass(frozen=True, slots=True, eq=False)
class _Moments:
    """Sums of two columns: of all documents, then with each of them left out (NaN: it has none)."""

    sums: Floats

    @classmethod
    def of(cls, own: Floats, other: Floats, document: Integers) -> "_Moments":
        both = ~np.isnan(own) & ~np.isnan(other)
        if not both.any():
            return cls(np.full((6, 1), np.nan))
        x, y = own[both] - own[both].mean(), other[both] - other[both].mean()
        size = int(document.max()) + 1
        columns = (np.ones_like(x), x, y, x * x, y * y, x * y)
        parts = np.array([np.bincount(document[both], each, size) for each in columns])
        whole = parts.sum(axis=1, keepdims=True)
        return cls(np.hstack([whole, np.where(parts[0] > 0, whole - parts, np.nan)]))

    def _centred(self) -> tuple[Floats, Floats, Floats]:
        """Variances of both and their covariance; NaN where nothing varies."""
        number, x, y, xx, yy, xy = self.sums
        with np.errstate(invalid="ignore", divide="ignore"):
            own, other = xx / number - (x / number) ** 2, yy / number - (y / number) ** 2
            both = xy / number - x * y / number**2
        varies = (own > _ZERO) & (other > _ZERO)
        return np.where(varies, own, np.nan), np.where(varies, other, np.nan), both

    def log_deviations(self) -> Floats:
        own, other, _ = self._centred()
        return 0.5 * np.log(own / other)

    def fisher(self) -> Floats:
        """Fisher's z of the correlation."""
        own, other, both = self._centred()
        return np.arctanh(np.clip(both / np.sqrt(own * other), -1 + 1e-9, 1 - 1e-9))


# --- intervals over documents --------------------------------------------------------------------


def _interval(value: float, error: float, freedom: int, confidence: float) -> Bounded:
    """By Student's t; none where nothing varies, which few documents do by chance."""
    if freedom < LEAST_DOCUMENTS - 1 or not error > _ZERO:
        return Bounded(value)
    reach = float(stats.t.ppf(0.5 + confidence / 2, freedom)) * error
    return Bounded(value, value - reach, value + reach)


def _ratio(sums: Floats, counts: Floats, confidence: float) -> Bounded:
    """A mean over units, documents drawn as wholes."""
    value = float(sums.sum() / counts.sum())
    if len(sums) < 2:
        return Bounded(value)
    without = (sums.sum() - sums) / (counts.sum() - counts)
    return _jackknifed(value, without, confidence)


def _jackknifed(value: float, without: Floats, confidence: float) -> Bounded:
    """A statistic with the error that leaving out each document shows."""
    number = len(without)
    error = float(np.sqrt((number - 1) * without.var())) if number > 1 else 0.0
    return _interval(float(value), error, number - 1, confidence)


def _change(above: Floats, times: Floats, document: Integers, confidence: float) -> Bounded | None:
    """How document means change from the first to the last, by a line through them."""
    there = ~np.isnan(above) & ~np.isnan(times)
    documents = np.unique(document[there])
    number = len(documents)
    if number < LEAST_FOR_DRIFT:
        return None
    places = [there & (document == each) for each in documents]
    order = np.argsort([np.median(times[each]) for each in places], kind="stable")
    means = np.array([above[each].mean() for each in places])[order]
    at = np.linspace(-0.5, 0.5, number)  # from first to last is 1
    slope = float(at @ means / (at @ at))
    rest = means - means.mean() - slope * at
    error = float(np.sqrt((rest @ rest) / (number - 2) / (at @ at)))
    return _interval(slope, error, number - 2, confidence)


def _through(found: Bounded | None, scale: Callable[[float], float]) -> Bounded | None:
    """A figure and its interval on another scale."""
    if found is None or found.low is None or found.high is None:
        return found and Bounded(float(scale(found.value)))
    return Bounded(*(float(scale(each)) for each in (found.value, found.low, found.high)))


def _within(found: Bounded, least: float, most: float) -> Bounded:
    if found.low is None or found.high is None:
        return found
    return Bounded(found.value, max(found.low, least), min(found.high, most))
