"""Noise on sources: dropped, masked, swapped and split pieces, over a whole batch at once.

A little of it keeps the model from trusting every source piece; a lot of it makes the denoising
auto-encoder of the paper's contrastive experiments.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isogloss.training.vocabulary import UNKNOWN

Array = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Noise:
    """How often a noisy example's piece is dropped, masked, swapped with the next one, or split."""

    drop: float = 0.05
    mask: float = 0.05
    swap: float = 0.05
    split: float = 0.0


def add_noise(
    ids: Array,
    owners: Array,
    noisy: Mask,
    noise: Noise,
    halves: Array,
    draw: np.random.Generator,
) -> tuple[Array, Array]:
    """Noise on the flat pieces `ids` of many examples; `owners` says whose each piece is.

    `noisy` says for each piece whether it may be touched, `halves` what a piece splits into (see
    `Spelling`). Returns the pieces that remain, and their owners, in order.
    """
    ids = ids.copy()
    chance = draw.random(len(ids))
    swapped = _apart(noisy & (chance < noise.swap) & _next_is_same(owners) & np.roll(noisy, -1))
    where = np.flatnonzero(swapped)
    ids[where], ids[where + 1] = ids[where + 1], ids[where]
    chance = draw.random(len(ids))
    ids[noisy & (chance < noise.mask)] = UNKNOWN
    kept = ~noisy | (chance < 1 - noise.drop)
    if not noise.split:
        return ids[kept], owners[kept]
    ids, owners, noisy = ids[kept], owners[kept], noisy[kept]
    return _split(ids, owners, noisy & (draw.random(len(ids)) < noise.split), halves)


def _split(ids: Array, owners: Array, chosen: Mask, halves: Array) -> tuple[Array, Array]:
    """The chosen pieces as two pieces each, where they have halves."""
    chosen = chosen & (halves[ids, 0] >= 0)
    times = 1 + chosen.astype(np.int64)
    split = np.repeat(ids, times)
    second = np.cumsum(times)[chosen] - 1
    split[second - 1], split[second] = halves[ids[chosen], 0], halves[ids[chosen], 1]
    return split, np.repeat(owners, times)


def _next_is_same(owners: Array) -> Mask:
    same = np.zeros(len(owners), dtype=bool)
    same[:-1] = owners[:-1] == owners[1:]
    return same


def _apart(swaps: Mask) -> Mask:
    """Of neighbouring swaps only the first: two that overlap would lose a piece."""
    apart = swaps.copy()
    apart[1:] &= ~swaps[:-1]
    return apart
