"""Statistics with some items left out: the engine behind intervals and tests of differences.

Every block of items (a document, say) is left out once, and the statistic taken on the rest. What
moves it how far says how sure it is (`isogloss.verdicts`). More blocks than a statistic needs are
left out in groups. No smaller matrix is ever built where the statistic can do with which blocks
are there:

* means over items: means of the items' values;
* Pearson: sums of moments;
* Spearman: ranks from cumulative weights;
* tau and acc_eq across items: quadratic forms of the weights (`block_forms`).

Items that nobody judged are no blocks.

Counts of pairs across resampled blocks as quadratic forms of how often each block was drawn.

If block b is drawn w_b times, scores i and j of blocks b and c are there w_b and w_c times, and so
make w_b w_c pairs. With A_bc the number of pairs (either way round) between b and c that have some
property, w'Aw counts them on a resample: one pass over all pairs serves every resample. Copies of
the same score are tied with each other on both sides, as they are in any resampled table.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from isogloss.arrays import Floats, Mask
from isogloss.errors import InputError
from isogloss.metaeval.correlation import CorrelationName, row_statistic
from isogloss.metaeval.matrix import (
    MACRO,
    Averaging,
    Blocks,
    Grouping,
    Indices,
    Rows,
    defined_ratio,
    in_groups,
    judged_items,
    mean_of_groups,
    paired,
)
from isogloss.metaeval.ties import acc_eq_of_rows, right_counts, tied_and_agreeing

PairStatistic = Literal["tau-b", "tau-c", "tau-23", "acc-eq"]
Property = Callable[[Floats, Floats], Floats]
"""Differences of human and of metric scores to what each pair counts."""

_CHUNK_OF_FORMS = 1 << 20
_MOST_PAIRS = 4_000_000_000


@dataclass(frozen=True, slots=True, eq=False)
class BlockForms:
    """What a statistic needs to know of the scores of one group to be resampled by blocks."""

    statistic: PairStatistic
    present: Indices  # the blocks that this group has scores in
    scores: Floats  # how many
    forms: tuple[Floats, ...]  # blocks x blocks, one for each property
    classes: tuple[Floats, ...]  # blocks x values: where each value of either side occurs

    @classmethod
    def of(
        cls,
        human: Floats,
        metric: Floats,
        block: Indices,
        statistic: PairStatistic,
        epsilon: float = 0.0,
    ) -> "BlockForms":
        """Compare every score with every other."""
        if len(human) ** 2 > _MOST_PAIRS:
            raise InputError(
                f"{len(human):,} scores have too many pairs to resample them across items; "
                "group by item"
            )
        present, index = np.unique(block, return_inverse=True)
        order = np.argsort(index, kind="stable")
        people, scores, index = human[order], metric[order], index[order]
        forms = _forms(people, scores, index, _properties(statistic, epsilon))
        classes = (
            tuple(_occurrences(side, index, len(present)) for side in (people, scores))
            if statistic == "tau-c"
            else ()
        )
        return cls(statistic, present, np.bincount(index).astype(np.float64), forms, classes)

    def values(self, weights: Floats) -> Floats:
        """The statistic on each resample (rows of weights), NaN where it is undefined."""
        drawn = weights[:, self.present]
        n = drawn @ self.scores
        counts = [((drawn @ form) * drawn).sum(axis=1) for form in self.forms]
        if self.statistic == "tau-b":
            surplus, human_ties, metric_ties = counts
            above, below = surplus, np.sqrt((n**2 - human_ties) * (n**2 - metric_ties))
        elif self.statistic == "tau-c":
            fewest = np.minimum(*(_drawn_values(drawn, side) for side in self.classes))
            above, below = counts[0] * fewest, n**2 * (fewest - 1)
        else:  # ordered pairs of a score with itself or its copy are right, but only n are no pairs
            above, below = counts[0] - n, n**2 - n
        share = defined_ratio(above, below)
        return 2 * share - 1 if self.statistic == "tau-23" else share


def _properties(statistic: PairStatistic, epsilon: float) -> tuple[Property, ...]:
    def right(people: Floats, scores: Floats) -> Floats:
        order = np.where(np.abs(scores) <= epsilon, 0.0, np.sign(scores))
        return np.asarray(np.sign(people) == order, dtype=np.float64)

    def surplus(people: Floats, scores: Floats) -> Floats:
        return np.asarray(np.sign(people) * np.sign(scores))

    def human_tie(people: Floats, scores: Floats) -> Floats:  # noqa: ARG001
        return np.asarray(people == 0, dtype=np.float64)

    def metric_tie(people: Floats, scores: Floats) -> Floats:  # noqa: ARG001
        return np.asarray(scores == 0, dtype=np.float64)

    if statistic == "tau-b":
        return surplus, human_tie, metric_tie
    return (surplus,) if statistic == "tau-c" else (right,)


def _forms(
    human: Floats, metric: Floats, index: Indices, properties: tuple[Property, ...]
) -> tuple[Floats, ...]:
    """Scores sorted by block: each property summed over every two blocks."""
    starts = np.flatnonzero(np.append([True], np.diff(index) != 0))
    forms = tuple(np.zeros((len(starts), len(starts))) for _ in properties)
    step = max(1, _CHUNK_OF_FORMS // len(human))
    for start in range(0, len(human), step):
        part = slice(start, start + step)
        people = human[part, None] - human
        scores = metric[part, None] - metric
        for form, count in zip(forms, properties, strict=True):
            by_block = np.add.reduceat(count(people, scores), starts, axis=1)
            np.add.at(form, index[part], by_block)
    return forms


def _occurrences(values: Floats, index: Indices, blocks: int) -> Floats:
    known, column = np.unique(values, return_inverse=True)
    occurs = np.zeros((blocks, len(known)))
    occurs[index, column] = 1.0
    return occurs


def _drawn_values(drawn: Floats, occurrences: Floats) -> Floats:
    """How many different values each resample holds."""
    return np.asarray((drawn @ occurrences > 0).sum(axis=1, dtype=np.float64))


AnyStatistic = CorrelationName | Literal["acc-eq"]
RankStatistic = Literal["spearman"] | PairStatistic

MOST_GROUPS = 200
"""So many values say well enough how far they scatter; more blocks are left out in groups."""

_CHUNK_CELLS = 1 << 21
_NOISE = 1e-12  # relative: below this a variance is that of equal scores


@dataclass(frozen=True, slots=True, eq=False)
class Resampling:
    """How often the studentised bootstrap draws, from which seed, and the block of each item.

    Without blocks every item is one.
    """

    count: int = 10_000
    seed: int = 12345
    blocks: ArrayLike | None = None

    def __post_init__(self) -> None:
        if self.count < 1:
            raise InputError(f"at least one resample is needed, not {self.count}")

    def of_items(self, judged: Mask) -> "LeftOut":
        """What is left out of those items that were judged."""
        blocks = Blocks.of(self.blocks, len(judged)).of_items(judged)
        return LeftOut(blocks, _groups(blocks.count, self.seed))


def _groups(blocks: int, seed: int) -> Indices:
    """The group that each block is left out with: a block alone, or as equal groups as can be."""
    if blocks <= MOST_GROUPS:
        return np.arange(blocks)
    return np.random.default_rng(seed).permutation(np.arange(blocks) % MOST_GROUPS)


@dataclass(frozen=True, slots=True, eq=False)
class LeftOut:
    """The blocks of the judged items, and in which group each is left out."""

    blocks: Blocks
    group: Indices

    @property
    def count(self) -> int:
        """How many groups there are."""
        return int(self.group.max(initial=-1)) + 1

    @property
    def weights(self) -> Floats:
        """groups x blocks: 0.0 where a block is left out, 1.0 where it stays."""
        return np.asarray(self.group != np.arange(self.count)[:, None], dtype=np.float64)

    def sums(self, values: Floats) -> Floats:
        """Sums over the items that stay (groups x columns) of values (items x columns)."""
        return np.asarray(self.weights @ self.blocks.sums(values))


def left_out_values(
    statistic: AnyStatistic,
    human: ArrayLike,
    metric: ArrayLike,
    grouping: Grouping,
    resampling: Resampling,
    *,
    epsilon: float | None = None,
    recalibrate: bool = False,
    averaging: Averaging = MACRO,
) -> Floats:
    """The statistic without each group of blocks, NaN where it is undefined.

    acc_eq keeps its threshold (calibrated on all items unless given) or is recalibrated each time,
    which is possible where pairs lie within an item.
    """
    people, scores, left = judged_matrices(human, metric, resampling)
    rows = Rows(in_groups(people, grouping), in_groups(scores, grouping), grouping)
    if not left.count:
        return np.full(0, np.nan)
    if recalibrate:
        return _recalibrated(statistic, rows, left)
    if statistic == "acc-eq" and epsilon is None:
        epsilon = acc_eq_of_rows(rows).epsilon
    if grouping == "item":
        values = _item_values(statistic, rows, epsilon or 0.0)
        return _mean_over_items(*averaging.weighted(values, rows.sizes), left)
    if statistic == "pearson":
        return _pearson(rows, left)
    return _across_items(statistic, rows, left, epsilon or 0.0)


def judged_matrices(
    human: ArrayLike, metric: ArrayLike, resampling: Resampling
) -> tuple[Floats, Floats, LeftOut]:
    """Both matrices without the items that lack all scores, and what is left out of them."""
    people, scores = paired(human, metric)
    judged = judged_items(people)
    return people[:, judged], scores[:, judged], resampling.of_items(judged)


# --- means over items ----------------------------------------------------------------------------


def _item_values(statistic: AnyStatistic, rows: Rows, epsilon: float) -> Floats:
    if statistic != "acc-eq":
        return row_statistic(statistic)(rows)
    return defined_ratio(right_counts(rows, epsilon), rows.pairs)


def _mean_over_items(values: Floats, weights: Floats, left: LeftOut) -> Floats:
    sums = left.sums(np.stack([values * weights, weights], axis=1))
    return defined_ratio(sums[:, 0], sums[:, 1])


def _recalibrated(statistic: AnyStatistic, rows: Rows, left: LeftOut) -> Floats:
    """acc_eq with the best threshold each time.

    Along the sorted differences, a pair that people tie adds its weight and one on which people
    and metric agree takes it away; the highest running sum is what the best threshold gains.
    """
    if statistic != "acc-eq" or rows.grouping != "item":
        raise InputError("only acc_eq by item can be recalibrated on each resample")
    if not rows.pairs.any():
        return np.full(left.count, np.nan)
    tied, agreeing = tied_and_agreeing(rows)
    each = 1 / np.maximum(rows.pairs, 1)
    size, group = np.append(tied.size, agreeing.size), np.append(tied.group, agreeing.group)
    order = np.argsort(size, kind="stable")
    sign = np.repeat([1.0, -1.0], [len(tied.size), len(agreeing.size)])[order]
    ends = np.flatnonzero(np.diff(size[order], append=np.inf) > 0)  # equal ones move together
    block = left.blocks.index[group[order]]
    gains = _highest_sums(sign * each[group[order]], block, ends, left)
    agreed = np.bincount(agreeing.group, minlength=len(each)) * each
    sums = left.sums(np.stack([agreed, rows.pairs > 0], axis=1))
    return defined_ratio(sums[:, 0] + gains, sums[:, 1])


def _highest_sums(share: Floats, block: Indices, ends: Indices, left: LeftOut) -> Floats:
    """The highest running sum of weighted shares, 0 before the first, read at the `ends` only."""
    highest = []
    step = max(1, _CHUNK_CELLS // max(len(share), 1))
    weights = left.weights
    for start in range(0, len(weights), step):
        running = np.cumsum(weights[start : start + step][:, block] * share, axis=1)
        highest.append(running[:, ends].max(axis=1, initial=0.0))
    return np.concatenate(highest)


# --- across items --------------------------------------------------------------------------------


def _pearson(rows: Rows, left: LeftOut) -> Floats:
    """Pearson's r of each group from sums of moments, and the mean over the groups."""
    moments = _by_item(_moments(rows), rows.grouping, len(left.blocks.index))
    n, h, m, hh, mm, hm = np.moveaxis(left.sums(moments).reshape(-1, len(rows.human), 6), 2, 0)
    count = np.maximum(n, 1)
    spreads = hh - h**2 / count, mm - m**2 / count
    defined = (n > 1) & (spreads[0] > _NOISE * hh) & (spreads[1] > _NOISE * mm)
    below = np.where(defined, np.sqrt(np.abs(spreads[0] * spreads[1])), 0.0)
    return mean_of_groups(np.clip(defined_ratio(hm - h * m / count, below), -1.0, 1.0))


