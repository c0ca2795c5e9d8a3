"""What the links of a whole text say about each of its words.

A model reads one segment at a time. Two words that it links weakly here may be linked strongly at
other places of the same text: a lexicon is made of the links of the text, and each segment is
looked at again with what the *other* places say. How much that weighs follows how often the two
words occur elsewhere, so that nothing changes for a word that occurs once.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix, csr_matrix

from isogloss.alignment.strengths import Matrix

Numbers = NDArray[np.int64]
NumberedPair = tuple[Numbers, Numbers]
"""The words of both sides, each kind of word as a number of its own."""

ROUNDS = 2
"""How often the lexicon is made: once of the model's links, then of its own."""
VERSION = "text1"
"""Changes with the numbers below, and with what is made of them."""
_LEAST = 0.02  # links that are weaker are no evidence
_SHARE = 0.5  # of a strength, decided by the lexicon where both words are frequent
_FAMILIAR = 1.0  # occurrences elsewhere that give the lexicon half of its share
_ANYWHERE = 0.02  # what a link has in its favour that the model does not see at all
_SURE = 0.25  # the share of occurrences linked to each other from which two words belong together
_BESIDE = 3.0  # what links of the words before and behind weigh


@dataclass(frozen=True, slots=True)
class SparseStrengths:
    """A matrix of strengths, of which the weak ones are left out."""

    shape: tuple[int, int]
    rows: Numbers
    columns: Numbers
    values: Matrix

    @classmethod
    def of(cls, strengths: Matrix) -> "SparseStrengths":
        """What is worth remembering of a matrix."""
        rows, columns = np.nonzero(strengths > _LEAST)
        shape = strengths.shape[0], strengths.shape[1]
        return cls(shape, rows, columns, strengths[rows, columns])

    def dense(self) -> Matrix:
        """The matrix, with nothing where it was weak."""
        whole: Matrix = np.zeros(self.shape, np.float32)
        whole[self.rows, self.columns] = self.values
        return whole


@dataclass(frozen=True)
class Lexicon:
    """How strongly kinds of words are linked throughout a text, and how often each occurs."""

    pairs: Sequence[NumberedPair]
    strengths: Sequence[SparseStrengths]

    @cached_property
    def _occurrences(self) -> tuple[Numbers, Numbers]:
        source, target = (
            np.bincount(np.concatenate([pair[side] for pair in self.pairs])) for side in (0, 1)
        )
        return source, target

    @cached_property
    def _linked(self) -> csr_matrix:
        """The strengths of all links between two kinds of words, added up."""
        both = list(zip(self.pairs, self.strengths, strict=True))
        rows = np.concatenate([source[found.rows] for (source, _), found in both])
        columns = np.concatenate([target[found.columns] for (_, target), found in both])
        values = np.concatenate([found.values for found in self.strengths])
        shape = tuple(map(len, self._occurrences))
        return coo_matrix((values, (rows, columns)), shape=shape).tocsr()

    def elsewhere(self, pair: NumberedPair, here: Matrix) -> tuple[Matrix, Matrix]:
        """For each two words of a segment: how often they occur elsewhere, how far linked there.

        How often is told by the rarer of the two; how far, by the share of those that are linked.
        """
        source, target = pair
        ours, theirs = self._occurrences
        often = np.minimum.outer(ours[source], theirs[target]).astype(np.float32) - 1
        linked = self._linked[source][:, target].toarray().astype(np.float32) - here
        share = np.divide(linked.clip(0), often, out=np.zeros_like(often), where=often > 0)
        return often, share


def informed(
    strengths: Sequence[SparseStrengths], pairs: Sequence[NumberedPair], wanted: int
) -> Iterator[Matrix]:
    """The strengths of the first `wanted` pairs, once the whole text has had its say."""
    latest = list(strengths)
    if not any(len(found.values) for found in strengths):
        yield from (found.dense() for found in strengths[:wanted])
        return
    for _ in range(ROUNDS - 1):
        lexicon = Lexicon(pairs, latest)
        looked = zip(pairs, strengths, latest, strict=True)
        latest = [SparseStrengths.of(_again(lexicon, *each)) for each in looked]
    lexicon = Lexicon(pairs, latest)
    for pair, model, found in zip(pairs[:wanted], strengths, latest, strict=False):
        yield _again(lexicon, pair, model, found)


def _again(
    lexicon: Lexicon, pair: NumberedPair, model: SparseStrengths, latest: SparseStrengths
) -> Matrix:
    """A segment's strengths, what the model says and what the lexicon says taken together."""
    strengths = model.dense()
    if not strengths.size:
        return strengths
    often, share = lexicon.elsewhere(pair, latest.dense())
    padded = np.pad(strengths, 1)
    beside = padded[:-2, :-2] + padded[2:, 2:]
    likely = (strengths + _ANYWHERE) * share * (1 + _BESIDE * beside)
    told = np.sqrt(_part(likely, 1) * _part(likely, 0)) * np.minimum(1, share / _SURE)
    weight = _SHARE * often / (often + _FAMILIAR)
    mixed: Matrix = ((1 - weight) * strengths + weight * told).astype(np.float32)
    return mixed


def _part(values: Matrix, axis: int) -> Matrix:
    """Each value's part of its row or column; of nearly nothing, nearly none."""
    part: Matrix = values / (values.sum(axis=axis, keepdims=True) + np.float32(1e-4))
    return part
