"""The steps of some pairs as the search takes them: those of one kind in tables of their own.

A stretch is one kind; open words are of one kind if they have about as many options. What a step
does is in columns of its kind's table: one for each option, with some to spare that nobody can
take, and the last for skipping the word. All that does not depend on a path is worked out once.

By what METEOR sorts its paths: more matches, then fewer chunks, then shorter distances.

All of it, and the place in the list that decides between equals, is packed into one number, so
that whole beams are sorted at the speed of the machine. Smaller is better.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.arrays import Integers, Mask
from isogloss.metrics.meteor.flat import spread, starts
from isogloss.metrics.meteor.steps import Masks, Options, Places, Steps

Keys = NDArray[Any]
"""Machine numbers, or Python's own where texts are too long for these."""

_MOST_BITS = 62  # of a machine number


@dataclass(frozen=True, eq=False)
class Bounds:
    """The most that a path of each pair can come to."""

    matches: Integers
    chunks: Integers
    distance: Integers


def bounds(steps: Steps, options: Options) -> Bounds:
    """What taking the best, and what taking all options would sum up to."""
    pairs = len(steps.starts) - 1
    pair = np.repeat(np.arange(pairs), np.diff(steps.starts))
    step = np.repeat(np.arange(len(pair)), np.diff(steps.option_starts))
    best = np.zeros(len(pair), np.int64)
    has_options = np.diff(steps.option_starts) > 0
    first = steps.option_starts[:-1][has_options]
    best[has_options] = np.maximum.reduceat(options.gain, first) if len(first) else 0
    return Bounds(
        _by_pair(pair, best + steps.gain, pairs),
        _by_pair(pair, steps.breaks + 1, pairs) + 1,
        _by_pair(pair, steps.distance, pairs) + _by_pair(pair[step], options.distance[:-1], pairs),
    )


def _by_pair(pair: Integers, values: Integers, pairs: int) -> Integers:
    return np.bincount(pair, weights=values, minlength=pairs).astype(np.int64)


@dataclass(frozen=True)
class SortUnits:
    """What one counts of each part of a key; the places in the list are below all of them."""

    column_bits: int
    distance: int
    chunk_: int
    match: int
    dead: int  # keys from here on belong to no path

    @classmethod
    def fitting(cls, most: Bounds, pairs: Integers, paths: int, columns: int) -> "SortUnits":
        """Wide enough for these pairs and for so many ways to go on from so many paths."""
        column_bits = (columns - 1).bit_length()
        distance = _power_above(paths << column_bits)
        chunk = distance * _power_above(int(most.distance[pairs].max(initial=0)))
        match = chunk * _power_above(int(most.chunks[pairs].max(initial=0)))
        dead = match * _power_above(int(most.matches[pairs].max(initial=0)))
        return cls(column_bits, distance, chunk, match, dead)

    @cached_property
    def key_type(self) -> Any:
        return np.int64 if 8 * self.dead < 1 << _MOST_BITS else object

    @cached_property
    def nothing(self) -> int:
        """The key where there is no path: whatever is added to it, it stays dead."""
        return 2 * self.dead

    @cached_property
    def chunk(self) -> NDArray[Any]:
        """One chunk more, in the type of the keys."""
        return np.array(self.chunk_, self.key_type)

    def matches(self, gain: Integers) -> Keys:
        """What these matched words take from a key."""
        return np.asarray(gain.astype(self.key_type) * -self.match)

    def distances(self, distance: Integers) -> Keys:
        """What these distances add to a key."""
        return np.asarray(distance.astype(self.key_type) * self.distance)

    def stretch(self, gain: Integers, breaks: Integers, distance: Integers) -> Keys:
        """What going through a stretch adds to a key."""
        chunks = breaks.astype(self.key_type) * self.chunk_
        return np.asarray(self.matches(gain) + chunks + self.distances(distance))

    @cached_property
    def _penalties(self) -> Keys:
        return np.array([0, self.chunk_], self.key_type)

    def penalty(self, is_break: Mask) -> Keys:
        """What breaks between chunks add to keys."""
        return np.take(self._penalties, is_break.view(np.uint8))

    @cached_property
    def place_type(self) -> np.dtype[Any]:
        return np.min_scalar_type(self.distance)

    def path_places(self, paths: int) -> Integers:
        """The places in the list of the first continuation of each path, for all pairs."""
        return (np.arange(paths) << self.column_bits)[:, None]

    def place(self, key: Keys) -> Integers:
        """The places in the list that keys hold."""
        return (key & (self.distance - 1)).astype(np.int64, copy=False)

    def path(self, place: Integers) -> Integers:
        """Of which path the continuation at a place is."""
        return np.asarray(place >> self.column_bits)

    def column(self, place: Integers) -> Integers:
        """Which of the path's continuations the one at a place is."""
        return np.asarray(place & ((1 << self.column_bits) - 1))


_SORTED_AT_ONCE = 256  # numbers; for more of them numpy takes three times as long for each


