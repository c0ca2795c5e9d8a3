"""A lot: many pairs of an output and a reference, to be aligned together.

Every text of the lot is read once, however many pairs it is in: references return for every
system, and so do segments that several systems translate alike.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np

from isogloss.errors import InputError
from isogloss.metrics.meteor.flat import Bools, Ints, starts
from isogloss.metrics.meteor.vocabulary import Vocabulary

LONGEST_TEXT = (1 << 16) - 1  # in words: the order of candidates is packed into numbers


@dataclass(frozen=True, eq=False)
class Lot:
    """Texts as word numbers one after another, and pairs of texts."""

    vocabulary: Vocabulary
    words: Ints
    text_starts: Ints
    outputs: Ints
    references: Ints

    @property
    def pairs(self) -> int:
        return len(self.outputs)

    @cached_property
    def lengths(self) -> Ints:
        """How many words each text has."""
        return np.diff(self.text_starts)

    @cached_property
    def text_of_word(self) -> Ints:
        return np.repeat(np.arange(len(self.lengths)), self.lengths)

    @cached_property
    def codes(self) -> Ints:
        """What exact matches compare."""
        first = np.array(self.vocabulary.key_starts)[self.words]
        return np.asarray(np.array(self.vocabulary.keys)[first])

    def identical(self) -> Bools:
        """Of which pairs both texts have the same words."""
        same = np.asarray(self.lengths[self.outputs] == self.lengths[self.references])
        for pair in np.flatnonzero(same):
            one, other = self._codes_of(self.outputs[pair]), self._codes_of(self.references[pair])
            same[pair] = np.array_equal(one, other)
        return same

    def _codes_of(self, text: int) -> Ints:
        return self.codes[self.text_starts[text] : self.text_starts[text + 1]]


def make_lot(
    vocabulary: Vocabulary, texts: Sequence[Sequence[str]], pairs: Sequence[tuple[int, int]]
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
