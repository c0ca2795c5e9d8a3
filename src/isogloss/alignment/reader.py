"""Reading the cross-attention of a translation model, piece by piece.

How alike the words of two texts are to the encoder of a translation model.

A multilingual encoder gives words that mean the same in two languages states that point the same
way (Jalili Sabet et al., 2020; Dou and Neubig, 2021). Among all words of the other text, how much
does a word's state speak for each? Asked from both sides, that is a link's strength.

Segments longer than a model reads, in overlapping parts.

Both sides are cut alike: the first part of the one is taken to be the translation of the first
part of the other. Neighbouring parts share half of their words, so that what is translated somewhat
earlier or later than its share of the text would have it still lies in one of them.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Generic, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from isogloss.alignment.decoder import Heads, PlainDecoder
from isogloss.alignment.protocol import TokenPair
from isogloss.alignment.symmetrisation import Matrix
from isogloss.arrays import Floats32, one_core_a_product
from isogloss.errors import InputError
from isogloss.model import (
    LongPolicy,
    Model,
    Pair,
    PiecedPair,
    PiecedText,
    PieceTokeniser,
    Request,
    SentenceEncoder,
    Threads,
    TooLongError,
    attend,
    scorable,
    usable_cores,
    windows,
)
from isogloss.runtime import Device

_WINDOW = 256
_TOKENS = 512  # pieces that a core computes at once, sources padded to the longest
_MOST_KEPT = 192 << 20  # bytes of states that are kept for the next system, on either side
_MOST_PIECES = 200_000  # of texts whose pieces are kept for the other direction, some 30 MB
_LONG: LongPolicy = "error"
_AROUND = 6  # tags, start and end marks, and one to spare


HeadNumbers = Sequence[tuple[int, int]]
"""(layer, head), both counted from 0."""


@dataclass(frozen=True, slots=True, eq=False)
class PieceAttention:
    """How much each target piece looks at each condition piece, by layer and head.

    It is read at the step where the target piece is the decoder's input. What is missing to 1 in
    a row went to tags and the end mark. Where heads were chosen there is only their mean. `states`
    are what the encoder made of the condition's pieces, a row each, where they are known.
    """

    weights: Heads
    target: PiecedText
    condition: PiecedText
    states: Floats32 | None = None


class AttentionReader:
    """A model whose attention is read: all heads of a plain Transformer in one pass.

    Of other models CTranslate2 gives out the mean of some heads, chosen when they were converted:
    they count as models of one head.
    """

    def __init__(self, folder: Path, device: Device = "cpu") -> None:
        self._model = Model(folder, device, None, None)
        self._decoder = PlainDecoder.read(folder)
        engine = self._model.engine
        # A core for each batch, in the encoder and in NumPy: cores that share one wait for each
        # other, and where others use them too, they wait long.
        self._cores = usable_cores()
        self._encoder = SentenceEncoder(
            folder, engine.device, engine.id.precision, Threads(self._cores, 1)
        )
        self._kept = _kept_states()
        self._begun = _kept_states()
        self._pieces: _Kept[tuple[PieceTokeniser, str], PiecedText] = _Kept(_MOST_PIECES, len)

    @property
    def layers(self) -> int:
        return 1 if self._decoder is None else len(self._decoder.layers)

    @property
    def heads(self) -> int:
        return 1 if self._decoder is None else self._decoder.heads

    @property
    def room(self) -> int:
        """How many pieces of a text the model takes, tags and end marks aside."""
        card = self._model.card
        return min(card.max_source_length, card.max_target_length) - _AROUND

    def lengths(self, texts: Sequence[str]) -> list[int]:
        """How many pieces the texts have, on the side where they have more."""
        sides = self._model.source_side, self._model.target_side
        counts = [map(len, self._pieced(side, texts)) for side in dict.fromkeys(sides)]
        return [max(each) for each in zip(*counts, strict=True)]

    def _pieced(self, side: PieceTokeniser, texts: Sequence[str]) -> list[PiecedText]:
        """The texts in pieces: cut once, though both directions and `lengths` ask for them."""
        return _kept_or_made([(side, text) for text in texts], self._pieces, _cut_in_pieces)

    def read(
        self,
        pairs: Iterable[Pair],
        heads: HeadNumbers | None = None,
        *,
        keep: Literal["condition", "target"] | None = None,
    ) -> Iterator[PieceAttention | None]:
        """The attention of each pair, all or the mean of some `heads`; `None` if a text is empty.

        With `keep` what was made of that text alone is kept: it will come again, as a source does
        with every system.
        """
        if self._decoder is None:
            yield from self._as_converted(pairs, heads)
            return
        for window in windows(pairs, _WINDOW):
            pieced = [
                PiecedPair(condition, target)
                for condition, target in zip(
                    self._pieced(self._model.source_side, [pair.condition for pair in window]),
                    self._pieced(self._model.target_side, [pair.target for pair in window]),
                    strict=True,
                )
            ]
            yield from self._window(self._decoder, window, pieced, heads, keep)

    def _as_converted(
        self, pairs: Iterable[Pair], heads: HeadNumbers | None
    ) -> Iterator[PieceAttention | None]:
        for found in attend(self._model, pairs, _LONG):
            if found is None:
                yield None
            else:
                weights = found.weights[None, None] if heads is None else found.weights
                yield PieceAttention(weights, found.target, found.condition)

    def _window(
        self,
        decoder: PlainDecoder,
        pairs: Sequence[Pair],
        pieced: Sequence[PiecedPair],
        heads: HeadNumbers | None,
        keep: Literal["condition", "target"] | None,
    ) -> Iterator[PieceAttention | None]:
        requests = {
            number: self._request(pair, pieces)
            for number, (pair, pieces) in enumerate(zip(pairs, pieced, strict=True))
            if scorable(pair, pieces)
        }

        def computed(numbers: list[int]) -> Iterator[tuple[int, tuple[Heads, Floats32]]]:
            batch = [requests[number] for number in numbers]
            texts = [request.source for request in batch], [request.target for request in batch]
            kept = self._kept if keep == "condition" else None
            states = _kept_or_made(texts[0], kept, self._encoder.states)
            begun = _kept_or_made(
                texts[1], self._begun if keep == "target" else None, decoder.begin
            )
            if heads is None:
                weights = decoder.attention(states, begun)
            else:
                weights = decoder.mean_attention(states, begun, heads)
            return zip(numbers, zip(weights, states, strict=True), strict=True)

        found: dict[int, tuple[Heads, Floats32]] = {}
        with one_core_a_product(), ThreadPoolExecutor(self._cores) as pool:
            for batch in pool.map(computed, _batches(requests)):
                found.update(batch)
        for number, pieces in enumerate(pieced):
            if number not in found:
                yield None
                continue
            begin = requests[number].condition_at
            columns = slice(begin, begin + len(pieces.condition))
            weights, condition = found[number]
            rows = weights[..., requests[number].given :, columns]
            yield PieceAttention(rows, pieces.target, pieces.condition, condition[columns])

    def _request(self, pair: Pair, pieces: PiecedPair) -> Request:
        try:
            return self._model.fit(pair, pieces, _LONG).requests[0]
        except TooLongError as error:
            raise InputError(
                f"{pair.target[:40]!r}...: too long for the attention of {self._model.card.name}, "
                f"which takes {self._model.card.max_target_length} pieces; cut the segment into "
                "sentences, or choose a statistical aligner"
            ) from error


Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")
Pieces = tuple[str, ...]


class _Kept(Generic[Key, Value]):
    """What was made of something, the latest, in bounded memory; shared by threads."""

    def __init__(self, most: int, weigh: Callable[[Value], int]) -> None:
        self._most, self._weigh = most, weigh
        self._made: OrderedDict[Key, Value] = OrderedDict()
        self._weight = 0
        self._lock = Lock()

    def find(self, key: Key) -> Value | None:
        """What was made of it, if it is still there."""
        with self._lock:
            if key in self._made:
                self._made.move_to_end(key)
            return self._made.get(key)

    def add(self, items: Iterable[tuple[Key, Value]]) -> None:
        """Keep these; what was used longest ago makes room for them."""
        with self._lock:
            for key, value in items:
                if key not in self._made:  # what is there already weighs nothing more
                    self._made[key] = value
                    self._weight += self._weigh(value)
            while self._weight > self._most:
                _, oldest = self._made.popitem(last=False)
                self._weight -= self._weigh(oldest)


def _kept_states() -> _Kept[Pieces, Floats32]:
    return _Kept(_MOST_KEPT, lambda states: states.nbytes)


def _kept_or_made(
    keys: Sequence[Key],
    kept: _Kept[Key, Value] | None,
    make: Callable[[Sequence[Key]], list[Value]],
) -> list[Value]:
    """What was made of these before, or is made of them now and then kept."""
    if kept is None:
        return make(keys)
    found = {key: kept.find(key) for key in keys}
    new = [key for key, value in found.items() if value is None]
    made = dict(zip(new, make(new), strict=True)) if new else {}
    kept.add(made.items())
    known = {key: value for key, value in found.items() if value is not None} | made
    return [known[key] for key in keys]


def _cut_in_pieces(texts: Sequence[tuple[PieceTokeniser, str]]) -> list[PiecedText]:
    """The pieces of texts that one tokeniser cuts."""
    side, _ = texts[0]
    return side.encode(text for _, text in texts)


def _batches(requests: dict[int, Request]) -> Iterator[list[int]]:
    """The numbers of requests of like length, as many as may be computed at once."""
    ordered = sorted(requests, key=lambda number: -len(requests[number].source))
    while ordered:
        size = max(1, _TOKENS // len(requests[ordered[0]].source))
        yield ordered[:size]
        ordered = ordered[size:]


Range = tuple[int, int]


def likeness(source: Floats32, target: Floats32, factor: float) -> Matrix:
    """The likeness of each two pieces, 0 to 1: the geometric mean of what both sides say.

    The products of states, times `factor`, become shares of a row and shares of a column.
    """
    products = source @ target.T * np.float32(factor)
    mean: Matrix = np.sqrt(_shares(products, 1) * _shares(products, 0))
    return mean


def _shares(scores: Floats32, axis: int) -> Floats32:
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
    shares: Floats32 = powers / powers.sum(axis=axis, keepdims=True)
    return shares


def word_likeness(
    pieces: Matrix,
    source: tuple[Sequence[Range], Sequence[Range]],
    target: tuple[Sequence[Range], Sequence[Range]],
) -> Matrix:
    """The likeness of words: that of the two of their pieces which are most alike.

    Of either side the characters of its words are given, and those of its pieces.
    """
    by_source = _most(pieces, *source)
    return _most(by_source.T, *target).T


def _most(values: Matrix, words: Sequence[Range], pieces: Sequence[Range]) -> Matrix:
    """For each word, the most that any of its pieces has in each column; 0 without pieces."""
    starts, ends = np.array(pieces, dtype=np.int64).reshape(-1, 2).T
    begins, stops = np.array(words, dtype=np.int64).reshape(-1, 2).T
    # Pieces follow each other, so those of a word are neighbours.
    first = np.searchsorted(ends, begins, side="right")
    last = np.searchsorted(starts, stops, side="left")
    padded = np.vstack([values, np.zeros_like(values, shape=(1, values.shape[1]))])
    bounds = np.stack([first, last], axis=1).ravel()
    most: Matrix = np.maximum.reduceat(padded, bounds, axis=0)[::2]
    most[first >= last] = 0
    return most


Lengths = tuple[Sequence[int], Sequence[int]]
"""How many pieces each word of either side has."""


@dataclass(frozen=True, slots=True)
class TextPart:
    """Some of the words of either side."""

    source: slice
    target: slice

    def of(self, pair: TokenPair) -> TokenPair:
        """The words themselves."""
        return pair[0][self.source], pair[1][self.target]


def whole(pair: TokenPair) -> TextPart:
    """All words."""
    return TextPart(slice(0, len(pair[0])), slice(0, len(pair[1])))


def parts_of(pair: TokenPair, lengths: Lengths, room: int) -> list[TextPart]:
    """The fewest parts with at most `room` pieces on either side; none if a word has more."""
    ends = [np.cumsum([0, *side]) for side in lengths]
    for count in range(1, 2 * max(map(len, pair)) + 2):  # in the last, words stand alone
        parts = _cut(pair, count)
        if all(_size(ends[0], p.source) <= room >= _size(ends[1], p.target) for p in parts):
            return parts
    return []


def _size(ends: NDArray[np.int64], words: slice) -> int:
    return int(ends[min(words.stop, len(ends) - 1)] - ends[words.start])


def _cut(pair: TokenPair, count: int) -> list[TextPart]:
    sides = [_ranges(len(words), count) for words in pair]
    return [TextPart(*both) for both in zip(*sides, strict=True)]


def _ranges(length: int, count: int) -> list[slice]:
    """`count` ranges, each of two steps and each a step behind the one before."""
    if count == 1:
        return [slice(0, length)]
    steps = np.linspace(0, length, count + 2).round().astype(int).tolist()
    return [slice(steps[at], max(steps[at + 2], steps[at] + 1)) for at in range(count)]


def together(pair: TokenPair, parts: Sequence[TextPart], strengths: Sequence[Matrix]) -> Matrix:
    """The strengths of a whole pair: where parts overlap, their mean."""
    if len(parts) == 1:
        return strengths[0]  # as it nearly always is
    shape = len(pair[0]), len(pair[1])
    total, seen = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
    for part, strength in zip(parts, strengths, strict=True):
        total[part.source, part.target] += strength
        seen[part.source, part.target] += 1
    mean: Matrix = np.divide(total, seen, out=total, where=seen > 0)
    return mean
