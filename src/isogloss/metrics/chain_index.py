"""The lexical-chain index of a text: the hash table of Gong & Zhou, with every mention kept."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import NamedTuple

from isogloss.language.reading import ContentWord
from isogloss.spans import Span


class Mention(NamedTuple):
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
) -> dict[str, list[Mention]]:
    """The mentions of every word, in the order of the text."""
    index: dict[str, list[Mention]] = {}
    for number, words in enumerate(segments):
        for word in words or ():
            index.setdefault(chain_of(word), []).append(Mention(number, word))
    return index


def index_chains(
    segments: Iterable[Sequence[ContentWord] | None], chain_of: ChainOf = by_key
) -> dict[str, list[Mention]]:
    """The mentions of every chain: of every word that is in two segments or more."""
    return {
        chain: mentions
        for chain, mentions in index_mentions(segments, chain_of).items()
        if mentions[0].segment != mentions[-1].segment
    }


def sentence_sets(index: Mapping[str, Sequence[Mention]]) -> dict[str, set[int]]:
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
