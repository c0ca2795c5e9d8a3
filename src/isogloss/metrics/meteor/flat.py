"""Lists of different lengths as flat arrays, and the two things that everything here does to them.

METEOR is computed for thousands of pairs of texts at once. What belongs to one text or pair lies
in one stretch of a long array, and an array of starts tells where each stretch begins and, at its
end, where the last one ends.
"""

from collections.abc import Iterable

import numpy as np

from isogloss.arrays import Integers, Mask


def starts(lengths: Iterable[int] | Integers) -> Integers:
    """Where each stretch begins, and behind them where the last ends."""
    known = np.asarray(lengths if isinstance(lengths, np.ndarray) else list(lengths), np.int64)
    return np.concatenate([[0], np.cumsum(known)])


def spread(start: Integers, end: Integers) -> tuple[Integers, Integers]:
    """The numbers of all ranges one after another: which range each is of, and the number."""
    lengths = np.asarray(end - start, np.int64)
    owner = np.repeat(np.arange(len(lengths)), lengths)
    return owner, np.arange(len(owner)) + (start - np.cumsum(lengths) + lengths)[owner]


def meetings(left: Integers, right: Integers) -> tuple[Integers, Integers]:
    """Every place of `left` with every place of `right` that has the same number."""
    # Most numbers meet none. They are sieved out before anything is sorted.
    right_kept = np.flatnonzero(_may_be_among(left, right))
    right = right[right_kept]
    left_kept = np.flatnonzero(_may_be_among(right, left))
    left = left[left_kept]
    left_order, right_order = np.argsort(left), np.argsort(right)
    ordered, sought = left[left_order], right[right_order]
    owner, place = spread(
        np.searchsorted(ordered, sought, "left"), np.searchsorted(ordered, sought, "right")
    )
    return left_kept[left_order[place]], right_kept[right_order[owner]]


_SCATTER = np.uint64(0x9E3779B97F4A7C15)


def _may_be_among(numbers: Integers, sought: Integers) -> Mask:
    """Whether each number may be one of those; if not, it is certainly none of them."""
    bits = len(numbers).bit_length() + 3
    shift = np.uint64(64 - bits)
    taken = np.zeros(1 << bits, np.bool_)
    taken[(numbers.astype(np.uint64) * _SCATTER) >> shift] = True
    return np.asarray(taken[(sought.astype(np.uint64) * _SCATTER) >> shift])


def find(ordered: Integers, sought: Integers) -> tuple[Integers, Mask]:
    """Where each number is in a sorted array, and whether it is there at all."""
    order = np.argsort(sought)  # to look things up in order spares the memory from being jumped in
    places = np.empty(len(sought), np.int64)
    places[order] = np.searchsorted(ordered, sought[order])
    places = np.minimum(places, max(len(ordered) - 1, 0))
    return places, ordered[places] == sought if len(ordered) else np.zeros(len(sought), np.bool_)
