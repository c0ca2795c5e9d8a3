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

    distance: int
    chunk_: int
    match: int
    dead: int  # keys from here on belong to no path

    @classmethod
    def fitting(cls, most: Bounds, pairs: Ints, places: int) -> "Units":
        """Wide enough for these pairs and so many places in a list."""
        distance = _power_above(places)
        chunk = distance * _power_above(int(most.distance[pairs].max(initial=0)))
        match = chunk * _power_above(int(most.chunks[pairs].max(initial=0)))
        dead = match * _power_above(int(most.matches[pairs].max(initial=0)))
        return cls(distance, chunk, match, dead)

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
        return np.array([0, self.chunk_, self.nothing, self.nothing], self.key_type)

    def penalty(self, is_break: Bools, taken: Bools | None = None) -> Keys:
        """What a break between chunks adds to keys, and what makes no path of them."""
        flags = is_break.view(np.uint8)
        return np.take(
            self._penalties, flags if taken is None else flags | taken.view(np.uint8) << 1
        )

    def place(self, key: Keys) -> Ints:
        """The places in the list that keys hold."""
        return (key & (self.distance - 1)).astype(np.int64)


def _power_above(number: int) -> int:
    return 1 << number.bit_length()
