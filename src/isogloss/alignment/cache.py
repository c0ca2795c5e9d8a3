"""Links kept on disk, so that the same texts are not aligned twice.

A file for each text that was aligned, named by a digest of all that decides the links: the
aligner's name, and every word. It is written under another name and then moved into place, so
that a killed process leaves nothing half-written behind, and two processes that align the same
text write the same file. Inside are Pharaoh lines, two for each segment pair.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import zstandard

from isogloss.alignment.pharaoh import parse_line, pharaoh_line
from isogloss.alignment.protocol import TokenPair, pairs_digest, remarks_of
from isogloss.alignment.symmetrisation import DirectedAligner, Directions
from isogloss.errors import FormatError, InputError
from isogloss.formats import read_lines

FOLDER_NAME = "alignments"
_LAYOUT = "isogloss-links-1"  # changes with the meaning of a file


@dataclass(frozen=True)
class CachedAligner:
    """An aligner whose links are kept in a cache folder."""

    directed: DirectedAligner
    folder: Path

    @property
    def name(self) -> str:
        return self.directed.name

    def directions(self, pairs: Sequence[TokenPair]) -> list[Directions]:
        """The links as they were found before, or as they are found now."""
        path = self._path(pairs)
        found = _read(path, len(pairs)) if path.is_file() else None
        if found is None:
            found = self.directed.directions(pairs)
            _write(path, found)
        return found

    def remarks(self, pairs: Sequence[TokenPair]) -> Mapping[str, int]:
        """Those of the aligner whose links are kept: the same whether they were kept or found."""
        return remarks_of(self.directed, pairs)

    def _path(self, pairs: Sequence[TokenPair]) -> Path:
        key = pairs_digest(pairs, _LAYOUT, self.name)
        return self.folder / FOLDER_NAME / f"{key}.txt.zst"


def _read(path: Path, count: int) -> list[Directions] | None:
    """What a file holds; `None` if it does not hold what it ought to."""
    try:
        lines = read_lines(path)
        found = [parse_line(text, path=path, line=line) for line, text in enumerate(lines, 1)]
    except FormatError:
        return None  # damaged: as good as absent
    if len(found) != 2 * count:
        return None
    return [Directions(*found[at : at + 2]) for at in range(0, len(found), 2)]


def _write(path: Path, found: Sequence[Directions]) -> None:
    lines = [
        pharaoh_line(side, scores=True) + "\n"
        for one in found
        for side in (one.source_to_target, one.target_to_source)
    ]
    unfinished = path.with_name(f"{uuid4().hex}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished.write_bytes(zstandard.compress("".join(lines).encode()))
        unfinished.replace(path)
    except OSError as error:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)
        raise InputError(
            f"{path.parent}: links cannot be kept there ({error.strerror}); name another folder "
            "with ISOGLOSS_CACHE, or turn the cache off"
        ) from error
