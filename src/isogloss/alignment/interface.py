"""The one interface of all aligners."""

from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

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


@runtime_checkable
class Remarking(Protocol):
    """What has something to say about how it aligns."""

    def remarks(self, pairs: Sequence[TokenPair]) -> Mapping[str, int]:
        """What to know about the links of these pairs, and how many segments each concerns.

        A remark goes on with "in 3 segments of 'system'".
        """
        ...


def remarks_of(aligner: object, pairs: Sequence[TokenPair]) -> Mapping[str, int]:
    """The remarks of an aligner; one that somebody else made need not have any."""
    return aligner.remarks(pairs) if isinstance(aligner, Remarking) else {}
