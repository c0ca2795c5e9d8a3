"""The one interface of all aligners."""

from collections.abc import Sequence
from typing import Protocol

from isogloss.alignment.links import SegmentAlignment, TokenPair


class Aligner(Protocol):
    """Links the words of segments to the words of their translations."""

    @property
    def name(self) -> str:
        """Everything that decides the links besides the texts: it goes into signatures."""
        ...

    def align(self, pairs: Sequence[TokenPair]) -> list[SegmentAlignment]:
        """The links of each pair, in order; a whole collection at once.

        A statistical aligner learns from the pairs that it aligns: the same pair may get other
        links in other company.
        """
        ...
