"""Tau of mixed metrics within items, for all draws of PERM-BOTH at once.

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
from numpy.typing import NDArray

from isogloss.metaeval.matrix import Floats, Indices, Mask, defined_ratio

Singles = NDArray[np.float32]
TauName = Literal["tau-b", "tau-23"]

_CHUNK_CELLS = 1 << 24


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
        step = max(1, _CHUNK_CELLS // (draws * features))
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

    def values(self, counts: Singles) -> Floats:
        """tau of each item and draw from its counts; NaN where it is undefined."""
        exact = counts.astype(np.float64)
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
