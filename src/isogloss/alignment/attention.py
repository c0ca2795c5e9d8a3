"""Word alignment read off a translation model: its cross-attention, and its encoder's states.

The model is made to produce the target, and the attention of each target word on the source is
read one step after the word, when the decoder has it as input and looks for what it stands for
(Chen et al., 2020). The same is done the other way round. Besides, the encoder's states of both
texts are compared, where the model's card says that they can be. Nothing is learnt from the text.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np

from isogloss.alignment.decoder import Heads
from isogloss.alignment.directions import Directions
from isogloss.alignment.heads import HeadChoice, states_factor
from isogloss.alignment.joining import Range, joined
from isogloss.alignment.likeness import likeness, word_likeness
from isogloss.alignment.links import TokenPair
from isogloss.alignment.parts import Part, parts_of, together, whole
from isogloss.alignment.pieced_words import word_attention
from isogloss.alignment.reading import AttentionReader, PieceAttention
from isogloss.alignment.strengths import Matrix, strongest
from isogloss.errors import NotApplicableError
from isogloss.paraphraser.engine import Device
from isogloss.paraphraser.folder import ModelCard, read_card
from isogloss.paraphraser.pairs import Pair
from isogloss.paraphraser.scheduling import windows
from isogloss.paraphraser.store import DEFAULT, Runtime, find_model

_DIGEST = slice(len("sha256:"), len("sha256:") + 8)
_WINDOW = 512
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
    model: str = DEFAULT
    heads: HeadChoice | None = None
    runtime: Runtime = field(default=_RUNTIME, repr=False)

    def __post_init__(self) -> None:
        if self.source_language is None or self.target_language is None:
            raise NotApplicableError(
                "a model's attention needs to know both languages; say them with --from and --to "
                "or in the test set"
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
        return (
            {f"aligned in overlapping parts of what {self._card.name} reads": long} if long else {}
        )

    def matrices(self, pairs: Sequence[TokenPair]) -> Iterator[Matrix]:
        """How strongly each source word (row) and target word (column) are linked, 0 to 1."""
        for window in self._windows(pairs):
            small = [part.of(pair) for pair, parts in window for part in parts]
            found = self._strengths(small)
            for pair, parts in window:
                yield together(pair, parts, [next(found) for _ in parts])

    def _windows(self, pairs: Sequence[TokenPair]) -> Iterator[list[tuple[TokenPair, list[Part]]]]:
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

    def _parts(self, pair: TokenPair) -> list[Part]:
        reader = self._reader()
        source, target = (reader.lengths(words) for words in pair)
        return parts_of(pair, (source, target), reader.room)

    def _strengths(self, pairs: Sequence[TokenPair]) -> Iterator[Matrix]:
        """The strengths of pairs that are short enough."""
        model = self._reader()
        heads = self._heads or HeadChoice.lower_half(model.layers, model.heads)
        for read in self._read(pairs, heads.top):
            forth, back = read.attention(heads.mean)
            # A link that only one direction sees is worth little.
            seen: Matrix = np.sqrt(forth * back)
            alike = None if self._states is None else read.likeness(self._states)
            yield seen if alike is None else (seen + alike) * _HALF

    def every_head(self, pairs: Sequence[TokenPair]) -> Iterator[tuple[Heads, Heads]]:
        """What each head says from either side, source words in rows: for choosing among them."""
        return (read.attention(lambda heads: heads) for read in self._read(pairs, None))

    def every_likeness(self, pairs: Sequence[TokenPair], factor: float) -> Iterator[Matrix | None]:
        """How alike the encoder finds the words: for choosing the factor."""
        return (read.likeness(factor) for read in self._read(pairs, 0))

    def _read(self, pairs: Sequence[TokenPair], top: int | None) -> Iterator["_Read"]:
        """What the model says about both directions of each pair."""
        source, target = str(self.source_language), str(self.target_language)
        model = self._reader()
        for window in windows(pairs, _WINDOW):
            ours = [joined(words, source) for words, _ in window]
            theirs = [joined(words, target) for _, words in window]
            both = list(zip(ours, theirs, strict=True))
            forth = model.read((Pair(a, b, target, source) for (a, _), (b, _) in both), top)
            back = model.read((Pair(b, a, source, target) for (a, _), (b, _) in both), top)
            for ((_, a), (_, b)), there, here in zip(both, forth, back, strict=True):
                yield _Read(a, b, there, here)


@dataclass(frozen=True, slots=True)
class _Read:
    """The characters of a pair's words, and what a model says: nothing where a text is empty."""

    source: Sequence[Range]
    target: Sequence[Range]
    forth: PieceAttention | None
    back: PieceAttention | None

    def attention(self, chosen: Callable[[Heads], Heads]) -> tuple[Heads, Heads]:
        """That of target words on source words, and the other way round; source words in rows."""
        if self.forth is None or self.back is None:
            return self._nothing(), self._nothing()
        seen = word_attention(chosen(self.forth.weights), self.forth, self.target, self.source)
        back = word_attention(chosen(self.back.weights), self.back, self.source, self.target)
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
