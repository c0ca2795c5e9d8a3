"""Reading a corpus of any length: one row at a time, from files or from standard input.

Text files may be compressed; their first lines tell whether they are JSON lines or tables. Nothing
but the ends of lines is looked for here, because one process reads for many workers.
"""

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

from isogloss.errors import FormatError, InputError, MissingExtraError
from isogloss.formats import plain_suffix, stream_lines
from isogloss.scale.rows import KINDS, STANDARD_INPUT, Origin, RawRow

_PARQUET = b"PAR1"
_ROWS_AT_ONCE = 1024


@dataclass(frozen=True, slots=True)
class Corpus:
    """Where rows are read from, and what the files leave open.

    `kind` is jsonl, tsv or parquet, where that should not be guessed; `header` names the columns of
    tables whose first line is a row already. ``-`` is standard input.
    """

    paths: tuple[str, ...]
    kind: str | None = None
    header: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if not self.paths:
            raise InputError("there is nothing to read; name files, or - for standard input")
        if self.kind is not None and self.kind not in KINDS:
            raise InputError(f"unknown format {self.kind!r}; known are: {', '.join(KINDS)}")
        if self.header is not None and len(set(self.header)) < len(self.header):
            raise InputError("a column is named twice in the header")

    def rows(self) -> Iterator[RawRow]:
        """All rows, file after file."""
        return chain.from_iterable(map(self._rows_of, self.paths))

    @property
    def size(self) -> int | None:
        """The bytes of all rows, where that can be known before they are read."""
        paths = [Path(path) for path in self.paths]
        if STANDARD_INPUT in self.paths or not all(map(self._is_plain, paths)):
            return None
        return sum(path.stat().st_size for path in paths)

    def _is_plain(self, path: Path) -> bool:
        plain = path.is_file() and path.suffix.lower() == plain_suffix(path)
        return plain and self._kind_of(path) != "parquet"

    def _rows_of(self, path: str) -> Iterator[RawRow]:
        if path == STANDARD_INPUT:
            return self._lines(path, _standard_input())
        if self._kind_of(Path(path)) == "parquet":
            return _parquet_rows(path)
        return self._lines(path, stream_lines(Path(path)))

    def _kind_of(self, path: Path) -> str | None:
        if self.kind is None and path.is_file():
            with path.open("rb") as file:
                return "parquet" if file.read(len(_PARQUET)) == _PARQUET else None
        return self.kind

    def _lines(self, path: str, lines: Iterable[bytes]) -> Iterator[RawRow]:
        remaining = iter(lines)
        first = next(remaining, b"")
        if not first.strip():
            raise FormatError("there is no row in it", path=Origin(path).shown, line=1)
        origin = Origin(path, self._columns(path, first))
        has_header = origin.columns is not None and self.header is None
        start = remaining if has_header else chain([first], remaining)
        for number, line in enumerate(start, 2 if has_header else 1):
            yield RawRow(origin, number, line)

    def _columns(self, path: str, first: bytes) -> tuple[str, ...] | None:
        """The names of a table's columns; `None` where every line names its own."""
        if self.header is not None:
            return self.header
        if self.kind == "jsonl" or (self.kind is None and _is_object(path, first)):
            return None
        text = first.decode("utf-8-sig", errors="replace").rstrip("\r\n")
        columns = tuple(text.split("\t"))
        if len(set(columns)) < len(columns):
            raise FormatError(
                f"the first line does not name columns: {', '.join(columns):.80}",
                path=Origin(path).shown,
                line=1,
                remedy="if it is a row, say what the columns are (a header: source,output)",
            )
        return columns


def _standard_input() -> BinaryIO:
    """A reader of its own: whoever waits in it holds no lock that the end of the program needs."""
    try:
        return open(sys.stdin.fileno(), "rb", closefd=False)
    except (OSError, ValueError):  # it is no file
        return sys.stdin.buffer


def _is_object(path: str, first: bytes) -> bool:
    named = plain_suffix(Path(path)) in (".jsonl", ".json", ".ndjson")
    return named or first.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{")


def pyarrow_parquet() -> Any:
    """The library that reads and writes Parquet."""
    try:
        import pyarrow.parquet
    except ImportError:
        raise MissingExtraError("Parquet files need pyarrow", "scale") from None
    return pyarrow.parquet


def _parquet_rows(path: str) -> Iterator[RawRow]:
    import pyarrow

    origin = Origin(path)
    number = 0
    try:
        with pyarrow_parquet().ParquetFile(path) as file:
            for batch in file.iter_batches(_ROWS_AT_ONCE):
                for cells in batch.to_pylist():
                    number += 1
                    yield RawRow(origin, number, cells)
    except (OSError, pyarrow.ArrowException) as error:
        reason = str(error).partition("\n")[0]
        raise FormatError(f"cannot be read as Parquet ({reason})", path=path) from None
