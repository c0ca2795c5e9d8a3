"""Random score matrices with ties and gaps: what statistics trip over."""

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Pair = tuple[Floats, Floats]


def random_pair(seed: int, systems: int = 5, items: int = 9, missing: float = 0.15) -> Pair:
    """Human scores on few levels and correlated metric scores, some of them tied or missing."""
    rng = np.random.default_rng(seed)
    human = np.round(rng.normal(size=(systems, items)) * 2) / 2
    metric = np.round(human + rng.normal(size=human.shape) * 2, rng.integers(0, 3))
    human[rng.random(human.shape) < missing] = np.nan
    metric[rng.random(human.shape) < missing / 2] = np.nan
    return human, metric


@st.composite
def score_pairs(draw: st.DrawFn, least: int = 0) -> Pair:
    """Any two matrices of the same shape, on few levels, with gaps."""
    shape = draw(st.integers(max(least, 1), 5)), draw(st.integers(least, 6))
    level = st.none() | st.integers(-3, 3)
    cells = st.lists(level, min_size=shape[0] * shape[1], max_size=shape[0] * shape[1])
    human, metric = (
        np.array([np.nan if x is None else x / 4 for x in draw(cells)], dtype=float).reshape(shape)
        for _ in range(2)
    )
    return human, metric
