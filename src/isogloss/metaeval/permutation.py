"""PERM-BOTH: what if the two metrics had swapped some of their scores?

Deutsch, Dror & Roth (2021): both metrics are standardised, in each draw some cells (or whole blocks
of items) swap their scores between the two, and the difference in correlation of the two mixtures
is set against the one observed. A mixture is never built where it can be avoided:

* Pearson over all cells: moments add up, so all draws of all pairs are one matrix product;
* tau within items: see `tau_mixtures`;
* blocks of whole items, grouped by item: items swap their values, whatever the statistic;
* everything else: the mixtures of many draws are stacked as rows of one matrix.

Tau of mixed metrics within items, for all draws of PERM-BOTH at once.

Whether a mixture of metrics A and B ranks systems i and j as people do depends on two swaps only:
with w = 1 where a draw swaps, the pair's contribution to a count is

    f_AA + w_i (f_BA - f_AA) + w_j (f_AB - f_AA) + w_i w_j (f_AA - f_AB - f_BA + f_BB)

where f_AB takes i's score from A and j's from B. So an item's counts of concordant and of tied
pairs are a quadratic form of its swaps, and those of all draws one product of two matrices: the
swaps and their products (draws x features), which all pairs of metrics share, and the coefficients.
All of them are small integers, hence exact in float32.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from isogloss.arrays import Floats, Mask
from isogloss.errors import InputError
from isogloss.metaeval.correlation import CorrelationName, row_statistic
from isogloss.metaeval.matrix import (
    Blocks,
    Common,
    Grouping,
    Indices,
    Rows,
    defined_ratio,
    in_groups,
    judged_items,
    mean_of_groups,
)
from isogloss.resampling import weighted_sums
from isogloss.verdicts import Swaps

Singles = NDArray[np.float32]
TauName = Literal["tau-b", "tau-23"]

_CHUNK_OF_MIXTURES = 1 << 24


@dataclass(frozen=True, eq=False)
class TauItems:
    """Human scores of some items (items x systems) and what their pairs of systems look like."""

    human: Floats
    unit: Indices
    statistic: TauName
    left: Indices = field(init=False)
    right: Indices = field(init=False)

    def __post_init__(self) -> None:
        left, right = np.triu_indices(self.human.shape[1], 1)
        object.__setattr__(self, "left", left)
        object.__setattr__(self, "right", right)

    @cached_property
    def people(self) -> Floats:
        """-1, 0 or 1 for each pair of systems: whom people prefer; NaN where nobody judged."""
        return np.sign(self.human[:, self.left] - self.human[:, self.right])

    @cached_property
    def known(self) -> Mask:
        return ~np.isnan(self.people)

    @cached_property
    def pairs(self) -> Floats:
        return np.asarray(self.known.sum(axis=1, dtype=np.float64))

    @cached_property
    def untied(self) -> Floats:
        """How many pairs of each item people do not tie."""
        untied = self.known & (self.people != 0)
        return np.asarray(untied.sum(axis=1, dtype=np.float64))

    @cached_property
    def members(self) -> tuple[Singles, Singles]:
        """pairs x systems: 1 where a system is the left, or the right, of a pair."""
        systems = np.arange(self.human.shape[1])
        one, other = (side[:, None] == systems for side in (self.left, self.right))
        return one.astype(np.float32), other.astype(np.float32)

    def slices(self, draws: int) -> Iterator[slice]:
        """Items in portions whose features for so many draws fit into memory."""
        features = 1 + self.human.shape[1] + len(self.left)
        step = max(1, _CHUNK_OF_MIXTURES // (draws * features))
        for start in range(0, len(self.human), step):
            yield slice(start, start + step)

    def part(self, items: slice) -> "TauItems":
        return TauItems(self.human[items], self.unit[items], self.statistic)

    def features(self, swaps: Floats) -> Singles:
        """items x draws x (1, each swap, each product of two swaps)."""
        each = np.moveaxis(swaps.astype(np.float32)[:, self.unit], 0, 1)
        products = each[:, :, self.left] * each[:, :, self.right]
        return np.concatenate([np.ones_like(each[:, :, :1]), each, products], axis=2)

    def contributions(self, one: Floats, other: Floats) -> Singles:
        """items x pairs x counts, with the left system's score from one metric, the right's
        from the other."""
        order = np.sign(one[:, self.left] - other[:, self.right])
        if self.statistic == "tau-23":
            right = self.known & (order == self.people)
            return np.asarray(right[:, :, None], dtype=np.float32)
        surplus = np.where(self.known, order * self.people, 0.0)
        return np.stack([surplus, self.known & (order == 0)], axis=2, dtype=np.float32)

    def coefficients(self, one: Floats, other: Floats) -> Singles:
        """items x features x counts of both mixtures."""
        same, cross = self.contributions(one, one), self.contributions(one, other)
        back, swapped = self.contributions(other, one), self.contributions(other, other)
        first = self._form(same, cross, back, swapped)
        return np.concatenate([first, self._form(swapped, back, cross, same)], axis=2)

    def _form(self, same: Singles, cross: Singles, back: Singles, swapped: Singles) -> Singles:
        left, right = self.members
        linear = np.einsum("gpf,ps->gsf", back - same, left, optimize=True)
        linear += np.einsum("gpf,ps->gsf", cross - same, right, optimize=True)
        product = same - cross - back + swapped
        return np.concatenate([same.sum(axis=1, keepdims=True), linear, product], axis=1)

    def values(self, counts: Singles | Floats) -> Floats:
        """tau of each item and draw from its counts; NaN where it is undefined."""
        exact = np.asarray(counts, dtype=np.float64)
        if self.statistic == "tau-23":
            above, below = 2 * exact[:, :, 0] - self.pairs[:, None], self.pairs[:, None]
        else:
            ranked = self.pairs[:, None] - exact[:, :, 1]
            above, below = exact[:, :, 0], np.sqrt(ranked * self.untied[:, None])
        return defined_ratio(above, below)


def mixed_taus(
    items: TauItems, metrics: Mapping[str, Floats], pair: tuple[str, str], features: Singles
) -> tuple[Floats, Floats]:
    """Over the items: sum of the values and how many there are, of both mixtures (2 x draws)."""
    counts = features @ items.coefficients(*(metrics[name] for name in pair))
    values = np.stack([items.values(half) for half in np.split(counts, 2, axis=2)])
    defined = ~np.isnan(values)
    return np.where(defined, values, 0.0).sum(axis=1), defined.sum(axis=1, dtype=np.float64)


Pair = tuple[str, str]
Nulls = Mapping[Pair, Floats]
"""For each pair of metrics its difference in each draw; NaN where that is undefined."""

_NOISE = 1e-12  # a draw that swaps nothing gives the observed difference, but for rounding
_CHUNK_CELLS = 1 << 20


@dataclass(frozen=True, slots=True)
class Draws:
    """How many random draws a test makes, and from which seed."""

    count: int = 1000
    seed: int = 12345

    def __post_init__(self) -> None:
        if self.count < 1:
            raise InputError(f"at least one draw is needed, not {self.count}")

    def swaps(self, units: int) -> Swaps:
        """So many random ways to swap units; all ways where these are not more."""
        return Swaps(units, self.count, self.seed, False, int(np.log2(self.count)))


@dataclass(frozen=True, slots=True)
class Outcome:
    """The difference between two metrics and how often chance makes it as large, either way."""

    difference: float
    p: float
    reverse_p: float

    @classmethod
    def of(cls, observed: float, null: Floats, swaps: Swaps) -> "Outcome | None":
        """The outcome of one test; `None` where the difference is undefined."""
        if np.isnan(observed) or np.isnan(null).all():
            return None
        return cls(float(observed), swaps.p(null, observed), swaps.p(-null, -observed))


@dataclass(frozen=True, slots=True, eq=False)
class Mixtures:
    """Standardised metrics on their common cells (groups x members), ready to be mixed."""

    human: Floats
    metrics: Mapping[str, Floats]
    pairs: tuple[Pair, ...]
    grouping: Grouping
    unit: Indices  # groups x members: which cells swap together
    units: int
    draws: Draws

    @classmethod
    def of(
        cls, common: Common, grouping: Grouping, blocks: ArrayLike | None, draws: Draws
    ) -> "Mixtures":
        """Cells swap one by one, or by blocks of whole items."""
        unit, units = _units(common.human, blocks)
        return cls(
            in_groups(common.human, grouping),
            {name: in_groups(standardised(m), grouping) for name, m in common.metrics.items()},
            common.pairs,
            grouping,
            in_groups(unit, grouping),
            units,
            draws,
        )

    @property
    def swaps(self) -> Swaps:
        """The ways in which units are swapped."""
        return self.draws.swaps(self.units)

    def row_values(self, statistic: CorrelationName) -> dict[str, Floats]:
        """Each metric's value in each group."""
        kernel = row_statistic(statistic)
        return {
            name: kernel(Rows(self.human, m, self.grouping)) for name, m in self.metrics.items()
        }


