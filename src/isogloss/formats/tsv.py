r"""Tab-separated rows below a header of column names; see `rows` for the names.

Nothing is quoted or escaped: a ``"`` is a character of the text, and a cell that is ``\N`` is
absent. So a cell can hold neither a tab nor a line break, and the writer refuses texts with one.
"""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from isogloss.documents import Collection, counted
from isogloss.errors import FormatError
from isogloss.formats.columns import Row, Table, role_of
from isogloss.formats.files import read_lines, write_lines
from isogloss.formats.protocol import ReadOptions, TestSetFormat
from isogloss.formats.rows import (
    WideRow,
    has_lone_surrogate,
    refuse_unwritable,
    to_collection,
    wide_rows,
)

ABSENT = r"\N"


def recognises(path: Path, head: str) -> bool:  # noqa: ARG001  (every format has both)
    """A header with tabs that names a source, unless it is that of MQM ratings."""
    header = header_of(head)
    ratings = {"category", "severity"} <= {column.strip().lower() for column in header}
    return len(header) > 1 and "source" in map(role_of, header) and not ratings


def header_of(head: str) -> list[str]:
    """The names in the first line of a table, given its beginning."""
    return head.partition("\n")[0].removesuffix("\r").split("\t")


def read(path: Path, options: ReadOptions) -> Collection:
    """A test set with its systems, from a wide or a long table."""
    return to_collection(read_table(path), options)


def read_table(path: Path) -> Table:
    """The rows of a file as they stand, by the names of its columns."""
    header, *lines = read_lines(path)
    columns = header.split("\t")
    for column, times in Counter(columns).items():
        if times > 1:
            raise FormatError(f"column {column!r} appears {times} times", path=path, line=1)
    if "source" not in map(role_of, columns) and "\t" not in header and "," in header:
        raise FormatError(
            "the header has no tabs", path=path, line=1, remedy="are these commas? TSV needs tabs"
        )
    rows = [_row(path, number, line, columns) for number, line in enumerate(lines, 2)]
    return Table(path, dict.fromkeys(columns, 1), rows)


def _row(path: Path, number: int, line: str, columns: Sequence[str]) -> Row:
    cells = line.split("\t")
    if len(cells) != len(columns):
        raise FormatError(
            f"has {counted(len(cells), 'cell')}, the header has {len(columns)}",
            path=path,
            line=number,
            remedy=_remedy(cells),
        )
    texts = (None if cell == ABSENT else cell for cell in cells)
    return Row(number, dict(zip(columns, texts, strict=True)))


def _remedy(cells: Sequence[str]) -> str:
    if any(cell.startswith('"') for cell in cells):
        return "is it quoted? a quote does not protect tabs and line breaks here"
    if len(cells) == 1 and "," in cells[0]:
        return "is it separated by commas? TSV needs tabs"
    return "a text can hold neither tabs nor line breaks"


def write(collection: Collection, path: Path) -> None:
    """Write a wide table."""
    refuse_unwritable(collection, path, _fault, "jsonl can hold any text")
    rows = [cells_of(row) for row in wide_rows(collection)]
    texts = ([ABSENT if text is None else text for text in row.values()] for row in rows)
    write_lines(path, map(_line, [list(rows[0]), *texts]))


def cells_of(row: WideRow) -> dict[str, str | None]:
    """A wide row by the names of its columns."""
    return {
        "doc": row.document.id,
        "segment": str(row.number),
        **row.about,
        "source": row.source,
        **{f"reference:{name}": text for name, text in row.references.items()},
        **{f"system:{name}": text for name, text in row.systems.items()},
    }


def _line(cells: Sequence[str]) -> str:
    line = "\t".join(cells)
    # Readers take one carriage return at the end of a line for half of a Windows line end.
    return line + "\r" if line.endswith("\r") else line


def _fault(text: str) -> str | None:
    if text == ABSENT:
        return rf"is {ABSENT!r}, which means absent in TSV"
    for character, name in {"\t": "a tab", "\n": "a line break", "\0": "a NUL"}.items():
        if character in text:
            return f"holds {name}"
    return "holds half a character (a lone surrogate)" if has_lone_surrogate(text) else None


FORMAT = TestSetFormat(
    name="tsv",
    description="TSV with named columns, a row per segment (and system)",
    recognises=recognises,
    read=read,
    write=write,
)
