"""Word alignment read off a translation model: its cross-attention, and its encoder's states.

The model is made to produce the target, and the attention of each target word on the source is
read one step after the word, when the decoder has it as input and looks for what it stands for
(Chen et al., 2020). The same is done the other way round. Besides, the encoder's states of both
texts are compared, where the model's card says that they can be. Nothing is learnt from the text.

Which cross-attention of a model aligns words, and whether its encoder's states do.

Few heads of a translation model align, and which they are differs from model to model. They are
chosen on development data and noted in the model's card, where they do not change its digest.

From attention between sub-word pieces to attention between words.

Words put back together into text that a translation model has seen the like of.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np

from isogloss.alignment.decoder import Heads
from isogloss.alignment.protocol import TokenPair
from isogloss.alignment.reader import (
    AttentionReader,
    HeadNumbers,
    PieceAttention,
    TextPart,
    likeness,
    parts_of,
    together,
    whole,
    word_likeness,
)
from isogloss.alignment.symmetrisation import Directions, Matrix, strongest
from isogloss.arrays import one_core_a_product
from isogloss.errors import InputError, NotApplicableError
from isogloss.model import (
    DEFAULT_MODEL,
    ModelCard,
    Pair,
    find_model,
    read_card,
    windows,
    write_card,
)
from isogloss.runtime import Device, Runtime

_KEY = "alignment_heads"
_STATES = "alignment_states"
_HEAD = re.compile(r"(\d+)\.(\d+)")


@dataclass(frozen=True, slots=True)
class HeadChoice:
    """(layer, head) of the heads whose mean is read; layers are counted from 0 at the bottom."""

    heads: tuple[tuple[int, int], ...]

    def __str__(self) -> str:
        return "+".join(f"{layer}.{head}" for layer, head in self.heads)

    @classmethod
    def of_card(cls, card: ModelCard) -> "HeadChoice | None":
        """What the model's card says; `None` where nobody has chosen yet."""
        noted = card.card.get(_KEY)
        if noted is None:
            return None
        texts = noted if isinstance(noted, Sequence) and not isinstance(noted, str) else ()
        matches = [_HEAD.fullmatch(str(text)) for text in texts]
        heads = tuple((int(match[1]), int(match[2])) for match in matches if match)
        if not heads or len(heads) != len(matches):
            raise InputError(
                f"model {card.name!r}: the card's {_KEY} must be a list of heads such as "
                f'"1.3" (layer 1, head 3), not {noted!r}'
            )
        return cls(heads)

    @classmethod
    def lower_half(cls, layers: int, heads: int) -> "HeadChoice":
        """What is read of a model of which nobody has chosen heads: what aligns lies low."""
        low = range((layers + 1) // 2)
        return cls(tuple((layer, head) for layer in low for head in range(heads)))

    def within(self, layers: int, heads: int) -> "HeadChoice":
        """The choice itself, refused if a model with so many layers and heads has them not."""
        for layer, head in self.heads:
            if layer >= layers or head >= heads:
                raise InputError(f"there is no head {layer}.{head}; the model has fewer")
        return self


def states_factor(card: ModelCard) -> float | None:
    """What products of the encoder's states are multiplied by; `None`: they are not looked at.

    Only a model whose states are alike for words that mean the same has such a note in its card.
    """
    noted = card.card.get(_STATES)
    if noted is None:
        return None
    if not isinstance(noted, int | float) or isinstance(noted, bool) or not noted > 0:
        raise InputError(
            f"model {card.name!r}: the card's {_STATES} must be a number above 0, not {noted!r}"
        )
    return float(noted)


def remember_choice(folder: Path, choice: HeadChoice, states: float | None = None) -> None:
    """Note the choice of heads, and of the factor of states, in the card of a model."""
    card = read_card(folder)
    noted = {**card.card, _KEY: [f"{layer}.{head}" for layer, head in choice.heads]}
    if states is not None:
        noted[_STATES] = states
    write_card(folder, replace(card, card=noted))


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


_WINDOW = 512
_SPACELESS = frozenset({"zh", "ja", "th", "lo", "km", "my"})
_LEFT_BOUND = re.compile(r"[,.;:!?%)\]}”’»…]+|['’](s|m|d|re|ve|ll|t)|n['’]t", re.IGNORECASE)
_RIGHT_BOUND = re.compile(r"[(\[{“‘«$£€¿¡#]+")


def joined(words: Sequence[str], language: str | None) -> tuple[str, list[Range]]:
    """The text of the words, and the characters of each in it.

    It need not be the text that the words come from, as long as a model reads it alike.
    """
    return _joined(tuple(words), language)


@lru_cache(maxsize=2 * _WINDOW)
def _joined(words: tuple[str, ...], language: str | None) -> tuple[str, list[Range]]:
    spaceless = (language or "").partition("-")[0] in _SPACELESS
    parts: list[str] = []
    ranges: list[Range] = []
    length, quoted, before = 0, False, ""
    for word in words:
        gap = _gap(before, word, spaceless, quoted)
        quoted ^= word == '"'
        start = length + len(gap)
        length = start + len(word)
        parts += (gap, word)
        ranges.append((start, length))
        before = word
    return "".join(parts), ranges


def _gap(before: str, word: str, spaceless: bool, quoted: bool) -> str:
    """What stands between two words; `quoted` says that a straight quotation mark is open."""
    if not before or not word:
        return ""
    if spaceless:
        return " " if _western(before[-1]) and _western(word[0]) else ""
    if quoted and '"' in (before, word):
        return ""
    bound = _LEFT_BOUND.fullmatch(word) or _RIGHT_BOUND.fullmatch(before)
    return "" if bound else " "


def _western(character: str) -> bool:
    return character.isascii() and character.isalnum()


_DIGEST = slice(len("sha256:"), len("sha256:") + 8)
WEAKEST = 0.15
"""What an attention must have to be a link; chosen on development data."""
_HALF = np.float32(0.5)
_RUNTIME = Runtime()


@dataclass(frozen=True)
class AttentionAligner:
    """Reads links off a model, in both directions.

    `heads` are the attention heads that are read; `None` takes those that the model's card names,
    and where it names none, all in the lower half of the layers.
    """

    source_language: str | None
    target_language: str | None
    model: str = DEFAULT_MODEL
    heads: HeadChoice | None = None
    runtime: Runtime = field(default=_RUNTIME, repr=False)

    def __post_init__(self) -> None:
        if self.source_language is None or self.target_language is None:
            raise NotApplicableError(
                "a model's attention needs to know both languages",
                lacking=("source_language", "target_language"),
            )

    @cached_property
    def name(self) -> str:
        card = self._card
        heads = "-lower" if self._heads is None else str(self._heads)
        if self._states is not None:
            heads += f"+states{self._states:g}"
        model = f"{card.name}@{card.digest[_DIGEST]}-{card.precision}"
        languages = f"{self.source_language}-{self.target_language}"
        return f"attention-{model}:heads{heads}:least{WEAKEST}:{languages}"

    @cached_property
    def _folder(self) -> Path:
        return find_model(self.model)

    @cached_property
    def _card(self) -> ModelCard:
        return read_card(self._folder)

    @cached_property
    def _heads(self) -> HeadChoice | None:
        return self.heads or HeadChoice.of_card(self._card)

    @cached_property
    def _states(self) -> float | None:
        return states_factor(self._card)

    def _reader(self) -> AttentionReader:
        return _reader(self._folder, self.runtime.device)

    def directions(self, pairs: Sequence[TokenPair]) -> list[Directions]:
        """Each word's choice among the words of the other side."""
        return [strongest(matrix, WEAKEST) for matrix in self.matrices(pairs)]

    def remarks(self, pairs: Sequence[TokenPair]) -> Mapping[str, int]:
        """How many segments were too long for the model to be read at once."""
        long = sum(len(parts) != 1 for window in self._windows(pairs) for _, parts in window)
        what = f"aligned in overlapping parts of what {self._card.name} reads"
        return {f"{what}; shorter segments are read whole": long} if long else {}

    def matrices(self, pairs: Sequence[TokenPair]) -> Iterator[Matrix]:
        """How strongly each source word (row) and target word (column) are linked, 0 to 1."""
        for window in self._windows(pairs):
            small = [part.of(pair) for pair, parts in window for part in parts]
            found = self._strengths(small)
            for pair, parts in window:
                yield together(pair, parts, [next(found) for _ in parts])

    def _windows(
        self, pairs: Sequence[TokenPair]
    ) -> Iterator[list[tuple[TokenPair, list[TextPart]]]]:
        """Some pairs at a time, each in parts that the model can read: nearly always one."""
        reader = self._reader()
        for window in windows(pairs, _WINDOW):
            longest = np.zeros(len(window), np.int64)
            for side, language in enumerate((self.source_language, self.target_language)):
                texts = [joined(pair[side], language)[0] for pair in window]
                longest = np.maximum(longest, reader.lengths(texts))
            yield [
                (pair, [whole(pair)] if length <= reader.room else self._parts(pair))
                for pair, length in zip(window, longest, strict=True)
            ]

    def _parts(self, pair: TokenPair) -> list[TextPart]:
        reader = self._reader()
        source, target = (reader.lengths(words) for words in pair)
        return parts_of(pair, (source, target), reader.room)

    def _strengths(self, pairs: Sequence[TokenPair]) -> Iterator[Matrix]:
        """The strengths of pairs that are short enough."""
        model = self._reader()
        size = model.layers, model.heads
        heads = self._heads or HeadChoice.lower_half(*size)
        for read in self._read(pairs, heads.within(*size).heads):
            with one_core_a_product():
                forth, back = read.attention()
                # A link that only one direction sees is worth little.
                seen: Matrix = np.sqrt(forth * back)
                alike = None if self._states is None else read.likeness(self._states)
            yield seen if alike is None else (seen + alike) * _HALF

    def every_head(self, pairs: Sequence[TokenPair]) -> Iterator[tuple[Heads, Heads]]:
        """What each head says from either side, source words in rows: for choosing among them."""
        return (read.attention() for read in self._read(pairs, None))

    def every_likeness(self, pairs: Sequence[TokenPair], factor: float) -> Iterator[Matrix | None]:
        """How alike the encoder finds the words: for choosing the factor."""
        return (read.likeness(factor) for read in self._read(pairs, ((0, 0),)))

    def _read(self, pairs: Sequence[TokenPair], heads: HeadNumbers | None) -> Iterator["_Read"]:
        """What the model says about both directions of each pair."""
        source, target = str(self.source_language), str(self.target_language)
        model = self._reader()
        for window in windows(pairs, _WINDOW):
            ours = [joined(words, source) for words, _ in window]
            theirs = [joined(words, target) for _, words in window]
            both = list(zip(ours, theirs, strict=True))
            there = (Pair(a, b, target, source) for (a, _), (b, _) in both)
            here = (Pair(b, a, source, target) for (a, _), (b, _) in both)
            forth = model.read(there, heads, keep="condition")
            back = model.read(here, heads, keep="target")
            for ((_, a), (_, b)), *seen in zip(both, forth, back, strict=True):
                yield _Read(a, b, *seen)


@dataclass(frozen=True, slots=True)
class _Read:
    """The characters of a pair's words, and what a model says: nothing where a text is empty."""

    source: Sequence[Range]
    target: Sequence[Range]
    forth: PieceAttention | None
    back: PieceAttention | None

    def attention(self) -> tuple[Heads, Heads]:
        """That of target words on source words, and the other way round; source words in rows."""
        if self.forth is None or self.back is None:
            return self._nothing(), self._nothing()
        seen = word_attention(self.forth.weights, self.forth, self.target, self.source)
        back = word_attention(self.back.weights, self.back, self.source, self.target)
        return seen.swapaxes(-1, -2), back

    def likeness(self, factor: float) -> Matrix | None:
        """How alike the words are to the encoder; `None` where its states are not known."""
        if self.forth is None or self.back is None:
            return self._nothing()
        source, target = self.forth, self.back  # each with what it is conditioned on
        if source.states is None or target.states is None:
            return None
        return word_likeness(
            likeness(source.states, target.states, factor),
            (self.source, source.condition.offsets),
            (self.target, target.condition.offsets),
        )

    def _nothing(self) -> Matrix:
        return np.zeros((len(self.source), len(self.target)), np.float32)


@lru_cache(maxsize=2)
def _reader(folder: Path, device: Device) -> AttentionReader:
    """The model, loaded; asked for again, it is the same object."""
    return AttentionReader(folder, device)