def _units(human: Floats, blocks: ArrayLike | None) -> tuple[Indices, int]:
    """The unit that each cell (systems x items) belongs to; unit 0 where there is no score."""
    present = ~np.isnan(human)
    unit = np.zeros(present.shape, dtype=np.intp)
    if blocks is None:
        count = int(np.count_nonzero(present))
        unit[present] = np.arange(count)
        return unit, count
    given = Blocks.of(blocks, present.shape[1])
    judged = judged_items(human)
    known = given.of_items(judged)
    unit[:, judged] = known.index
    return unit, known.count


def standardised(scores: Floats) -> Floats:
    """Mean 0 and deviation 1 over all cells; a constant metric becomes 0."""
    known = scores[~np.isnan(scores)]
    if not len(known):
        return scores
    deviation = float(known.std())
    constant = known.max() == known.min() or deviation == 0
    return np.asarray((scores - known.mean()) * (0.0 if constant else 1 / deviation))


def perm_both_outcomes(
    mixtures: Mixtures, statistic: CorrelationName, by_block: bool
) -> dict[Pair, Outcome | None]:
    """The test of every pair of metrics."""
    values = mixtures.row_values(statistic)
    observed = {name: float(mean_of_groups(row[None])[0]) for name, row in values.items()}
    nulls = null_differences(mixtures, statistic, by_block)
    return {
        (first, second): Outcome.of(
            observed[first] - observed[second], nulls[first, second], mixtures.swaps
        )
        for first, second in mixtures.pairs
    }


