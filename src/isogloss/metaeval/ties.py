"""acc_eq: how often does a metric say the same of a pair as people, ties included?

Deutsch, Foster & Freitag, "Ties Matter" (2023): acc_eq = (concordant + tied by both) / all pairs.
Metrics hardly ever give two outputs the same score, so differences up to a threshold epsilon count
as ties, and epsilon is calibrated: the smallest one that makes the mean over the groups highest.
Where human ties dominate, a metric that ties everything wins; its score, `all_tied`, stands beside.

Calibration is exact and looks at every pair. As epsilon grows, a pair that people tie is won when
it is reached and a pair on which people and metric agree is lost; all others stay wrong. So the
best epsilon is 0 or the difference of a pair that people tie: two sorted lists are all it takes,
and pairs with equal differences move together.

Pairs of scores within a group: what people and metric say about each, and how much it weighs.

A statistic of pairs is the mean over groups of a share of each group's pairs, so a pair weighs
1 / (pairs of its group x groups). Weights are kept as integers over one denominator wherever they
fit: sums of them are exact, and equal sums compare equal.

The pair-decision permutation for acc_eq: what if two metrics had swapped some decisions?

Each metric decides every pair of outputs at its own calibrated threshold, and each decision is
right or wrong. In a draw the two metrics swap their decisions on a random half of the pairs; p is
how often the difference in acc_eq is then as large as it is. Only those pairs matter that one
metric gets right and the other wrong: n of them, of equal weight, add 2 x Binomial(n, 1/2) - n. If
all pairs weigh the same, which is so without missing scores, p is a binomial tail and needs no
draws at all; else the binomials are drawn. By blocks of items, the decisions of a whole block are
swapped together, and all draws of all metrics are one matrix product.

The order of pairs that people did not tie: what is left of agreement when length is taken out.

Only outputs of one segment are compared, so it does not matter how a metric's scores of one segment
compare with those of another; nor is there a threshold for ties, as acc_eq has.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import scipy  # its `stats` take half a second to load, and come when they are used
from numpy.typing import ArrayLike, NDArray

from isogloss.arrays import Floats, Mask
from isogloss.errors import InputError
from isogloss.metaeval.matrix import Blocks, Common, Grouping, Indices, Rows, Value, in_groups
from isogloss.metaeval.permutation import Draws, Outcome, Pair
from isogloss.resampling import weighted_sums
from isogloss.verdicts import Swaps

Weights = NDArray[np.int64] | Floats

_CHUNK = 1 << 21  # pairs at a time
_MOST_PAIRS = 2_000_000_000
_LARGEST_SUM = 1 << 53  # up to here a float64 counts exactly


@dataclass(frozen=True, slots=True, eq=False)
class PairWeights:
    """What a pair of each group weighs, and what all pairs of all groups weigh together."""

    of_group: Weights  # 0 for a group without pairs
    total: float
    uniform: bool

    @classmethod
    def of(cls, pairs: NDArray[np.int64]) -> "PairWeights":
        """The weights for groups of so many pairs each."""
        filled = pairs > 0
        groups = int(np.count_nonzero(filled))
        sizes = [int(size) for size in np.unique(pairs[filled])]
        denominator = math.lcm(*sizes) if len(sizes) < 50 else _LARGEST_SUM
        if denominator * groups < _LARGEST_SUM:
            weights = np.where(filled, denominator // np.maximum(pairs, 1), 0)
            return cls(weights, float(denominator * groups), len(sizes) == 1)
        return cls(np.where(filled, 1.0 / np.maximum(pairs, 1), 0.0), float(groups), False)


@dataclass(frozen=True, slots=True, eq=False)
class PairChunk:
    """Some pairs: the members left and right of some groups (pairs x groups)."""

    groups: slice
    people: Floats  # differences of the human scores, NaN where a score is missing
    scores: Floats  # differences of the metric scores

    @property
    def tied(self) -> Mask:
        """People see no difference."""
        return np.asarray(self.people == 0)

    @property
    def agreeing(self) -> Mask:
        """People and metric prefer the same one."""
        return ((self.people > 0) & (self.scores > 0)) | ((self.people < 0) & (self.scores < 0))

    def right(self, epsilon: float) -> Mask:
        """The metric says what people say, if differences up to epsilon count as ties."""
        small = np.abs(self.scores) <= epsilon
        return (self.tied & small) | (self.agreeing & ~small)


def pair_chunks(rows: Rows) -> Iterator[PairChunk]:
    """Every pair of members of every group, some at a time."""
    groups, members = rows.human.shape
    if groups * members * (members - 1) // 2 > _MOST_PAIRS:
        raise InputError(
            f"{groups * members:,} scores have too many pairs to compare them all; "
            "group by item, or give fewer items"
        )
    human, metric = np.ascontiguousarray(rows.human.T), np.ascontiguousarray(rows.metric.T)
    for left, right in _members(members):
        step = max(1, _CHUNK // len(left))
        for start in range(0, groups, step):
            part = slice(start, start + step)
            people = human[left, part] - human[right, part]
            yield PairChunk(part, people, metric[left, part] - metric[right, part])


def _members(members: int) -> Iterator[tuple[Indices, Indices]]:
    """The index pairs left < right, some at a time."""
    step = max(1, _CHUNK // max(members, 1))
    for start in range(0, members - 1, step):
        left = np.arange(start, min(start + step, members - 1))
        partners = members - 1 - left
        before = np.cumsum(partners) - partners
        each = np.repeat(left, partners)
        yield each, np.arange(len(each)) - np.repeat(before, partners) + each + 1


def right_counts(rows: Rows, epsilon: float) -> NDArray[np.int64]:
    """In how many pairs of each group the metric says what people say."""
    counts = np.zeros(len(rows.human), dtype=np.int64)
    for chunk in pair_chunks(rows):
        counts[chunk.groups] += np.count_nonzero(chunk.right(epsilon), axis=0)
    return counts


Groups = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class AccEq:
    """acc_eq at a threshold, and what a metric that ties every pair would get."""

    value: Value
    epsilon: float | None
    all_tied: Value


def acc_eq(
    human: ArrayLike, metric: ArrayLike, grouping: Grouping = "item", epsilon: float | None = None
) -> AccEq:
    """acc_eq with epsilon calibrated on these scores, or with the one given."""
    return acc_eq_of_rows(Rows.of(human, metric, grouping), epsilon)


def acc_eq_of_rows(rows: Rows, epsilon: float | None = None) -> AccEq:
    """acc_eq of scores that are grouped already."""
    if epsilon is not None and not epsilon >= 0:
        raise InputError(f"a threshold for ties cannot be {epsilon}; it must be 0 or more")
    groups = None if rows.grouping == "none" else int(np.count_nonzero(rows.pairs))
    count = int(rows.pairs.sum())
    if not count:
        nothing = Value(None, 0, groups, rows.why_undefined())
        return AccEq(nothing, epsilon, nothing)
    weights = PairWeights.of(rows.pairs)
    sides = tied_and_agreeing(rows, with_groups=not weights.uniform)
    tied, agreeing = (side.weighted(weights) for side in sides)
    if epsilon is None:
        epsilon = _calibrated(tied, agreeing)
    right = tied.up_to(epsilon) + agreeing.total - agreeing.up_to(epsilon)
    return AccEq(
        Value(float(right) / weights.total, count, groups),
        epsilon,
        Value(tied.total / weights.total, count, groups),
    )


def _calibrated(tied: "WeightedDifferences", agreeing: "WeightedDifferences") -> float:
    """The smallest threshold with which most is right."""
    candidates = np.concatenate([[0.0], tied.ascending])
    gained = tied.up_to(candidates) - agreeing.up_to(candidates)
    return float(candidates[np.argmax(gained)])


@dataclass(frozen=True, slots=True, eq=False)
class WeightedDifferences:
    """Absolute metric differences of some pairs, and how much the smallest of them weigh."""

    ascending: Floats
    weight: Floats | None  # what the first 0, 1, 2 ... weigh; None if each weighs `unit`
    unit: float

    def up_to(self, epsilon: ArrayLike) -> Floats:
        """What the pairs weigh whose difference is epsilon or less."""
        first = np.searchsorted(self.ascending, epsilon, side="right")
        return np.asarray(first * self.unit if self.weight is None else self.weight[first])

    @property
    def total(self) -> float:
        return float(self.up_to(np.inf))


@dataclass(frozen=True, slots=True, eq=False)
class PairDifferences:
    """Absolute metric differences of some pairs, with the group of each unless not asked for."""

    size: Floats
    group: Groups

    def weighted(self, weights: PairWeights) -> WeightedDifferences:
        """Sorted, each with the weight of a pair of its group."""
        if weights.uniform:
            return WeightedDifferences(np.sort(self.size), None, float(weights.of_group.max()))
        order = np.argsort(self.size, kind="stable")
        sums = np.cumsum(weights.of_group[self.group[order]], dtype=np.float64)
        return WeightedDifferences(self.size[order], np.concatenate([[0.0], sums]), 1.0)


def tied_and_agreeing(
    rows: Rows, with_groups: bool = True
) -> tuple[PairDifferences, PairDifferences]:
    """The pairs that people tie, and those that people and metric order alike."""
    kinds: tuple[list[PairDifferences], list[PairDifferences]] = ([], [])
    for chunk in pair_chunks(rows):
        kinds[0].append(_picked(chunk, chunk.tied, with_groups))
        kinds[1].append(_picked(chunk, chunk.agreeing, with_groups))
    return _joined(kinds[0]), _joined(kinds[1])


def _picked(chunk: PairChunk, wanted: Mask, with_groups: bool) -> PairDifferences:
    group = np.nonzero(wanted)[1] + chunk.groups.start if with_groups else np.arange(0)
    return PairDifferences(np.abs(chunk.scores[wanted]), group)


def _joined(parts: list[PairDifferences]) -> PairDifferences:
    size = np.concatenate([part.size for part in parts])
    return PairDifferences(size, np.concatenate([part.group for part in parts]))


_SLICE = 1 << 20  # counts of so many pairs are exact in float32


def decision_outcomes(
    common: Common,
    known: Mapping[str, AccEq],
    grouping: Grouping,
    blocks: ArrayLike | None,
    draws: Draws,
) -> dict[Pair, Outcome | None]:
    """The test of every pair of metrics; thresholds are calibrated on their common cells.

    `known` holds each metric's acc_eq on all cells that it has.
    """
    human = in_groups(common.human, grouping)
    rows = {n: Rows(human, in_groups(m, grouping), grouping) for n, m in common.metrics.items()}
    weights = PairWeights.of(next(iter(rows.values())).pairs)
    if not weights.total:
        return dict.fromkeys(common.pairs)
    epsilons = {name: _threshold(each, known[name]) for name, each in rows.items()}
    if blocks is None:
        return _single_decisions(common.pairs, rows, epsilons, weights, draws)
    if grouping != "item":
        raise InputError("decisions can be swapped by blocks only where pairs lie within an item")
    return _blocks_of_decisions(common.pairs, rows, epsilons, weights, blocks, draws)


def _threshold(rows: Rows, known: AccEq) -> float:
    """What is known already is calibrated anew only where the common cells are fewer."""
    same = known.value.count == int(rows.pairs.sum())
    return (known if same else acc_eq_of_rows(rows)).epsilon or 0.0


# --- single decisions ----------------------------------------------------------------------------


def _single_decisions(
    pairs: tuple[Pair, ...],
    rows: Mapping[str, Rows],
    epsilons: Mapping[str, float],
    weights: PairWeights,
    draws: Draws,
) -> dict[Pair, Outcome | None]:
    kinds, kind = np.unique(weights.of_group, return_inverse=True)
    both_right = _both_right(rows, epsilons, kind, len(kinds))
    index = {name: number for number, name in enumerate(rows)}
    rng = np.random.default_rng(draws.seed)
    drawn = Swaps(len(kind), draws.count, draws.seed, two_sided=False, exact_blocks=0)
    outcomes: dict[Pair, Outcome | None] = {}
    for first, second in pairs:
        a, b = index[first], index[second]
        wins = both_right[:, a, a] - both_right[:, a, b]
        losses = both_right[:, b, b] - both_right[:, a, b]
        difference = float(kinds @ (wins - losses)) / weights.total
        if weights.uniform:
            outcomes[first, second] = _sign_test(difference, int(wins.sum()), int(losses.sum()))
        else:
            apart = (wins + losses).astype(np.int64)
            flipped = 2 * rng.binomial(apart, 0.5, (draws.count, len(kinds))) - apart
            null = (flipped @ kinds).astype(np.float64) / weights.total
            outcomes[first, second] = Outcome.of(difference, null, drawn)
    return outcomes


def _sign_test(difference: float, wins: int, losses: int) -> Outcome:
    half = scipy.stats.binom(wins + losses, 0.5)
    return Outcome(difference, float(half.sf(wins - 1)), float(half.cdf(wins)))


def _both_right(
    rows: Mapping[str, Rows], epsilons: Mapping[str, float], kind: NDArray[np.intp], kinds: int
) -> Floats:
    """For each kind of weight, how many pairs both of two metrics get right (metrics x metrics)."""
    counts = np.zeros((kinds, len(rows), len(rows)))
    for chunks in zip(*(pair_chunks(each) for each in rows.values()), strict=True):
        decided = zip(chunks, epsilons.values(), strict=True)
        right = np.stack([chunk.right(epsilon) for chunk, epsilon in decided])
        kind_here = kind[chunks[0].groups]
        for number in np.unique(kind_here):
            table = right[:, :, kind_here == number].reshape(len(rows), -1).astype(np.float32)
            for start in range(0, table.shape[1], _SLICE):
                part = table[:, start : start + _SLICE]
                counts[number] += part @ part.T
    return counts


# --- blocks of decisions -------------------------------------------------------------------------


def _blocks_of_decisions(
    pairs: tuple[Pair, ...],
    rows: Mapping[str, Rows],
    epsilons: Mapping[str, float],
    weights: PairWeights,
    blocks: ArrayLike,
    draws: Draws,
) -> dict[Pair, Outcome | None]:
    given = Blocks.of(blocks, len(weights.of_group))
    counted = weights.of_group > 0
    known = given.of_items(counted)
    right = [right_counts(each, epsilons[name]) for name, each in rows.items()]
    weighted = (np.stack(right, axis=1) * weights.of_group[:, None])[counted] / weights.total
    by_block = known.sums(weighted)
    swaps = draws.swaps(known.count)
    (moved,) = weighted_sums(swaps.weights(), [by_block])
    total = by_block.sum(axis=0)
    flipped = total - 2 * moved
    index = {name: number for number, name in enumerate(rows)}
    return {
        (a, b): Outcome.of(
            total[index[a]] - total[index[b]],
            flipped[:, index[a]] - flipped[:, index[b]],
            swaps,
        )
        for a, b in pairs
    }


def untied_order(human: ArrayLike, metric: ArrayLike) -> float | None:
    """The share of these pairs in the order of people; both sides are systems x segments.

    A pair that the metric ties is not in order. `None` where there is no pair.
    """
    people, scores = np.asarray(human, dtype=np.float64), np.asarray(metric, dtype=np.float64)
    right = pairs = 0
    for system in range(1, len(people)):
        apart, found = _apart(people, system), _apart(scores, system)
        counted = ~np.isnan(apart) & ~np.isnan(found) & (apart != 0)
        right += int((np.sign(apart) == np.sign(found))[counted].sum())
        pairs += int(counted.sum())
    return right / pairs if pairs else None


def _apart(scores: Floats, system: int) -> Floats:
    """How far a system lies from each of those before it."""
    return np.asarray(scores[system] - scores[:system])
