"""All that could match in many pairs of texts: METEOR's four matchers.

Words that share a match key, and phrases of which one is listed as a paraphrase of the other, are
found by joins over the whole lot.

A lot: many pairs of an output and a reference, to be aligned together.

Every text of the lot is read once, however many pairs it is in: references return for every
system, and so do segments that several systems translate alike.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import chain

import numpy as np

from isogloss.arrays import Integers, Mask
from isogloss.errors import InputError
from isogloss.metrics.meteor.flat import meetings, spread, starts
from isogloss.metrics.meteor.paraphrases import (
    LONGEST_PHRASE,
    MOST_REPLACEMENTS,
    UNKNOWN,
    ParaphraseTable,
)
from isogloss.metrics.meteor.profile import MATCHERS
from isogloss.metrics.meteor.vocabulary import KEY_BITS, MeteorVocabulary

LONGEST_TEXT = (1 << 16) - 1  # in words: the order of candidates is packed into numbers


@dataclass(frozen=True, eq=False)
class Lot:
    """Texts as word numbers one after another, and pairs of texts."""

    vocabulary: MeteorVocabulary
    words: Integers
    text_starts: Integers
    outputs: Integers
    references: Integers

    @property
    def pairs(self) -> int:
        return len(self.outputs)

    @cached_property
    def lengths(self) -> Integers:
        """How many words each text has."""
        return np.diff(self.text_starts)

    @cached_property
    def text_of_word(self) -> Integers:
        return np.repeat(np.arange(len(self.lengths)), self.lengths)

    @cached_property
    def codes(self) -> Integers:
        """What exact matches compare."""
        first = np.array(self.vocabulary.key_starts)[self.words]
        return np.asarray(np.array(self.vocabulary.keys)[first])

    def identical(self) -> Mask:
        """Of which pairs both texts have the same words."""
        same = np.asarray(self.lengths[self.outputs] == self.lengths[self.references])
        for pair in np.flatnonzero(same):
            one, other = self._codes_of(self.outputs[pair]), self._codes_of(self.references[pair])
            same[pair] = np.array_equal(one, other)
        return same

    def _codes_of(self, text: int) -> Integers:
        return self.codes[self.text_starts[text] : self.text_starts[text + 1]]


def make_lot(
    vocabulary: MeteorVocabulary, texts: Sequence[Sequence[str]], pairs: Sequence[tuple[int, int]]
) -> Lot:
    """The lot of these texts (lists of words), paired by their places in the list."""
    for text in texts:
        if len(text) > LONGEST_TEXT:
            raise InputError(
                f"a segment that begins with {' '.join(text[:5])!r} has {len(text):,} words; "
                f"METEOR aligns segments of up to {LONGEST_TEXT:,}: divide it"
            )
    numbers = [vocabulary.number(words) for words in texts]
    flat = np.fromiter(chain.from_iterable(numbers), np.int64)
    sides = np.array(pairs, np.int64).reshape(-1, 2)
    return Lot(vocabulary, flat, starts(map(len, numbers)), sides[:, 0], sides[:, 1])


EXACT, STEM, SYNONYM, PARAPHRASE = range(len(MATCHERS))

# The order of candidates at one word of the reference, packed into a number: paraphrases of the
# reference's phrases come before those of the output's, and among each a place in a text, the
# length of a phrase and a place in the table's list decide.
_PLACES, _RANKS, _LENGTHS, _STAGES = LONGEST_TEXT + 1, MOST_REPLACEMENTS, LONGEST_PHRASE, 1 << 3
_ORDERS = _PLACES * _RANKS * _LENGTHS
_OF_THE_OUTPUT = PARAPHRASE + 1


@dataclass(frozen=True, eq=False)
class Candidates:
    """Possible matches: of which pair and matcher, and the words on either side.

    They are sorted by pair and first word of the reference, then as METEOR lists them.
    """

    pair: Integers
    matcher: Integers
    reference: Integers
    reference_length: Integers
    output: Integers
    output_length: Integers

    def __len__(self) -> int:
        return len(self.pair)

    def at(self, places: Integers | Mask) -> "Candidates":
        """Those at the places, in that order."""
        return Candidates(*(getattr(self, field.name)[places] for field in fields(self)))


_Ordered = tuple[Candidates, Integers]
"""Candidates with their order at the word of the reference."""


def candidates(lot: Lot) -> Candidates:
    """Every possible match in the pairs of the lot; between identical texts exact ones only."""
    parts = [_word_matches(lot)]
    table = lot.vocabulary.tools.paraphrases
    if table is not None:
        phrases = _phrases(lot, table)
        parts += [_of_the_reference(lot, table, phrases), _of_the_output(lot, table, phrases)]
    found = Candidates(
        *(np.concatenate([getattr(part, f.name) for part, _ in parts]) for f in fields(Candidates))
    )
    word = starts(lot.lengths[lot.references])[found.pair] + found.reference
    order = word * (_STAGES * _ORDERS) + np.concatenate([order for _, order in parts])
    wanted = np.flatnonzero((found.matcher == EXACT) | ~lot.identical()[found.pair])
    return found.at(wanted[np.argsort(order[wanted])])


def _word_matches(lot: Lot) -> _Ordered:
    """Words of the output with the words of the reference that they are related to."""
    distinct, which = _numbered(lot)
    references = np.unique(lot.references)
    text, in_reference = spread(lot.text_starts[references], lot.text_starts[references + 1])
    occurs = np.zeros(len(distinct), np.bool_)
    occurs[which[in_reference]] = True
    relations = _relations(lot.vocabulary, distinct, occurs)
    pair, word = spread(lot.text_starts[lot.outputs], lot.text_starts[lot.outputs + 1])
    kin = which[word]
    asking, relation = spread(relations.starts[kin], relations.starts[kin + 1])
    left, right = meetings(
        references[text] * len(distinct) + which[in_reference],
        (lot.references[pair] * len(distinct))[asking] + relations.other[relation],
    )
    asking, matcher = asking[right], relations.matcher[relation[right]]
    pair, word = pair[asking], word[asking]
    reference = in_reference[left] - lot.text_starts[lot.references[pair]]
    output = word - lot.text_starts[lot.outputs[pair]]
    single = np.ones(len(pair), np.int64)
    found = Candidates(pair, matcher, reference, single, output, single)
    return found, matcher * _ORDERS + output


def _numbered(lot: Lot) -> tuple[Integers, Integers]:
    """The words that occur, and for each word of the texts which of them it is."""
    occurs = np.zeros(len(lot.vocabulary.numbers), np.bool_)
    occurs[lot.words] = True
    return np.flatnonzero(occurs), (np.cumsum(occurs) - 1)[lot.words]


@dataclass(frozen=True, eq=False)
class _Relations:
    """For each of some words those of them that it matches, perhaps itself, and by what."""

    starts: Integers
    other: Integers
    matcher: Integers


def _relations(vocabulary: MeteorVocabulary, words: Integers, wanted: Mask) -> _Relations:
    """The relations of words to those of them that are wanted."""
    key_starts, keys = np.array(vocabulary.key_starts), np.array(vocabulary.keys)
    word, place = spread(key_starts[words], key_starts[words + 1])
    key, code = keys[place], keys[key_starts[words]]
    left, right = meetings(key, key)
    one, other, matcher = word[left], word[right], key[left] >> KEY_BITS
    # Stems and synonyms of words that are the same say nothing new, nor does a second synset.
    new = np.flatnonzero(((matcher == EXACT) | (code[one] != code[other])) & wanted[other])
    relation = (one[new] * len(words) + other[new]) * len(MATCHERS) + matcher[new]
    _, first = np.unique(relation, return_index=True)
    kept = new[first]
    return _Relations(
        starts(np.bincount(one[kept], minlength=len(words))), other[kept], matcher[kept]
    )


@dataclass(frozen=True, eq=False)
class _Phrases:
    """The table's phrases in all texts, by text."""

    starts: Integers
    place: Integers
    length: Integers
    node: Integers


