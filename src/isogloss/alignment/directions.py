"""Aligners that look from either side, and the one alignment that is made of both.

Most aligners let each word of one side choose a word of the other. Done from both sides, that
gives two alignments; a symmetrisation makes one of them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from isogloss.alignment.interface import remarks_of
from isogloss.alignment.links import SegmentAlignment, TokenPair
from isogloss.alignment.symmetrisation import short_name, symmetrise


@dataclass(frozen=True, slots=True)
class Directions:
    """In `source_to_target` each source word has at most one link, in the other each target word.

    The links of both are (source, target).
    """

    source_to_target: SegmentAlignment
    target_to_source: SegmentAlignment


class DirectedAligner(Protocol):
    """Finds the links of both directions."""

    @property
    def name(self) -> str:
        """Everything that decides the links besides the texts."""
        ...

    def directions(self, pairs: Sequence[TokenPair]) -> list[Directions]:
        """The links of each pair from either side, in order."""
        ...


@dataclass(frozen=True)
class SymmetrisedAligner:
    """One alignment out of an aligner's two directions."""

    directed: DirectedAligner
    method: str

    def __post_init__(self) -> None:
        short_name(self.method)  # which refuses a method that does not exist

    @cached_property
    def name(self) -> str:
        return f"{self.directed.name}:{short_name(self.method)}"

    def align(self, pairs: Sequence[TokenPair]) -> list[SegmentAlignment]:
        """The symmetrised links; a link's score is the mean of what both directions give it."""
        return [self._one(directions) for directions in self.directed.directions(pairs)]

    def remarks(self, pairs: Sequence[TokenPair]) -> Mapping[str, int]:
        """Those of the aligner whose directions are made one."""
        return remarks_of(self.directed, pairs)

    def _one(self, directions: Directions) -> SegmentAlignment:
        forth, back = directions.source_to_target, directions.target_to_source
        links = symmetrise(forth.links, back.links, self.method)
        if any(side.links and side.scores is None for side in (forth, back)):
            return SegmentAlignment(links)
        there, here = forth.score_of(), back.score_of()
        scores = tuple((there.get(link, 0.0) + here.get(link, 0.0)) / 2 for link in links)
        return SegmentAlignment(links, scores)
