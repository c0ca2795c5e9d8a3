"""Places in texts, and the evidence that metrics find there.

A `Span` is a half-open range of code points in one segment of the original text. Tokens, chain
links, alignment links, markables and error marks are all spans, so one highlighter shows them
all. `Evidence` is a reason with the spans that it speaks of.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from isogloss.errors import InputError

SOURCE = "source"


def reference_side(name: str) -> str:
    """The side of a span that lies in the reference of that name."""
    return f"reference:{name}"


def output_side(system: str) -> str:
    """The side of a span that lies in the output of that system."""
    return f"output:{system}"


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """Code points `start` to `end` (exclusive) of one segment of one side of a document."""

    document: str
    side: str
    segment: int
    start: int
    end: int

    def __post_init__(self) -> None:
        kind, colon, name = self.side.partition(":")
        if self.side != SOURCE and not (kind in ("reference", "output") and colon and name):
            raise InputError(
                f"{self.side!r} is no side of a document; "
                "sides are 'source', 'reference:NAME' and 'output:SYSTEM'"
            )
        if self.segment < 0 or not 0 <= self.start <= self.end:
            raise InputError(
                f"no such place: segment {self.segment}, characters {self.start} to {self.end}"
            )

    def overlaps(self, other: "Span") -> bool:
        """Whether the two have a character in common."""
        here = self.document, self.side, self.segment
        there = other.document, other.side, other.segment
        return here == there and self.start < other.end and other.start < self.end

    def text(self, segments: Sequence[str | None]) -> str:
        """The words of the span, given the segments of its side of its document."""
        segment = segments[self.segment] if self.segment < len(segments) else None
        if segment is None or self.end > len(segment):
            raise InputError(f"{self} lies outside the text")
        return segment[self.start : self.end]


@dataclass(frozen=True, slots=True)
class Evidence:
    """Why a document got its score: a reason, the places, and how much it weighs."""

    reason: str
    spans: tuple[Span, ...]
    value: float | None = None