def null_differences(mixtures: Mixtures, statistic: CorrelationName, by_block: bool) -> Nulls:
    """The difference between the two mixtures in every draw, for every pair of metrics."""
    if not mixtures.units:
        return {pair: np.full(1, np.nan) for pair in mixtures.pairs}
    if mixtures.grouping == "item" and by_block:
        return _swapped_items(mixtures, statistic)
    if mixtures.grouping == "none" and statistic == "pearson":
        return _pearson_moments(mixtures)
    if mixtures.grouping == "item" and (statistic == "tau-b" or statistic == "tau-23"):
        return _tau_within_items(mixtures, statistic)
    return _stacked_mixtures(mixtures, statistic)


# --- whole items swap ----------------------------------------------------------------------------


def _swapped_items(mixtures: Mixtures, statistic: CorrelationName) -> Nulls:
    """Each item's value goes over to the other metric as a whole."""
    values = mixtures.row_values(statistic)
    unit = mixtures.unit.max(axis=1, initial=0)  # one block an item; 0 where nobody judged it
    names = list(values)
    sums, counts = (np.zeros((mixtures.units, len(names))) for _ in range(2))
    for column, name in enumerate(names):
        defined = ~np.isnan(values[name])
        np.add.at(sums[:, column], unit[defined], values[name][defined])
        np.add.at(counts[:, column], unit[defined], 1.0)
    moved_sums, moved_counts = weighted_sums(mixtures.swaps.weights(), [sums, counts])
    total_sums, total_counts = sums.sum(axis=0), counts.sum(axis=0)

    def mixture(stays: int, comes: int) -> Floats:
        kept = total_sums[stays] - moved_sums[:, stays] + moved_sums[:, comes]
        number = total_counts[stays] - moved_counts[:, stays] + moved_counts[:, comes]
        return defined_ratio(kept, number)

    index = {name: column for column, name in enumerate(names)}
    return {
        (a, b): mixture(index[a], index[b]) - mixture(index[b], index[a]) for a, b in mixtures.pairs
    }


