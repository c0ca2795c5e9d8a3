"""A model's links, and what the whole text makes of them.

What the links of a whole text say about each of its words.

A model reads one segment at a time. Two words that it links weakly here may be linked strongly at
other places of the same text: a lexicon is made of the links of the text, and each segment is
looked at again with what the *other* places say. How much that weighs follows how often the two
words occur elsewhere, so that nothing changes for a word that occurs once.

Statistics and attention together: what one of them overlooks, the other may see.

The statistical model knows this text's words and names, but little of each; the translation model
knows the language, but not this text. For each two words, the share of the statistical model's
two directions that link them, and the strength that the model gives them, are mixed. The more text
the statistical model has learnt from, the more it has to say.
"""

from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy.sparse import coo_matrix, csr_matrix

from isogloss.alignment.attention import WEAKEST, AttentionAligner
from isogloss.alignment.protocol import TokenPair, pairs_digest, remarks_of
from isogloss.alignment.symmetrisation import DirectedAligner, Directions, Matrix, strongest
from isogloss.arrays import Integers
from isogloss.language import Normaliser, normaliser

NumberedPair = tuple[Integers, Integers]
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
    rows: Integers
    columns: Integers
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
class LinkLexicon:
    """How strongly kinds of words are linked throughout a text, and how often each occurs."""

    pairs: Sequence[NumberedPair]
    strengths: Sequence[SparseStrengths]

    @cached_property
    def _occurrences(self) -> tuple[Integers, Integers]:
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
        lexicon = LinkLexicon(pairs, latest)
        looked = zip(pairs, strengths, latest, strict=True)
        latest = [SparseStrengths.of(_again(lexicon, *each)) for each in looked]
    lexicon = LinkLexicon(pairs, latest)
    for pair, model, found in zip(pairs[:wanted], strengths, latest, strict=False):
        yield _again(lexicon, pair, model, found)


def _again(
    lexicon: LinkLexicon, pair: NumberedPair, model: SparseStrengths, latest: SparseStrengths
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


_MOST_READ = 50_000  # segment pairs, of some kilobytes each
_READ: OrderedDict[tuple[str, str], SparseStrengths] = OrderedDict()


def _remember(read: Mapping[tuple[str, str], SparseStrengths]) -> None:
    """Keep what was read lately, and forget what was read long ago."""
    for key, strengths in read.items():
        _READ[key] = strengths
        _READ.move_to_end(key)
    while len(_READ) > _MOST_READ:
        _READ.popitem(last=False)


@dataclass(frozen=True)
class InformedAligner:
    """Reads links off a model, and looks again with a lexicon of all links of the text.

    The lexicon counts the stems of words where the language has a stemmer. `extra` is bitext that
    it is made of, too.
    """

    attention: AttentionAligner
    extra: Sequence[TokenPair] = field(default=(), repr=False)

    @cached_property
    def name(self) -> str:
        forms = "+".join(dict.fromkeys(form.name for form in self._forms))
        extra = f":extra{pairs_digest(self.extra)[:8]}" if self.extra else ""
        return f"{self.attention.name}:{VERSION}-{forms}{extra}"

    @cached_property
    def _forms(self) -> tuple[Normaliser, Normaliser]:
        languages = self.attention.source_language, self.attention.target_language
        source, target = (normaliser(language, "stem") for language in languages)
        return source, target

    def remarks(self, pairs: Sequence[TokenPair]) -> Mapping[str, int]:
        """Those of the model's links."""
        return self.attention.remarks(pairs)

    def directions(self, pairs: Sequence[TokenPair]) -> list[Directions]:
        """Each word's choice among the words of the other side."""
        return [strongest(matrix, WEAKEST) for matrix in self.matrices(pairs)]

    def matrices(self, pairs: Sequence[TokenPair]) -> Iterator[Matrix]:
        """How strongly each source word (row) and target word (column) are linked, 0 to 1."""
        text = [*pairs, *self.extra]
        if not text:
            return iter(())
        return informed(self._seen(text), self._numbered(text), len(pairs))

    def _seen(self, text: Sequence[TokenPair]) -> list[SparseStrengths]:
        """What the model alone says. A reference is read beside each system: once is enough."""
        keys = [(self.attention.name, pairs_digest([pair])) for pair in text]
        new = {key: pair for key, pair in zip(keys, text, strict=True) if key not in _READ}
        found = zip(new, self.attention.matrices(list(new.values())), strict=True)
        read = {key: SparseStrengths.of(matrix) for key, matrix in found}
        read |= {key: _READ[key] for key in keys if key not in read}
        _remember(read)
        return [read[key] for key in keys]

    def _numbered(self, pairs: Sequence[TokenPair]) -> list[NumberedPair]:
        known: tuple[dict[str, int], dict[str, int]] = ({}, {})
        return [
            (
                _numbers(source, self._forms[0], known[0]),
                _numbers(target, self._forms[1], known[1]),
            )
            for source, target in pairs
        ]


def _numbers(words: Sequence[str], form: Normaliser, known: dict[str, int]) -> Integers:
    numbers = [known.setdefault(form.normalise(word), len(known)) for word in words]
    return np.array(numbers, np.int64)


_HALF = np.float32(0.5)
_WEAKEST = 0.2
_MOST = 0.3  # the weight of a statistical model that has learnt from very much
_HALFWAY = 15_000  # words that give it half of that weight
_VERSION = "weight2"


@dataclass(frozen=True)
class CombinedAligner:
    """A statistical aligner and a model's attention."""

    statistical: DirectedAligner
    attention: InformedAligner

    @cached_property
    def name(self) -> str:
        parts = f"{self.statistical.name},{self.attention.name}"
        return f"combined({parts}):{_VERSION}:least{_WEAKEST}"

    def remarks(self, pairs: Sequence[TokenPair]) -> Mapping[str, int]:
        """Those of both."""
        return {**self.attention.remarks(pairs), **remarks_of(self.statistical, pairs)}

    def directions(self, pairs: Sequence[TokenPair]) -> list[Directions]:
        """Each word's strongest link, both kinds of evidence taken together."""
        counted = self.statistical.directions(pairs)
        share = weight(sum(len(source) for source, _ in (*pairs, *self.attention.extra)))
        return [
            strongest(_mixed(_votes(directions, strengths), strengths, share), _WEAKEST)
            for directions, strengths in zip(counted, self.attention.matrices(pairs), strict=True)
        ]


def weight(words: int) -> float:
    """What a statistical model weighs that has learnt from so many words of a side."""
    return _MOST * words / (words + _HALFWAY)


def _mixed(votes: Matrix, strengths: Matrix, share: float) -> Matrix:
    mixed: Matrix = np.float32(share) * votes + np.float32(1 - share) * strengths
    return mixed


def _votes(directions: Directions, like: Matrix) -> Matrix:
    """The share of the two directions that link each source word to each target word."""
    votes: Matrix = np.zeros_like(like)
    for side in (directions.source_to_target, directions.target_to_source):
        for link in side.links:
            votes[link] += _HALF
    return votes
