"""How much closer sentences and their runs are than either is to what stands around it.

How alike two texts are tells little by itself: some languages the model reads less well, and some
documents speak of one thing throughout. So a likeness is seen from that of the same texts to their
neighbours' partners, and measured by what is usual in the document: strangers are at about 0, most
sentences and their renderings at about 1.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from isogloss.arrays import Floats, Floats32, Integers, Mask
from isogloss.segmentation.anchors import Passage
from isogloss.segmentation.outputs import OutputPieces
from isogloss.segmentation.sources import SourceText, widened

_WINDOW = 16  # neighbours that are compared with one another
_TELLING = 6  # pieces that it takes to tell anything
# How alike strangers are for one that renderings are, how much further, in cosine, these mostly
# are, and how many of a document's own it takes to outweigh that.
_UNRELATED, _BEYOND, _PRIOR = 0.55, 0.25, 3
_SMALLEST = 0.05


@dataclass(frozen=True, eq=False)
class Closeness:
    """Sentences and runs of a document, by those that are `known` to belong together.

    The known ones come in the order of the source.
    """

    source: SourceText
    output: OutputPieces
    known: Sequence[Passage]

    def of_known(self) -> dict[Passage, float | None]:
        """How close the known ones are, likewise; all at once, which is faster."""
        return {
            passage: self._distances[passage] / self._usual if passage in self._distances else None
            for passage in self.known
        }

    def of(self, passage: Passage) -> float | None:
        """How close sentences and a run are; `None` if they are too short to tell."""
        middle = int(np.searchsorted(self._firsts, passage.sentences[0]))
        around = self.known[max(0, middle - _WINDOW // 2) : middle + _WINDOW // 2]
        others = (each for each in around if each.sentences != passage.sentences)
        compared = _compared(self.source, self.output, [passage, *others])
        return compared[passage] / self._usual if passage in compared else None

    @cached_property
    def _firsts(self) -> Integers:
        return np.array([each.sentences[0] for each in self.known], dtype=np.int64)

    @cached_property
    def _distances(self) -> dict[Passage, float]:
        found: dict[Passage, float] = {}
        for start in range(0, len(self.known), _WINDOW):
            # The last window is as long as the others, with some that were seen before.
            first = max(0, min(start, len(self.known) - _WINDOW))
            found |= _compared(self.source, self.output, self.known[first : first + _WINDOW])
        return found

    @cached_property
    def _usual(self) -> float:
        distances = *self._distances.values(), *((_BEYOND,) * _PRIOR)
        return max(_SMALLEST, float(np.median(distances)))


def _compared(
    source: SourceText, output: OutputPieces, passages: Sequence[Passage]
) -> dict[Passage, float]:
    """How much more alike the sides of each passage are than they are to the others' sides."""
    stack = source.stack
    ours = [np.arange(*np.searchsorted(stack.owner, each.sentences)) for each in passages]
    theirs = [np.arange(*each.pieces) for each in passages]
    rows, columns = np.concatenate(ours), np.concatenate(theirs)
    cosines = widened(stack.directions[rows]) @ widened(output.directions[columns]).T
    one = _Side(_firsts(ours), stack.silent[rows])
    other = _Side(_firsts(theirs), output.silent[columns])
    alike = (one.found_in(other, cosines) + other.found_in(one, cosines.T).T) / 2
    telling = np.minimum(one.spoken, other.spoken) >= _TELLING
    if not telling.any():
        return {}
    own = np.diag(alike)
    seen = (alike[:, telling].sum(axis=1) + alike[telling].sum(axis=0)) / 2 - own
    supposed = _PRIOR * _UNRELATED * np.median(own[telling])
    strange = (seen + supposed) / (telling.sum() - 1 + _PRIOR)
    found = zip(passages, own - strange, telling, strict=True)
    return {passage: float(distance) for passage, distance, tells in found if tells}


@dataclass(frozen=True, slots=True, eq=False)
class _Side:
    """One side of passages: the first piece of each, and which pieces tell nothing."""

    firsts: Integers
    silent: Mask

    @property
    def spoken(self) -> Integers:
        """How many pieces of each passage tell something."""
        return np.asarray(np.add.reduceat(~self.silent, self.firsts, dtype=np.int64))

    def found_in(self, other: "_Side", cosines: Floats32) -> Floats:
        """How alike the pieces of each passage are, in the mean, to the likest of each other's."""
        heard = np.where(other.silent, np.float32(-1), cosines)
        best = np.maximum.reduceat(heard, other.firsts, axis=1)
        best[self.silent] = 0
        counts = np.maximum(self.spoken, 1)[:, None]
        return np.asarray(np.add.reduceat(best, self.firsts, axis=0) / counts, dtype=np.float64)


def _firsts(texts: Sequence[Integers]) -> Integers:
    return np.cumsum([0, *map(len, texts[:-1])])
