"""How much each piece of an output speaks for each text of the other side, in nats.

A piece speaks for the text that has the piece most like it, the more clearly the less the text that
comes second has to offer. Slopes and threshold were fitted by logistic regression on outputs whose
segments are known (docs/whole-documents.md).
"""

from dataclasses import dataclass, replace

import numpy as np

from isogloss.arrays import Floats, Floats32, Mask
from isogloss.segmentation.outputs import OutputPieces
from isogloss.segmentation.sources import PieceStack, widened

_SLOPE, _MOST = 9.5, 3.0  # log-odds per unit of advantage in cosine, and the most that one tells
_TRUST = 0.3  # the pieces of a sentence are no independent witnesses
# The cosine at which it is even odds that a piece has a counterpart, and the log-odds per unit.
_EVEN, _GROUNDED_SLOPE = 0.45, 6.85
_NARROW = 0.08  # how much less alike a second counterpart may be
_USUAL = 0.6  # the cosine of most pieces that have one


@dataclass(frozen=True, slots=True, eq=False)
class Likeness:
    """How alike the pieces of an output and some texts are.

    `best` is, for each text and piece of the output, the cosine of the piece with the likest piece
    of the text.
    """

    best: Floats32
    silent: Mask

    @classmethod
    def between(cls, texts: PieceStack, output: OutputPieces) -> "Likeness":
        """All texts and all pieces."""
        return cls.by(cosines_between(texts, output), texts, output)

    @classmethod
    def by(cls, cosines: Floats32, texts: PieceStack, output: OutputPieces) -> "Likeness":
        """The same where the cosines are known."""
        return cls(np.maximum.reduceat(cosines, texts.firsts, axis=0), output.silent)

    def evidence(self) -> Floats:
        """For each text and piece, how much the piece speaks for the text."""
        if len(self.best) == 1:
            return np.zeros(self.best.shape)
        second, first = np.partition(self.best, len(self.best) - 2, axis=0)[-2:]
        advantage = self.best - np.where(self.best == first, second, first)
        told = _TRUST * np.clip(_SLOPE * advantage, -_MOST, _MOST)
        told[:, self.silent] = 0
        return np.asarray(told, dtype=np.float64)

    def supposed(self) -> "Likeness":
        """The same if nothing can be told of what is like no other: each may have a counterpart."""
        return replace(self, best=np.full_like(self.best, _USUAL))

    def grounded(self) -> Floats:
        """For each piece, the log-odds that something in the texts stands behind it."""
        return _log_odds(self.best.max(axis=0), self.silent)


def cosines_between(texts: PieceStack, output: OutputPieces) -> Floats32:
    """A row for each piece of the texts, a column for each of the output."""
    cosines = widened(texts.directions) @ widened(output.directions).T
    cosines[texts.silent] = -1
    return np.asarray(cosines)


def counterparts(cosines: Floats32, texts: PieceStack, output: OutputPieces) -> Floats32:
    """For each text and piece of the output, how many of the text's pieces it is counterpart of.

    A piece of the texts that has a counterpart is shared out among those that are most like it.
    """
    heard = np.where(output.silent, np.float32(-1), cosines)
    highest = heard.max(axis=1, keepdims=True)
    shares = np.exp((heard - highest) / _NARROW)
    shares /= shares.sum(axis=1, keepdims=True)
    shares /= 1 + np.exp(_GROUNDED_SLOPE * 2 * (_EVEN - highest))
    return np.asarray(np.add.reduceat(shares, texts.firsts, axis=0))


def _log_odds(cosines: Floats32, silent: Mask) -> Floats:
    told = _TRUST * _GROUNDED_SLOPE * (cosines.astype(np.float64) - _EVEN)
    told[silent] = 0
    return told
