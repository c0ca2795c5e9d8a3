r"""Comma-separated rows below a header of column names, as spreadsheets write them.

Quotes protect commas, quotes and line breaks (RFC 4180); a cell that is ``\N`` is absent.
"""

import csv
import io
from collections.abc import Iterator
from pathlib import Path

from isogloss.documents import Collection, counted
from isogloss.errors import FormatError
from isogloss.formats.columns import Row, Table, role_of
from isogloss.formats.files import read_text, write_text
from isogloss.formats.protocol import ReadOptions, TestSetFormat
from isogloss.formats.rows import has_lone_surrogate, refuse_unwritable, to_collection, wide_rows
from isogloss.formats.tsv import ABSENT, cells_of

_LARGEST_CELL = 10_000_000  # characters: the default of 131,072 is less than a long document


def recognises(path: Path, head: str) -> bool:  # noqa: ARG001  (every format has both)
    """A header with commas that names a source."""
    return "source" in map(role_of, header_of(head))


def header_of(head: str) -> list[str]:
    """The names of the columns, if a text begins with some that commas part."""
    first = head.partition("\n")[0].removesuffix("\r")
    if "\t" in first or first.lstrip().startswith(("{", "[", "<")):
        return []
    try:
        names = next(csv.reader([first]), [])
    except csv.Error:
        return []
    return names if len(names) > 1 else []


def read(path: Path, options: ReadOptions) -> Collection:
    """A test set with its systems, from a wide or a long table."""
    return to_collection(read_table(path), options)


def read_table(path: Path) -> Table:
    """The rows of a file as they stand, by the names of its columns."""
    lines = _lines(path, read_text(path))
    _, columns = next(lines, (1, []))
    if len(set(columns)) < len(columns):
        raise FormatError("a column appears twice", path=path, line=1)
    rows = [_row(path, line, cells, columns) for line, cells in lines if cells]
    return Table(path, dict.fromkeys(columns, 1), rows)


def _lines(path: Path, text: str) -> Iterator[tuple[int, list[str]]]:
    """The cells of each row with the line on which it begins."""
    before = csv.field_size_limit(_LARGEST_CELL)
    reader, line = csv.reader(io.StringIO(text, newline=""), strict=True), 1
    try:
        for cells in reader:
            yield line, cells
            line = reader.line_num + 1
    except csv.Error as error:
        raise FormatError(f"not CSV: {error}", path=path, line=line) from None
    finally:
        csv.field_size_limit(before)


def _row(path: Path, line: int, cells: list[str], columns: list[str]) -> Row:
    if len(cells) != len(columns):
        what = f"has {counted(len(cells), 'cell')}, the header has {len(columns)}"
        remedy = "a text with commas or line breaks has to stand in quotes"
        raise FormatError(what, path=path, line=line, remedy=remedy)
    texts = (None if cell == ABSENT else cell for cell in cells)
    return Row(line, dict(zip(columns, texts, strict=True)))


def write(collection: Collection, path: Path) -> None:
    """Write a wide table."""
    refuse_unwritable(collection, path, _fault, "jsonl can hold any text")
    rows = [cells_of(row) for row in wide_rows(collection)]
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerow(rows[0])
    writer.writerows([ABSENT if t is None else t for t in row.values()] for row in rows)
    write_text(path, text.getvalue())


def _fault(text: str) -> str | None:
    if text == ABSENT:
        return rf"is {ABSENT!r}, which means absent in CSV"
    if "\0" in text:
        return "holds a NUL"
    return "holds half a character (a lone surrogate)" if has_lone_surrogate(text) else None


FORMAT = TestSetFormat(
    name="csv",
    description="CSV with named columns, a row per segment (and system)",
    recognises=recognises,
    read=read,
    write=write,
)
