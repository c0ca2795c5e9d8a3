"""Batches: many sentences laid end to end in two buffers of fixed size, without padding.

A batch is a function of the data, the seed and its number alone, so that a resumed run sees what
an uninterrupted one would have seen, with any number of worker processes. Fixed buffer sizes let
the model be compiled once.

Source: ``p1 … pn </s>``. Decoder input: ``</s> <xx> p1 … pn``; labels: ``(none) p1 … pn </s>``:
the tag is conditioned on and never counted.

Noise on sources: dropped, masked, swapped and split pieces, over a whole batch at once.

A little of it keeps the model from trusting every source piece; a lot of it makes the denoising
auto-encoder of the paper's contrastive experiments.

The stream of batches, made by worker processes ahead of the trainer.

Batch n is the same whatever the number of workers. While a run goes on, more packed sets may
arrive in the folder; the stream takes them in.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

from isogloss.arrays import Integers, Mask
from isogloss.training.examples import (
    SPECIALS,
    Drawn,
    Examples,
    ExampleSettings,
    FlatPieces,
    Mixture,
    MixtureSettings,
    exclusive,
    gather,
)
from isogloss.training.packing import PackedFolder
from isogloss.training.vocabulary import END, UNKNOWN, Spelling, Vocabulary


@dataclass(frozen=True)
class Noise:
    """How often a noisy example's piece is dropped, masked, swapped with the next one, or split."""

    drop: float = 0.05
    mask: float = 0.05
    swap: float = 0.05
    split: float = 0.0


def add_noise(
    ids: Integers,
    owners: Integers,
    noisy: Mask,
    noise: Noise,
    halves: Integers,
    draw: np.random.Generator,
) -> tuple[Integers, Integers]:
    """Noise on the flat pieces `ids` of many examples; `owners` says whose each piece is.

    `noisy` says for each piece whether it may be touched, `halves` what a piece splits into (see
    `Spelling`). Returns the pieces that remain, and their owners, in order.
    """
    ids = ids.copy()
    chance = draw.random(len(ids))
    swapped = _apart(noisy & (chance < noise.swap) & _next_is_same(owners) & np.roll(noisy, -1))
    where = np.flatnonzero(swapped)
    ids[where], ids[where + 1] = ids[where + 1], ids[where]
    chance = draw.random(len(ids))
    ids[noisy & (chance < noise.mask)] = UNKNOWN
    kept = ~noisy | (chance < 1 - noise.drop)
    if not noise.split:
        return ids[kept], owners[kept]
    ids, owners, noisy = ids[kept], owners[kept], noisy[kept]
    return _split_pieces(ids, owners, noisy & (draw.random(len(ids)) < noise.split), halves)


def _split_pieces(
    ids: Integers, owners: Integers, chosen: Mask, halves: Integers
) -> tuple[Integers, Integers]:
    """The chosen pieces as two pieces each, where they have halves."""
    chosen = chosen & (halves[ids, 0] >= 0)
    times = 1 + chosen.astype(np.int64)
    split = np.repeat(ids, times)
    second = np.cumsum(times)[chosen] - 1
    split[second - 1], split[second] = halves[ids[chosen], 0], halves[ids[chosen], 1]
    return split, np.repeat(owners, times)


def _next_is_same(owners: Integers) -> Mask:
    same = np.zeros(len(owners), dtype=bool)
    same[:-1] = owners[:-1] == owners[1:]
    return same


def _apart(swaps: Mask) -> Mask:
    """Of neighbouring swaps only the first: two that overlap would lose a piece."""
    apart = swaps.copy()
    apart[1:] &= ~swaps[:-1]
    return apart


Variant = Literal["translation", "language-model", "denoising"]
IGNORED = -1  # label of positions that are not counted


@dataclass(frozen=True)
class BatchSettings:
    """Sizes of the buffers, and what is done to examples.

    `noise` falls on the sources of a share of the examples; `forgotten` is the share of pieces
    that the decoder does not get to see of what it has written so far.
    """

    source_tokens: int = 65_536
    target_tokens: int = 65_536
    examples: ExampleSettings = field(default_factory=ExampleSettings)
    noise_share: float = 0.05
    noise: Noise = field(default_factory=Noise)
    forgotten: float = 0.0
    variant: Variant = "translation"

    @property
    def longest(self) -> int:
        return self.examples.longest