def _moments(rows: Rows) -> Floats:
    """groups x members x (1, h, m, hh, mm, hm) of scores centred within their group."""
    present = rows.present
    counts = np.maximum(rows.sizes, 1)[:, None]
    sides = []
    for side in (rows.human, rows.metric):
        filled = np.where(present, side, 0.0)
        sides.append(np.where(present, side - filled.sum(axis=1, keepdims=True) / counts, 0.0))
    h, m = sides
    return np.stack([present.astype(np.float64), h, m, h * h, m * m, h * m], axis=2)


def _by_item(cells: Floats, grouping: Grouping, items: int) -> Floats:
    """Values of cells (groups x members x k) as items x (groups k)."""
    if grouping == "none":
        return np.asarray(cells.reshape(-1, items, cells.shape[2]).sum(axis=0))
    return np.moveaxis(cells, 0, 1).reshape(items, -1)


def _across_items(statistic: RankStatistic, rows: Rows, left: LeftOut, epsilon: float) -> Floats:
    """For statistics that compare items with each other: group by group."""
    systems = rows.human.shape[1] // len(left.blocks.index)
    block = np.tile(left.blocks.index, systems)
    groups = [
        _resampler(statistic, human[there], metric[there], block[there], epsilon)
        for human, metric, there in zip(rows.human, rows.metric, rows.present, strict=True)
        if there.any()
    ]
    return mean_of_groups(np.stack([values(left.weights) for values in groups], axis=1))


