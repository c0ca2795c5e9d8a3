"""Segments longer than a model reads, in overlapping parts.

Both sides are cut alike: the first part of the one is taken to be the translation of the first
part of the other. Neighbouring parts share half of their words, so that what is translated somewhat
earlier or later than its share of the text would have it still lies in one of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isogloss.alignment.links import TokenPair
from isogloss.alignment.strengths import Matrix

Lengths = tuple[Sequence[int], Sequence[int]]
"""How many pieces each word of either side has."""


@dataclass(frozen=True, slots=True)
class Part:
    """Some of the words of either side."""

    source: slice
    target: slice

    def of(self, pair: TokenPair) -> TokenPair:
        """The words themselves."""
        return pair[0][self.source], pair[1][self.target]


def whole(pair: TokenPair) -> Part:
    """All words."""
    return Part(slice(0, len(pair[0])), slice(0, len(pair[1])))


def parts_of(pair: TokenPair, lengths: Lengths, room: int) -> list[Part]:
    """The fewest parts with at most `room` pieces on either side; none if a word has more."""
    ends = [np.cumsum([0, *side]) for side in lengths]
    for count in range(1, 2 * max(map(len, pair)) + 2):  # in the last, words stand alone
        parts = _cut(pair, count)
        if all(_size(ends[0], p.source) <= room >= _size(ends[1], p.target) for p in parts):
            return parts
    return []


def _size(ends: NDArray[np.int64], words: slice) -> int:
    return int(ends[min(words.stop, len(ends) - 1)] - ends[words.start])


def _cut(pair: TokenPair, count: int) -> list[Part]:
    sides = [_ranges(len(words), count) for words in pair]
    return [Part(*both) for both in zip(*sides, strict=True)]


def _ranges(length: int, count: int) -> list[slice]:
    """`count` ranges, each of two steps and each a step behind the one before."""
    if count == 1:
        return [slice(0, length)]
    steps = np.linspace(0, length, count + 2).round().astype(int).tolist()
    return [slice(steps[at], max(steps[at + 2], steps[at] + 1)) for at in range(count)]


def together(pair: TokenPair, parts: Sequence[Part], strengths: Sequence[Matrix]) -> Matrix:
    """The strengths of a whole pair: where parts overlap, their mean."""
    if len(parts) == 1:
        return strengths[0]  # as it nearly always is
    shape = len(pair[0]), len(pair[1])
    total, seen = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
    for part, strength in zip(parts, strengths, strict=True):
        total[part.source, part.target] += strength
        seen[part.source, part.target] += 1
    mean: Matrix = np.divide(total, seen, out=total, where=seen > 0)
    return mean