@dataclass(frozen=True)
class Batch:
    """Flat buffers; sequence i of a side lies between ``bounds[i]`` and ``bounds[i+1]``."""

    source: Integers
    source_positions: Integers
    source_bounds: NDArray[np.int32]
    target: Integers
    target_positions: Integers
    target_bounds: NDArray[np.int32]
    labels: Integers


def make_batch(
    examples: Examples,
    settings: BatchSettings,
    spelling: Spelling,
    tags: Mapping[str, int],
    seed: int,
    number: int,
) -> Batch:
    """Batch `number` of the run with this seed."""
    draw = np.random.default_rng((seed, number))
    chosen = examples.draw(_examples_wanted(settings), draw)
    count = sum(map(len, chosen))
    order = draw.permutation(count)
    target = gather(chosen, lambda group: group.target, order, spelling)
    source = _source_side(settings, spelling, chosen, order, target, draw)
    languages = np.empty(count, np.int64)
    languages[order] = np.concatenate(
        [np.full(len(drawn), tags[drawn.group.target_language]) for drawn in chosen]
    )
    batch = lay_out(source, target, languages, settings)
    return _forgetful(batch, settings.forgotten, spelling.separator, draw)


def _source_side(
    settings: BatchSettings,
    spelling: Spelling,
    chosen: Sequence[Drawn],
    order: Integers,
    target: FlatPieces,
    draw: np.random.Generator,
) -> FlatPieces:
    if settings.variant == "language-model":
        return FlatPieces(np.empty(0, np.int64), np.empty(0, np.int64))
    if settings.variant == "denoising":
        side, share = target, 1.0
    else:
        side = gather(chosen, lambda group: group.source, order, spelling)
        share = settings.noise_share
    if not share:
        return side
    noisy = (draw.random(len(order)) < share)[side.owners] & (side.ids != spelling.separator)
    noised = add_noise(side.ids, side.owners, noisy, settings.noise, spelling.halves, draw)
    return _cut(FlatPieces(*noised), settings.longest - 1)


def _cut(side: FlatPieces, longest: int) -> FlatPieces:
    """At most so many pieces of each example: split pieces may have made it longer."""
    begins = np.searchsorted(side.owners, side.owners)
    kept = np.arange(len(side.owners)) - begins < longest
    return FlatPieces(side.ids[kept], side.owners[kept])


def _forgetful(batch: Batch, share: float, separator: int, draw: np.random.Generator) -> Batch:
    """The batch with a share of the decoder's input pieces unknown to it; labels stay."""
    if not share:
        return batch
    pieces = (batch.target_positions >= SPECIALS) & (batch.target != END)
    pieces &= batch.target != separator
    forgotten = pieces & (draw.random(len(batch.target)) < share)
    return replace(batch, target=np.where(forgotten, UNKNOWN, batch.target))


_PIECES_AN_EXAMPLE = 18  # few enough that a batch is full nearly always


