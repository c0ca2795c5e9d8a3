"""Texts as vectors, a vector for each piece: what two texts are compared by.

Where the model knows a language, its encoder reads the text: pieces that mean the same point the
same way, in whatever languages. Where it does not, spelling is all there is: numbers, names and, to
a reference, whole words have letters in common.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol
from zlib import crc32

import numpy as np

from isogloss.arrays import Floats16, Floats32
from isogloss.errors import InputError
from isogloss.model import Paraphraser, supported_language
from isogloss.wholes import Place


@dataclass(frozen=True, slots=True, eq=False)
class ReadText:
    """The pieces of a text: where they lie in it, and the vector of each, a row a piece.

    Vectors are kept in half precision: a long document has many, and three digits are enough.
    """

    places: tuple[Place, ...]
    vectors: Floats16

    def __len__(self) -> int:
        return len(self.places)


class PieceReader(Protocol):
    """Turns sentences into vectors of their pieces."""

    @property
    def name(self) -> str:
        """What it reads with, for signatures."""
        ...

    @property
    def knows_meaning(self) -> bool:
        """Whether a piece that is like no other has no counterpart."""
        ...

    def __hash__(self) -> int: ...

    def knows(self, language: str | None) -> bool:
        """Whether it can read the language."""
        ...

    def read(self, sentences: Sequence[str], language: str | None) -> list[ReadText]:
        """The pieces of each sentence."""
        ...


@dataclass(frozen=True, slots=True)
class ModelReader:
    """Reads with the encoder of a translation model."""

    model: Paraphraser

    knows_meaning = True

    @property
    def name(self) -> str:
        return self.model.card.name

    def knows(self, language: str | None) -> bool:
        """Whether the model was trained on the language."""
        card = self.model.card
        try:
            return language is not None and bool(supported_language(language, card, card.languages))
        except InputError:
            return False

    def read(self, sentences: Sequence[str], language: str | None) -> list[ReadText]:
        """The encoder's states."""
        distinct = list(dict.fromkeys(sentences))  # a system that loops is read once
        read = {
            sentence: _of_pieces(sentence, pieced.offsets, states)
            for sentence, (pieced, states) in zip(
                distinct, self.model.states(distinct, language or ""), strict=True
            )
        }
        return [read[sentence] for sentence in sentences]


def _of_pieces(sentence: str, offsets: Iterable[Place], states: Floats32) -> ReadText:
    """Pieces without the space before them; those that stand for no letter are left out."""
    places, rows = [], []
    for row, (start, end) in enumerate(offsets):
        stretch = sentence[start:end]
        begin = end - len(stretch.lstrip())
        if begin < end:
            places.append((begin, end))
            rows.append(row)
    return ReadText(tuple(places), states[rows].astype(np.float16))


_IDEOGRAPHS = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"\d+|[{_IDEOGRAPHS}]|[^\W\d_{_IDEOGRAPHS}]+|[^\w\s]|_")
_WIDTH = 256
_GRAM = 3


@dataclass(frozen=True, slots=True)
class SpellingReader:
    """Compares words by the letters that they have in common."""

    name = "spelling"
    knows_meaning = False  # most words of two languages are spelt differently

    def knows(self, language: str | None) -> bool:  # noqa: ARG002
        """Letters are letters."""
        return True

    def read(self, sentences: Sequence[str], language: str | None) -> list[ReadText]:  # noqa: ARG002
        """Words as bags of their runs of three letters."""
        return [_spelt(sentence) for sentence in sentences]


def _spelt(sentence: str) -> ReadText:
    words = list(_WORD.finditer(sentence))
    vectors = np.zeros((len(words), _WIDTH), dtype=np.float16)
    for row, word in enumerate(words):
        marked = f"<{word[0].casefold()}>".encode("utf-8", "replace")
        for start in range(max(1, len(marked) - _GRAM + 1)):
            vectors[row, crc32(marked[start : start + _GRAM]) % _WIDTH] += 1
    return ReadText(tuple(word.span() for word in words), vectors)
