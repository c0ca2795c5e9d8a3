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
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

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
_MOST_KEPT = 256 << 20  # bytes of states that are kept for the next system
_LONG: LongPolicy = "error"
_AROUND = 6  # tags, start and end marks, and one to spare


@dataclass(frozen=True, slots=True, eq=False)
class PieceAttention:
    """How much each target piece looks at each condition piece, by layer and head.

    It is read at the step where the target piece is the decoder's input. What is missing to 1 in
    a row went to tags and the end mark. `states` are what the encoder made of the condition's
    pieces, a row each, where they are known.
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
        self._kept = _KeptStates()

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
        counts = [[len(pieced) for pieced in side.encode(texts)] for side in dict.fromkeys(sides)]
        return [max(each) for each in zip(*counts, strict=True)]

    def read(
        self, pairs: Iterable[Pair], top: int | None = None, *, keep: bool = False
    ) -> Iterator[PieceAttention | None]:
        """The attention of each pair in layers up to `top`; `None` where a text is empty.

        With `keep` the states of conditions are kept: they will come again, as a source does with
        every system.
        """
        if self._decoder is None:
            yield from self._as_converted(pairs)
            return
        for window in windows(pairs, _WINDOW):
            targets = self._model.target_side.encoded(pair.target for pair in window)
            pieced = self._model.pieced(window, targets)
            yield from self._window(self._decoder, window, pieced, top, keep)

    def _as_converted(self, pairs: Iterable[Pair]) -> Iterator[PieceAttention | None]:
        for found in attend(self._model, pairs, _LONG):
            if found is None:
                yield None
            else:
                yield PieceAttention(found.weights[None, None], found.target, found.condition)

    def _window(
        self,
        decoder: PlainDecoder,
        pairs: Sequence[Pair],
        pieced: Sequence[PiecedPair],
        top: int | None,
        keep: bool,
    ) -> Iterator[PieceAttention | None]:
        requests = {
            number: self._request(pair, pieces)
            for number, (pair, pieces) in enumerate(zip(pairs, pieced, strict=True))
            if scorable(pair, pieces)
        }

        def computed(numbers: list[int]) -> Iterator[tuple[int, tuple[Heads, Floats32]]]:
            batch = [requests[number] for number in numbers]
            states = self._states([request.source for request in batch], keep)
            weights = decoder.attention(states, [request.target for request in batch], top)
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
            heads, condition = found[number]
            rows = heads[:, :, requests[number].given :, columns]
            yield PieceAttention(rows, pieces.target, pieces.condition, condition[columns])

    def _states(self, sources: Sequence[Sequence[str]], keep: bool) -> list[Floats32]:
        """What the encoder makes of sources, or made of them before."""
        found = [self._kept.find(source) if keep else None for source in sources]
        new = [source for source, states in zip(sources, found, strict=True) if states is None]
        encoded = iter(self._encoder.states(new) if new else ())
        states = [next(encoded) if known is None else known for known in found]
        if keep:
            self._kept.add(zip(sources, states, strict=True))
        return states

    def _request(self, pair: Pair, pieces: PiecedPair) -> Request:
        try:
            return self._model.fit(pair, pieces, _LONG).requests[0]
        except TooLongError as error:
            raise InputError(
                f"{pair.target[:40]!r}...: too long for the attention of {self._model.card.name}, "
                f"which takes {self._model.card.max_target_length} pieces; cut the segment into "
                "sentences, or choose a statistical aligner"
            ) from error


class _KeptStates:
    """States of texts, the latest, in bounded memory; shared by threads."""

    def __init__(self) -> None:
        self._states: OrderedDict[tuple[str, ...], Floats32] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()

    def find(self, source: Sequence[str]) -> Floats32 | None:
        """The states of a text, if they are still there."""
        with self._lock:
            key = tuple(source)
            if key in self._states:
                self._states.move_to_end(key)
            return self._states.get(key)

    def add(self, items: Iterable[tuple[Sequence[str], Floats32]]) -> None:
        """Keep these; what was used longest ago makes room for them."""
        with self._lock:
            for source, states in items:
                if self._states.setdefault(tuple(source), states) is states:
                    self._bytes += states.nbytes
            while self._bytes > _MOST_KEPT:
                _, oldest = self._states.popitem(last=False)
                self._bytes -= oldest.nbytes


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
    most: Matrix = np.zeros((len(words), values.shape[1]), np.float32)
    starts, ends = np.array(pieces, dtype=np.int64).reshape(-1, 2).T
    for row, (start, end) in enumerate(words):
        own = (starts < end) & (ends > start)
        if own.any():
            most[row] = values[own].max(axis=0)
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
