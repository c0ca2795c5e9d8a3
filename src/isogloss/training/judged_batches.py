"""Batches of judged outputs: whole segments, each with several outputs, in two or three passes.

For every output the model reads several sequences (`Pass`), laid end to end in the buffers of
`isogloss.training.batches`. Outputs of one segment lie in one batch, so that they can be compared.

JudgedSegment segments, drawn to train on: some outputs of one segment, and broken copies of them.

Several segments in a row may be read as one paragraph, whose penalties are sums. A broken copy
(`isogloss.training.made_errors`) is of an output or of the reference itself, and costs what was
broken in it on top; so a model sees that a near copy of the reference may be worse than a free
translation. Where it is known of every piece whether it is right, the marks tell.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from fnmatch import fnmatch

import numpy as np
from numpy.typing import NDArray

from isogloss.arrays import Integers
from isogloss.training.batches import Batch, BatchSettings, fitting, lay_out
from isogloss.training.examples import SPECIALS, FlatPieces
from isogloss.training.made_errors import Broken, ErrorMaker, PieceKinds, error_count
from isogloss.training.penalties import PenaltySet
from isogloss.training.vocabulary import NONE, SPACELESS

Marks = NDArray[np.int8]
RIGHT, WRONG, UNKNOWN = 0, 1, -1  # marks of pieces


class Pass(IntEnum):
    """What the decoder reads, given what the encoder reads."""

    OUTPUT_GIVEN_REFERENCE = 0  # sees what is wrong or added
    REFERENCE_GIVEN_OUTPUT = 1  # sees what is missing
    OUTPUT_GIVEN_SOURCE = 2  # needs no reference


@dataclass(frozen=True)
class JudgedSettings:
    """How judged batches are made; `weights` say how often the segments of a set come.

    They go by patterns of set names; the first that fits counts, and 1 where none does. `joined`
    is the share of segments that are read together with the next ones, `broken` how many broken
    copies are added to a segment (where alternatives have been sampled), `passes` how many of the
    passes are read: the first two need the reference alone. References of sets that fit a pattern
    of `whole` are not broken: those that a model will be tested with. (Outputs of these sets are,
    and one may say what a reference says.)
    """

    batches: BatchSettings
    outputs: int = 8  # of a segment, at most
    weights: dict[str, float] = field(default_factory=dict)
    joined: float = 0.0
    broken: int = 0
    whole: tuple[str, ...] = ()
    passes: int = len(Pass)

    def breaks_references(self, name: str) -> bool:
        """Whether broken copies may be of the references of a set."""
        return not any(fnmatch(name, pattern) for pattern in self.whole)

    def set_weight(self, name: str) -> float:
        """The weight of a set."""
        found = (weight for pattern, weight in self.weights.items() if fnmatch(name, pattern))
        return next(found, 1.0)


@dataclass(frozen=True, eq=False)
class Text:
    """Pieces, what else could stand there (samples x pieces), and marks."""

    ids: Integers
    others: Integers
    marks: Marks

    @classmethod
    def of(cls, ids: Integers, others: Integers, mark: int) -> "Text":
        """A text whose pieces all have one mark."""
        return cls(ids, others, np.full(len(ids), mark, dtype=np.int8))


@dataclass(frozen=True, eq=False)
class JudgedSegment:
    """One output beside the reference: what is missing of it is marked for each output."""

    output: Text
    reference: Text
    penalty: float


@dataclass(frozen=True, eq=False)
class Segment:
    """Some outputs of one segment of set `number`."""

    number: int
    source: Integers
    outputs: list[JudgedSegment]

    def sequences(self, passes: int) -> list[tuple[Integers, Text]]:
        """Conditions and targets, pass by pass for every output."""
        found = []
        for one in self.outputs:
            found += [(one.reference.ids, one.output), (one.output.ids, one.reference)]
            if passes > Pass.OUTPUT_GIVEN_SOURCE:
                found.append((self.source, one.output))
        return found


_PARAGRAPH = 4  # segments, at most
_CLEAN = 1.0  # points, at most: of outputs that are broken, where there are such
_OF_REFERENCE = 0.35  # share of broken copies that are of the reference


class SegmentSource:
    """Draws segments of some sets; `tags` has the language tag of each."""

    def __init__(
        self,
        sets: Sequence[PenaltySet],
        settings: JudgedSettings,
        tags: Sequence[int],
        kinds: PieceKinds | None,
        seed: int,
    ) -> None:
        self.sets, self.settings, self.kinds = sets, settings, kinds
        self.draw = np.random.default_rng(seed)
        self.makers = [ErrorMaker(kinds, tag, self.draw) for tag in tags] if kinds else []

    def endless(self) -> Iterator[Segment]:
        """Segments without end; each comes once before any of its set comes again."""
        sizes = np.array([len(penalised) for penalised in self.sets])
        shares = sizes * [self.settings.set_weight(penalised.name) for penalised in self.sets]
        orders: list[Iterator[int]] = [iter(()) for _ in self.sets]
        while True:
            for number in self.draw.choice(len(self.sets), 1000, p=shares / shares.sum()):
                first = next(orders[number], None)
                if first is None:
                    orders[number] = iter(self.draw.permutation(sizes[number]).tolist())
                    first = next(orders[number])
                found = self._drawn(int(number), first)
                if found is not None:
                    yield found

    def _drawn(self, number: int, first: int) -> Segment | None:
        """Some judged outputs beside one of the references, which is none of them."""
        penalised = self.sets[number]
        rows = self._rows(first)
        references = penalised.references[rows]
        complete = np.flatnonzero((references >= 0).all(axis=0))
        if not len(complete):
            return None
        reference = references[:, self.draw.choice(complete)].astype(np.int64)
        penalties = penalised.penalties[rows].sum(axis=0)
        texts = penalised.outputs[rows].astype(np.int64)
        usable = ~np.isnan(penalties) & (texts >= 0).all(axis=0)
        usable &= (texts != reference[:, None]).any(axis=0)
        if not usable.any():
            return None
        chosen = self.draw.permutation(np.flatnonzero(usable))[: self.settings.outputs]
        outputs = [self._judged(number, texts[:, o], reference, penalties[o]) for o in chosen]
        source = self._joined(number, penalised.sources[rows].astype(np.int64))[0]
        outputs += self._broken_copies(number, outputs, source)
        return Segment(number, source, outputs)

    def _rows(self, first: int) -> slice:
        several = self.draw.random() < self.settings.joined
        return slice(first, first + (int(self.draw.integers(2, _PARAGRAPH + 1)) if several else 1))

    def _joined(self, number: int, texts: Integers) -> tuple[Integers, Integers]:
        """The pieces of texts in a row, and their alternatives, as one text."""
        penalised = self.sets[number]
        places = [penalised.place(int(text)) for text in texts]
        ids = [penalised.ids[place].astype(np.int64) for place in places]
        sampled = penalised.alternatives
        others = [
            pieces[None] if sampled is None else sampled[:, place].astype(np.int64)
            for pieces, place in zip(ids, places, strict=True)
        ]
        if len(ids) > 1 and penalised.language in SPACELESS and self.kinds:
            for later in range(1, len(ids)):
                ids[later], others[later] = _unspaced(ids[later], others[later], self.kinds)
        return np.concatenate(ids), np.concatenate(others, axis=1)

    def _judged(
        self, number: int, texts: Integers, reference: Integers, penalty: float
    ) -> JudgedSegment:
        mark = RIGHT if penalty == 0 and self.sets[number].sized else UNKNOWN
        return JudgedSegment(
            Text.of(*self._joined(number, texts), mark),
            Text.of(*self._joined(number, reference), mark),
            float(penalty),
        )

    def _broken_copies(
        self, number: int, outputs: list[JudgedSegment], source: Integers
    ) -> list[JudgedSegment]:
        penalised = self.sets[number]
        if self.kinds is None or penalised.alternatives is None or not penalised.sized:
            return []
        clean = [one for one in outputs if one.penalty <= _CLEAN] or [
            min(outputs, key=lambda one: one.penalty)
        ]
        # A reference in another language is no output.
        copied = _OF_REFERENCE if not penalised.reference_language else 0.0
        copied *= self.settings.breaks_references(penalised.name)
        made = []
        for _ in range(self.settings.broken):
            base = clean[int(self.draw.integers(len(clean)))]
            of_reference = self.draw.random() < copied
            text = base.reference if of_reference else base.output
            errors = error_count(len(text.ids), self.draw)
            found = self.makers[number].broken(text.ids, text.others, source, errors)
            if found is not None:
                made.append(_with_errors(base, found, of_reference))
        return made


def _unspaced(ids: Integers, others: Integers, kinds: PieceKinds) -> tuple[Integers, Integers]:
    """A text without the space before its first word."""
    first = int(kinds.unspaced[ids[0]]) if len(ids) else NONE
    if first == NONE:
        return ids[1:], others[:, 1:]
    return np.concatenate([[first], ids[1:]]), others


def _with_errors(base: JudgedSegment, found: Broken, of_reference: bool) -> JudgedSegment:
    """The broken text in the place of an output, with all marks that are known."""
    # Raters seldom agree that nothing is wrong: less than a minor error counts as nothing here.
    right = RIGHT if of_reference or base.penalty < _CLEAN else UNKNOWN
    marks = np.where(found.wrong, WRONG, right).astype(np.int8)
    unknown = np.full(len(base.reference.ids), UNKNOWN, dtype=np.int8)
    missing = np.where(found.missing, WRONG, RIGHT).astype(np.int8) if of_reference else unknown
    return JudgedSegment(
        Text(found.ids, found.ids[None], marks),
        Text(base.reference.ids, base.reference.others, missing),
        found.points + (0.0 if of_reference else base.penalty),
    )


__all__ = ["JudgedBatch", "JudgedSettings", "Pass", "judged_batches", "passes_of"]


@dataclass(frozen=True, eq=False)
class JudgedBatch:
    """A batch and what its sequences are: of pass `passes[i]`, about output `owners[i]`.

    Output j is of segment `segments[j]` (numbered within the batch) of set `sets[j]`. `marks` has
    a mark for each token of the target buffer.
    """

    batch: Batch
    passes: Integers
    owners: Integers
    segments: Integers
    sets: Integers
    penalties: NDArray[np.float64]
    marks: Marks


def judged_batches(
    sets: Sequence[PenaltySet],
    settings: JudgedSettings,
    tags: Sequence[tuple[int, int]],
    seed: int,
    kinds: PieceKinds | None = None,
) -> Iterator[JudgedBatch]:
    """Batches without end; `tags` has those of outputs and of references for each set."""
    source = SegmentSource(sets, settings, [tag for tag, _ in tags], kinds, seed)
    some: list[Segment] = []
    filled = np.zeros(2, dtype=np.int64)
    for segment in source.endless():
        size = _size(segment, settings)
        if not _fit(size, settings):  # its outputs do not fit the buffers at all
            continue
        if not _fit(filled + size, settings):
            yield _batch(some, settings, tags)
            some, filled = [], np.zeros(2, dtype=np.int64)
        some.append(segment)
        filled += size


def passes_of(
    outputs: Integers, reference: Integers | int, source: Integers | int
) -> tuple[Integers, Integers]:
    """Conditions and targets of some outputs, outputs x passes."""
    references = np.broadcast_to(reference, outputs.shape)
    sources = np.broadcast_to(source, outputs.shape)
    conditions = np.stack([references, outputs, sources], axis=1)
    return conditions, np.stack([outputs, references, outputs], axis=1)


def _room(settings: BatchSettings) -> int:
    return settings.longest - SPECIALS


def _size(segment: Segment, settings: JudgedSettings) -> Integers:
    """The pieces of a segment's sequences in the buffers of both sides."""
    room = _room(settings.batches)
    lengths = [
        (min(len(condition), room) + 1, min(len(target.ids), room) + SPECIALS)
        for condition, target in segment.sequences(settings.passes)
    ]
    return np.asarray(np.array(lengths).sum(axis=0))


