"""The candidates that compete, in the form in which the search asks for them."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.metrics.meteor.candidates import Candidates
from isogloss.metrics.meteor.flat import Bools, Ints, spread, starts
from isogloss.metrics.meteor.paraphrase_index import LONGEST_PHRASE
from isogloss.metrics.meteor.steps import NOWHERE, Steps, distance, gain

Masks = NDArray[np.unsignedinteger[Any]]
Places = NDArray[np.signedinteger[Any]]
"""Places in texts, in numbers as small as will do: the search moves many of them about."""

MASK_BITS = 64
ALWAYS_USED = 1
"""The bit of a word that every path has used: what needs it is no option."""


@dataclass(frozen=True, eq=False)
class Options:
    """What each option does, and as the last of all, what skipping a word does.

    `begin` and `end` are words of the output, `length` counts words of the reference. `mask` has
    a bit for every word of the output that steps of the pair compete for, in as many numbers of
    64 bits as the pair with the most of them needs; `bits` tells how many bits each needs.
    """

    begin: Places
    end: Places
    length: Places
    gain: Ints
    distance: Ints
    mask: Masks
    bits: Ints

    @property
    def skip(self) -> int:
        """The option that is none."""
        return len(self.begin) - 1

    @cached_property
    def mask_words(self) -> Ints:
        """How many of the numbers of 64 bits each pair needs."""
        return np.asarray(-(-self.bits // MASK_BITS))

    def masks_for(self, pairs: Ints) -> Masks:
        """As much of the masks as these pairs need, in the smallest numbers that will do."""
        bits = int(self.bits[pairs].max())
        words = -(-bits // MASK_BITS)
        small = np.min_scalar_type((1 << bits) - 1) if words == 1 else np.dtype(np.uint64)
        return self.mask[:words].astype(small, copy=False)


def make_options(candidates: Candidates, steps: Steps, output_lengths: Ints) -> Options:
    """The options of all pairs."""
    open_ = candidates.at(steps.open)
    output_starts = starts(output_lengths)
    first = output_starts[open_.pair] + open_.output
    contested = starts(_contested(first, open_.output_length, steps, int(output_starts[-1])))
    bit = contested[first] - contested[output_starts[open_.pair]] + 1  # bit 0 has its own meaning
    length = contested[first + open_.output_length] - contested[first]
    bits = contested[output_starts[1:]] - contested[output_starts[:-1]] + 1
    longest = max(int(output_lengths.max(initial=0)), int(steps.word.max(initial=0)))
    small = np.min_scalar_type(-longest - LONGEST_PHRASE)
    return Options(
        np.append(open_.output, NOWHERE - 1).astype(small),
        np.append(open_.output + open_.output_length, NOWHERE).astype(small),
        np.append(open_.reference_length, 1).astype(small),
        np.append(gain(open_), 0),
        np.append(distance(open_), 0),
        _masks(bit, length, -(-int(bits.max(initial=1)) // MASK_BITS)),
        bits,
    )


def _contested(first: Ints, length: Ints, steps: Steps, words: int) -> Bools:
    """Words of the output that are wanted at more than one step; others need no watching."""
    option, word = spread(first, first + length)
    step = np.repeat(np.arange(len(steps.is_open)), np.diff(steps.option_starts))[option]
    first_step, last_step = np.zeros(words, np.int64), np.zeros(words, np.int64)
    last_step[word] = step  # of several, the last stays
    first_step[word[::-1]] = step[::-1]
    return np.asarray(first_step < last_step)


def _masks(bit: Ints, length: Ints, words: int) -> Masks:
    """One row of numbers for each 64 bits; an option has so many neighbouring ones."""
    masks = np.zeros((words, len(bit) + 1), np.uint64)
    for word in range(words):
        low = np.clip(bit - word * MASK_BITS, 0, MASK_BITS)
        high = np.clip(bit + length - word * MASK_BITS, 0, MASK_BITS)
        there = high > low
        ones = (np.uint64(1) << (high - low)[there].astype(np.uint64)) - np.uint64(1)
        masks[word, :-1][there] = ones << low[there].astype(np.uint64)
    masks[0, -1] = ALWAYS_USED
    return masks
