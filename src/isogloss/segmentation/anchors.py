"""Places where source and output surely meet, and the blocks between them.

A long document is matched block by block, so that time and memory grow with its length and not
with its square. A block begins where a sentence of the source and one of the output are each
other's nearest by far and so are their neighbours. They are looked for near where the last ones
met: what was left out or added moves that along.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from isogloss.arrays import Floats32, Integers
from isogloss.segmentation.outputs import OutputPieces
from isogloss.segmentation.sources import Directions, SourceText

_SHORT = 64  # sentences that need no blocks
_ROWS, _REACH = 256, 1_024  # so many sentences at a time, and how far from the last anchor to look
_MARGIN = 0.15  # by which a pair must be nearer than the next best of either
_NEAR = 3  # how far apart neighbouring anchors may be
_BLOCK = 24  # sentences that a block has at least
_LARGEST = 40_000_000  # cosines of a block


@dataclass(frozen=True, slots=True)
class Passage:
    """Sentences of the source, and the gaps of the output between which they are rendered."""

    sentences: tuple[int, int]
    pieces: tuple[int, int]

    @property
    def sentence_count(self) -> int:
        return self.sentences[1] - self.sentences[0]

    @property
    def piece_count(self) -> int:
        return self.pieces[1] - self.pieces[0]


@dataclass(frozen=True, slots=True, order=True)
class Anchor:
    """A sentence of the source and the sentence of the output that surely renders it."""

    source: int
    output: int


def blocks(source: SourceText, output: OutputPieces) -> tuple[Passage, ...]:
    """The document, in blocks that can be matched one by one."""
    whole = Passage((0, len(source.sentences)), (0, len(output)))
    if len(source.sentences) <= _SHORT or not len(output):
        return (whole,)
    gaps = np.flatnonzero(output.starts[:-1])
    anchors = _anchors(
        _means(source.stack.directions, source.stack.firsts), _means(output.directions, gaps)
    )
    corners = [(0, 0)]
    for anchor in _sure(anchors):
        if anchor.source - corners[-1][0] >= _BLOCK:
            corners.append((anchor.source, int(gaps[anchor.output])))
    corners.append((len(source.sentences), len(output)))
    between = (Passage((a, c), (b, d)) for (a, b), (c, d) in pairwise(corners))
    return tuple(part for block in between for part in _bounded(block, source, output))


def _bounded(block: Passage, source: SourceText, output: OutputPieces) -> Iterator[Passage]:
    """A block without any sure place inside it that is too large, in halves by length."""
    (first, last), (start, end) = block.sentences, block.pieces
    size = len(source.stack.part(first, last).owner) * block.piece_count
    gaps = start + 1 + np.flatnonzero(output.starts[start + 1 : end])
    if size <= _LARGEST or block.sentence_count < 2 or not len(gaps):
        yield block
        return
    middle = (first + last) // 2
    share = len(source.stack.part(first, middle).owner) / len(source.stack.part(first, last).owner)
    gap = int(gaps[np.abs(gaps - (start + share * block.piece_count)).argmin()])
    yield from _bounded(Passage((first, middle), (start, gap)), source, output)
    yield from _bounded(Passage((middle, last), (gap, end)), source, output)


def _means(directions: Directions, firsts: Integers) -> Floats32:
    """The direction of each sentence: that of the mean of its pieces."""
    counts = np.diff([*firsts, len(directions)])
    means = np.add.reduceat(directions, firsts, axis=0, dtype=np.float32) / counts[:, None]
    return np.asarray(means / np.maximum(np.linalg.norm(means, axis=1, keepdims=True), 1e-6))


def _anchors(source: Floats32, output: Floats32) -> list[Anchor]:
    """Pairs of nearest sentences, followed along the document, in the longest run that rises."""
    found: list[Anchor] = []
    slope, middle, reach = len(output) / len(source), 0.0, _REACH
    for row in range(0, len(source), _ROWS):
        rows = source[row : row + _ROWS]
        low = int(max(0, middle - reach))
        high = int(min(len(output), middle + slope * len(rows) + reach))
        near = _nearest(rows @ output[low:high].T)
        found += (Anchor(row + r, low + c) for r, c in near)
        last = found[-1] if near else None
        reach = _REACH if near else 2 * reach  # what was added may be longer than that
        ahead = row + len(rows) - (last.source if last else row)
        middle = (last.output if last else middle) + slope * ahead
    return _rising(found)


def _nearest(cosines: Floats32) -> list[tuple[int, int]]:
    """Rows and columns that are each other's nearest, by a margin."""
    if min(cosines.shape) < 2:
        return []
    by_row, by_column = cosines.argmax(axis=1), cosines.argmax(axis=0)
    row_second = np.partition(cosines, -2, axis=1)[:, -2]
    column_second = np.partition(cosines, -2, axis=0)[-2]
    return [
        (row, int(column))
        for row, column in enumerate(by_row)
        if by_column[column] == row
        and cosines[row, column] > _MARGIN + max(row_second[row], column_second[column])
    ]


def _rising(anchors: list[Anchor]) -> list[Anchor]:
    """The longest subsequence whose output sentences rise with their source sentences."""
    ends: list[int] = []
    last_of: list[int] = []
    before: list[int] = []
    for number, anchor in enumerate(anchors):
        place = int(np.searchsorted(ends, anchor.output))
        before.append(last_of[place - 1] if place else -1)
        if place == len(ends):
            ends.append(anchor.output)
            last_of.append(number)
        else:
            ends[place], last_of[place] = anchor.output, number
    chain: list[Anchor] = []
    number = last_of[-1] if last_of else -1
    while number >= 0:
        chain.append(anchors[number])
        number = before[number]
    return chain[::-1]


def _sure(anchors: Sequence[Anchor]) -> list[Anchor]:
    """Those whose neighbours on both sides are close, in the source and in the output."""
    return [
        here
        for before, here, after in zip(anchors, anchors[1:], anchors[2:], strict=False)
        if _close(before, here) and _close(here, after)
    ]


def _close(one: Anchor, other: Anchor) -> bool:
    return other.source - one.source <= _NEAR and other.output - one.output <= _NEAR
