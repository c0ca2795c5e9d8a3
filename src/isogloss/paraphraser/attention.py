"""Cross-attention between a target and its condition, read while the target is forced."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isogloss.errors import InputError
from isogloss.paraphraser.engine import attention_rows
from isogloss.paraphraser.fitting import PiecedPair
from isogloss.paraphraser.model import Model, scorable
from isogloss.paraphraser.pairs import LongPolicy, Pair
from isogloss.paraphraser.pieces import PiecedText
from isogloss.paraphraser.scheduling import Job, batches, request_of, windows

_WINDOW = 256


@dataclass(frozen=True, slots=True, eq=False)
class Attention:
    """How much each piece of the target looks at each piece of the condition.

    `weights` has a row for each target piece and a column for each condition piece; what is
    missing to 1 in a row went to tags, context and the end mark.
    """

    weights: NDArray[np.float32]
    target: PiecedText
    condition: PiecedText


def attend(model: Model, pairs: Iterable[Pair], long: LongPolicy) -> Iterator[Attention | None]:
    """The attention of each pair, in order; `None` where a text is empty or has no condition."""
    if long == "split":
        raise InputError("attention is read over whole sentences; choose another policy")
    for window in windows(pairs, _WINDOW):
        targets = model.target_side.encoded(pair.target for pair in window)
        yield from _attentions(model, window, model.pieced(window, targets), long)


def _attentions(
    model: Model, pairs: Sequence[Pair], pieced: Sequence[PiecedPair], long: LongPolicy
) -> Iterator[Attention | None]:
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
        yield Attention(weights, pieces.target, pieces.condition)


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
