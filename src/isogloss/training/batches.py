"""Batches: many sentences laid end to end in two buffers of fixed size, without padding.

A batch is a function of the data, the seed and its number alone, so that a resumed run sees what
an uninterrupted one would have seen, with any number of worker processes. Fixed buffer sizes let
the model be compiled once.

Source: ``p1 … pn </s>``. Decoder input: ``</s> <xx> p1 … pn``; labels: ``(none) p1 … pn </s>``:
the tag is conditioned on and never counted. The sentences of a document example are joined by
``<sep>`` on both sides.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from isogloss.training.mixture import Group, Mixture, held_out_rows
from isogloss.training.noise import Noise, add_noise
from isogloss.training.packing import PackedSet
from isogloss.training.vocabulary import END

Array = NDArray[np.int64]
Variant = Literal["translation", "language-model", "denoising"]
IGNORED = -1  # label of positions that are not counted
_SPECIALS = 2  # </s> and the tag before a target's pieces


@dataclass(frozen=True)
class BatchSettings:
    """Sizes of the buffers, and what examples are made of."""

    source_tokens: int = 65_536
    target_tokens: int = 65_536
    longest: int = 256
    document_share: float = 0.1
    noise_share: float = 0.05
    noise: Noise = field(default_factory=Noise)
    variant: Variant = "translation"


@dataclass(frozen=True)
class Batch:
    """Flat buffers; sequence i of a side lies between ``bounds[i]`` and ``bounds[i+1]``."""

    source: Array
    source_positions: Array
    source_bounds: NDArray[np.int32]
    target: Array
    target_positions: Array
    target_bounds: NDArray[np.int32]
    labels: Array


@dataclass(frozen=True)
class Side:
    """Flat pieces of one side of many examples, and whose each piece is."""

    ids: Array
    owners: Array


class Examples:
    """Draws examples from a mixture: rows for single sentences, starts for documents."""

    def __init__(
        self, mixture: Mixture, settings: BatchSettings, separator: int, held_out: bool = False
    ) -> None:
        self.mixture, self.settings, self.separator = mixture, settings, separator
        self.held_out = held_out
        self._starts: dict[tuple[int, int], Array] = {}
        groups = zip(mixture.groups, mixture.probabilities, strict=True)
        ordered = sum(share for group, share in groups if group.packed.block is not None)
        # Only sets in order can give documents, so there they are drawn more often.
        self.document_chance = min(1.0, settings.document_share / ordered) if ordered else 0.0

    def starts(self, group: int, sentences: int) -> Array:
        """First rows of runs of so many usable rows in a group (kept once worked out)."""
        key = (group, sentences)
        if key not in self._starts:
            self._starts[key] = self._find_starts(self.mixture.groups[group], sentences)
        return self._starts[key]

    def _find_starts(self, group: Group, sentences: int) -> Array:
        packed, block = group.packed, group.packed.block
        sides = packed.lengths[[group.source, group.target]].astype(np.int64)
        usable = (sides > 0).all(axis=0) & (held_out_rows(packed) == self.held_out)
        runs = packed.rows - sentences + 1
        if runs <= 0:
            return np.empty(0, np.int64)
        windows = range(sentences)
        good = np.all([usable[w : runs + w] for w in windows], axis=0)
        total = np.sum([sides[:, w : runs + w] for w in windows], axis=0) + sentences - 1
        good &= (total <= self.settings.longest - _SPECIALS).all(axis=0)
        if block and sentences > 1:
            first = np.arange(runs)
            good &= first // block == (first + sentences - 1) // block
        return np.flatnonzero(good).astype(np.int32)

    def draw(self, count: int, draw: np.random.Generator) -> list[tuple[Group, Array, int]]:
        """About `count` examples as (group, first rows, sentences in each)."""
        drawn = draw.multinomial(count, self.mixture.probabilities)
        chosen: list[tuple[Group, Array, int]] = []
        for number in map(int, np.flatnonzero(drawn)):
            group, wanted = self.mixture.groups[number], int(drawn[number])
            documents = 0
            if group.packed.block is not None:
                documents = int(draw.binomial(wanted, self.document_chance))
            longer = int(draw.binomial(documents, 0.5))
            for sentences, some in ((1, wanted - documents), (2, documents - longer), (3, longer)):
                starts = self.starts(number, sentences) if some else np.empty(0, np.int64)
                if some and len(starts):
                    chosen.append((group, starts[draw.integers(0, len(starts), some)], sentences))
        return chosen


def gather(
    chosen: list[tuple[Group, Array, int]],
    column: Callable[[Group], int],
    order: Array,
    separator: int,
) -> Side:
    """The pieces of one side of the drawn examples, example `order[i]` as the i-th."""
    segments = _segments(chosen, column)
    owner = order[segments.owner]
    arrange = np.lexsort((segments.part, owner))
    owner, part = owner[arrange], segments.part[arrange]
    begin, length, source = (
        segments.begin[arrange],
        segments.length[arrange],
        segments.source[arrange],
    )
    room = length + (part > 0)  # a separator before every part but the first
    ends = np.cumsum(room)
    total = int(ends[-1]) if len(ends) else 0
    ids = np.full(total, separator, dtype=np.int64)
    destination = np.repeat(ends - length - _exclusive(length), length)
    destination += np.arange(len(destination))
    origin = np.repeat(begin - _exclusive(length), length) + np.arange(len(destination))
    of_set = np.repeat(source, length)
    for number, packed in enumerate(segments.sets):
        here = np.flatnonzero(of_set == number)
        ids[destination[here]] = packed.ids[origin[here]]
    return Side(ids, np.repeat(owner, room))


@dataclass(frozen=True)
class _Segments:
    """Every sentence of one side: its set, where it begins there, and whose part it is."""

    sets: list[PackedSet]
    source: Array
    begin: Array
    length: Array
    owner: Array
    part: Array


def _segments(chosen: list[tuple[Group, Array, int]], column: Callable[[Group], int]) -> _Segments:
    sets: dict[int, int] = {}
    kept: list[PackedSet] = []
    pieces: list[tuple[Array, ...]] = []
    first = 0
    for group, rows, sentences in chosen:
        if id(group.packed) not in sets:
            sets[id(group.packed)] = len(kept)
            kept.append(group.packed)
        every = (rows[:, None] + np.arange(sentences)).ravel()
        where = column(group)
        pieces.append(
            (
                np.full(len(every), sets[id(group.packed)]),
                group.packed.starts[where, every],
                group.packed.lengths[where, every].astype(np.int64),
                np.repeat(np.arange(first, first + len(rows)), sentences),
                np.tile(np.arange(sentences), len(rows)),
            )
        )
        first += len(rows)
    return _Segments(kept, *(np.concatenate(parts) for parts in zip(*pieces, strict=True)))


def _exclusive(lengths: Array) -> Array:
    return np.cumsum(lengths) - lengths


def make_batch(examples: Examples, tags: dict[str, int], seed: int, number: int) -> Batch:
    """Batch `number` of the run with this seed."""
    draw = np.random.default_rng((seed, number))
    settings = examples.settings
    chosen = examples.draw(_examples_wanted(examples), draw)
    count = sum(len(rows) for _, rows, _ in chosen)
    order = draw.permutation(count)
    target = gather(chosen, lambda group: group.target, order, examples.separator)
    source = _source_side(examples, chosen, order, target, count, draw)
    languages = np.empty(count, np.int64)
    languages[order] = np.concatenate(
        [np.full(len(rows), tags[group.target_language]) for group, rows, _ in chosen]
    )
    return lay_out(source, target, languages, settings)


def _source_side(
    examples: Examples,
    chosen: list[tuple[Group, Array, int]],
    order: Array,
    target: Side,
    count: int,
    draw: np.random.Generator,
) -> Side:
    settings = examples.settings
    if settings.variant == "language-model":
        return Side(np.empty(0, np.int64), np.empty(0, np.int64))
    if settings.variant == "denoising":
        side, share = target, 1.0
    else:
        side = gather(chosen, lambda group: group.source, order, examples.separator)
        share = settings.noise_share
    if not share:
        return side
    noisy = (draw.random(count) < share)[side.owners] & (side.ids != examples.separator)
    return Side(*add_noise(side.ids, side.owners, noisy, settings.noise, draw))


_PIECES_AN_EXAMPLE = 18  # few enough that a batch is full nearly always


def _examples_wanted(examples: Examples) -> int:
    settings = examples.settings
    return max(8, max(settings.source_tokens, settings.target_tokens) // _PIECES_AN_EXAMPLE)


def lay_out(source: Side, target: Side, languages: Array, settings: BatchSettings) -> Batch:
    """Examples end to end until a buffer is full; the rest of the buffers is filled with dummies.

    Dummies are sequences of ``</s>`` without labels. There are as many on both sides, none empty,
    which is why some room is always left for them.
    """
    count, longest = len(languages), settings.longest
    source_lengths = np.bincount(source.owners, minlength=count) + 1
    target_lengths = np.bincount(target.owners, minlength=count) + _SPECIALS
    room_source = settings.source_tokens - _room_for_dummies(settings)
    room_target = settings.target_tokens - _room_for_dummies(settings)
    fits = (np.cumsum(source_lengths) <= room_source) & (np.cumsum(target_lengths) <= room_target)
    taken = int(fits.sum())
    source_lengths, target_lengths = source_lengths[:taken], target_lengths[:taken]
    left_source = settings.source_tokens - int(source_lengths.sum())
    left_target = settings.target_tokens - int(target_lengths.sum())
    dummies = -(-max(left_source, left_target) // longest)
    all_source = np.concatenate([source_lengths, _split(left_source, dummies)])
    all_target = np.concatenate([target_lengths, _split(left_target, dummies)])
    source_ids = np.full(settings.source_tokens, END, dtype=np.int64)
    _place(source_ids, source, source_lengths, ahead=0)
    target_ids = np.full(settings.target_tokens, END, dtype=np.int64)
    _place(target_ids, target, target_lengths, ahead=_SPECIALS)
    begins = _exclusive(target_lengths)
    target_ids[begins + 1] = languages[:taken]
    labels = np.full(settings.target_tokens, IGNORED, dtype=np.int64)
    used = int(target_lengths.sum())
    labels[: used - 1] = target_ids[1:used]
    labels[begins + target_lengths - 1] = END
    labels[begins] = IGNORED
    return Batch(
        source_ids, _positions(all_source), _bounds(all_source),
        target_ids, _positions(all_target), _bounds(all_target), labels,
    )  # fmt: skip


def _room_for_dummies(settings: BatchSettings) -> int:
    return -(-max(settings.source_tokens, settings.target_tokens) // settings.longest)


def _split(total: int, parts: int) -> Array:
    """`total` in so many nearly equal parts."""
    return (np.arange(1, parts + 1) * total) // parts - (np.arange(parts) * total) // parts


def _place(buffer: Array, side: Side, lengths: Array, ahead: int) -> None:
    """Write the pieces of the first ``len(lengths)`` examples to their places."""
    inside = side.owners < len(lengths)
    ids, owners = side.ids[inside], side.owners[inside]
    pieces = np.bincount(owners, minlength=len(lengths))
    shift = _exclusive(lengths) + ahead - _exclusive(pieces)
    buffer[np.arange(len(ids)) + shift[owners]] = ids


def _positions(lengths: Array) -> Array:
    return np.arange(int(lengths.sum())) - np.repeat(_exclusive(lengths), lengths)


def _bounds(lengths: Array) -> NDArray[np.int32]:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
