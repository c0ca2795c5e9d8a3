"""Simplified lexical chains (Gong & Zhou 2015) and how far two texts' chains match.

A chain is the set of sentences in which a content word occurs, two or more of them. A chain of
the output is matched with the reference's chain of the same word; what share of the sentences
they have in common is its score, and a chain without a match scores 0. All scores are fractions.

The lexical-chain index of a text: the hash table of Gong & Zhou, with every mention kept.

What the metrics of lexical cohesion have in common: how they read a text.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from fractions import Fraction
from operator import attrgetter
from typing import Literal, NamedTuple

from isogloss.documents import Segments
from isogloss.errors import NotApplicableError
from isogloss.language import (
    ContentReader,
    ContentWord,
    WordNet,
    content_reader,
    open_wordnet,
    primary,
)
from isogloss.metrics.protocol import ConfiguredMetric
from isogloss.spans import Span

Form = Literal["recall", "precision", "f"]
Per = Literal["output", "reference", "either"]
Chain = AbstractSet[int]


def chain_score(output: Chain, reference: Chain, form: Form = "recall") -> Fraction:
    """The common sentences, as a share of the reference's, of the output's, or of both."""
    common = len(output & reference)
    if form == "recall":
        return Fraction(common, len(reference))
    if form == "precision":
        return Fraction(common, len(output))
    return Fraction(2 * common, len(output) + len(reference))


@dataclass(frozen=True, slots=True)
class Match:
    """A chain of the output, of the reference, or of both under the words they have there."""

    output: str | None
    reference: str | None
    score: Fraction


_NONE = Fraction(0)


def match_chains(
    output: Mapping[str, Chain],
    reference: Mapping[str, Chain],
    form: Form = "recall",
    partners: Mapping[str, str | None] | None = None,
) -> list[Match]:
    """Every chain of the output with its match, then those of the reference that have none.

    `partners` names the reference's chain for a chain of the output where it is another word's.
    """
    matches = []
    for word, chain in output.items():
        partner = word if partners is None else partners[word]
        there = reference.get(partner) if partner is not None else None
        score = _NONE if there is None else chain_score(chain, there, form)
        matches.append(Match(word, None if there is None else partner, score))
    met = {match.reference for match in matches}
    matches += [Match(None, word, _NONE) for word in reference if word not in met]
    return matches


def document_score(matches: Iterable[Match], per: Per = "output") -> Fraction | None:
    """The sum of the scores, over the number of chains of one side or of both.

    Where that side has no chains but the other has, the score is 0: else a text could gain by
    having none. Where neither has any, there is nothing to score.
    """
    matches = list(matches)
    if not matches:
        return None
    counted = {
        "output": sum(match.output is not None for match in matches),
        "reference": len({match.reference for match in matches} - {None}),
        "either": len(matches),
    }[per]
    return sum((match.score for match in matches), _NONE) / counted if counted else _NONE


class ChainMention(NamedTuple):
    """A content word in one of the segments of a side."""

    segment: int
    word: ContentWord

    def span(self, document: str, side: str) -> Span:
        """The mention as a place in the text."""
        return Span(document, side, self.segment, self.word.start, self.word.end)


ChainOf = Callable[[ContentWord], str]
by_key: ChainOf = attrgetter("key")
"""Occurrences of the same word are a chain."""


def index_mentions(
    segments: Iterable[Sequence[ContentWord] | None], chain_of: ChainOf = by_key
) -> dict[str, list[ChainMention]]:
    """The mentions of every word, in the order of the text."""
    index: dict[str, list[ChainMention]] = {}
    for number, words in enumerate(segments):
        for word in words or ():
            index.setdefault(chain_of(word), []).append(ChainMention(number, word))
    return index


def index_chains(
    segments: Iterable[Sequence[ContentWord] | None], chain_of: ChainOf = by_key
) -> dict[str, list[ChainMention]]:
    """The mentions of every chain: of every word that is in two segments or more."""
    return {
        chain: mentions
        for chain, mentions in index_mentions(segments, chain_of).items()
        if mentions[0].segment != mentions[-1].segment
    }


def sentence_sets(index: Mapping[str, Sequence[ChainMention]]) -> dict[str, set[int]]:
    """The chains as the sets of their segments."""
    return {chain: {m.segment for m in mentions} for chain, mentions in index.items()}


class SynonymChains:
    """Chains that a word joins if it shares a concept with the word that began the chain.

    Only the first word's concepts count: were those of every member to, a chain would drift from
    meaning to meaning.
    """

    def __init__(self, concepts: Callable[[str], Sequence[int]]) -> None:
        self._concepts = concepts
        self._chain_of: dict[str, str] = {}
        self._begun_with: dict[int, str] = {}

    def chain_of(self, word: ContentWord) -> str:
        """The chain that the word joins, or begins."""
        chain = self.find(word)
        if chain is None:
            chain = word.key
            for concept in self._concepts(word.text):
                self._begun_with.setdefault(concept, chain)
        return self._chain_of.setdefault(word.key, chain)

    def find(self, word: ContentWord) -> str | None:
        """The chain that the word is in or would join, its commonest meaning first."""
        if word.key in self._chain_of:
            return self._chain_of[word.key]
        found = (self._begun_with.get(concept) for concept in self._concepts(word.text))
        return next((chain for chain in found if chain is not None), None)


Words = Sequence[ContentWord] | None
"""The content words of a segment; `None` for a segment that is absent."""


@dataclass(frozen=True)
class LexicalMetric(ConfiguredMetric):
    """A metric of content words.

    `unit` is the form under which occurrences of a word are the same, `tokeniser` what finds the
    words (``auto``: what suits the target language; ``space``: the text is already tokenised).
    """

    unit: Literal["stem", "lemma", "surface"] = "stem"
    tokeniser: Literal[
        "auto", "unicode", "space", "moses", "rjieba", "sudachi", "kiwi", "newmm"
    ] = "auto"

    def reader(self, language: str | None) -> ContentReader:
        """What reads texts in the target language."""
        if language is None:
            raise NotApplicableError(
                f"{self.title} needs to know the target language", lacking=["target_language"]
            )
        return content_reader(
            language, self.unit, None if self.tokeniser == "auto" else self.tokeniser
        )

    def thesaurus(self, language: str | None) -> WordNet:
        """WordNet, for a target language that it has words of."""
        if primary(language) != "en":
            raise NotApplicableError(
                f"{self.name} asks WordNet, which is English; the target language is {language}"
            )
        return open_wordnet()


def read_segments(reader: ContentReader, segments: Segments) -> list[Words]:
    """The content words of every segment of a side."""
    return [None if text is None else reader.read(text) for text in segments]
