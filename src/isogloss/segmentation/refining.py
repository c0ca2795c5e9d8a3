"""Cuts between words, looked at once more.

On the best way every piece speaks for itself, so that a name that two neighbouring sentences have
in common speaks for both of them, wherever it stands. Where a cut had to be made inside a sentence
of the output, such as between a headline and the text below it, all places near it are compared by
what each side then lacks: a piece of the source that has its counterpart needs no second one.
"""

from collections.abc import Callable, Sequence

import numpy as np

from isogloss.arrays import Floats, Floats32
from isogloss.segmentation.outputs import OutputPieces
from isogloss.segmentation.sources import widened

_COVERED, _GROUNDED = 2.0, 2.0  # nats per unit of cosine, of a piece of the source and the output
_REACH = 40  # pieces to either side of the cut

Witnesses = Callable[[int], tuple[Floats32, Floats32]]
"""The directions of the pieces that a sentence, and the one after it, should be rendered by."""


def refined(
    runs: Sequence[tuple[int, int]], costs: Floats, witnesses: Witnesses, output: OutputPieces
) -> tuple[tuple[int, int], ...]:
    """The runs of sentences, with better places for the cuts inside sentences.

    `costs` has a row a sentence: what it costs to end its run in each gap of the output.
    """
    better = list(runs)
    for left in range(len(better) - 1):
        (start, cut), (after, end) = better[left], better[left + 1]
        if start < cut == after < end and not output.starts[cut]:
            low, high = max(start, cut - _REACH), min(end, cut + _REACH)
            worth = _worth(*witnesses(left), widened(output.directions[low:high]).T)
            cut = low + 1 + int((worth - costs[left, low + 1 : high]).argmax())
            better[left], better[left + 1] = (start, cut), (cut, end)
    return tuple(better)


def _worth(left: Floats32, right: Floats32, pieces: Floats32) -> Floats:
    """What it is worth to cut behind each of the pieces but the last."""
    if not len(left) or not len(right):  # a sentence of marks alone has nothing to say
        return np.zeros(pieces.shape[1] - 1)
    before, behind = left @ pieces, right @ pieces
    covered = _best_so_far(before)[:-1] + _best_so_far(behind[:, ::-1])[::-1][1:]
    grounded = np.cumsum(before.max(axis=0))[:-1] + np.cumsum(behind.max(axis=0)[::-1])[::-1][1:]
    return np.asarray(_COVERED * covered + _GROUNDED * grounded, dtype=np.float64)


def _best_so_far(cosines: Floats32) -> Floats:
    """For each number of pieces from the first on, how well they cover the rows."""
    return np.asarray(np.maximum.accumulate(cosines, axis=1).sum(axis=0), dtype=np.float64)
