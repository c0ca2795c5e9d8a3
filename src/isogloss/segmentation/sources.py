"""The source of a document, and its references, as sentences with the vectors of their pieces."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from isogloss.arrays import Floats16, Floats32, Integers, Mask
from isogloss.documents import Document
from isogloss.segmentation.readers import PieceReader, ReadText
from isogloss.segmentation.sentences import sentence_places
from isogloss.wholes import Place, trimmed

Directions = Floats16 | Floats32
"""Vectors of length 1: of a whole text in half precision, which saves memory, of a part in single,
which saves time."""

# A paragraph of a reference has a word for everything: it speaks for its segment too readily.
_MOST_SENTENCES = 2


@dataclass(frozen=True, slots=True)
class SourceSentence:
    """A sentence of the source: its segment, and where it lies in it, space around it left out."""

    segment: int
    place: Place
    text: str


@dataclass(frozen=True, slots=True, eq=False)
class PieceStack:
    """Texts with the directions of all their pieces, one below the other."""

    directions: Directions
    owner: Integers  # the text of each row
    silent: Mask  # rows without a letter or digit

    @property
    def numbers(self) -> Integers:
        """The texts that are here."""
        return np.unique(self.owner)

    @property
    def firsts(self) -> Integers:
        """The first row of each text."""
        return np.searchsorted(self.owner, self.numbers)

    def part(self, start: int, end: int) -> "PieceStack":
        """The texts from one number to another."""
        rows = slice(*np.searchsorted(self.owner, [start, end]))
        return PieceStack(widened(self.directions[rows]), self.owner[rows], self.silent[rows])

    def spoken(self, number: int) -> Floats32:
        """The directions of a text's pieces that have a letter or digit."""
        text = self.part(number, number + 1)
        return widened(text.directions[~text.silent])

    @property
    def lengths(self) -> Integers:
        """How many pieces each text has."""
        return np.diff([*self.firsts, len(self.owner)])


@dataclass(frozen=True, eq=False)
class SourceText:
    """The sentences of the source, and the references segment by segment."""

    sentences: tuple[SourceSentence, ...]
    stack: PieceStack
    references: tuple[PieceStack, ...]
    knows_meaning: bool

    @cached_property
    def segments(self) -> Integers:
        """The segment of each sentence."""
        return np.array([sentence.segment for sentence in self.sentences], dtype=np.int64)

    def of_segment(self, segment: int) -> tuple[int, int]:
        """The sentences of a segment, from and to."""
        first, last = np.searchsorted(self.segments, [segment, segment + 1])
        return int(first), int(last)


def read_source(
    document: Document,
    reader: PieceReader,
    source_language: str | None,
    target_language: str | None,
) -> SourceText:
    """A document's source and references as the reader reads them."""
    sentences = list(_sentences(document.source, source_language))
    read = reader.read([sentence.text for sentence in sentences], source_language)
    # What has no piece (a stray control character) can be neither found nor missed.
    kept = [(s, pieces) for s, pieces in zip(sentences, read, strict=True) if len(pieces)]
    few = [count <= _MOST_SENTENCES for count in _counts(sentences, len(document))]
    references = (
        _reference(
            [line if fits else None for line, fits in zip(lines, few, strict=True)],
            reader,
            target_language,
        )
        for lines in document.references.values()
    )
    return SourceText(
        tuple(sentence for sentence, _ in kept),
        _stack([(number, s.text, pieces) for number, (s, pieces) in enumerate(kept)]),
        tuple(stack for stack in references if len(stack.owner)),
        reader.knows_meaning,
    )


def _sentences(lines: Sequence[str], language: str | None) -> Iterator[SourceSentence]:
    for segment, line in enumerate(lines):
        for start, end in sentence_places(line, language):
            place = trimmed(line, (start, end))
            yield SourceSentence(segment, place, line[slice(*place)])


def _counts(sentences: Sequence[SourceSentence], segments: int) -> list[int]:
    """How many sentences each segment has."""
    counts = [0] * segments
    for sentence in sentences:
        counts[sentence.segment] += 1
    return counts


def _reference(
    lines: Sequence[str | None], reader: PieceReader, language: str | None
) -> PieceStack:
    present = [(segment, line) for segment, line in enumerate(lines) if line and line.strip()]
    read = reader.read([line for _, line in present], language)
    return _stack(
        [(segment, line, pieces) for (segment, line), pieces in zip(present, read, strict=True)]
    )


def _stack(texts: Sequence[tuple[int, str, ReadText]]) -> PieceStack:
    texts = [text for text in texts if len(text[2])]
    if not texts:
        return PieceStack(directions([]), np.zeros(0, dtype=np.int64), np.zeros(0, dtype=bool))
    return PieceStack(
        directions([pieces.vectors for _, _, pieces in texts]),
        np.repeat([number for number, _, _ in texts], [len(pieces) for _, _, pieces in texts]),
        np.concatenate([silent_pieces(text, pieces.places) for _, text, pieces in texts]),
    )


def silent_pieces(text: str, places: Sequence[Place]) -> Mask:
    """Which pieces have no letter and no digit: they tell nothing."""
    return np.array([not any(map(str.isalnum, text[a:b])) for a, b in places], dtype=bool)


def directions(texts: Sequence[Floats16]) -> Floats16:
    """The vectors of all texts with length 1, seen from their middle: what they share is silent."""
    if not texts:
        return np.zeros((0, 0), dtype=np.float16)
    lengths = [len(vectors) for vectors in texts]
    middle = sum(vectors.sum(axis=0, dtype=np.float32) for vectors in texts) / sum(lengths)
    found = np.empty((sum(lengths), texts[0].shape[1]), dtype=np.float16)
    parts = np.split(found, np.cumsum(lengths)[:-1])
    for vectors, part in zip(texts, parts, strict=True):
        centred = vectors - middle
        sizes = np.sqrt(np.einsum("ij,ij->i", centred, centred))
        part[:] = centred / np.maximum(sizes, 1e-6)[:, None]
    return found


def widened(directions: Directions) -> Floats32:
    """The same in single precision, in which they multiply fast."""
    return np.asarray(directions, dtype=np.float32)