def _phrases(lot: Lot, table: ParaphraseTable) -> _Phrases:
    numbers = np.full(len(lot.words) + len(lot.lengths), UNKNOWN)
    apart = np.arange(len(lot.words)) + lot.text_of_word  # one unknown word behind every text
    numbers[apart] = np.array(lot.vocabulary.table_numbers)[lot.words]
    found = table.phrases(numbers)
    text_starts = lot.text_starts + np.arange(len(lot.text_starts))
    text = np.searchsorted(text_starts, found.start, "right") - 1
    return _Phrases(
        starts(np.bincount(text, minlength=len(lot.lengths))),
        found.start - text_starts[text],
        found.length,
        found.node,
    )


def _of_the_reference(lot: Lot, table: ParaphraseTable, phrases: _Phrases) -> _Ordered:
    pair, own, other, rank = _replaced(lot.references, lot.outputs, table, phrases)
    order = (phrases.length[own] * _RANKS + rank) * _PLACES + phrases.place[other]
    return _matches(phrases, pair, own, other), PARAPHRASE * _ORDERS + order


def _of_the_output(lot: Lot, table: ParaphraseTable, phrases: _Phrases) -> _Ordered:
    pair, own, other, rank = _replaced(lot.outputs, lot.references, table, phrases)
    order = (phrases.place[own] * _LENGTHS + phrases.length[own]) * _RANKS + rank
    return _matches(phrases, pair, other, own), _OF_THE_OUTPUT * _ORDERS + order


def _replaced(
    one_side: Integers, other_side: Integers, table: ParaphraseTable, phrases: _Phrases
) -> tuple[Integers, Integers, Integers, Integers]:
    """Phrases of one side that the table replaces by phrases of the other side of the pair."""
    texts = np.unique(one_side)
    text, place = spread(phrases.starts[texts], phrases.starts[texts + 1])
    pair, opposite = spread(phrases.starts[other_side], phrases.starts[other_side + 1])
    occurs = np.zeros(table.nodes, np.bool_)
    occurs[phrases.node[opposite]] = True
    phrase, node, rank = table.replacements(phrases.node[place], occurs)
    nodes = table.nodes
    left, right = meetings(
        (texts * nodes)[text][phrase] + node, (one_side * nodes)[pair] + phrases.node[opposite]
    )
    return pair[right], place[phrase[left]], opposite[right], rank[left]


def _matches(
    phrases: _Phrases, pair: Integers, reference: Integers, output: Integers
) -> Candidates:
    place, length = phrases.place, phrases.length
    matcher = np.full(len(pair), PARAPHRASE)
    sides = place[reference], length[reference], place[output], length[output]
    return Candidates(pair, matcher, *sides)
