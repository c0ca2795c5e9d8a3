"""Small texts with alignments that anyone can check (``from metrics.consistency.texts import``)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from isogloss.alignment import SegmentAlignment, TokenPair


@dataclass(frozen=True)
class Dictionary:
    """An aligner that looks words up: each target word belongs to the source word it is listed at.

    A target word that is listed with several source words goes to the first that is there.
    """

    words: Mapping[str, Sequence[str]]
    name: str = "dictionary"

    def align(self, pairs: Sequence[TokenPair]) -> list[SegmentAlignment]:
        return [self._aligned(*pair) for pair in pairs]

    def _aligned(self, source: Sequence[str], target: Sequence[str]) -> SegmentAlignment:
        links = []
        for t, word in enumerate(target):
            known = [s for s, w in enumerate(source) if word.lower() in self.words.get(w, ())]
            links += [(known[0], t)] if known else []
        return SegmentAlignment(tuple(sorted(links)))


def one_to_one(source: Sequence[str], target: Sequence[str]) -> SegmentAlignment:
    return SegmentAlignment(tuple((i, i) for i in range(min(len(source), len(target)))))


@dataclass(frozen=True)
class WordByWord:
    """An aligner for translations that keep the order of the words."""

    name: str = "word-by-word"

    def align(self, pairs: Sequence[TokenPair]) -> list[SegmentAlignment]:
        return [one_to_one(*pair) for pair in pairs]
