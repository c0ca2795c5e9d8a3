"""Sentence vectors from the paraphraser's encoder."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from isogloss.paraphraser.encoder import SentenceEncoder
from isogloss.paraphraser.fitting import TooLongError
from isogloss.paraphraser.model import Model
from isogloss.paraphraser.pieces import PiecedText
from isogloss.paraphraser.scheduling import windows
from isogloss.paraphraser.schemes import Frame, reading_frame

_WINDOW = 512
Vector = NDArray[np.float32]


def embed(
    model: Model, encoder: SentenceEncoder, sentences: Iterable[str], language: str
) -> Iterator[Vector | None]:
    """The mean state of each sentence's pieces, tag and end mark left out; `None` if empty."""
    around = reading_frame(model.card, language)
    for window in windows(sentences, _WINDOW):
        texts = model.source_side.encode(window)
        vectors = _vectors(model, encoder, texts, around)
        yield from (vectors.get(number) for number in range(len(texts)))


def _vectors(
    model: Model, encoder: SentenceEncoder, texts: Sequence[PiecedText], around: Frame
) -> dict[int, Vector]:
    begin = len(around.source_start)
    vectors = {}
    for batch in _batches(texts, model.engine.token_budget):
        sources = [
            around.source_start + texts[n].tokens(model.engine.unknown_token) + around.source_end
            for n in batch
        ]
        if len(sources[0]) > model.card.max_source_length:
            raise TooLongError(
                f"a sentence of {len(sources[0])} pieces; the model reads at most "
                f"{model.card.max_source_length}: shorten it"
            )
        for number, states in zip(batch, encoder.states(sources), strict=True):
            vectors[number] = states[begin : begin + len(texts[number])].mean(axis=0)
    return vectors


def _batches(texts: Sequence[PiecedText], token_budget: int) -> Iterator[list[int]]:
    """Numbers of the texts that are not empty, the longest first, by their padded size."""
    ordered = sorted((n for n, text in enumerate(texts) if text), key=lambda n: -len(texts[n]))
    while ordered:
        size = max(1, token_budget // len(texts[ordered[0]]))
        yield ordered[:size]
        ordered = ordered[size:]
