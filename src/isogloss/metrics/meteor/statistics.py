"""METEOR's sufficient statistics, in its own order, and the score that follows from them.

How many words either side has, how many of them are function words; for each matcher the matched
content words of output and reference, then the matched function words of both; the chunks; the
matched words of either side. They add up: a document's score is that of its sum. A segment that is
matched as a whole in one chunk has none: it is not fragmented, and METEOR does not count it.
"""

import numpy as np

from isogloss.metrics.meteor.beam import search
from isogloss.metrics.meteor.candidates import Candidates, candidates
from isogloss.metrics.meteor.flat import Bools, Ints, starts
from isogloss.metrics.meteor.lot import Lot
from isogloss.metrics.meteor.options import make_options
from isogloss.metrics.meteor.profile import MATCHERS, Parameters
from isogloss.metrics.meteor.steps import steps
from isogloss.metrics.protocol import Floats

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


def _summed(cell: Ints, counts: Ints, pairs: int) -> Floats:
    """The sums of every pair, by matcher."""
    sums = np.bincount(cell, counts.astype(np.float64), minlength=pairs * len(MATCHERS))
    return np.asarray(sums, np.float64).reshape(pairs, len(MATCHERS))


def _whole(rows: Floats) -> Bools:
    """Pairs that are matched word for word in one chunk."""
    matched = np.stack([rows[:, 4 + side : 20 : 2].sum(axis=1) for side in (0, 1)], axis=1)
    return np.asarray((matched == rows[:, _LENGTHS]).all(axis=1) & (rows[:, _CHUNKS] == 1))


def _first_of_chunks(matches: Candidates) -> Ints:
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
