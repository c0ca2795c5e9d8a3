"""From how strongly words are linked to the links themselves."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from isogloss.alignment.directions import Directions
from isogloss.alignment.links import SegmentAlignment

Matrix = NDArray[np.float32]
"""A row for each source word, a column for each target word; from 0 to 1."""


def strongest(strengths: Matrix, weakest: float) -> Directions:
    """The strongest link of each source word and of each target word, unless it is too weak."""
    if not strengths.size:
        return Directions(SegmentAlignment(()), SegmentAlignment(()))
    forth = enumerate(strengths.argmax(axis=1).tolist())
    back = ((source, target) for target, source in enumerate(strengths.argmax(axis=0).tolist()))
    return Directions(_strong(strengths, forth, weakest), _strong(strengths, back, weakest))


def _strong(
    strengths: Matrix, links: Iterable[tuple[int, int]], weakest: float
) -> SegmentAlignment:
    kept = [link for link in sorted(links) if strengths[link] >= weakest]
    return SegmentAlignment(tuple(kept), tuple(round(float(strengths[link]), 4) for link in kept))