# --- Pearson over all cells ----------------------------------------------------------------------


def _pearson_moments(mixtures: Mixtures) -> Nulls:
    """Sums, sums of squares and of products with the human scores of all mixtures at once."""
    present = ~np.isnan(mixtures.human[0])
    people = mixtures.human[0][present]
    people = people - people.mean()
    scores = np.stack([m[0][present] for m in mixtures.metrics.values()], axis=1)
    columns = np.hstack([scores, scores**2, scores * people[:, None]])
    by_unit = Blocks(mixtures.unit[0][present], mixtures.units).sums(columns)
    (moved,) = weighted_sums(mixtures.swaps.weights(), [by_unit])
    total, width = by_unit.sum(axis=0), scores.shape[1]
    spread = float(people @ people)

    def mixture(stays: int, comes: int) -> Floats:
        own, other = (np.arange(3) * width + column for column in (stays, comes))
        sums, squares, products = (total[own] - moved[:, own] + moved[:, other]).T
        varying = squares - sums**2 / len(people)
        below = np.where(varying > _NOISE, np.sqrt(np.abs(varying) * spread), 0.0)
        return defined_ratio(products, below)

    index = {name: column for column, name in enumerate(mixtures.metrics)}
    return {
        (a, b): mixture(index[a], index[b]) - mixture(index[b], index[a]) for a, b in mixtures.pairs
    }


# --- tau within items ----------------------------------------------------------------------------


def _tau_within_items(mixtures: Mixtures, statistic: TauName) -> Nulls:
    """Counts of pairs as quadratic forms of the swaps."""
    every = TauItems(mixtures.human, mixtures.unit, statistic)
    nulls: dict[Pair, list[Floats]] = {pair: [] for pair in mixtures.pairs}
    for swaps in mixtures.swaps.weights():
        totals = {pair: np.zeros((2, 2, len(swaps))) for pair in mixtures.pairs}
        for part in every.slices(len(swaps)):
            items = every.part(part)
            features = items.features(swaps)
            metrics = {name: scores[part] for name, scores in mixtures.metrics.items()}
            for pair in mixtures.pairs:
                totals[pair] += mixed_taus(items, metrics, pair, features)
        for pair, (sums, counts) in totals.items():
            first, second = defined_ratio(sums, counts)
            nulls[pair].append(first - second)
    return {pair: np.concatenate(parts) for pair, parts in nulls.items()}


# --- any statistic -------------------------------------------------------------------------------


def _stacked_mixtures(mixtures: Mixtures, statistic: CorrelationName) -> Nulls:
    """The mixtures of many draws as the rows of one matrix."""
    nulls: dict[Pair, list[Floats]] = {pair: [] for pair in mixtures.pairs}
    step = max(1, _CHUNK_CELLS // mixtures.human.size)
    for swaps in mixtures.swaps.weights():
        for start in range(0, len(swaps), step):
            swapped = swaps[start : start + step][:, mixtures.unit] > 0
            for first, second in mixtures.pairs:
                one, other = mixtures.metrics[first], mixtures.metrics[second]
                values = [
                    _mixed_values(mixtures, np.where(swapped, b, a), statistic)
                    for a, b in ((one, other), (other, one))
                ]
                nulls[first, second].append(values[0] - values[1])
    return {pair: np.concatenate(parts) for pair, parts in nulls.items()}


def _mixed_values(mixtures: Mixtures, mixed: Floats, statistic: CorrelationName) -> Floats:
    """The statistic of each draw's mixture (draws x groups x members)."""
    draws, groups, members = mixed.shape
    human = np.broadcast_to(mixtures.human, mixed.shape).reshape(-1, members)
    rows = Rows(human, mixed.reshape(-1, members), mixtures.grouping)
    return mean_of_groups(row_statistic(statistic)(rows).reshape(draws, groups))
