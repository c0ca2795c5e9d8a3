"""The decoder at work: cross-attention while a target is forced, and translation by beam search."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from isogloss.errors import InputError
from isogloss.model.engine import SearchOptions, attention_rows
from isogloss.model.model import Model, scorable
from isogloss.model.pairs import LongPolicy, Pair
from isogloss.model.requests import PiecedPair, TooLongError
from isogloss.model.scoring import Job, batches, request_of, windows
from isogloss.model.tokens import Frame, PiecedText

_WINDOW = 256


@dataclass(frozen=True, slots=True, eq=False)
class CrossAttention:
    """How much each piece of the target looks at each piece of the condition.

    `weights` has a row for each target piece and a column for each condition piece; what is
    missing to 1 in a row went to tags, context and the end mark.
    """

    weights: NDArray[np.float32]
    target: PiecedText
    condition: PiecedText


def attend(
    model: Model, pairs: Iterable[Pair], long: LongPolicy
) -> Iterator[CrossAttention | None]:
    """The attention of each pair, in order; `None` where a text is empty or has no condition."""
    if long == "split":
        raise InputError("attention is read over whole sentences; choose another policy")
    for window in windows(pairs, _WINDOW):
        targets = model.target_side.encoded(pair.target for pair in window)
        yield from _attentions(model, window, model.pieced(window, targets), long)


def _attentions(
    model: Model, pairs: Sequence[Pair], pieced: Sequence[PiecedPair], long: LongPolicy
) -> Iterator[CrossAttention | None]:
    jobs = {
        number: Job(b"", model.fit(pair, pieces, long))
        for number, (pair, pieces) in enumerate(zip(pairs, pieced, strict=True))
        if scorable(pair, pieces) and not pair.unconditional
    }
    rows = _rows(model, jobs.values())
    for number, pieces in enumerate(pieced):
        if number not in jobs:
            yield None
            continue
        begin = request_of((jobs[number], 0)).condition_at
        weights = rows[jobs[number]][:, begin : begin + len(pieces.condition)]
        yield CrossAttention(weights, pieces.target, pieces.condition)


def _rows(model: Model, jobs: Iterable[Job]) -> dict[Job, NDArray[np.float32]]:
    started = []
    for batch in batches(((job, 0) for job in jobs), model.engine.token_budget):
        requests = [request_of(unit) for unit in batch]
        started.append((batch, requests, model.engine.attention(requests)))
    return {
        job: attention_rows(handle, request)
        for batch, requests, handles in started
        for (job, _), request, handle in zip(batch, requests, handles, strict=True)
    }


_TRANSLATED_AT_ONCE = 512


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A translation that the model proposes.

    `score` is what the search ranks by: its log-probability, divided by the length (tag and end
    mark included) to the power of the length penalty. For H, score the text.
    """

    text: str
    pieces: tuple[str, ...]
    score: float


def translate(
    model: Model,
    sentences: Iterable[str],
    language: str,
    source_language: str | None,
    options: SearchOptions,
) -> Iterator[tuple[Hypothesis, ...]]:
    """The best hypotheses for each sentence, in order; none for an empty one."""
    around = model.frame(source_language, language)
    for window in windows(sentences, _TRANSLATED_AT_ONCE):
        yield from _translated(model, window, around, options)


def _translated(
    model: Model, sentences: Sequence[str], around: Frame, options: SearchOptions
) -> Iterator[tuple[Hypothesis, ...]]:
    sources = {
        number: around.source_start + text.tokens(model.engine.unknown_token) + around.source_end
        for number, text in enumerate(model.source_side.encode(sentences))
        if len(text)
    }
    for number, source in sources.items():
        if len(source) > model.card.max_source_length:
            raise TooLongError(
                f"{sentences[number][:40]!r}...: {len(source)} pieces, the model reads at most "
                f"{model.card.max_source_length}; shorten the sentence"
            )
    prefix = around.target_start
    # The engine counts the prefix too, and the model must have room left for the end mark.
    longest = min(options.longest + len(prefix), model.card.max_target_length - 1)
    found = model.engine.translate(
        list(sources.values()),
        [prefix] * len(sources),
        replace(options, longest=longest),
    )
    hypotheses = dict(zip(sources, found, strict=True))
    for number in range(len(sentences)):
        yield tuple(
            Hypothesis(model.target_side.decode(pieces), tuple(pieces), score)
            for pieces, score in hypotheses.get(number, ())
        )
