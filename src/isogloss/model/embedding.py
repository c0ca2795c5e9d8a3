"""Sentence vectors from the paraphraser's encoder.

A text's vector is the mean of its pieces' states. A text that is longer than the encoder reads at
once is read in windows as wide as it can take, evenly spaced, neighbours sharing a quarter or more;
a piece that several windows show has the mean of its states in them, and counts once. Of a text
that is one piece too long, both windows show nearly all: its vector is nearly that of the text
without the piece, so nothing jumps where windows begin.

The encoder alone: sentence vectors from a translation model.

CTranslate2 gives out encoder states only for models that are encoders. A translation model's file
holds one, so its part of the file is rewritten, in memory, as the encoder model that it is.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from isogloss.arrays import Floats
from isogloss.model.engine import vocabulary_of
from isogloss.model.model import Model
from isogloss.model.model_file import MODEL_FILE, ModelFile
from isogloss.model.scoring import windows
from isogloss.model.threads import Threads
from isogloss.model.tokens import Frame, PiecedText, reading_frame

_ENCODER = "TransformerEncoderSpec"
_REVISION = 1
_PREFIX = "encoder/"


class SentenceEncoder:
    """The encoder of a model folder."""

    def __init__(self, folder: Path, device: str, precision: str, threads: Threads) -> None:
        import ctranslate2

        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        files = {
            MODEL_FILE: encoder_file(folder / MODEL_FILE),
            "config.json": json.dumps(config).encode(),
            "vocabulary.json": json.dumps(vocabulary_of(folder, "source")).encode(),
        }
        self._workers = threads.workers
        self._encoder = ctranslate2.Encoder(
            f"{folder} (encoder)",
            device=device,
            compute_type=precision,
            inter_threads=threads.workers,
            intra_threads=threads.per_worker,
            files=files,
        )

    def states(self, sources: Sequence[Sequence[str]]) -> list[NDArray[np.float32]]:
        """The top layer's states for each source, one row a token."""
        output = self._encoder.forward_batch([list(source) for source in sources])
        import ctranslate2

        # Half-precision states have no NumPy twin before they are widened.
        wide = output.last_hidden_state.to(ctranslate2.DataType.float32)
        states = np.array(wide.to_device(ctranslate2.Device.cpu))
        return [states[row, : len(source)] for row, source in enumerate(sources)]

    def states_of(
        self, batches: Iterable[Sequence[Sequence[str]]]
    ) -> Iterator[list[NDArray[np.float32]]]:
        """The states of one batch after the other, as many at a time as there are workers."""
        with ThreadPoolExecutor(self._workers) as pool:
            yield from pool.map(self.states, batches)


def encoder_file(path: Path) -> bytes:
    """The model file of the encoder inside a translation model's file."""
    variables = ModelFile.read(path).part(_PREFIX)
    return ModelFile(_ENCODER, _REVISION, variables).to_bytes()


_TEXTS_AT_ONCE = 512
_TOKENS_A_CORE = 256  # so few stay in a core's cache; twice as many take 1.6 times as long each
Vector = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class TextView:
    """A window on one of the texts: its pieces from `start` to `end`."""

    text: int
    start: int
    end: int

    @property
    def width(self) -> int:
        return self.end - self.start


def embed(
    model: Model, encoder: SentenceEncoder, sentences: Iterable[str], language: str
) -> Iterator[Vector | None]:
    """The mean state of each sentence's pieces, tag and end mark left out; `None` if empty."""
    around = reading_frame(model.card, language)
    for window in windows(sentences, _TEXTS_AT_ONCE):
        texts = model.source_side.encode(window)
        vectors = _vectors(model, encoder, texts, around)
        yield from (vectors.get(number) for number in range(len(texts)))


def read_states(
    model: Model, encoder: SentenceEncoder, sentences: Iterable[str], language: str
) -> Iterator[tuple[PiecedText, Vector]]:
    """The pieces of each sentence with the encoder's states of them, a row a piece."""
    around = reading_frame(model.card, language)
    for window in windows(sentences, _TEXTS_AT_ONCE):
        texts = model.source_side.encode(window)
        read: dict[int, list[tuple[TextView, Vector]]] = {}
        for view, states in _views_read(model, encoder, texts, around):
            # A copy, so that the padded batch around it can go.
            read.setdefault(view.text, []).append((view, states.copy()))
        for number, text in enumerate(texts):
            yield text, _states(len(text), read.get(number, ()), _room(model, around))