def _examples_wanted(settings: BatchSettings) -> int:
    return max(8, max(settings.source_tokens, settings.target_tokens) // _PIECES_AN_EXAMPLE)


def lay_out(
    source: FlatPieces, target: FlatPieces, languages: Integers, settings: BatchSettings
) -> Batch:
    """Examples end to end until a buffer is full; the rest of the buffers is filled with dummies.

    Dummies are sequences of ``</s>`` without labels. There are as many on both sides, none empty,
    which is why some room is always left for them.
    """
    count, longest = len(languages), settings.longest
    source_lengths = np.bincount(source.owners, minlength=count) + 1
    target_lengths = np.bincount(target.owners, minlength=count) + SPECIALS
    taken = fitting(source_lengths, target_lengths, settings)
    source_lengths, target_lengths = source_lengths[:taken], target_lengths[:taken]
    left_source = settings.source_tokens - int(source_lengths.sum())
    left_target = settings.target_tokens - int(target_lengths.sum())
    dummies = -(-max(left_source, left_target) // longest)
    all_source = np.concatenate([source_lengths, _split(left_source, dummies)])
    all_target = np.concatenate([target_lengths, _split(left_target, dummies)])
    source_ids = np.full(settings.source_tokens, END, dtype=np.int64)
    _place(source_ids, source, source_lengths, ahead=0)
    target_ids = np.full(settings.target_tokens, END, dtype=np.int64)
    _place(target_ids, target, target_lengths, ahead=SPECIALS)
    begins = exclusive(target_lengths)
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


def fitting(source_lengths: Integers, target_lengths: Integers, settings: BatchSettings) -> int:
    """How many of some examples, from the first on, fit a batch (lengths with special pieces)."""
    dummies = _room_for_dummies(settings)
    fits = np.cumsum(source_lengths) <= settings.source_tokens - dummies
    fits &= np.cumsum(target_lengths) <= settings.target_tokens - dummies
    return int(fits.sum())


def _room_for_dummies(settings: BatchSettings) -> int:
    return -(-max(settings.source_tokens, settings.target_tokens) // settings.longest)


def _split(total: int, parts: int) -> Integers:
    """`total` in so many nearly equal parts."""
    return (np.arange(1, parts + 1) * total) // parts - (np.arange(parts) * total) // parts


def _place(buffer: Integers, side: FlatPieces, lengths: Integers, ahead: int) -> None:
    """Write the pieces of the first ``len(lengths)`` examples to their places."""
    inside = side.owners < len(lengths)
    ids, owners = side.ids[inside], side.owners[inside]
    pieces = np.bincount(owners, minlength=len(lengths))
    shift = exclusive(lengths) + ahead - exclusive(pieces)
    buffer[np.arange(len(ids)) + shift[owners]] = ids


def _positions(lengths: Integers) -> Integers:
    return np.arange(int(lengths.sum())) - np.repeat(exclusive(lengths), lengths)


def _bounds(lengths: Integers) -> NDArray[np.int32]:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)


_LOOK_EVERY = 16  # batches between two looks for new sets


@dataclass(frozen=True)
class StreamSettings:
    """Where the data lies and how batches are made of it."""

    packed: Path
    vocabulary: Path
    batches: BatchSettings
    mixture: MixtureSettings
    seed: int = 1
    workers: int = 0
    held_out: bool = False


class BatchStream(IterableDataset[list[Tensor]]):
    """Batches from number `first` on, as the tensors of `Batch` in order (32-bit)."""

    def __init__(self, settings: StreamSettings, first: int) -> None:
        self.settings, self.first = settings, first

    def __iter__(self) -> Iterator[list[Tensor]]:
        worker = get_worker_info()
        offset, stride = (0, 1) if worker is None else (worker.id, worker.num_workers)
        vocabulary = Vocabulary(self.settings.vocabulary)
        corpus = PackedFolder(self.settings.packed)
        spelling = vocabulary.spelling()
        examples = self._examples(corpus)
        tags = vocabulary.tags(corpus.languages)
        number, settings = self.first + offset, self.settings
        while True:
            if (number // stride) % _LOOK_EVERY == 0 and corpus.refresh():
                examples = self._examples(corpus)
                tags = vocabulary.tags(corpus.languages)
            batch = make_batch(examples, settings.batches, spelling, tags, settings.seed, number)
            yield tensors_of(batch)
            number += stride

    def _examples(self, corpus: PackedFolder) -> Examples:
        settings = self.settings
        mixture = Mixture(corpus.sets, settings.mixture)
        return Examples(mixture, settings.batches.examples, settings.held_out)


def tensors_of(batch: Batch) -> list[Tensor]:
    """The arrays of a batch as 32-bit tensors, small to hand over."""
    return [torch.from_numpy(array.astype("int32")) for array in vars(batch).values()]


def batch_of(tensors: list[Tensor]) -> Any:
    """A batch whose fields are tensors."""
    return Batch(*tensors)  # type: ignore[arg-type]


def stream_batches(settings: StreamSettings, first: int, pinned: bool) -> Iterator[list[Tensor]]:
    """Batches from number `first` on, made ahead by the worker processes."""
    ahead: dict[str, Any] = {"prefetch_factor": 2} if settings.workers else {}
    loader = DataLoader(
        BatchStream(settings, first),
        batch_size=None,
        num_workers=settings.workers,
        pin_memory=pinned,
        generator=torch.Generator(),  # its own: the model's chance must not depend on the stream
        **ahead,
    )
    return iter(loader)
