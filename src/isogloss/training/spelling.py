"""What a vocabulary allows besides its best spelling: split pieces, and pieces without a space.

Splitting a piece in two now and then is subword regularisation (Kudo 2018, Provilkov et al. 2020)
on text that is encoded already. Pieces without their space join the sentences of a paragraph in
languages that write none between them.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.int64]
SPACELESS = frozenset({"ja", "zh"})
_SPACE = "\u2581"  # SentencePiece's mark for the space before a word
NONE = -1


@dataclass(frozen=True, eq=False)
class Spelling:
    """`halves[id]` are the two pieces an id may be split into, or `NONE`.

    `unspaced[id]` is the piece without the space before it: the id itself where it has none or
    where the vocabulary lacks the rest, and `NONE` where it is nothing but the space.
    """

    separator: int
    halves: Array
    unspaced: Array


def spelling_of(pieces: Any, separator: int) -> Spelling:
    """The tables of a SentencePiece model."""
    size = int(pieces.get_piece_size())
    ids = {
        pieces.id_to_piece(number): number
        for number in range(size)
        if _is_text(pieces, number, separator)
    }
    scores = {piece: float(pieces.get_score(number)) for piece, number in ids.items()}
    halves = np.full((size, 2), NONE, dtype=np.int64)
    unspaced = np.arange(size, dtype=np.int64)
    for piece, number in ids.items():
        cuts = [(piece[:at], piece[at:]) for at in range(1, len(piece))]
        known = [cut for cut in cuts if cut[0] in ids and cut[1] in ids]
        if known:
            best = max(known, key=lambda cut: scores[cut[0]] + scores[cut[1]])
            halves[number] = [ids[best[0]], ids[best[1]]]
        if piece == _SPACE:
            unspaced[number] = NONE
        elif piece.startswith(_SPACE):
            unspaced[number] = ids.get(piece[1:], number)
    return Spelling(separator, halves, unspaced)


def _is_text(pieces: Any, number: int, separator: int) -> bool:
    """Not a mark, a tag or a byte (tags and the separator lie before all text)."""
    return number > separator and not (pieces.is_control(number) or pieces.is_byte(number))
