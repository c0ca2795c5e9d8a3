"""Texts as they were handed in, and where their segments stand in them.

Many systems translate a document at once and hand in one text. A `WholeText` is such a text with
the parts that its format shows (paragraphs, lines, cues). A `Cut` says which stretch of it stands
for which segment of the source: the stretches cover the text, so that joining them gives it back to
the character, and a place in a segment is a place in the text that was handed in.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import pairwise

from isogloss.errors import InputError

Place = tuple[int, int]
"""Code points from the first to the second, which is not included."""

_SPACE = re.compile(r"\s")


@dataclass(frozen=True)
class WholeText:
    """A document in one text, and the places of its parts; between them are marks and space."""

    text: str
    parts: tuple[Place, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "parts", tuple((start, end) for start, end in self.parts))
        edges = [0, *(edge for part in self.parts for edge in part), len(self.text)]
        if any(right < left for left, right in pairwise(edges)):
            raise InputError("the parts of a text must lie in it, one after the other")

    @classmethod
    def of_lines(cls, lines: Sequence[str]) -> "WholeText":
        """The text whose parts are these lines."""
        parts, start = [], 0
        for line in lines:
            parts.append((start, start + len(line)))
            start += len(line) + 1
        return cls("\n".join(lines), tuple(parts))

    @classmethod
    def of_present(cls, lines: Sequence[str | None]) -> "WholeText | None":
        """The text whose parts are the lines that are there; `None` where all are absent."""
        present = [line for line in lines if line is not None]
        return None if lines and not present else cls.of_lines(present)

    @property
    def lines(self) -> tuple[str, ...]:
        """The parts' texts."""
        return tuple(self.text[start:end] for start, end in self.parts)

    @cached_property
    def visible(self) -> str:
        """The text without its marks, each blanked where it stands, and with plain spaces.

        It is as long as the text, so that a place in the one is a place in the other.
        """
        shown, done = [], 0
        for start, end in self.parts:
            shown.append(" " * (start - done))
            shown.append(_SPACE.sub(" ", self.text[start:end]))
            done = end
        shown.append(" " * (len(self.text) - done))
        return "".join(shown)


class Kind(StrEnum):
    """How text may lack its partner."""

    OMITTED = "omitted"
    ADDED = "added"
    REPEATED = "repeated"
    MOVED = "moved"


@dataclass(frozen=True, slots=True)
class Disparity:
    """Text that was left out, added, said again, or that stands elsewhere.

    `segment` is the source segment that it is about; of what was added or repeated, the one in
    whose stretch it stands. `source` is a place in that segment, `output` one in the whole text.
    """

    kind: Kind
    segment: int
    source: Place | None = None
    output: Place | None = None


@dataclass(frozen=True)
class Cut:
    """A whole text cut into the source's segments: a stretch for each, which may be empty.

    The stretches cover the text once. What was added belongs to the stretch that it stands in, so
    that no text escapes being scored. Where nobody looked for `disparities`, they are `None`.
    """

    whole: WholeText
    places: tuple[Place, ...]
    disparities: tuple[Disparity, ...] | None = None

    def __post_init__(self) -> None:
        covered = 0
        for start, end in sorted(place for place in self.places if place[0] != place[1]):
            if start != covered:
                raise InputError(f"characters {covered} to {start} belong to no segment, or to two")
            covered = end
        if covered != len(self.whole.text):
            raise InputError(f"characters from {covered} on belong to no segment")

    @classmethod
    def at_parts(cls, whole: WholeText) -> "Cut":
        """The text cut into its own parts; what stands between two goes with the first of them."""
        starts = [0, *(start for start, _ in whole.parts[1:]), len(whole.text)]
        return cls(whole, tuple(pairwise(starts)) if whole.parts else ())

    @property
    def segments(self) -> tuple[str, ...]:
        """The text of each segment, as metrics and people see it."""
        visible = self.whole.visible
        return tuple(visible[start:end] for start, end in self.shown)

    @cached_property
    def shown(self) -> tuple[Place, ...]:
        """Where the text of each segment stands, white space and marks around it left out."""
        visible = self.whole.visible
        return tuple(trimmed(visible, place) for place in self.places)

    def handed_in(self, segment: int, start: int, end: int) -> Place:
        """The place in the whole text of a place in a segment."""
        begin = self.shown[segment][0]
        return begin + start, begin + end

    def within(self, place: Place) -> Iterator[tuple[int, int, int]]:
        """The segments that show something of a place in the whole text, with what they show."""
        for segment, (start, end) in enumerate(self.shown):
            left, right = max(start, place[0]), min(end, place[1])
            if left < right:
                yield segment, left - start, right - start


def trimmed(text: str, place: Place) -> Place:
    """The place without the white space at its ends."""
    start, end = place
    stretch = text[start:end]
    if not stretch.strip():
        return start, start
    begin = start + len(stretch) - len(stretch.lstrip())
    return begin, begin + len(stretch.strip())
