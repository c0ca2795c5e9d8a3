"""JSON lines: one object per line, with the column names of `rows` as keys.

References and systems may also be nested, as ``"references": {"A": ...}`` and ``"systems": {...}``
(or ``"outputs"``), which is what is written. ``null`` means absent. This format holds any text.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from isogloss.documents import Collection
from isogloss.errors import FormatError
from isogloss.formats.columns import Row, Table, role_of
from isogloss.formats.files import plain_suffix, read_lines, write_lines
from isogloss.formats.protocol import ReadOptions, TestSetFormat
from isogloss.formats.rows import (
    WideRow,
    has_lone_surrogate,
    refuse_unwritable,
    to_collection,
    wide_rows,
)
from isogloss.notation import json_value

_NESTED = {"references": "reference", "systems": "system", "outputs": "system"}
_KEY = re.compile(r'"((?:[^"\\]|\\.)*+)"(\s*:)?')


def recognises(path: Path, head: str) -> bool:
    """A first line that opens an object with a source.

    By their name, arrays and objects without a source are taken too: nobody else can read them,
    and so the reader can say what is wrong.
    """
    suffix = plain_suffix(path)
    if head.lstrip().startswith("["):
        return suffix in (".json", ".jsonl")
    first = head.partition("\n")[0]
    roles = map(role_of, keys_of(head))
    return first.startswith("{") and (suffix == ".jsonl" or "source" in roles)


def keys_of(head: str) -> list[str]:
    """The keys of the first line, as far as the beginning of a file shows them, nested or not."""
    first = head.partition("\n")[0]
    return [key for key, colon in _KEY.findall(first) if colon] if first.startswith("{") else []


def read(path: Path, options: ReadOptions) -> Collection:
    """A test set with its systems, from wide or long rows."""
    lines = read_lines(path)
    if lines[0].lstrip().startswith("["):
        raise FormatError(
            "this is a JSON array",
            path=path,
            line=1,
            remedy="write one object per line (jq -c '.[]' does so)",
        )
    rows = [_row(path, number, line) for number, line in enumerate(lines, 1)]
    columns: dict[str, int] = {}
    for row in rows:
        for column in row.cells:
            columns.setdefault(column, row.line)
    return to_collection(Table(path, columns, rows), options)


def _row(path: Path, number: int, line: str) -> Row:
    cells: dict[str, object] = {}
    for column, value in flat_cells(_parsed(path, number, line), path, number):
        if column in cells:
            raise FormatError(f"{column!r} is given twice", path=path, line=number)
        cells[column] = value
    return Row(number, cells)


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    for key, times in Counter(key for key, _ in pairs).items():
        if times > 1:
            raise ValueError(f"key {key!r} appears {times} times")
    return dict(pairs)


def _parsed(path: Path, number: int, line: str) -> dict[str, object]:
    if not line.strip():
        raise FormatError("a blank line", path=path, line=number, remedy="remove it")
    value = json_value(line, path, number, _unique)
    if not isinstance(value, dict):
        raise FormatError("not a JSON object", path=path, line=number)
    return value


def flat_cells(value: dict[str, object], path: Path, number: int) -> Iterator[tuple[str, object]]:
    """The cells of an object: what is nested comes out as ``reference:NAME``, ``system:NAME``."""
    for key, cell in value.items():
        kind = _NESTED.get(key.lower())
        if kind is None:
            yield key, cell
        elif isinstance(cell, dict):
            yield from ((f"{kind}:{name}", text) for name, text in cell.items())
        elif cell is not None:
            raise FormatError(
                f"{key!r} must be an object that maps names to texts", path=path, line=number
            )


def write(collection: Collection, path: Path) -> None:
    """Write a wide row per segment."""
    refuse_unwritable(collection, path, _fault, "mend or remove it")
    rows = wide_rows(collection)
    write_lines(path, (json.dumps(_object(row), ensure_ascii=False) for row in rows))


def _object(row: WideRow) -> dict[str, object]:
    return {
        "doc": row.document.id,
        "segment": row.number,
        **row.about,
        "source": row.source,
        "references": row.references,
        "systems": dict(row.systems),
    }


def _fault(text: str) -> str | None:
    return "holds half a character (a lone surrogate)" if has_lone_surrogate(text) else None


FORMAT = TestSetFormat(
    name="jsonl",
    description="JSON lines, one per segment (or segment and system)",
    recognises=recognises,
    read=read,
    write=write,
)
