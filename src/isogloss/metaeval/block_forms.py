"""Counts of pairs across resampled blocks as quadratic forms of how often each block was drawn.

If block b is drawn w_b times, scores i and j of blocks b and c are there w_b and w_c times, and so
make w_b w_c pairs. With A_bc the number of pairs (either way round) between b and c that have some
property, w'Aw counts them on a resample: one pass over all pairs serves every resample. Copies of
the same score are tied with each other on both sides, as they are in any resampled table.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from isogloss.errors import InputError
from isogloss.metaeval.matrix import Floats, Indices, defined_ratio

PairStatistic = Literal["tau-b", "tau-c", "tau-23", "acc-eq"]
Property = Callable[[Floats, Floats], Floats]
"""Differences of human and of metric scores to what each pair counts."""

_CHUNK_CELLS = 1 << 20
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
    step = max(1, _CHUNK_CELLS // len(human))
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
