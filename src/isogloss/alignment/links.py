"""Links between the words of a segment and the words of its translation."""

from collections.abc import Sequence
from dataclasses import dataclass

from isogloss.errors import MismatchError

Links = tuple[tuple[int, int], ...]
"""(source word, target word), counted from 0 and sorted."""

TokenPair = tuple[Sequence[str], Sequence[str]]
"""The words of a segment and the words of its translation."""


@dataclass(frozen=True, slots=True)
class SegmentAlignment:
    """The links of one segment pair; `scores`, where the aligner has any, go link by link.

    A score is between 0 and 1. What it measures is the aligner's own affair: only scores of one
    aligner can be compared.
    """

    links: Links
    scores: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        if self.scores is not None and len(self.scores) != len(self.links):
            raise MismatchError(f"{len(self.links)} links have {len(self.scores)} scores")
        if not self.links:  # nothing has no scores, so that equal alignments are equal
            object.__setattr__(self, "scores", None)

    def targets(self) -> dict[int, tuple[int, ...]]:
        """The target words of each source word that has any, in the order of the text."""
        found: dict[int, list[int]] = {}
        for source, target in self.links:
            found.setdefault(source, []).append(target)
        return {source: tuple(targets) for source, targets in found.items()}

    def score_of(self) -> dict[tuple[int, int], float]:
        """The score of each link; without scores a link counts 1."""
        return dict(zip(self.links, self.scores or (1.0,) * len(self.links), strict=True))
