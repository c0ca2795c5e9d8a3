"""By what METEOR sorts its paths: more matches, then fewer chunks, then shorter distances.

All of it, and the place in the list that decides between equals, is packed into one number, so
that whole beams are sorted at the speed of the machine. Smaller is better.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.metrics.meteor.flat import Bools, Ints
from isogloss.metrics.meteor.options import Options
from isogloss.metrics.meteor.steps import Steps

Keys = NDArray[Any]
"""Machine numbers, or Python's own where texts are too long for these."""

_MOST_BITS = 62  # of a machine number


@dataclass(frozen=True, eq=False)
class Bounds:
    """The most that a path of each pair can come to."""

    matches: Ints
    chunks: Ints
    distance: Ints


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


def _by_pair(pair: Ints, values: Ints, pairs: int) -> Ints:
    return np.bincount(pair, weights=values, minlength=pairs).astype(np.int64)


@dataclass(frozen=True)
class Units:
    """What one counts of each part of a key; the places in the list are below all of them."""

    column_bits: int
    distance: int
    chunk_: int
    match: int
    dead: int  # keys from here on belong to no path

    @classmethod
    def fitting(cls, most: Bounds, pairs: Ints, paths: int, columns: int) -> "Units":
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

    def matches(self, gain: Ints) -> Keys:
        """What these matched words take from a key."""
        return np.asarray(gain.astype(self.key_type) * -self.match)

    def distances(self, distance: Ints) -> Keys:
        """What these distances add to a key."""
        return np.asarray(distance.astype(self.key_type) * self.distance)

    def stretch(self, gain: Ints, breaks: Ints, distance: Ints) -> Keys:
        """What going through a stretch adds to a key."""
        chunks = breaks.astype(self.key_type) * self.chunk_
        return np.asarray(self.matches(gain) + chunks + self.distances(distance))

    @cached_property
    def _penalties(self) -> Keys:
        return np.array([0, self.chunk_], self.key_type)

    def penalty(self, is_break: Bools) -> Keys:
        """What breaks between chunks add to keys."""
        return np.take(self._penalties, is_break.view(np.uint8))

    @cached_property
    def place_type(self) -> np.dtype[Any]:
        return np.min_scalar_type(self.distance)

    def path_places(self, paths: int) -> Ints:
        """The places in the list of the first continuation of each path, for all pairs."""
        return (np.arange(paths) << self.column_bits)[:, None]

    def place(self, key: Keys) -> Ints:
        """The places in the list that keys hold."""
        return (key & (self.distance - 1)).astype(np.int64, copy=False)

    def path(self, place: Ints) -> Ints:
        """Of which path the continuation at a place is."""
        return np.asarray(place >> self.column_bits)

    def column(self, place: Ints) -> Ints:
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
