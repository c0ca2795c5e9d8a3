"""Reading the cross-attention of a translation model, piece by piece."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from isogloss.alignment.decoder import Floats, Heads, PlainDecoder
from isogloss.errors import InputError
from isogloss.paraphraser.attention import attend
from isogloss.paraphraser.encoder import SentenceEncoder
from isogloss.paraphraser.engine import Device
from isogloss.paraphraser.fitting import PiecedPair, Request, TooLongError
from isogloss.paraphraser.model import Model, scorable
from isogloss.paraphraser.pairs import LongPolicy, Pair
from isogloss.paraphraser.pieces import PiecedText
from isogloss.paraphraser.scheduling import windows
from isogloss.paraphraser.threads import Threads, usable_cores

_WINDOW = 256
_TOKENS = 2048  # pieces that are computed at once, sources padded to the longest
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
    states: Floats | None = None


class AttentionReader:
    """A model whose attention is read: all heads of a plain Transformer in one pass.

    Of other models CTranslate2 gives out the mean of some heads, chosen when they were converted:
    they count as models of one head.
    """

    def __init__(self, folder: Path, device: Device = "cpu") -> None:
        self._model = Model(folder, device, None, None)
        self._decoder = PlainDecoder.read(folder)
        engine = self._model.engine
        self._encoder = SentenceEncoder(
            folder, engine.device, engine.id.precision, Threads(1, usable_cores())
        )

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
        self, pairs: Iterable[Pair], top: int | None = None
    ) -> Iterator[PieceAttention | None]:
        """The attention of each pair in layers up to `top`; `None` where a text is empty."""
        if self._decoder is None:
            yield from self._as_converted(pairs)
            return
        for window in windows(pairs, _WINDOW):
            targets = self._model.target_side.encoded(pair.target for pair in window)
            pieced = self._model.pieced(window, targets)
            yield from self._window(self._decoder, window, pieced, top)

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
    ) -> Iterator[PieceAttention | None]:
        requests = {
            number: self._request(pair, pieces)
            for number, (pair, pieces) in enumerate(zip(pairs, pieced, strict=True))
            if scorable(pair, pieces)
        }
        found: dict[int, tuple[Heads, Floats]] = {}
        for numbers in _batches(requests):
            batch = [requests[number] for number in numbers]
            states = self._encoder.states([request.source for request in batch])
            weights = decoder.attention(states, [request.target for request in batch], top)
            found.update(zip(numbers, zip(weights, states, strict=True), strict=True))
        for number, pieces in enumerate(pieced):
            if number not in found:
                yield None
                continue
            begin = requests[number].condition_at
            columns = slice(begin, begin + len(pieces.condition))
            heads, condition = found[number]
            rows = heads[:, :, requests[number].given :, columns]
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


def _batches(requests: dict[int, Request]) -> Iterator[list[int]]:
    """The numbers of requests of like length, as many as may be computed at once."""
    ordered = sorted(requests, key=lambda number: -len(requests[number].source))
    while ordered:
        size = max(1, _TOKENS // len(requests[ordered[0]].source))
        yield ordered[:size]
        ordered = ordered[size:]