def _fit(size: Integers, settings: JudgedSettings) -> bool:
    return fitting(size[:1], size[1:], settings.batches) == 1


def _batch(
    some: Sequence[Segment], settings: JudgedSettings, tags: Sequence[tuple[int, int]]
) -> JudgedBatch:
    room, passes = _room(settings.batches), settings.passes
    counts = np.array([len(one.outputs) for one in some])
    numbers = np.repeat([one.number for one in some], counts)
    sequences = [pair for one in some for pair in one.sequences(passes)]
    targets = [target for _, target in sequences]
    of_pass = np.array([[tag, other, tag] for tag, other in tags])[:, :passes]
    batch = lay_out(
        _side([condition[:room] for condition, _ in sequences]),
        _side([target.ids[:room] for target in targets]),
        of_pass[numbers].ravel(),
        settings.batches,
    )
    total = int(counts.sum())
    return JudgedBatch(
        batch,
        np.tile(np.arange(passes), total),
        np.repeat(np.arange(total), passes),
        np.repeat(np.arange(len(some)), counts),
        numbers,
        np.array([output.penalty for one in some for output in one.outputs]),
        _marks(batch, targets, room),
    )


def _side(texts: Sequence[Integers]) -> FlatPieces:
    owners = np.repeat(np.arange(len(texts)), [len(text) for text in texts])
    return FlatPieces(np.concatenate(texts), owners)


def _marks(batch: Batch, targets: Sequence[Text], room: int) -> Marks:
    """The marks where the pieces lie, behind the start mark and the tag."""
    marks = np.full(len(batch.target), UNKNOWN, dtype=np.int8)
    for begin, target in zip(batch.target_bounds.tolist(), targets, strict=False):
        pieces = target.marks[:room]
        marks[begin + SPECIALS : begin + SPECIALS + len(pieces)] = pieces
    return marks
