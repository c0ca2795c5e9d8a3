"""Rows of a corpus: texts that belong together, as the lines of a file have them.

A row is parsed, scored and written by the worker that it is sent to; the process that reads the
input only finds where rows end. A row says nothing of documents: every metric sees it alone.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

from isogloss.documents import counted
from isogloss.errors import FormatError, InputError
from isogloss.formats import role_of
from isogloss.notation import json_value

STANDARD_INPUT = "-"
KINDS = ("jsonl", "tsv", "parquet")


class Origin(NamedTuple):
    """Where rows come from, and what their cells are called if they do not say so themselves."""

    path: str
    columns: tuple[str, ...] | None = None  # of a table without keys

    @property
    def shown(self) -> str:
        """As people call it."""
        return "standard input" if self.path == STANDARD_INPUT else self.path


class RawRow(NamedTuple):
    """A row as it was read: a line's bytes, or the cells of a Parquet file."""

    origin: Origin
    number: int  # the line; in a Parquet file the row, from 1
    content: bytes | dict[str, Any]
    poisonous: bool = False  # workers died of it

    def fault(self, what: str, remedy: str = "") -> FormatError:
        """An error that says where."""
        return FormatError(what, path=self.origin.shown, line=self.number, remedy=remedy)


Cells = dict[str, Any]


def cells_of(row: RawRow) -> Cells:
    """The cells of a row by the names that its file gives them."""
    if isinstance(row.content, dict):
        return row.content
    try:
        text = row.content.decode("utf-8-sig" if row.number == 1 else "utf-8")
    except UnicodeDecodeError as error:
        byte = row.content[error.start]
        raise row.fault(f"byte {byte:#04x} is not UTF-8", "expected UTF-8 text") from None
    text = text.removesuffix("\n").removesuffix("\r")
    if "\0" in text:
        raise row.fault("a NUL character", "is this a binary file?")
    return _table_cells(row, text) if row.origin.columns else _object_cells(row, text)


def _table_cells(row: RawRow, text: str) -> Cells:
    columns, cells = row.origin.columns or (), text.split("\t")
    if len(cells) != len(columns):
        raise row.fault(
            f"has {counted(len(cells), 'cell')}, not {len(columns)} ({', '.join(columns)})",
            "a text can hold neither tabs nor line breaks",
        )
    return {c: None if cell == r"\N" else cell for c, cell in zip(columns, cells, strict=True)}


def _object_cells(row: RawRow, text: str) -> Cells:
    if not text.strip():
        raise row.fault("a blank line", "remove it")
    value = json_value(text, row.origin.shown, row.number)
    if not isinstance(value, dict):
        raise row.fault("not a JSON object", "expected one object a line, or name the format")
    return value


@dataclass(frozen=True, slots=True)
class RowTexts:
    """The texts of a row that metrics read; `None` is a text that is not there."""

    output: str | None
    source: str | None = None
    references: Mapping[str, str | None] = field(default_factory=dict)


@dataclass(frozen=True)
class ColumnRoles:
    """Which cells are source, output and reference: by their names, or as a person says."""

    wanted: tuple[tuple[str, str], ...] = ()  # our name, their name
    needs: tuple[str, ...] = ("output",)

    def __post_init__(self) -> None:
        for ours, _ in self.wanted:
            if _kind(role_of(ours)) not in ("source", "output", "reference"):
                raise InputError(
                    f"column {ours!r} means nothing here; known are: source, output, reference"
                )

    def texts(self, row: RawRow, cells: Cells) -> RowTexts:
        """What metrics read of a row."""
        places = self._places(tuple(cells))
        for role in self.needs:
            if not any(_kind(found) == role for found in places):
                raise row.fault(
                    f"there is no column {role!r}",
                    f"the columns are: {', '.join(cells) or 'none'}; say which one it is",
                )
        found = {role: _text(row, column, cells[column]) for role, column in places.items()}
        references = {r: text for r, text in found.items() if _kind(r) == "reference"}
        return RowTexts(found.get("output"), found.get("source"), references)

    def _places(self, columns: tuple[str, ...]) -> Mapping[str, str]:
        return _places(self.wanted, columns)


@lru_cache(maxsize=256)
def _places(wanted: tuple[tuple[str, str], ...], columns: tuple[str, ...]) -> dict[str, str]:
    """Our roles to the columns of a row: what was said goes before what names suggest."""
    said = {role: theirs for ours, theirs in wanted if (role := role_of(ours)) is not None}
    found = {role: column for role, column in said.items() if column in columns}
    for column in columns:
        role = role_of(column)
        if role is not None and role not in said and column not in said.values():
            found.setdefault(role, column)
    return {r: c for r, c in found.items() if _kind(r) in ("source", "output", "reference")}


def _kind(role: str | None) -> str:
    return (role or "").partition(":")[0]


def _text(row: RawRow, column: str, value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    raise row.fault(f"{column!r} is not a text: {value!r:.60}")


def blocks(rows: Iterator[RawRow], size: int) -> Iterator[tuple[RawRow, ...]]:
    """Rows in parts of `size`, the last one shorter."""
    block: list[RawRow] = []
    for row in rows:
        block.append(row)
        if len(block) == size:
            yield tuple(block)
            block = []
    if block:
        yield tuple(block)


def places_of(rows: Sequence[RawRow]) -> str:
    """Where some rows stand, for people."""
    first, last = rows[0], rows[-1]
    return f"{first.origin.shown}:{first.number} to {last.number}"


def marked_poisonous(rows: Sequence[RawRow], guilty: Sequence[int]) -> tuple[RawRow, ...]:
    """The same rows, those at these places not to be scored."""
    wrong = set(guilty)
    return tuple(row._replace(poisonous=True) if n in wrong else row for n, row in enumerate(rows))
