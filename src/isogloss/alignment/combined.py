"""Statistics and attention together: what one of them overlooks, the other may see.

The statistical model knows this text's words and names, but little of each; the translation model
knows the language, but not this text. For each two words, the share of the statistical model's
two directions that link them, and the attention between them, are averaged.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from isogloss.alignment.attention import AttentionAligner
from isogloss.alignment.directions import DirectedAligner, Directions
from isogloss.alignment.links import TokenPair
from isogloss.alignment.strengths import Matrix, strongest

_HALF = np.float32(0.5)
_WEAKEST = 0.3
"""Both directions of the statistical model are enough (0.5); one of them (0.25) needs some
attention besides; attention alone must be strong. Chosen on development data."""


@dataclass(frozen=True)
class CombinedAligner:
    """A statistical aligner and a model's attention."""

    statistical: DirectedAligner
    attention: AttentionAligner

    @cached_property
    def name(self) -> str:
        return f"combined({self.statistical.name},{self.attention.name}):least{_WEAKEST}"

    def directions(self, pairs: Sequence[TokenPair]) -> list[Directions]:
        """Each word's strongest link, both kinds of evidence taken together."""
        counted = self.statistical.directions(pairs)
        seen = self.attention.matrices(pairs)
        return [
            strongest((_votes(directions, strengths) + strengths) * _HALF, _WEAKEST)
            for directions, strengths in zip(counted, seen, strict=True)
        ]


def _votes(directions: Directions, like: Matrix) -> Matrix:
    """The share of the two directions that link each source word to each target word."""
    votes: Matrix = np.zeros_like(like)
    for side in (directions.source_to_target, directions.target_to_source):
        for link in side.links:
            votes[link] += _HALF
    return votes
