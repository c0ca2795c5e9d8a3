"""How alike the words of two texts are to the encoder of a translation model.

A multilingual encoder gives words that mean the same in two languages states that point the same
way (Jalili Sabet et al., 2020; Dou and Neubig, 2021). Among all words of the other text, how much
does a word's state speak for each? Asked from both sides, that is a link's strength.
"""

from collections.abc import Sequence

import numpy as np

from isogloss.alignment.decoder import Floats
from isogloss.alignment.strengths import Matrix

Range = tuple[int, int]


def likeness(source: Floats, target: Floats, factor: float) -> Matrix:
    """The likeness of each two pieces, 0 to 1: the geometric mean of what both sides say.

    The products of states, times `factor`, become shares of a row and shares of a column.
    """
    products = source @ target.T * np.float32(factor)
    mean: Matrix = np.sqrt(_shares(products, 1) * _shares(products, 0))
    return mean


def _shares(scores: Floats, axis: int) -> Floats:
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
    shares: Floats = powers / powers.sum(axis=axis, keepdims=True)
    return shares


def word_likeness(
    pieces: Matrix,
    source: tuple[Sequence[Range], Sequence[Range]],
    target: tuple[Sequence[Range], Sequence[Range]],
) -> Matrix:
    """The likeness of words: that of the two of their pieces which are most alike.

    Of either side the characters of its words are given, and those of its pieces.
    """
    by_source = _most(pieces, *source)
    return _most(by_source.T, *target).T


def _most(values: Matrix, words: Sequence[Range], pieces: Sequence[Range]) -> Matrix:
    """For each word, the most that any of its pieces has in each column; 0 without pieces."""
    most: Matrix = np.zeros((len(words), values.shape[1]), np.float32)
    starts, ends = np.array(pieces, dtype=np.int64).reshape(-1, 2).T
    for row, (start, end) in enumerate(words):
        own = (starts < end) & (ends > start)
        if own.any():
            most[row] = values[own].max(axis=0)
    return most
