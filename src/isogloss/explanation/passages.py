"""Passages to read: those that carry most, chosen to be different from each other.

Maximal marginal relevance (Carbonell & Goldstein 1998): the next passage is the one that carries
most once what it has in common with those already chosen is taken off.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from isogloss.explanation.result import WordMark
from isogloss.explanation.texts import LanguageWords, SegmentTexts
from isogloss.language import Token

PASSAGES = 10
_AGAINST = 2  # of them, for the system that is behind: it has its strengths, too
_NOVELTY = 0.5
_LOOKED_AT = 6  # times as many of those that carry most


@dataclass(frozen=True, slots=True)
class PassageCandidate:
    """A segment: what it carries (positive: for the first system), and what it is like."""

    unit: int
    carries: float
    document: str
    domain: str | None
    kind: str
    length: str

    def likeness(self, other: "PassageCandidate") -> float:
        """How alike two passages are, 0 to 1; the same document is nearly the same passage."""
        if self.document == other.document:
            return 1.0
        shared = (
            self.domain == other.domain,
            self.kind == other.kind,
            self.length == other.length,
        )
        return sum(shared) / (len(shared) + 1)


def chosen(candidates: Sequence[PassageCandidate]) -> list[PassageCandidate]:
    """Ten passages: most for the system that is ahead, and some for the other, last."""
    ahead = sum(each.carries for each in candidates) >= 0
    sides: tuple[list[PassageCandidate], list[PassageCandidate]] = ([], [])
    for each in candidates:
        sides[(each.carries > 0) != ahead].append(each)
    against = _telling(sides[1], _AGAINST)
    return [*_telling(sides[0], PASSAGES - len(against)), *against]


def _telling(candidates: Sequence[PassageCandidate], count: int) -> list[PassageCandidate]:
    """The most telling ones, in the order in which they were chosen."""
    ranked = sorted(candidates, key=lambda each: -abs(each.carries))
    differing = [each for each in ranked if each.carries][: _LOOKED_AT * count]
    # By rank: a few segments often carry so much that all others would look alike beside them.
    relevance = np.linspace(1, 0, len(differing))
    closest = np.zeros(len(differing))
    taken: list[int] = []
    while len(taken) < min(count, len(differing)):
        worth = relevance - _NOVELTY * closest
        worth[taken] = -np.inf
        best = int(np.argmax(worth))
        taken.append(best)
        likeness = [each.likeness(differing[best]) for each in differing]
        closest = np.maximum(closest, likeness)
    return [differing[at] for at in taken]


def marks(segment: SegmentTexts, words: LanguageWords) -> tuple[tuple[WordMark, ...], ...]:
    """The words of each output that the other has not (or not as often)."""
    both = segment.first, segment.second
    wanted = {words.key(token.text) for line in segment.given.references for token in line}
    return tuple(tuple(_alone(own, other, wanted, words)) for own, other in (both, both[::-1]))


def _alone(
    own: Sequence[Token], other: Sequence[Token], wanted: set[str], words: LanguageWords
) -> Iterator[WordMark]:
    left = Counter(words.key(token.text) for token in other)
    for token in own:
        key = words.key(token.text)
        left[key] -= 1
        if left[key] < 0 and any(map(str.isalnum, token.text)):
            yield WordMark(token.start, token.end, key in wanted)
