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
