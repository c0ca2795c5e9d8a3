"""METEOR's sufficient statistics, in its own order, and the score that follows from them.

How many words either side has, how many of them are function words; for each matcher the matched
content words of output and reference, then the matched function words of both; the chunks; the
matched words of either side. They add up: a document's score is that of its sum. A segment that is
matched as a whole in one chunk has none: it is not fragmented, and METEOR does not count it.

What to show of an alignment: the words that have no match, and the matches that are not exact.

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

from isogloss.arrays import Floats, Integers, Mask
from isogloss.metrics.meteor.beam import search
from isogloss.metrics.meteor.candidates import EXACT, Candidates, Lot, candidates
from isogloss.metrics.meteor.flat import spread, starts
from isogloss.metrics.meteor.profile import MATCHERS, Parameters
from isogloss.metrics.meteor.steps import make_options, steps

WIDTH = 23
_LENGTHS, _FUNCTION, _CHUNKS, _MATCHED = slice(0, 2), slice(2, 4), 20, slice(21, 23)


def align(lot: Lot) -> Candidates:
    """The matches of METEOR's alignment of every pair, by pair and place in the reference."""
    found = candidates(lot)
    lengths = lot.lengths[lot.references], lot.lengths[lot.outputs]
    plan = steps(found, *lengths)
    taken = plan.open[search(plan, make_options(found, plan, lengths[1]))]
    return found.at(np.sort(np.concatenate([plan.settled, taken])))


def statistics(lot: Lot, matches: Candidates, *, characters: bool = False) -> Floats:
    """The statistics of every pair; of words, or of the characters in them."""
    vocabulary, words = lot.vocabulary, lot.words
    function = np.frombuffer(bytes(vocabulary.function), np.uint8)[words].astype(np.int64)
    size = np.array(vocabulary.lengths)[words] if characters else np.ones(len(words), np.int64)
    all_words, function_words = starts(size), starts(size * function)
    rows = np.zeros((lot.pairs, WIDTH))
    sides = (
        (lot.outputs, matches.output, matches.output_length),
        (lot.references, matches.reference, matches.reference_length),
    )
    cell = matches.pair * len(MATCHERS) + matches.matcher
    for number, (text, place, length) in enumerate(sides):
        begin, end = lot.text_starts[text], lot.text_starts[text + 1]
        rows[:, number] = all_words[end] - all_words[begin]
        rows[:, 2 + number] = function_words[end] - function_words[begin]
        first = begin[matches.pair] + place
        grammar = function_words[first + length] - function_words[first]
        content = all_words[first + length] - all_words[first] - grammar
        rows[:, 4 + number : 20 : 4] = _summed(cell, content, lot.pairs)
        rows[:, 6 + number : 20 : 4] = _summed(cell, grammar, lot.pairs)
        rows[:, 21 + number] = np.bincount(matches.pair, length, minlength=lot.pairs)
    rows[:, _CHUNKS] = np.bincount(matches.pair[_first_of_chunks(matches)], minlength=lot.pairs)
    rows[_whole(rows), _CHUNKS] = 0
    return rows


def _summed(cell: Integers, counts: Integers, pairs: int) -> Floats:
    """The sums of every pair, by matcher."""
    sums = np.bincount(cell, counts.astype(np.float64), minlength=pairs * len(MATCHERS))
    return np.asarray(sums, np.float64).reshape(pairs, len(MATCHERS))


def _whole(rows: Floats) -> Mask:
    """Pairs that are matched word for word in one chunk."""
    matched = np.stack([rows[:, 4 + side : 20 : 2].sum(axis=1) for side in (0, 1)], axis=1)
    return np.asarray((matched == rows[:, _LENGTHS]).all(axis=1) & (rows[:, _CHUNKS] == 1))


def _first_of_chunks(matches: Candidates) -> Integers:
    """The matches that do not go on where the one before ends, on both sides."""
    if not len(matches):
        return matches.pair
    goes_on = matches.pair[1:] == matches.pair[:-1]
    for place, length in (
        (matches.reference, matches.reference_length),
        (matches.output, matches.output_length),
    ):
        goes_on &= place[1:] == (place + length)[:-1]
    return np.flatnonzero(np.append(True, ~goes_on))


def scores(rows: Floats, parameters: Parameters) -> Floats:
    """METEOR's score of each row of statistics."""
    delta = parameters.delta
    content, function = (_weighted(rows, first, parameters) for first in (4, 6))
    function_words = rows[:, _FUNCTION]
    length = delta * (rows[:, _LENGTHS] - function_words) + (1 - delta) * function_words
    with np.errstate(divide="ignore", invalid="ignore"):
        precision, recall = ((delta * content + (1 - delta) * function) / length).T
        mean = 1 / ((1 - parameters.alpha) / precision + parameters.alpha / recall)
        fragmentation = rows[:, _CHUNKS] / (rows[:, _MATCHED].sum(axis=1) / 2)
    score = mean * (1 - parameters.gamma * fragmentation**parameters.beta)
    return np.asarray(np.nan_to_num(np.maximum(score, 0.0), nan=0.0))


def _weighted(rows: Floats, first: int, parameters: Parameters) -> Floats:
    """The matches of output and reference, from those columns on, by what matchers are worth.

    Summed up one by one: a matrix product rounds a row as it likes, depending on the others.
    """
    columns = range(first, 20, 4)
    return np.asarray(
        sum(
            rows[:, column : column + 2] * parameters.weight(matcher)
            for column, matcher in zip(columns, MATCHERS, strict=True)
        )
    )


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
    lot: Lot, pair: Integers, delta: float, texts: Integers, place: Integers, length: Integers
) -> tuple[Integers, Integers, Integers, Floats]:
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
