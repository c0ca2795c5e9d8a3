"""What is to be decided in an alignment, and what is settled: the steps that the search takes.

METEOR goes through the reference from left to right. A *step* is either one open word, at which
candidates compete, or a whole stretch of the reference in which nothing is to be decided: matches
that stand alone, and words without any. Since all paths leave such a stretch in the same state,
going through it at once gives what going word by word would.
"""

from dataclasses import dataclass

import numpy as np

from isogloss.metrics.meteor.candidates import EXACT, Candidates
from isogloss.metrics.meteor.flat import Bools, Ints, starts

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

    settled: Ints
    open: Ints
    starts: Ints
    is_open: Bools
    word: Ints
    option_starts: Ints
    entry: Ints
    exit: Ints
    gain: Ints
    breaks: Ints
    distance: Ints


def gain(candidates: Candidates) -> Ints:
    """How many words a match adds to METEOR's total, on both sides.

    Inexact matches count half, and what is left over is lost: METEOR adds halves to integers.
    """
    halves = candidates.reference_length // 2 + candidates.output_length // 2
    return np.where(candidates.matcher == EXACT, 2, halves)


def distance(candidates: Candidates) -> Ints:
    """How far apart the places of a match are in their texts."""
    return np.asarray(np.abs(candidates.reference - candidates.output))


def steps(candidates: Candidates, reference_lengths: Ints, output_lengths: Ints) -> Steps:
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


def _coverage(first: Ints, length: Ints, words: int) -> Ints:
    """How many of the candidates cover each word."""
    change = np.bincount(first, minlength=words + 1)
    change -= np.bincount(first + length, minlength=words + 1)
    return np.cumsum(change)[:-1]


def _settled(candidates: Candidates, first: Ints, covered: Ints, output_lengths: Ints) -> Bools:
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


def _is_first(at_open: Bools, pair: Ints) -> Bools:
    """Words of the reference at which a step begins."""
    is_first = at_open.copy()
    is_first[1:] |= at_open[:-1] | (pair[1:] != pair[:-1])
    is_first[:1] = True
    return is_first


def _stretches(
    settled: Candidates, first: Ints, is_first: Bools, step: Ints
) -> tuple[Ints, Ints, Ints, Ints, Ints]:
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


def _summed(group: Ints, values: Ints, groups: int) -> Ints:
    return np.bincount(group, weights=values, minlength=groups).astype(np.int64)