def overlong(model: Model, sentences: Iterable[str], language: str) -> frozenset[str]:
    """Those of the sentences that are read in windows."""
    room = _room(model, reading_frame(model.card, language))
    # No text has more pieces than bytes, but for the mark of its first word.
    candidates = [text for text in sentences if len(text.encode("utf-8", "replace")) >= room]
    pieced = model.source_side.encode(candidates)
    return frozenset(t for t, pieces in zip(candidates, pieced, strict=True) if len(pieces) > room)


def views_of(length: int, room: int) -> Iterator[tuple[int, int]]:
    """The windows, at most `room` wide, on a text of so many pieces."""
    beyond = length - room
    if beyond <= 0:
        yield 0, length
        return
    stride = max(1, room - max(1, room // 4))
    steps = -(-beyond // stride)
    for step in range(steps + 1):
        start = step * beyond // steps
        yield start, start + room


def _room(model: Model, around: Frame) -> int:
    """How many pieces of a text fit beside the tag and the end mark."""
    return model.card.max_source_length - len(around.source_start) - len(around.source_end)


def _vectors(
    model: Model, encoder: SentenceEncoder, texts: Sequence[PiecedText], around: Frame
) -> dict[int, Vector]:
    """The mean state of each text's pieces, each the mean of what the windows show of it."""
    means: dict[int, Vector] = {}
    sums: dict[int, Floats] = {}
    for view, states in _views_read(model, encoder, texts, around):
        length = len(texts[view.text])
        if view.width == length:
            means[view.text] = np.asarray(states.mean(axis=0))
            continue
        times = _times_seen(length, _room(model, around))[view.start : view.end]
        sums[view.text] = sums.get(view.text, 0) + (states / times[:, None]).sum(axis=0)
    for number, total in sums.items():
        means[number] = np.asarray(total / len(texts[number]), dtype=np.float32)
    return means


def _views_read(
    model: Model, encoder: SentenceEncoder, texts: Sequence[PiecedText], around: Frame
) -> Iterator[tuple[TextView, Vector]]:
    """What each window on the texts shows: the states of its pieces, in any order."""
    begin, room = len(around.source_start), _room(model, around)
    views = [
        TextView(number, *view)
        for number, text in enumerate(texts)
        if text
        for view in views_of(len(text), room)
    ]
    unknown = model.engine.unknown_token
    budget = model.engine.token_budget
    if model.engine.device == "cpu":
        budget = min(budget, _TOKENS_A_CORE)
    batches = list(_batches(views, budget))
    sources = (
        [
            around.source_start
            + texts[view.text].tokens(unknown)[view.start : view.end]
            + around.source_end
            for view in batch
        ]
        for batch in batches
    )
    for batch, found in zip(batches, encoder.states_of(sources), strict=True):
        for view, states in zip(batch, found, strict=True):
            yield view, states[begin : begin + view.width]


def _states(length: int, seen: Sequence[tuple[TextView, Vector]], room: int) -> Vector:
    """The state of each of a text's pieces, likewise; an empty text has none."""
    if not seen:
        return np.zeros((0, 0), dtype=np.float32)
    if len(seen) == 1:
        return seen[0][1]
    states = np.zeros((length, seen[0][1].shape[1]), dtype=np.float32)
    for view, shown in seen:
        states[view.start : view.end] += shown
    return np.asarray(states / _times_seen(length, room)[:, None], dtype=np.float32)


def _times_seen(length: int, room: int) -> Floats:
    """How many windows show each piece of a text."""
    times = np.zeros(length)
    for start, end in views_of(length, room):
        times[start:end] += 1
    return times


def _batches(views: Sequence[TextView], token_budget: int) -> Iterator[list[TextView]]:
    """The windows, the widest first, by their padded size."""
    ordered = sorted(views, key=lambda view: -view.width)
    while ordered:
        size = max(1, token_budget // ordered[0].width)
        yield ordered[:size]
        ordered = ordered[size:]
