"""Statistics and attention together: what one of them overlooks, the other may see.

The statistical model knows this text's words and names, but little of each; the translation model
knows the language, but not this text. For each two words, the share of the statistical model's
two directions that link them, and the strength that the model gives them, are mixed. The more text
the statistical model has learnt from, the more it has to say.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from isogloss.alignment.directions import DirectedAligner, Directions
from isogloss.alignment.informed import InformedAligner
from isogloss.alignment.interface import remarks_of
from isogloss.alignment.links import TokenPair
from isogloss.alignment.strengths import Matrix, strongest

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
