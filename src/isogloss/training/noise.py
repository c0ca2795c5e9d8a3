"""Noise on sources: dropped, masked and swapped pieces, over a whole batch at once.

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
    """How often a noisy example's piece is dropped, masked, or swapped with the next one."""

    drop: float = 0.05
    mask: float = 0.05
    swap: float = 0.05


def add_noise(
    ids: Array, owners: Array, noisy: Mask, noise: Noise, draw: np.random.Generator
) -> tuple[Array, Array]:
    """Noise on the flat pieces `ids` of many examples; `owners` says whose each piece is.

    `noisy` says for each piece whether it may be touched. Returns the pieces that remain, and
    their owners, in order.
    """
    ids = ids.copy()
    chance = draw.random(len(ids))
    swapped = _apart(noisy & (chance < noise.swap) & _next_is_same(owners) & np.roll(noisy, -1))
    where = np.flatnonzero(swapped)
    ids[where], ids[where + 1] = ids[where + 1], ids[where]
    chance = draw.random(len(ids))
    ids[noisy & (chance < noise.mask)] = UNKNOWN
    kept = ~noisy | (chance < 1 - noise.drop)
    return ids[kept], owners[kept]


def _next_is_same(owners: Array) -> Mask:
    same = np.zeros(len(owners), dtype=bool)
    same[:-1] = owners[:-1] == owners[1:]
    return same


def _apart(swaps: Mask) -> Mask:
    """Of neighbouring swaps only the first: two that overlap would lose a piece."""
    apart = swaps.copy()
    apart[1:] &= ~swaps[:-1]
    return apart
