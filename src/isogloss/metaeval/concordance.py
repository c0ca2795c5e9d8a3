"""Counting pairs: in how many do people and metric agree on the order, in how many are they tied?

Small groups (the systems of an item) are counted pair by pair, all groups at once; large ones
(all cells, or all items of a system) by Knight's O(n log n) method, as scipy implements it.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from isogloss.metaeval.matrix import Floats

Counts = NDArray[np.int64]

_PAIR_BY_PAIR = 64  # members up to which comparing every pair is faster than sorting
_CHUNK = 1 << 14  # rows at a time, so that the differences stay in the cache


@dataclass(frozen=True, slots=True, eq=False)
class Concordance:
    """Pairs of each group; a tie is counted in one of the last three, never in two."""

    concordant: Counts
    discordant: Counts
    human_ties: Counts
    metric_ties: Counts
    both_ties: Counts

    @property
    def pairs(self) -> Counts:
        strict = self.concordant + self.discordant
        return strict + self.human_ties + self.metric_ties + self.both_ties

    @property
    def untied_by_human(self) -> Counts:
        return self.concordant + self.discordant + self.metric_ties

    @property
    def untied_by_metric(self) -> Counts:
        return self.concordant + self.discordant + self.human_ties


def concordance(human: Floats, metric: Floats) -> Concordance:
    """Count the pairs of each row; both have NaN in the same places."""
    if human.shape[1] > _PAIR_BY_PAIR:
        tallies = [_of_row(h, m) for h, m in zip(human, metric, strict=True)]
        return Concordance(*np.array(tallies, dtype=np.int64).reshape(-1, 5).T)
    parts = [_pair_by_pair(h, m) for h, m in _columns(human, metric)]
    return Concordance(*np.concatenate([np.zeros((5, 0), dtype=np.int64), *parts], axis=1))


def _columns(human: Floats, metric: Floats) -> Iterator[tuple[Floats, Floats]]:
    """Some rows at a time, turned so that one member of all of them lies together in memory."""
    for start in range(0, len(human), _CHUNK):
        rows = slice(start, start + _CHUNK)
        yield np.ascontiguousarray(human[rows].T), np.ascontiguousarray(metric[rows].T)


def _pair_by_pair(human: Floats, metric: Floats) -> Counts:
    """The five counts (rows of the result) of each column."""
    counts = np.zeros((5, human.shape[1]), dtype=np.int64)
    for member in range(len(human) - 1):
        people = human[member] - human[member + 1 :]  # NaN differences are in none of the counts
        scores = metric[member] - metric[member + 1 :]
        ties = people == 0, scores == 0
        same = ((people > 0) & (scores > 0)) | ((people < 0) & (scores < 0))
        opposite = ((people > 0) & (scores < 0)) | ((people < 0) & (scores > 0))
        kinds = same, opposite, ties[0] & ~ties[1], ties[1] & ~ties[0], ties[0] & ties[1]
        for count, kind in zip(counts, kinds, strict=True):
            # a missing score is NaN in both, so a tie on one side is never a gap on the other
            count += np.count_nonzero(kind, axis=0)
    return counts


def _of_row(human: Floats, metric: Floats) -> Counts:
    """The five counts of one row, which may be long but for what is missing."""
    present = ~np.isnan(human)
    people, scores = human[present], metric[present]
    if len(people) <= _PAIR_BY_PAIR:
        return _pair_by_pair(people[:, None], scores[:, None])[:, 0]
    return np.array(_by_sorting(_ranks(people), _ranks(scores)))


def _by_sorting(people: Counts, scores: Counts) -> tuple[int, int, int, int, int]:
    """The five counts of one long row of ranks."""
    total = _pairs_of(np.array([len(people)]))
    human_ties, metric_ties = _pairs_of(np.bincount(people)), _pairs_of(np.bincount(scores))
    both = np.unique(people * (scores.max(initial=0) + 1) + scores, return_counts=True)[1]
    both_ties = _pairs_of(both)
    strict = total - human_ties - metric_ties + both_ties
    surplus = _surplus(people, scores, total - human_ties, total - metric_ties)
    concordant = (strict + surplus) // 2
    return (
        concordant,
        strict - concordant,
        human_ties - both_ties,
        metric_ties - both_ties,
        both_ties,
    )


def _ranks(values: Floats) -> Counts:
    return np.unique(values, return_inverse=True)[1].astype(np.int64)


def _pairs_of(sizes: NDArray[np.integer]) -> int:
    return int((sizes.astype(np.int64) * (sizes - 1) // 2).sum())


def _surplus(people: Counts, scores: Counts, by_human: int, by_metric: int) -> int:
    """Concordant minus discordant pairs, recovered from tau-b: an integer, so exactly."""
    if not by_human or not by_metric:
        return 0
    tau = stats.kendalltau(people, scores, method="asymptotic").statistic
    return round(float(tau) * float(np.sqrt(by_human)) * float(np.sqrt(by_metric)))
