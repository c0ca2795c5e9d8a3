"""Texts as SentencePiece pieces, each with the characters of the original text it stands for.

Tag schemes: where a family of models expects its language tags, and where sentences end.

Every scheme puts pieces around a condition and in front of a target::

    source        [source tag] pieces </s>
    decoder       (start) [target tag] pieces </s>
                          `--- given ---'`--- scored ---'

The start piece and the final ``</s>`` of the target are CTranslate2's own doing; the ``</s>`` of
the source is appended here (a model that never sees it scores differently, and says nothing).
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path

from sentencepiece import SentencePieceProcessor

from isogloss.errors import FormatError, InputError
from isogloss.model.folder import ModelCard
from isogloss.model.threads import usable_cores
from isogloss.model.varieties import VARIETY_OF

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


class PieceTokeniser:
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


class SourceTag(Enum):
    """Which language the tag in front of the source names."""

    NONE = "none"
    CONDITION = "condition"
    TARGET = "target"


@dataclass(frozen=True, slots=True)
class TagScheme:
    """One family's convention. `tag` writes a language's code as pieces of the vocabulary."""

    name: str
    tag: tuple[str, ...]
    source_tag: SourceTag
    target_tag: bool
    only_listed_codes: bool = False

    def tag_of(self, code: str) -> tuple[str, ...]:
        """The pieces that stand for the language of that code."""
        return tuple(piece.format(code) for piece in self.tag)


@dataclass(frozen=True, slots=True)
class Frame:
    """The pieces around the texts of one pair of languages; `target_start` is never counted."""

    source_start: tuple[str, ...]
    source_end: tuple[str, ...]
    target_start: tuple[str, ...]


PRISM = TagScheme("prism", ("<{}>",), SourceTag.NONE, target_tag=True)
"""Prism's m39v1 and isogloss's own models: no source tag, the decoder is given the target's."""

M2M100 = TagScheme("m2m100", ("__{}__",), SourceTag.CONDITION, target_tag=True)
"""M2M-100: each side begins with its own language."""

SMALL100 = TagScheme("small100", ("__{}__",), SourceTag.TARGET, target_tag=False)
"""SMaLL-100: M2M-100's network, but the *source* begins with the *target* language."""

NLLB = TagScheme("nllb", ("{}",), SourceTag.CONDITION, target_tag=True)
"""NLLB-200: each side begins with its own language, written ``deu_Latn``."""

MBART50 = TagScheme("mbart50", ("{}",), SourceTag.CONDITION, target_tag=True)
"""mBART-50: each side begins with its own language, written ``de_DE``."""

MARIAN = TagScheme(
    "marian", (">>{}<<",), SourceTag.TARGET, target_tag=False, only_listed_codes=True
)
"""Marian and OPUS-MT: a model that writes several languages has the target's tag on the source.
One that writes a single language has no tags; its card lists no language codes."""

MADLAD = TagScheme("madlad", ("▁", "<2{}>"), SourceTag.TARGET, target_tag=False)
"""MADLAD-400 (T5): the source begins with the target language, a word of its own."""

SCHEMES = {
    scheme.name: scheme for scheme in (PRISM, M2M100, SMALL100, NLLB, MBART50, MARIAN, MADLAD)
}


def scheme_of(card: ModelCard) -> TagScheme:
    """The scheme that a card names."""
    if card.scheme not in SCHEMES:
        raise InputError(
            f"model {card.name!r} has the unknown tag scheme {card.scheme!r}; "
            f"known are: {', '.join(SCHEMES)}"
        )
    return SCHEMES[card.scheme]


def supported_language(language: str, card: ModelCard, supported: tuple[str, ...]) -> str:
    """The model's own spelling of a language code.

    Found by RFC 4647 lookup: ``pt-BR`` is ``pt-BR`` where the model has it, else ``pt``. After that
    a variety is what it is a variety of: ``arz`` is ``ar``.
    """
    by_lower = {known.lower(): known for known in supported}
    parts = language.replace("_", "-").lower().split("-")
    lookup = ["-".join(parts[:end]) for end in range(len(parts), 0, -1)]
    for code in (*lookup, VARIETY_OF.get(parts[0])):
        if code in by_lower:
            return by_lower[code]
    raise InputError(
        f"model {card.name!r} does not know the language {language!r}; "
        f"it knows: {', '.join(supported)}"
    )


def frame(card: ModelCard, condition_language: str | None, target_language: str) -> Frame:
    """The pieces around a condition and a target in these languages.

    A condition's language that is given must be one the model knows, even where no tag needs it.
    """
    scheme = scheme_of(card)
    target = supported_language(target_language, card, card.writes)
    condition = None
    if condition_language is not None:
        condition = supported_language(condition_language, card, card.languages)
    elif scheme.source_tag is SourceTag.CONDITION:
        raise InputError(
            f"model {card.name!r} must be told the language of the condition; "
            f"it knows: {', '.join(card.languages)}"
        )
    named = condition if scheme.source_tag is SourceTag.CONDITION else target
    return Frame(
        source_start=_tag(scheme, card, named) if scheme.source_tag is not SourceTag.NONE else (),
        source_end=("</s>",),
        target_start=_tag(scheme, card, target) if scheme.target_tag else (),
    )


def reading_frame(card: ModelCard, language: str) -> Frame:
    """The pieces around a text that is only read, not translated: nothing is written.

    A model whose source names the target language is told the text's own or, where it does not
    write that one, the first that it writes.
    """
    known = supported_language(language, card, card.languages)
    target = known if known in card.writes else card.writes[0]
    return replace(frame(card, known, target), target_start=())


def _tag(scheme: TagScheme, card: ModelCard, language: str | None) -> tuple[str, ...]:
    if language is None or (scheme.only_listed_codes and language not in card.language_codes):
        return ()
    return scheme.tag_of(card.language_codes.get(language, language))
