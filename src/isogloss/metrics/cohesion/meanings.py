"""Chains of different words that mean the same, matched by the states of a model's encoder.

Lexical chains match by words: a text that says *picture* wherever the reference says *photo* has
none of its chain. Here a mention is the mean state of its pieces in its own sentence, a chain the
mean of its mentions, and two chains without a match are each other's if their cosine is high
enough and they meet in a segment, the nearest first.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from isogloss.arrays import Floats, Floats32, Mask
from isogloss.documents import Segments
from isogloss.metrics.cohesion.chains import ChainMention
from isogloss.model import Paraphraser, PiecedText

Mentions = Mapping[str, Sequence[ChainMention]]
Partners = Mapping[str, str | None]


@dataclass(frozen=True, slots=True)
class ChainSide:
    """One text with its chains."""

    texts: Segments
    index: Mentions

    def only(self, chains: set[str]) -> "ChainSide":
        """The same text with these of its chains, in their order."""
        return ChainSide(self.texts, {c: m for c, m in self.index.items() if c in chains})


@dataclass(frozen=True, slots=True)
class MeaningMatcher:
    """Finds partners for chains that have none of their own word."""

    model: Paraphraser
    language: str
    nearness: float

    def found(self, output: ChainSide, reference: ChainSide, by_word: Partners) -> dict[str, str]:
        """For each chain of the output without a partner by word the nearest that is left."""
        there = set(reference.index)
        ours = output.only({chain for chain in output.index if by_word[chain] not in there})
        theirs = reference.only(there - set(by_word.values()))
        return self._nearest(ours, theirs) if ours.index and theirs.index else {}

    def _nearest(self, ours: ChainSide, theirs: ChainSide) -> dict[str, str]:
        cosines = self._vectors(ours) @ self._vectors(theirs).T
        cosines[~_meeting(ours.index, theirs.index)] = -1
        our_names, their_names = list(ours.index), list(theirs.index)
        found = {}
        while cosines.max() >= self.nearness:
            row, column = np.unravel_index(cosines.argmax(), cosines.shape)
            found[our_names[row]] = their_names[column]
            cosines[row, :] = cosines[:, column] = -1
        return found

    def _vectors(self, side: ChainSide) -> Floats:
        """A row of length 1 for each chain."""
        segments = sorted({m.segment for mentions in side.index.values() for m in mentions})
        texts = [side.texts[segment] or "" for segment in segments]
        read = dict(zip(segments, self.model.states(texts, self.language), strict=True))
        rows = [
            np.mean([_of_mention(mention, *read[mention.segment]) for mention in mentions], axis=0)
            for mentions in side.index.values()
        ]
        vectors = np.array(rows, dtype=np.float64)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.asarray(vectors / np.where(lengths > 0, lengths, 1))


def _of_mention(mention: ChainMention, pieced: PiecedText, states: Floats32) -> Floats32:
    """The mean state of the pieces that have something of the word; 0 where the model saw none."""
    word = mention.word
    rows = [
        row
        for row, (start, end) in enumerate(pieced.offsets)
        if start < word.end and word.start < end
    ]
    return np.asarray(states[rows].mean(axis=0) if rows else np.zeros(states.shape[1]))


def _meeting(ours: Mentions, theirs: Mentions) -> Mask:
    """Which chains have a segment in common."""
    segments = [{m.segment for m in mentions} for mentions in theirs.values()]
    return np.array(
        [[not s.isdisjoint({m.segment for m in own}) for s in segments] for own in ours.values()]
    )
