"""Proposed markables against those that the study's authors chose."""

from collections.abc import Sequence

from isogloss.markables.aligned import Words
from isogloss.markables.markable import Markable
from isogloss.markables.proposal import Proposal
from isogloss.spans import Span


def recalled(gold: Sequence[Markable], found: Sequence[Proposal], sources: Sequence[Words]) -> int:
    """How many of the gold markables are among the proposals."""
    return sum(any(covers(p.markable, wanted, sources) for p in found) for wanted in gold)


def covers(proposed: Markable, wanted: Markable, sources: Sequence[Words]) -> bool:
    """Whether the two share half of their content words at half of the wanted occurrences."""
    hits = sum(
        any(
            _shared(there, span, sources[span.segment]) >= 0.5
            for there in proposed.occurrences
            if there.segment == span.segment
        )
        for span in wanted.occurrences
    )
    return 2 * hits >= len(wanted.occurrences)


def _shared(one: Span, other: Span, words: Words) -> float:
    """Jaccard of the content words of two spans of a segment."""
    here, there = (_content(span, words) for span in (one, other))
    return len(here & there) / len(here | there) if here | there else 0.0


def _content(span: Span, words: Words) -> set[int]:
    """The content words in a span; all its words if none of them has content."""
    inside = {
        number
        for number in words.within(span.start, span.end)
        if any(map(str.isalnum, words.tokens[number].text))
    }
    return {number for number in inside if words.content[number]} or inside
