"""Texts as SentencePiece pieces, each with the characters of the original text it stands for."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from sentencepiece import SentencePieceProcessor

from isogloss.errors import FormatError, InputError
from isogloss.paraphraser.threads import usable_cores

_WORD_START = "▁"
_FEW = 64  # below this many texts, starting threads costs more than it saves


@dataclass(frozen=True, slots=True)
class PiecedText:
    """A text in pieces: what they are, where they lie, and which the model does not know.

    `offsets` are half-open ranges of code points in the original text, whatever normalisation
    did to it. `unknown` holds the positions of pieces outside the model's vocabulary.
    """

    pieces: tuple[str, ...]
    offsets: tuple[tuple[int, int], ...]
    unknown: frozenset[int] = frozenset()

    def __len__(self) -> int:
        return len(self.pieces)

    def tokens(self, unknown_token: str) -> tuple[str, ...]:
        """The pieces as the model is to see them.

        An unknown piece is the text itself, and could spell a mark such as ``</s>``: it is
        replaced before the engine looks it up.
        """
        if not self.unknown:
            return self.pieces
        return tuple(
            unknown_token if position in self.unknown else piece
            for position, piece in enumerate(self.pieces)
        )


class Tokeniser:
    """One side's SentencePiece model with the vocabulary of the translation model."""

    def __init__(self, path: Path, vocabulary: Collection[str]) -> None:
        try:
            self._processor = SentencePieceProcessor(model_file=str(path))
        except (OSError, RuntimeError) as error:
            raise FormatError("is no SentencePiece model", path=path) from error
        self._vocabulary = frozenset(vocabulary)
        self._unknown_id = self._processor.unk_id()

    def encode(self, texts: Iterable[str], threads: int | None = None) -> list[PiecedText]:
        """The texts in pieces, many at a time: SentencePiece shares them among its threads."""
        texts = list(texts)
        if not texts:
            return []  # which SentencePiece itself does not take
        if threads is None:
            threads = 1 if len(texts) < _FEW else usable_cores()
        try:
            mappings = self._processor.encode(
                texts, return_type="offset_mapping", num_threads=threads
            )
        except TypeError:
            # What SentencePiece makes of half a surrogate pair, the only way a string can fail.
            raise InputError("a text holds half a surrogate pair and is not Unicode") from None
        return [self._pieced(mapping) for mapping in mappings]

    def encoded(self, texts: Iterable[str]) -> dict[str, PiecedText]:
        """The distinct texts among these with their pieces."""
        distinct = list(dict.fromkeys(texts))
        return dict(zip(distinct, self.encode(distinct), strict=True))

    def _pieced(self, mapping: dict[str, list[object]]) -> PiecedText:
        pieces: list[str] = mapping["pieces"]  # type: ignore[assignment]
        offsets: list[tuple[int, int]] = mapping["offsets"]  # type: ignore[assignment]
        unknown = frozenset(
            position
            for position, (piece, id) in enumerate(zip(pieces, mapping["ids"], strict=True))
            if id == self._unknown_id or piece not in self._vocabulary
        )
        return PiecedText(tuple(pieces), _widened(pieces, offsets), unknown)

    def decode(self, pieces: Iterable[str]) -> str:
        """The text that the pieces spell."""
        return str(self._processor.decode(list(pieces)))


def _widened(pieces: list[str], offsets: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Give every piece of a character that became several pieces that character's range.

    Bytes of one character, or the letters that normalisation made of one (㍿ is four), come with
    an empty range, except the last. A bare word start stays empty: it stands for no character.
    """
    widened = list(offsets)
    for position in range(len(offsets) - 2, -1, -1):
        start, end = offsets[position]
        following = widened[position + 1]
        if start == end == following[0] and pieces[position] != _WORD_START:
            widened[position] = following
    return tuple(widened)
