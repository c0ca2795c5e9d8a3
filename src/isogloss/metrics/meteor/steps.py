"""What is to be decided in an alignment, and what is settled: the steps that the search takes.

METEOR goes through the reference from left to right. A *step* is either one open word, at which
candidates compete, or a whole stretch of the reference in which nothing is to be decided: matches
that stand alone, and words without any. Since all paths leave such a stretch in the same state,
going through it at once gives what going word by word would.

The candidates that compete, in the form in which the search asks for them.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.arrays import Integers, Mask
from isogloss.metrics.meteor.candidates import EXACT, Candidates
from isogloss.metrics.meteor.flat import spread, starts
from isogloss.metrics.meteor.paraphrases import LONGEST_PHRASE

NOWHERE = -1
"""In place of the word of the output after the last match, where the last word has no match."""


@dataclass(frozen=True, eq=False)
class Steps:
    """The steps of all pairs one after another.

    `settled` and `open` are the candidates that are matched in any case and those that compete;
    ``option_starts`` counts among the latter. A stretch has the word of the output where its
    first match begins and the one after its last (or `NOWHERE`), the matched words it adds, the
    breaks between chunks inside it, and the distance between the places of its matches.
    """

    settled: Integers
    open: Integers
    starts: Integers
    is_open: Mask
    word: Integers
    option_starts: Integers
    entry: Integers
    exit: Integers
    gain: Integers
    breaks: Integers
    distance: Integers


def gain(candidates: Candidates) -> Integers:
    """How many words a match adds to METEOR's total, on both sides.

    Inexact matches count half, and what is left over is lost: METEOR adds halves to integers.
    """
    halves = candidates.reference_length // 2 + candidates.output_length // 2
    return np.where(candidates.matcher == EXACT, 2, halves)


def distance(candidates: Candidates) -> Integers:
    """How far apart the places of a match are in their texts."""
    return np.asarray(np.abs(candidates.reference - candidates.output))


def steps(candidates: Candidates, reference_lengths: Integers, output_lengths: Integers) -> Steps:
    """The steps through all pairs."""
    begin = starts(reference_lengths)
    first = begin[candidates.pair] + candidates.reference
    covered = _coverage(first, candidates.reference_length, begin[-1])
    is_settled = _settled(candidates, first, covered, output_lengths)
    settled, open_ = np.flatnonzero(is_settled), np.flatnonzero(~is_settled)
    at_open = (covered > 0) & (
        _coverage(first[settled], candidates.reference_length[settled], begin[-1]) == 0
    )
    pair = np.repeat(np.arange(len(reference_lengths)), reference_lengths)
    is_first = _is_first(at_open, pair)
    place = np.flatnonzero(is_first)
    step = np.cumsum(is_first) - 1
    options = np.bincount(step[first[open_]], minlength=len(place))
    stretch = _stretches(candidates.at(settled), first[settled], is_first, step)
    return Steps(
        settled,
        open_,
        starts(np.bincount(pair[place], minlength=len(reference_lengths))),
        at_open[place],
        place - begin[pair[place]],
        starts(options),
        *stretch,
    )


def _coverage(first: Integers, length: Integers, words: int) -> Integers:
    """How many of the candidates cover each word."""
    change = np.bincount(first, minlength=words + 1)
    change -= np.bincount(first + length, minlength=words + 1)
    return np.cumsum(change)[:-1]


def _settled(
    candidates: Candidates, first: Integers, covered: Integers, output_lengths: Integers
) -> Mask:
    """Candidates whose words, on both sides, are covered by no other."""
    output_starts = starts(output_lengths)
    output_first = output_starts[candidates.pair] + candidates.output
    output_covered = _coverage(output_first, candidates.output_length, output_starts[-1])
    alone = np.ones(len(candidates), np.bool_)
    for where, begin, length in (
        (covered, first, candidates.reference_length),
        (output_covered, output_first, candidates.output_length),
    ):
        ones = starts(where == 1)
        alone &= ones[begin + length] - ones[begin] == length
    return alone


def _is_first(at_open: Mask, pair: Integers) -> Mask:
    """Words of the reference at which a step begins."""
    is_first = at_open.copy()
    is_first[1:] |= at_open[:-1] | (pair[1:] != pair[:-1])
    is_first[:1] = True
    return is_first


def _stretches(
    settled: Candidates, first: Integers, is_first: Mask, step: Integers
) -> tuple[Integers, Integers, Integers, Integers, Integers]:
    """Entry, exit, gain, breaks and distance of every step, from its settled matches."""
    begins = np.full(len(step), NOWHERE - 1)  # where in the output the word's match begins
    begins[first] = settled.output
    leaves = np.full(len(step), NOWHERE)  # the word of the output after it
    for later in range(int(settled.reference_length.max(initial=0))):
        long = settled.reference_length > later
        leaves[first[long] + later] = (settled.output + settled.output_length)[long]
    before = np.concatenate([[NOWHERE], leaves[:-1]])
    inside = (leaves != NOWHERE) & (begins < NOWHERE)  # of a match that began before
    is_break = ~is_first & ~inside & (before != NOWHERE) & (begins != before)
    count = int(step[-1]) + 1 if len(step) else 0
    last = np.append(np.flatnonzero(is_first)[1:], len(step)) - 1 if count else step
    return (
        begins[is_first],
        leaves[last],
        _summed(step[first], gain(settled), count),
        np.bincount(step[is_break], minlength=count),
        _summed(step[first], distance(settled), count),
    )


def _summed(group: Integers, values: Integers, groups: int) -> Integers:
    return np.bincount(group, weights=values, minlength=groups).astype(np.int64)


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
    gain: Integers
    distance: Integers
    mask: Masks
    bits: Integers

    @property
    def skip(self) -> int:
        """The option that is none."""
        return len(self.begin) - 1

    @cached_property
    def mask_words(self) -> Integers:
        """How many of the numbers of 64 bits each pair needs."""
        return np.asarray(-(-self.bits // MASK_BITS))

    def masks_for(self, pairs: Integers) -> Masks:
        """As much of the masks as these pairs need, in the smallest numbers that will do."""
        bits = int(self.bits[pairs].max())
        words = -(-bits // MASK_BITS)
        small = np.min_scalar_type((1 << bits) - 1) if words == 1 else np.dtype(np.uint64)
        return self.mask[:words].astype(small, copy=False)


def make_options(candidates: Candidates, steps: Steps, output_lengths: Integers) -> Options:
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


def _contested(first: Integers, length: Integers, steps: Steps, words: int) -> Mask:
    """Words of the output that are wanted at more than one step; others need no watching."""
    option, word = spread(first, first + length)
    step = np.repeat(np.arange(len(steps.is_open)), np.diff(steps.option_starts))[option]
    first_step, last_step = np.zeros(words, np.int64), np.zeros(words, np.int64)
    last_step[word] = step  # of several, the last stays
    first_step[word[::-1]] = step[::-1]
    return np.asarray(first_step < last_step)


def _masks(bit: Integers, length: Integers, words: int) -> Masks:
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