def _resampler(
    statistic: RankStatistic, human: Floats, metric: Floats, block: Indices, epsilon: float
) -> Callable[[Floats], Floats]:
    """The function from weights (cases x blocks) to the values of one group."""
    if statistic == "spearman":
        return lambda weights: _spearman(human, metric, weights[:, block])
    return BlockForms.of(human, metric, block, statistic, epsilon).values


def _spearman(human: Floats, metric: Floats, weights: Floats) -> Floats:
    """Spearman's rho of the scores that are there (cases x scores)."""
    step = max(1, _CHUNK_CELLS // len(human))
    parts = []
    for start in range(0, len(weights), step):
        there = weights[start : start + step]
        h, m = _centred_ranks(human, there), _centred_ranks(metric, there)
        below = np.sqrt((there * h * h).sum(axis=1) * (there * m * m).sum(axis=1))
        parts.append(np.clip(defined_ratio((there * h * m).sum(axis=1), below), -1.0, 1.0))
    return np.concatenate(parts)


def _centred_ranks(values: Floats, weights: Floats) -> Floats:
    """The rank of each score among all that were left, less the mean rank."""
    _, run = np.unique(values, return_inverse=True)
    order = np.argsort(run, kind="stable")
    starts = np.flatnonzero(np.append([True], np.diff(run[order]) != 0))
    each = np.add.reduceat(weights[:, order], starts, axis=1)
    before = np.cumsum(each, axis=1) - each
    total = weights.sum(axis=1, keepdims=True)
    return np.asarray((before + (each - total) / 2)[:, run])
