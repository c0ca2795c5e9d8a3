"""From attention between sub-word pieces to attention between words."""

from collections.abc import Sequence

import numpy as np

from isogloss.alignment.decoder import Heads
from isogloss.alignment.reading import PieceAttention
from isogloss.alignment.strengths import Matrix

Range = tuple[int, int]


def word_attention(
    weights: Heads,
    attention: PieceAttention,
    target: Sequence[Range],
    condition: Sequence[Range],
) -> Heads:
    """How much each word of the target looks at each word of the condition.

    `weights` are those of one head, or of several at once; words are given by their characters.
    What goes to the pieces of a condition's word is added up; the pieces of a target's word are
    averaged.
    """
    rows = _shares(target, attention.target.offsets)
    total = rows.sum(axis=1, keepdims=True)
    rows = np.divide(rows, total, out=rows, where=total > 0)
    columns = _shares(attention.condition.offsets, condition)
    merged: Heads = rows @ weights @ columns
    return merged


def _shares(these: Sequence[Range], those: Sequence[Range]) -> Matrix:
    """What part of each of these ranges lies in each of those."""
    first = np.array(these, dtype=np.float32).reshape(-1, 2)
    second = np.array(those, dtype=np.float32).reshape(-1, 2)
    start = np.maximum(first[:, None, 0], second[None, :, 0])
    end = np.minimum(first[:, None, 1], second[None, :, 1])
    length = np.maximum(first[:, 1] - first[:, 0], 1)
    shares: Matrix = np.clip(end - start, 0, None) / length[:, None]
    return shares
