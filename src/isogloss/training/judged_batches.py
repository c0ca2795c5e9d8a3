"""Batches of judged outputs: whole segments, each with several outputs, in three passes.

For every output the model reads three sequences (`Pass`), laid end to end in the buffers of
`isogloss.training.batches`. Outputs of one segment lie in one batch, so that they can be compared.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from fnmatch import fnmatch

import numpy as np
from numpy.typing import NDArray

from isogloss.training.batches import Batch, BatchSettings, fitting, lay_out
from isogloss.training.examples import SPECIALS, Array, Side
from isogloss.training.penalties import PenaltySet


class Pass(IntEnum):
    """What the decoder reads, given what the encoder reads."""

    OUTPUT_GIVEN_REFERENCE = 0  # sees what is wrong or added
    REFERENCE_GIVEN_OUTPUT = 1  # sees what is missing
    OUTPUT_GIVEN_SOURCE = 2  # needs no reference


@dataclass(frozen=True)
class JudgedSettings:
    """How judged batches are made; `weights` say how often the segments of a set come.

    They go by patterns of set names; the first that fits counts, and 1 where none does.
    """

    batches: BatchSettings
    outputs: int = 8  # of a segment, at most
    weights: dict[str, float] = field(default_factory=dict)

    def set_weight(self, name: str) -> float:
        """The weight of a set."""
        found = (weight for pattern, weight in self.weights.items() if fnmatch(name, pattern))
        return next(found, 1.0)


@dataclass(frozen=True, eq=False)
class JudgedBatch:
    """A batch and what its sequences are: of pass `passes[i]`, about output `owners[i]`.

    Output j is of segment `segments[j]` (numbered within the batch) of set `sets[j]`.
    """

    batch: Batch
    passes: Array
    owners: Array
    segments: Array
    sets: Array
    penalties: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class _Segment:
    """The texts of some outputs of one segment: (output, condition, target) of every pass."""

    number: int  # of the set
    conditions: Array  # outputs x passes
    targets: Array
    penalties: NDArray[np.float64]


def judged_batches(
    sets: Sequence[PenaltySet], settings: JudgedSettings, tags: Sequence[int], seed: int
) -> Iterator[JudgedBatch]:
    """Batches without end; `tags` has the language tag of each set."""
    draw = np.random.default_rng(seed)
    segments = _endless(sets, settings, draw)
    waiting: _Segment | None = None
    while True:
        some: list[_Segment] = [] if waiting is None else [waiting]
        while _fits(sets, some, settings.batches):
            some.append(next(segments))
        waiting = some.pop()
        if some:
            yield _batch(sets, some, settings.batches, tags)
        else:  # a segment whose outputs do not fit the buffers at all
            waiting = None


def _endless(
    sets: Sequence[PenaltySet], settings: JudgedSettings, draw: np.random.Generator
) -> Iterator[_Segment]:
    sizes = np.array([len(penalised) for penalised in sets])
    shares = sizes * np.array([settings.set_weight(penalised.name) for penalised in sets])
    orders = [iter(()) for _ in sets]
    while True:
        for number in draw.choice(len(sets), 1000, p=shares / shares.sum()):
            segment = next(orders[number], None)
            if segment is None:
                orders[number] = iter(draw.permutation(sizes[number]).tolist())
                segment = next(orders[number])
            found = _drawn(sets[number], int(number), segment, settings.outputs, draw)
            if found is not None:
                yield found


def _drawn(
    penalised: PenaltySet, number: int, segment: int, most: int, draw: np.random.Generator
) -> _Segment | None:
    """Some judged outputs of a segment beside one of its references, which is none of them."""
    references = penalised.references[segment]
    reference = int(draw.choice(references[references >= 0]))
    penalties, texts = penalised.penalties[segment], penalised.outputs[segment]
    usable = np.flatnonzero(~np.isnan(penalties) & (texts >= 0) & (texts != reference))
    if not len(usable):
        return None
    chosen = draw.permutation(usable)[:most]
    outputs = texts[chosen].astype(np.int64)
    conditions, targets = passes_of(outputs, reference, int(penalised.sources[segment]))
    return _Segment(number, conditions, targets, penalties[chosen])


def passes_of(outputs: Array, reference: Array | int, source: Array | int) -> tuple[Array, Array]:
    """Conditions and targets of some outputs, outputs x passes."""
    references = np.broadcast_to(reference, outputs.shape)
    sources = np.broadcast_to(source, outputs.shape)
    conditions = np.stack([references, outputs, sources], axis=1)
    return conditions, np.stack([outputs, references, outputs], axis=1)


def _room(settings: BatchSettings) -> int:
    return settings.longest - SPECIALS


def _fits(sets: Sequence[PenaltySet], some: Sequence[_Segment], settings: BatchSettings) -> bool:
    lengths = [
        np.minimum(sets[one.number].lengths[texts.ravel()].astype(np.int64), _room(settings))
        for one in some
        for texts in (one.conditions, one.targets)
    ]
    if not lengths:
        return True
    sources, targets = np.concatenate(lengths[0::2]), np.concatenate(lengths[1::2])
    return fitting(sources + 1, targets + SPECIALS, settings) == len(sources)


def _batch(
    sets: Sequence[PenaltySet],
    some: Sequence[_Segment],
    settings: BatchSettings,
    tags: Sequence[int],
) -> JudgedBatch:
    counts = np.array([len(one.penalties) for one in some])
    numbers = np.array([one.number for one in some])
    room, passes = _room(settings), len(Pass)
    sources = [sets[one.number].side(one.conditions.ravel(), room) for one in some]
    targets = [sets[one.number].side(one.targets.ravel(), room) for one in some]
    languages = np.repeat(np.array(tags)[numbers], counts * passes)
    total = int(counts.sum())
    return JudgedBatch(
        lay_out(_joined(sources, counts), _joined(targets, counts), languages, settings),
        np.tile(np.arange(passes), total),
        np.repeat(np.arange(total), passes),
        np.repeat(np.arange(len(some)), counts),
        np.repeat(numbers, counts),
        np.concatenate([one.penalties for one in some]),
    )


def _joined(sides: Sequence[Side], counts: Array) -> Side:
    """The sides of segments as one; each owns three sequences for every output."""
    before = (np.cumsum(counts) - counts) * len(Pass)
    owners = [side.owners + first for side, first in zip(sides, before, strict=True)]
    return Side(np.concatenate([side.ids for side in sides]), np.concatenate(owners))
