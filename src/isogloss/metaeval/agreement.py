"""Agreement between annotators: raw agreement, Cohen's and Fleiss' kappa, Krippendorff's alpha, F1.

Ratings are a float array **annotators x units**; NaN means that this annotator did not rate this
unit. `coded` makes such an array of labels. What is undefined (nobody rated a unit twice, or
everybody always said the same, so that chance alone explains all of it) is `None` with a reason:
it is never counted as perfect agreement.

A unit's ratings meet a *distance*: nominal (equal or not), ordinal or linear, interval or
quadratic. Distances are those of the numbers themselves, so a category that nobody used does not
change a weighted kappa. No table of categories x categories is ever built: the expected distances
have closed forms, and continuous scores of any number cost no more than a sort.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import fsum
from typing import Literal

import numpy as np

from isogloss.arrays import Floats, Integers
from isogloss.errors import InputError, MismatchError
from isogloss.metaeval.matrix import Value

Weights = Literal["none", "linear", "quadratic"]
Distance = Literal["nominal", "ordinal", "interval"]
PairStatistic = Callable[[Floats, Floats], Value]
"""The agreement of two annotators, from their ratings of the same units."""

_NO_COMMON_UNIT = "no unit was rated by both annotators"
_NO_SECOND_RATING = "no unit was rated twice"
_ONE_CATEGORY = "all ratings are equal, so agreement by chance is certain"
_NOTHING_MARKED = "neither annotator marked anything"


def coded(
    rows: Sequence[Sequence[Hashable | None]], scale: Sequence[Hashable] | None = None
) -> Floats:
    """Labels (`None` = not rated) as ratings: annotators x units.

    With a `scale`, a label becomes its position there, which ordinal distances need; without one,
    labels are numbered as they appear.
    """
    known: dict[Hashable, int] = {label: code for code, label in enumerate(scale or ())}
    ratings = np.full((len(rows), len(rows[0]) if rows else 0), np.nan)
    for number, row in enumerate(rows):
        if len(row) != ratings.shape[1]:
            raise MismatchError(
                f"annotator {number + 1} has {len(row)} units, the first has {ratings.shape[1]}"
            )
        for unit, label in enumerate(row):
            if label is None:
                continue
            if scale is not None and label not in known:
                raise InputError(f"label {label!r} is not on the scale")
            ratings[number, unit] = known.setdefault(label, len(known))
    return ratings


# --- two annotators ------------------------------------------------------------------------------


def raw_agreement(first: Floats, second: Floats) -> Value:
    """The share (0 to 1) of the units rated by both that got the same rating from both."""
    first, second = _both_rated(first, second)
    if not len(first):
        return Value(None, 0, reason=_NO_COMMON_UNIT)
    return Value(float(np.mean(first == second)), len(first))


def cohen_kappa(first: Floats, second: Floats, weights: Weights = "none") -> Value:
    """Cohen's kappa over the units that both annotators rated (Cohen 1960, 1968).

    One minus observed over expected distance: equal or not, or weighted by the difference of the
    ratings (linear) or its square (quadratic).
    """
    first, second = _both_rated(first, second)
    count = len(first)
    if not count:
        return Value(None, 0, reason=_NO_COMMON_UNIT)
    if _all_equal(first, second):
        return Value(None, count, reason=_ONE_CATEGORY)
    if weights == "none":
        observed, expected = np.mean(first != second), _expected_unequal(first, second)
    elif weights == "linear":
        observed = np.mean(np.abs(first - second))
        expected = _expected_difference(first, second)
    else:
        observed = np.mean((first - second) ** 2)
        expected = first.var() + second.var() + (first.mean() - second.mean()) ** 2
    return Value(float(1 - observed / expected), count)


def _both_rated(first: Floats, second: Floats) -> tuple[Floats, Floats]:
    """The ratings of the units that neither annotator left out."""
    if first.shape != second.shape or first.ndim != 1:
        raise MismatchError(
            f"ratings of shape {first.shape} and {second.shape}: two annotators' ratings need "
            "one dimension and the same units"
        )
    _refuse_infinite(first)
    _refuse_infinite(second)
    both = ~(np.isnan(first) | np.isnan(second))
    return first[both], second[both]


def _refuse_infinite(ratings: Floats) -> None:
    if np.isinf(ratings).any():
        raise InputError("a rating is infinite; use NaN for what was not rated")


def _all_equal(*ratings: Floats) -> bool:
    return min(float(r.min()) for r in ratings) == max(float(r.max()) for r in ratings)


def _expected_unequal(first: Floats, second: Floats) -> float:
    """The chance that one annotator's rating differs from one of the other's, drawn anywhere."""
    categories, codes = np.unique(np.concatenate([first, second]), return_inverse=True)
    here = np.bincount(codes[: len(first)], minlength=len(categories)) / len(first)
    there = np.bincount(codes[len(first) :], minlength=len(categories)) / len(second)
    return float(1 - here @ there)


def _expected_difference(first: Floats, second: Floats) -> float:
    """The mean of |a - b| over all pairs of a rating here and a rating there.

    A gap on the scale counts for a pair whose ratings lie on both sides of it: the sum over gaps
    needs the two distributions only.
    """
    points = np.unique(np.concatenate([first, second]))
    below = np.searchsorted(np.sort(first), points[:-1], side="right") / len(first)
    under = np.searchsorted(np.sort(second), points[:-1], side="right") / len(second)
    return float(np.diff(points) @ (below * (1 - under) + under * (1 - below)))


# --- F1 ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class MarkCounts:
    """What two annotators marked, one of them taken as gold (the consistency paper, appendix A).

    A true positive is marked by both, a false positive by the other annotator only, a false
    negative by gold only. F1 is the same whoever is gold; precision and recall change places.
    """

    true_positives: int
    false_positives: int
    false_negatives: int

    def __add__(self, other: "MarkCounts") -> "MarkCounts":
        return MarkCounts(
            self.true_positives + other.true_positives,
            self.false_positives + other.false_positives,
            self.false_negatives + other.false_negatives,
        )

    @property
    def precision(self) -> Value:
        """TP / (TP + FP)."""
        reason = "the annotator who is not gold marked nothing"
        return _share(self.true_positives, self.true_positives + self.false_positives, reason)

    @property
    def recall(self) -> Value:
        """TP / (TP + FN)."""
        reason = "the annotator who is gold marked nothing"
        return _share(self.true_positives, self.true_positives + self.false_negatives, reason)

    @property
    def f1(self) -> Value:
        """2PR / (P + R), as 2TP / (2TP + FP + FN): 0, not undefined, where no mark is common."""
        double = 2 * self.true_positives
        marks = double + self.false_positives + self.false_negatives
        return _share(double, marks, _NOTHING_MARKED)


def _share(part: int, whole: int, reason: str) -> Value:
    return Value(part / whole, whole) if whole else Value(None, 0, reason=reason)


def mark_counts(gold: Floats, other: Floats, positive: float = 1.0) -> MarkCounts:
    """The marks of two annotators on the units both rated; a mark is the rating `positive`."""
    gold, other = _both_rated(gold, other)
    here, there = gold == positive, other == positive
    return MarkCounts(
        int(np.count_nonzero(here & there)),
        int(np.count_nonzero(~here & there)),
        int(np.count_nonzero(here & ~there)),
    )


def mark_counts_of_sets(gold: Iterable[Hashable], other: Iterable[Hashable]) -> MarkCounts:
    """The same where each annotator lists what they marked (chains, pairs, spans ...)."""
    here, there = set(gold), set(other)
    return MarkCounts(len(here & there), len(there - here), len(here - there))


def f1_agreement(gold: Floats, other: Floats, positive: float = 1.0) -> Value:
    """F1 between two annotators, one of them as gold."""
    return mark_counts(gold, other, positive).f1


# --- any number of annotators --------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """How far two annotators agree, by name."""

    first: str
    second: str
    value: Value


@dataclass(frozen=True, slots=True)
class PairwiseAgreement:
    """The agreement of every pair of annotators who rated a unit in common."""

    pairs: tuple[PairAgreement, ...]

    @property
    def mean(self) -> Value:
        """The plain mean over the pairs for which it is defined.

        `groups` says how many pairs those are, `count` how many observations they have together.
        """
        values = [pair.value for pair in self.pairs]
        defined = [(v.value, v.count) for v in values if v.value is not None]
        if defined:
            mean = fsum(value for value, _ in defined) / len(defined)
            return Value(mean, sum(count for _, count in defined), len(defined))
        if not values:
            return Value(None, 0, 0, "no two annotators rated the same unit")
        count = sum(value.count for value in values)
        return Value(None, count, 0, f"undefined for every pair of annotators: {values[0].reason}")


def over_pairs(
    ratings: Floats, statistic: PairStatistic, annotators: Sequence[str] | None = None
) -> PairwiseAgreement:
    """A statistic of two annotators, for every pair that rated a unit in common.

    In each pair the annotator who comes first in `ratings` is the first argument (the gold).
    """
    _check_matrix(ratings)
    names = [str(n + 1) for n in range(len(ratings))] if annotators is None else annotators
    if len(names) != len(ratings):
        raise MismatchError(f"{len(names)} names for {len(ratings)} annotators")
    rated = (~np.isnan(ratings)).astype(np.float64)
    common = rated @ rated.T
    pairs = (
        PairAgreement(names[a], names[b], statistic(ratings[a], ratings[b]))
        for a, b in combinations(range(len(ratings)), 2)
        if common[a, b]
    )
    return PairwiseAgreement(tuple(pairs))


def _check_matrix(ratings: Floats) -> None:
    if ratings.ndim != 2:
        raise MismatchError(f"ratings need two dimensions, annotators x units, not {ratings.ndim}")
    _refuse_infinite(ratings)


def krippendorff_alpha(ratings: Floats, distance: Distance = "nominal") -> Value:
    """Krippendorff's alpha for any number of annotators, with ratings missing at will.

    One minus observed over expected disagreement in the matrix of coincidences (Krippendorff
    2011), to which only units rated at least twice contribute. `count` is how many ratings those
    have, `groups` how many units they are.
    """
    _check_matrix(ratings)
    units, values = _pairable(ratings)
    if not len(values):
        return Value(None, 0, 0, _NO_SECOND_RATING)
    each = np.bincount(units)
    if _all_equal(values):
        return Value(None, len(values), len(each), _ONE_CATEGORY)
    if distance == "nominal":
        within, total = _unequal_pairs(units, values)
    else:
        # The ordinal distance, the ratings between two categories with half of theirs, is the
        # difference of their mid-ranks: ordinal alpha is interval alpha of mid-ranks.
        within, total = _square_sums(units, values if distance == "interval" else _ranks(values))
    observed = np.sum(within / (each - 1))
    expected = total / (len(values) - 1)
    return Value(float(1 - observed / expected), len(values), len(each))


def _pairable(ratings: Floats) -> tuple[Integers, Floats]:
    """Unit (renumbered from 0) and value of every rating in a unit that was rated twice."""
    rated = ~np.isnan(ratings)
    rated &= rated.sum(axis=0) > 1
    units, annotators = np.nonzero(rated.T)
    if not len(units):
        return units, ratings[annotators, units]
    numbers = np.cumsum(rated.any(axis=0)) - 1
    return numbers[units], ratings[annotators, units]


def _unequal_pairs(units: Integers, values: Floats) -> tuple[Floats, float]:
    """How many ordered pairs of ratings differ: within each unit, and among all ratings."""
    tallied, categories, tallies = _tallies(units, values)
    within = np.bincount(units) ** 2 - _summed(tallied, tallies**2)
    totals = np.bincount(categories, weights=tallies)
    return within, float(len(values) ** 2 - totals @ totals)


def _tallies(units: Integers, values: Floats) -> tuple[Integers, Integers, Integers]:
    """Every (unit, category) that occurs, and how often."""
    kinds, codes = np.unique(values, return_inverse=True)
    keys, tallies = np.unique(units * len(kinds) + codes, return_counts=True)
    return keys // len(kinds), keys % len(kinds), tallies


def _square_sums(units: Integers, values: Floats) -> tuple[Floats, float]:
    """The squared differences of all ordered pairs: within each unit, and among all ratings."""
    each = np.bincount(units)
    centres = _summed(units, values) / each
    within = _summed(units, (values - centres[units]) ** 2)
    total = float(np.sum((values - values.mean()) ** 2))
    return 2 * each * within, 2 * len(values) * total


def _summed(units: Integers, values: Floats | Integers) -> Floats:
    return np.asarray(np.bincount(units, weights=values), dtype=np.float64)


def _ranks(values: Floats) -> Floats:
    """The mid-rank of every value among all of them."""
    _, codes, tallies = np.unique(values, return_inverse=True, return_counts=True)
    ranks: Floats = (np.cumsum(tallies) - tallies / 2)[codes]
    return ranks


def fleiss_kappa(ratings: Floats, per_unit: int | None = None) -> Value:
    """Fleiss' kappa (1971), for units that all have the same number of ratings.

    Units that nobody rated do not count. Where the others have different numbers of ratings,
    `per_unit` chooses the units with that many; without it they are refused (Krippendorff's
    alpha takes them all). `count` is how many ratings there are, `groups` how many units.
    """
    _check_matrix(ratings)
    units, annotators = np.nonzero(~np.isnan(ratings.T))
    return _fleiss(*_tallies(units, ratings[annotators, units]), per_unit)


def fleiss_kappa_of_counts(counts: Integers, per_unit: int | None = None) -> Value:
    """The same from a table units x categories that says how many annotators chose what."""
    if counts.ndim != 2 or (counts < 0).any():
        raise InputError("counts of ratings need two dimensions, units x categories, and no minus")
    units, categories = np.nonzero(counts)
    return _fleiss(units, categories, counts[units, categories], per_unit)


def _fleiss(
    units: Integers, categories: Integers, tallies: Integers, per_unit: int | None
) -> Value:
    if not len(units):
        return Value(None, 0, 0, _NO_SECOND_RATING)
    each = np.bincount(units, weights=tallies).astype(np.int64)
    number = _ratings_per_unit(each, per_unit)
    taken = each[units] == number
    units, categories, tallies = units[taken], categories[taken], tallies[taken]
    count = int(tallies.sum())
    groups = count // number
    if number < 2 or not groups:
        return Value(None, count, groups, _NO_SECOND_RATING)
    if len(np.unique(categories)) == 1:
        return Value(None, count, groups, _ONE_CATEGORY)
    observed = (float(tallies @ tallies) / groups - number) / (number * (number - 1))
    shares = np.bincount(categories, weights=tallies) / count
    expected = float(shares @ shares)
    return Value((observed - expected) / (1 - expected), count, groups)


def _ratings_per_unit(each: Integers, per_unit: int | None) -> int:
    if per_unit is not None:
        if per_unit < 2:
            raise InputError(f"agreement needs at least 2 ratings per unit, not {per_unit}")
        return per_unit
    numbers = np.unique(each[each > 0])
    if len(numbers) > 1:
        raise InputError(
            f"units have {numbers[0]} to {numbers[-1]} ratings, Fleiss' kappa needs the same "
            "number for each; choose those with so many (per_unit), or use Krippendorff's alpha"
        )
    return int(numbers[0])
