"""Resampling of blocks: draws, and the statistics of all draws at once; rank clusters.

A block is what is drawn as a whole: a document, whose segments depend on each other, or a single
segment. Because statistics add up, a resampled score needs only the sum over the drawn blocks,
and all resamples of a system are one matrix product: weights (resamples x blocks) times
statistics (blocks x k).

* Bootstrap (Koehn 2004): blocks are drawn with replacement.
* Randomisation (Riezler & Maxwell 2005): two systems swap some of their blocks, at
  random or in every way there is.

What follows from the draws is for `verdicts` to say.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from isogloss.arrays import Floats

_CHUNK_CELLS = 8_000_000  # 64 MB of float64 weights at a time, however many blocks there are


def bootstrap_weights(blocks: int, resamples: int, seed: int) -> Iterator[Floats]:
    """How often each block is drawn in each resample, some resamples at a time."""
    if blocks * resamples <= _CHUNK_CELLS:
        yield _remembered_counts(blocks, resamples, seed).astype(np.float64)
        return
    rng = np.random.default_rng(seed)
    for rows in _chunks(blocks, resamples):
        yield _counts(rng, blocks, rows).astype(np.float64)


# An analysis asks for the same draws again and again. A block is drawn about once: 16 bits do.
@lru_cache(maxsize=4)
def _remembered_counts(blocks: int, resamples: int, seed: int) -> NDArray[np.uint16]:
    return _counts(np.random.default_rng(seed), blocks, resamples).astype(np.uint16)


def _counts(rng: np.random.Generator, blocks: int, rows: int) -> NDArray[np.intp]:
    drawn = rng.integers(blocks, size=(rows, blocks))
    drawn += np.arange(rows)[:, None] * blocks  # every resample counts in a row of its own
    counts = np.bincount(drawn.ravel(), minlength=rows * blocks)
    return counts.reshape(rows, blocks)


def swap_weights(blocks: int, trials: int, seed: int) -> Iterator[Floats]:
    """1.0 where a trial swaps a block between the systems, 0.0 where it does not."""
    rng = np.random.default_rng(seed)
    for rows in _chunks(blocks, trials):
        yield rng.integers(2, size=(rows, blocks)).astype(np.float64)


def all_swaps(blocks: int, *, first_stays: bool = False) -> Floats:
    """Every way to swap so many blocks (rows); those alone that leave the first, if it stays."""
    bits = max(blocks - 1, 0) if first_stays else blocks
    ways = np.arange(2**bits)[:, None] >> np.arange(bits) & 1
    stays = np.zeros((len(ways), blocks - bits))
    return np.hstack([stays, ways]).astype(np.float64)


def _chunks(blocks: int, rows: int) -> Iterator[int]:
    step = max(1, _CHUNK_CELLS // blocks)
    for start in range(0, rows, step):
        yield min(step, rows - start)


def weighted_sums(weights: Iterator[Floats], statistics: Sequence[Floats]) -> list[Floats]:
    """For each matrix of statistics (blocks x k) its weighted sums (resamples x k)."""
    widths = np.cumsum([matrix.shape[1] for matrix in statistics])[:-1]
    side_by_side = np.hstack(statistics)
    sums = np.vstack([chunk @ side_by_side for chunk in weights])
    return np.hsplit(sums, widths)


def percentile_interval(samples: Floats, confidence: float) -> tuple[float, float] | None:
    """The percentile interval of resampled scores; `None` if none of them is defined."""
    defined = samples[np.isfinite(samples)]
    if not len(defined):
        return None
    tail = (1 - confidence) / 2
    low, high = np.quantile(defined, [tail, 1 - tail])
    return float(low), float(high)


def rank_clusters(ranked: Sequence[str], beats: Callable[[str, str], bool]) -> list[int]:
    """The cluster (from 1) of each system, best first, as WMT draws them.

    A line is drawn between two neighbours where every system above it beats every system below
    it; systems not separated by a line share a cluster.
    """
    clusters, current = [], 1
    for position, _ in enumerate(ranked):
        above, below = ranked[:position], ranked[position:]
        if above and all(beats(a, b) for a in above for b in below):
            current += 1
        clusters.append(current)
    return clusters
