"""Records as rows of a spreadsheet (CSV), and back again.

Parts of a record that are objects become columns of their own (``value.score``), one level deep;
lists and what lies deeper are JSON in a cell. Texts are as they are; an apostrophe keeps those from
being run that begin as formulas do, and is taken off again. What is absent is an empty cell.
"""

import csv
from collections.abc import Iterable, Iterator, Mapping
from io import StringIO
from json import dumps
from pathlib import Path
from typing import Any

from isogloss.errors import FormatError
from isogloss.formats.csv_table import header_of
from isogloss.formats.files import read_text
from isogloss.formats.places import Record
from isogloss.notation import json_value
from isogloss.tables import spreadsheet_cell

_APART = "."
_END = "\r\n"
# fmt: off
_TEXTS = frozenset({
    "annotator", "system", "document", "doc", "kind", "markable", "source", "target", "other",
    "check", "key", "task", "item", "against", "first", "second", "preferred", "reasons", "note",
    "segments", "phase",
})
# fmt: on
_TEXTS_OF_ANSWERS = frozenset({"note", "better", "same_as"})
"""Columns that hold texts, whatever these look like; all others hold numbers or JSON.

An answer's `target` are places and its `reasons` a list, so its columns are other ones.
"""


def csv_lines(records: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """A header and a row for each record."""
    rows = [_flat(record) for record in records]
    columns = list(dict.fromkeys(column for row in rows for column in row))
    if columns:
        yield _line(columns)
    for row in rows:
        yield _line(_cell(column, row.get(column)) for column in columns)


def _flat(record: Mapping[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in record.items():
        if isinstance(value, Mapping):
            flat.update({f"{key}{_APART}{part}": each for part, each in value.items()})
        else:
            flat[key] = value
    return flat


def _cell(column: str, value: Any) -> str:
    if value is None:
        return ""
    if _is_text(column):
        return f"'{value}" if str(value).startswith("'") else spreadsheet_cell(str(value))
    return dumps(value, ensure_ascii=False)


def _is_text(column: str) -> bool:
    """A record's own text, or one of an answer's; what is in ``opinions`` are names."""
    whole, _, part = column.partition(_APART)
    return part in _TEXTS_OF_ANSWERS and whole != "opinions" if part else whole in _TEXTS


def _line(cells: Iterable[str]) -> str:
    text = StringIO()
    csv.writer(text, lineterminator=_END).writerow(cells)  # by its end it knows what to quote
    return text.getvalue().removesuffix(_END)


def keys_of(head: str) -> frozenset[str]:
    """The keys of the records of a text, by its header; none if it has no such header."""
    return frozenset(map(_whole, header_of(head)))


def _whole(column: str) -> str:
    return column.partition(_APART)[0]


def flat_records(path: Path) -> Iterator[Record]:
    """The records of a file, with the lines on which they end."""
    rows = csv.reader(StringIO(read_text(path), newline=""))
    try:
        header = next(rows)
        for number, cells in enumerate(rows, 1):
            if len(cells) != len(header):
                what = f"has {len(cells)} cells, the header has {len(header)}"
                raise FormatError(what, path=path, line=rows.line_num)
            content = _content(path, rows.line_num, header, cells)
            yield Record(path, rows.line_num, number, content)
    except csv.Error as error:
        raise FormatError(f"not CSV: {error}", path=path, line=rows.line_num) from None


def _content(path: Path, line: int, header: list[str], cells: list[str]) -> dict[str, Any]:
    content: dict[str, Any] = {}
    for column, cell in zip(header, cells, strict=True):
        key, _, part = column.partition(_APART)
        if part:
            content.setdefault(key, {})
        if not cell:
            continue
        text = cell.removeprefix("'") if cell.startswith("'") else cell
        value = text if _is_text(column) else json_value(text, path, line)
        if part:
            content[key][part] = value
        else:
            content[key] = value
    # A part of which nothing is there was not there: no decision, say.
    return {key: value for key, value in content.items() if value != {}}