def smallest(keys: Keys, count: int) -> Keys:
    """Of every pair, which is the last axis, so many of the smallest keys in order, by pair."""
    columns = np.ascontiguousarray(keys.transpose(2, 0, 1))
    while True:
        parts = _parts(*columns.shape[1:])
        ordered = columns.reshape(len(columns), parts, -1)
        ordered.sort(axis=2)
        if parts == 1:
            return np.asarray(ordered[:, 0, :count])
        columns = np.ascontiguousarray(ordered[:, :, :count])


def _parts(columns: int, places: int) -> int:
    """In how many parts, of several columns each, keys are sorted first; one is all of them."""
    for parts in range(1, columns // 2 + 1):
        if columns % parts == 0 and columns // parts * places <= _SORTED_AT_ONCE:
            return parts
    return 1


def _power_above(number: int) -> int:
    return 1 << number.bit_length()


DONE, STRETCH = -1, 0
"""Kinds of steps; those above are open words."""

_COLUMNS = (3, 4, 6, 9, 12, 24)  # of open words that are done alike; the widest have their own


@dataclass(frozen=True, eq=False)
class Itinerary:
    """The steps of some pairs one after another.

    `step` tells which of all steps each is, `number` which of its kind; ``columns`` has how many
    ways to go on there are in each kind.
    """

    starts: Integers
    step: Integers
    kind: Integers
    next_kind: Integers
    number: Integers
    first_option: Integers
    option_count: Integers
    columns: Integers

    @property
    def most_columns(self) -> int:
        return int(self.columns[-1])

    def of_kind(self, kind: int) -> Integers:
        """Which of all steps those of the kind are."""
        return np.asarray(self.step[self.kind == kind])


def itinerary(steps: Steps, pairs: Integers) -> Itinerary:
    """The steps of these pairs."""
    begin, end = steps.starts[pairs], steps.starts[pairs + 1]
    _, step = spread(begin, end)
    first_option = steps.option_starts[step]
    option_count = steps.option_starts[step + 1] - first_option
    most = int(option_count.max(initial=0)) + 1
    columns = np.array([1, *takewhile(lambda number: number < most, _COLUMNS), most])
    kind = np.where(
        steps.is_open[step], np.searchsorted(columns[1:], option_count + 1) + 1, STRETCH
    )
    way_starts = starts(end - begin)
    next_kind = np.append(kind[1:], DONE)
    next_kind[way_starts[1:][end > begin] - 1] = DONE
    number = np.empty(len(step), np.int64)
    for one in range(len(columns)):
        own = np.flatnonzero(kind == one)
        number[own] = np.arange(len(own))
    return Itinerary(way_starts, step, kind, next_kind, number, first_option, option_count, columns)


@dataclass(frozen=True, eq=False, slots=True)
class Stretches:
    """Where stretches are entered and left in the output, and what going through adds to a key."""

    entry: Integers
    exit: Integers
    cost: Keys

    @classmethod
    def of(cls, way: Itinerary, steps: Steps, units: SortUnits) -> "Stretches":
        """All that are on the way."""
        own = way.of_kind(STRETCH)
        cost = units.stretch(steps.gain[own], steps.breaks[own], steps.distance[own])
        return cls(steps.entry[own], steps.exit[own], cost)

    def at(self, numbers: Integers) -> "Stretches":
        """Those with these numbers."""
        return Stretches(self.entry[numbers], self.exit[numbers], self.cost[numbers])


@dataclass(frozen=True, eq=False, slots=True)
class OpenWords:
    """Open words of one kind: for each column and word what going on in this way means.

    `cost` is what it adds to a key if all options before it could have been taken; `distance`
    what each of these adds to that.
    """

    word: Integers
    cost: Keys
    distance: Keys
    begin: Places
    end: Places
    reach: Places
    mask: Sequence[Masks]

    @classmethod
    def of(
        cls,
        way: Itinerary,
        kind: int,
        steps: Steps,
        options: Options,
        masks: Masks,
        units: SortUnits,
    ) -> "OpenWords":
        """All of a kind that are on the way."""
        own = way.of_kind(kind)
        column = np.arange(way.columns[kind])[:, None]
        offered = steps.option_starts[own] + column
        offered[offered >= steps.option_starts[own + 1]] = options.skip
        distance = units.distances(options.distance[offered])
        cost = units.matches(options.gain[offered]) + column
        cost[1:] += np.cumsum(distance[:-1], axis=0)
        word = steps.word[own].astype(options.length.dtype)
        return cls(
            word,
            cost,
            distance[:-1],
            options.begin[offered[:-1]],
            options.end[offered],
            options.length[offered] + word,
            [mask[offered] for mask in masks],
        )

    def at(self, numbers: Integers, wide: Sequence[int]) -> "OpenWords":
        """Those with these numbers; of so many, the last, each next part of the masks, too."""
        return OpenWords(
            self.word[numbers],
            np.take(self.cost, numbers, axis=1),
            np.take(self.distance, numbers, axis=1),
            np.take(self.begin, numbers, axis=1),
            np.take(self.end, numbers, axis=1),
            np.take(self.reach, numbers, axis=1),
            [np.take(m, numbers[-n:], axis=1) for m, n in zip(self.mask, wide, strict=False)],
        )
