"""PERM-BOTH: what if the two metrics had swapped some of their scores?

Deutsch, Dror & Roth (2021): both metrics are standardised, in each draw some cells (or whole blocks
of items) swap their scores between the two, and the difference in correlation of the two mixtures
is set against the one observed. A mixture is never built where it can be avoided:

* Pearson over all cells: moments add up, so all draws of all pairs are one matrix product;
* tau within items: see `tau_mixtures`;
* blocks of whole items, grouped by item: items swap their values, whatever the statistic;
* everything else: the mixtures of many draws are stacked as rows of one matrix.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from isogloss.errors import InputError
from isogloss.metaeval.correlation import Statistic, row_statistic
from isogloss.metaeval.matrix import (
    Blocks,
    Common,
    Floats,
    Indices,
    Rows,
    defined_ratio,
    in_groups,
    judged_items,
    mean_of_groups,
)
from isogloss.metaeval.tau_mixtures import TauItems, TauName, mixed_taus
from isogloss.metaeval.value import Grouping
from isogloss.resampling import weighted_sums
from isogloss.verdicts import Swaps

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
            {name: in_groups(_standardised(m), grouping) for name, m in common.metrics.items()},
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

    def row_values(self, statistic: Statistic) -> dict[str, Floats]:
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


def _standardised(scores: Floats) -> Floats:
    """Mean 0 and deviation 1 over all cells; a constant metric becomes 0."""
    known = scores[~np.isnan(scores)]
    if not len(known):
        return scores
    deviation = float(known.std())
    constant = known.max() == known.min() or deviation == 0
    return np.asarray((scores - known.mean()) * (0.0 if constant else 1 / deviation))


def perm_both_outcomes(
    mixtures: Mixtures, statistic: Statistic, by_block: bool
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


def null_differences(mixtures: Mixtures, statistic: Statistic, by_block: bool) -> Nulls:
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


def _swapped_items(mixtures: Mixtures, statistic: Statistic) -> Nulls:
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


def _stacked_mixtures(mixtures: Mixtures, statistic: Statistic) -> Nulls:
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


def _mixed_values(mixtures: Mixtures, mixed: Floats, statistic: Statistic) -> Floats:
    """The statistic of each draw's mixture (draws x groups x members)."""
    draws, groups, members = mixed.shape
    human = np.broadcast_to(mixtures.human, mixed.shape).reshape(-1, members)
    rows = Rows(human, mixed.reshape(-1, members), mixtures.grouping)
    return mean_of_groups(row_statistic(statistic)(rows).reshape(draws, groups))
