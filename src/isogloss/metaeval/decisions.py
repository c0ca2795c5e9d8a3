"""The pair-decision permutation for acc_eq: what if two metrics had swapped some decisions?

Each metric decides every pair of outputs at its own calibrated threshold, and each decision is
right or wrong. In a draw the two metrics swap their decisions on a random half of the pairs; p is
how often the difference in acc_eq is then as large as it is. Only those pairs matter that one
metric gets right and the other wrong: n of them, of equal weight, add 2 x Binomial(n, 1/2) - n. If
all pairs weigh the same, which is so without missing scores, p is a binomial tail and needs no
draws at all; else the binomials are drawn. By blocks of items, the decisions of a whole block are
swapped together, and all draws of all metrics are one matrix product.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from isogloss.errors import InputError
from isogloss.metaeval.matrix import Blocks, Common, Floats, Rows, in_groups
from isogloss.metaeval.pairs import PairWeights, pair_chunks, right_counts
from isogloss.metaeval.permutation import Draws, Outcome, Pair
from isogloss.metaeval.ties import AccEq, acc_eq_of_rows
from isogloss.metaeval.value import Grouping
from isogloss.resampling import weighted_sums
from isogloss.verdicts import Swaps

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
    half = stats.binom(wins + losses, 0.5)
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
