"""One side of a test set (the source, a reference or an output) before it meets the others."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Block:
    """A document as a side knows it: its id, its domain and how many segments it has."""

    id: str
    segments: int
    domain: str | None = None


@dataclass(frozen=True, slots=True)
class Side:
    """The segments of one file, and its documents where the file itself tells them apart.

    `name` is what the file calls itself (a system or reference name); `language` and `testset`
    are what it says about them, where it says so.
    """

    path: Path
    segments: tuple[str | None, ...]
    documents: Sequence[Block] | None = None
    name: str | None = None
    language: str | None = None
    testset: str | None = None


def lone_document_ids(count: int) -> list[str]:
    """Ids for segments that are documents of their own: ``line-01`` ... ``line-12``.

    Where nobody says where documents begin, each segment is one: without boundaries no segment
    may serve as context for another.
    """
    width = len(str(count))
    return [f"line-{number:0{width}d}" for number in range(1, count + 1)]
