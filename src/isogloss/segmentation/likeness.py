"""How much each piece of an output speaks for each text of the other side, in nats.

A piece speaks for the text that has the piece most like it, the more clearly the less the text that
comes second has to offer. Slopes and threshold were fitted by logistic regression on outputs whose
segments are known (docs/whole-documents.md).
"""

from dataclasses import dataclass, replace

import numpy as np

from isogloss.arrays import Floats, Floats32, Mask
from isogloss.segmentation.sources import PieceStack

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
    of the text; `found` how many pieces of the text find their counterpart in it, in shares.
    """

    best: Floats32
    found: Floats32
    silent: Mask

    @classmethod
    def between(cls, texts: PieceStack, output: Floats32, silent: Mask) -> "Likeness":
        """All cosines, from directions."""
        cosines = texts.directions @ output.T
        cosines[texts.silent] = -1
        best = np.maximum.reduceat(cosines, texts.firsts, axis=0)
        cosines[:, silent] = -1
        found = np.add.reduceat(_found(cosines), texts.firsts, axis=0)
        return cls(best, found, silent)

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


def _found(cosines: Floats32) -> Floats32:
    """Where each piece of the texts finds its counterpart, if it has one: shares of 1."""
    highest = cosines.max(axis=1, keepdims=True)
    shares = np.exp((cosines - highest) / _NARROW)
    shares /= shares.sum(axis=1, keepdims=True)
    return np.asarray(shares / (1 + np.exp(_GROUNDED_SLOPE * 2 * (_EVEN - highest))))


def _log_odds(cosines: Floats32, silent: Mask) -> Floats:
    told = _TRUST * _GROUNDED_SLOPE * (cosines.astype(np.float64) - _EVEN)
    told[silent] = 0
    return told
