"""Pharaoh files: a line for each segment pair, ``0-0 1-2 1-3``, source word before target word.

A probability may follow a link: ``0-0:0.98``. Words are counted from 0.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from isogloss.alignment.protocol import SegmentAlignment, TokenPair, text_digest
from isogloss.documents import counted
from isogloss.errors import FormatError
from isogloss.formats import read_lines, write_lines

_LINK = re.compile(r"(\d{1,9})-(\d{1,9})(?::([0-9.eE+-]+))?")
_REMEDY = "a line looks like '0-0 1-2', or '0-0:0.98 1-2:0.51'; words are counted from 0"


def pharaoh_line(alignment: SegmentAlignment, *, scores: bool = False) -> str:
    """The links as one line; `scores` puts its score behind each link, where there are any."""
    if not scores or alignment.scores is None:
        return " ".join(f"{source}-{target}" for source, target in alignment.links)
    links = zip(alignment.links, alignment.scores, strict=True)
    return " ".join(f"{source}-{target}:{score!r}" for (source, target), score in links)


def parse_line(text: str, *, path: Path, line: int) -> SegmentAlignment:
    """The links of one line of a file; the same link twice counts once."""
    found: dict[tuple[int, int], float | None] = {}
    for word in text.split():
        match = _LINK.fullmatch(word)
        if match is None:
            raise FormatError(f"{word!r} is no link", path=path, line=line, remedy=_REMEDY)
        found[int(match[1]), int(match[2])] = _probability(match[3], word, path, line)
    links = tuple(sorted(found))
    scores = [score for link in links if (score := found[link]) is not None]
    if scores and len(scores) < len(links):
        raise FormatError(
            "some links have a probability, others have none", path=path, line=line, remedy=_REMEDY
        )
    return SegmentAlignment(links, tuple(scores) if scores else None)


def _probability(text: str | None, word: str, path: Path, line: int) -> float | None:
    if text is None:
        return None
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise FormatError(
            f"{word!r} has no probability between 0 and 1", path=path, line=line, remedy=_REMEDY
        )
    return value


def read_pharaoh(path: Path, pairs: Sequence[TokenPair] | None = None) -> list[SegmentAlignment]:
    """The alignments of a file; if the `pairs` are given, they have to fit."""
    lines = read_lines(path)
    if pairs is not None and len(lines) != len(pairs):
        raise FormatError(
            f"has {counted(len(lines), 'line')}, there are {counted(len(pairs), 'segment pair')}",
            path=path,
            remedy="it needs one line for each, empty where nothing is linked",
        )
    found = [parse_line(text, path=path, line=number) for number, text in enumerate(lines, 1)]
    for number, (alignment, pair) in enumerate(
        zip(found, pairs or (), strict=pairs is not None), 1
    ):
        _check(alignment, pair, path, number)
    return found


def _check(alignment: SegmentAlignment, pair: TokenPair, path: Path, line: int) -> None:
    for side, name in enumerate(("source", "target")):
        last = max((link[side] for link in alignment.links), default=-1)
        if last >= len(pair[side]):
            raise FormatError(
                f"a link to {name} word {last}, but the {name} has "
                f"{counted(len(pair[side]), 'word')}",
                path=path,
                line=line,
                remedy="words are counted from 0; were both files tokenised alike?",
            )


def write_pharaoh(
    path: Path, alignments: Iterable[SegmentAlignment], *, scores: bool = False
) -> None:
    """Write a line for each alignment."""
    write_lines(path, (pharaoh_line(alignment, scores=scores) for alignment in alignments))


@dataclass(frozen=True)
class FileAligner:
    """Links that somebody else made."""

    path: Path

    @cached_property
    def name(self) -> str:
        return f"file:{text_digest(read_lines(self.path))[:8]}"

    def align(self, pairs: Sequence[TokenPair]) -> list[SegmentAlignment]:
        """The links in the file, which has to have a line for each of the pairs."""
        return read_pharaoh(self.path, pairs)
