"""What to show of an alignment: the words that have no match, and the matches that are not exact.

A run of words without a match weighs what its words count in METEOR's precision (or, in the
reference, recall): content words more than function words. Exact matches are not shown; they are
all the rest.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import nlargest
from operator import itemgetter
from typing import Literal, NamedTuple

import numpy as np

from isogloss.metrics.meteor.candidates import EXACT, Candidates
from isogloss.metrics.meteor.flat import Ints, spread, starts
from isogloss.metrics.meteor.lot import Lot
from isogloss.metrics.meteor.profile import MATCHERS, Parameters
from isogloss.metrics.protocol import Floats

Amount = Literal["none", "longest", "all"]

NOT_IN_REFERENCE = "not in the reference"
NOT_IN_OUTPUT = "not in the output"
_LONGEST = 3  # runs of a document that are shown

Words = tuple[int, int]
"""From which word of a text up to which."""


class Remark(NamedTuple):
    """A reason, with the words of output and reference that it speaks of and their weight."""

    reason: str
    output: Words | None
    reference: Words | None
    weight: float


@dataclass(frozen=True, eq=False)
class Leftovers:
    """Runs of words without a match, by pair; lists, because they are asked for one by one."""

    starts: list[int]
    in_output: list[bool]
    first: list[int]
    end: list[int]
    weight: list[float]

    def of(self, pair: int) -> range:
        """The runs in the pair."""
        return range(self.starts[pair], self.starts[pair + 1])

    def remark(self, run: int) -> Remark:
        words = self.first[run], self.end[run]
        if self.in_output[run]:
            return Remark(NOT_IN_REFERENCE, words, None, self.weight[run])
        return Remark(NOT_IN_OUTPUT, None, words, self.weight[run])


def leftovers(lot: Lot, matches: Candidates, parameters: Parameters) -> Leftovers:
    """All runs of words without a match, on both sides of all pairs."""
    sides = (
        (lot.outputs, matches.output, matches.output_length),
        (lot.references, matches.reference, matches.reference_length),
    )
    parts = [_runs(lot, matches.pair, parameters.delta, *side) for side in sides]
    pair, first, end, weight = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    in_output = np.arange(len(pair)) < len(parts[0][0])
    order = np.argsort(pair, kind="stable")
    return Leftovers(
        starts(np.bincount(pair, minlength=lot.pairs)).tolist(),
        in_output[order].tolist(),
        first[order].tolist(),
        end[order].tolist(),
        weight[order].tolist(),
    )


def _runs(
    lot: Lot, pair: Ints, delta: float, texts: Ints, place: Ints, length: Ints
) -> tuple[Ints, Ints, Ints, Floats]:
    """Of one side: the pair, the first word, the word after the last, the weight of each run."""
    begin = starts(lot.lengths[texts])
    change = np.bincount(begin[pair] + place, minlength=begin[-1] + 1)
    change -= np.bincount(begin[pair] + place + length, minlength=begin[-1] + 1)
    owner, word = spread(lot.text_starts[texts], lot.text_starts[texts + 1])
    free = np.cumsum(change)[:-1] == 0
    is_first, is_last = free.copy(), free.copy()
    joined = free[1:] & free[:-1] & (owner[1:] == owner[:-1])
    is_first[1:] &= ~joined
    is_last[:-1] &= ~joined
    first, end = np.flatnonzero(is_first), np.flatnonzero(is_last) + 1
    is_function = np.frombuffer(bytes(lot.vocabulary.function), np.bool_)[lot.words[word]]
    so_far = starts(is_function)
    function = so_far[end] - so_far[first]  # counts: sums of weights would depend on the lot
    weight = delta * (end - first - function) + (1 - delta) * function
    run_owner = owner[first]
    offset = begin[run_owner]
    return run_owner, first - offset, end - offset, weight


def longest(runs: Leftovers, pairs: Sequence[int]) -> Iterator[tuple[int, Remark]]:
    """The runs of a document that weigh most: which of its pairs, and the run."""
    found = [(runs.weight[run], owner, run) for owner, p in enumerate(pairs) for run in runs.of(p)]
    for _, owner, run in nlargest(_LONGEST, found, key=itemgetter(0)):
        yield owner, runs.remark(run)


def everything(
    runs: Leftovers, matches: Candidates, pairs: Sequence[int], parameters: Parameters
) -> Iterator[tuple[int, Remark]]:
    """All runs and all matches that are not exact, pair by pair."""
    begin = np.searchsorted(matches.pair, pairs, "left")
    end = np.searchsorted(matches.pair, pairs, "right")
    for owner, pair in enumerate(pairs):
        for run in runs.of(pair):
            yield owner, runs.remark(run)
        for at in range(begin[owner], end[owner]):
            if matches.matcher[at] != EXACT:
                yield owner, _inexact(matches, at, parameters)


def _inexact(matches: Candidates, at: int, parameters: Parameters) -> Remark:
    matcher = MATCHERS[matches.matcher[at]]
    output, reference = int(matches.output[at]), int(matches.reference[at])
    return Remark(
        f"{matcher} match",
        (output, output + int(matches.output_length[at])),
        (reference, reference + int(matches.reference_length[at])),
        parameters.weight(matcher),
    )
