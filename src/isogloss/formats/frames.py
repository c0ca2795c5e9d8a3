"""Rows from data frames: pandas, polars, Arrow, data sets of Hugging Face, and Parquet files.

The columns are those of every table (see `rows`). A column ``translation`` that maps languages to
texts, as the WMT sets of Hugging Face have it, gives source and reference.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from isogloss.destination import file_to_be
from isogloss.documents import Collection
from isogloss.errors import FormatError, InputError, MissingExtraError
from isogloss.formats.columns import Row, Table
from isogloss.formats.jsonl import flat_cells
from isogloss.formats.protocol import ReadOptions, TestSetFormat
from isogloss.formats.rows import has_lone_surrogate, refuse_unwritable, to_collection, wide_rows
from isogloss.formats.tsv import cells_of

PARQUET, ARROW = "PAR1", "ARROW1"  # what such files begin with
_AS_ROWS = ("to_dicts", "to_pylist")  # polars; Arrow


def from_rows(rows: Any, options: ReadOptions | None = None, *, name: str = "rows") -> Collection:
    """A collection from rows with named columns.

    Args:
        rows: mappings, one a segment (or segment and system), or what holds such: a data frame of
            pandas or polars, a table of Arrow, a data set of Hugging Face.
        options: languages, and which columns mean what, where their names do not say so.
        name: what the test set is called in tables and reports.

    Returns:
        The collection, in which all parts fit together.

    Raises:
        FormatError: the columns do not make up a test set.

    Example:
        >>> import isogloss
        >>> rows = [
        ...     {"doc": "a", "source": "Hund", "reference": "dog", "system:x": "dog"},
        ...     {"doc": "a", "source": "Katze", "reference": "cat", "system:x": "cats"},
        ... ]
        >>> isogloss.from_rows(rows)
        Collection rows, ? → ?: 1 document, 2 segments; reference: ref
        systems: x
    """
    options = options or ReadOptions()
    return to_collection(_table(Path(name), _mappings(rows), options), options)


def _mappings(rows: Any) -> Iterable[Mapping[str, Any]]:
    """Whatever holds rows, as mappings."""
    for way in _AS_ROWS:
        if callable(getattr(rows, way, None)):
            return list(getattr(rows, way)())
    if hasattr(rows, "to_dict") and hasattr(rows, "columns"):  # pandas
        return list(rows.to_dict("records"))
    if isinstance(rows, Iterable) and not isinstance(rows, str | Mapping):
        return rows
    raise InputError("rows are mappings of column names to texts, or a data frame of such")


def _table(path: Path, rows: Iterable[Mapping[str, Any]], options: ReadOptions) -> Table:
    found: list[Row] = []
    columns: dict[str, int] = {}
    for number, row in enumerate(rows, 1):
        if not isinstance(row, Mapping):
            raise FormatError(f"{row!r:.60} is no row with named cells", path=path, line=number)
        translated = _by_language(row, options, path, number)
        cells = dict(flat_cells({k: _cell(v) for k, v in translated.items()}, path, number))
        found.append(Row(number, cells))
        for column in cells:
            columns.setdefault(column, number)
    if not found:
        raise FormatError("there are no rows", path=path)
    return Table(path, columns, found)


def _by_language(
    row: Mapping[str, Any], options: ReadOptions, path: Path, number: int
) -> dict[str, Any]:
    """The row with what its column ``translation`` holds as source and reference."""
    texts = row.get("translation")
    if not isinstance(texts, Mapping):
        return dict(row)
    source, target = options.source_language, options.target_language
    if source not in texts or target not in texts:
        raise FormatError(
            f"'translation' has the languages {', '.join(texts)}; say which is translated into "
            "which",
            path=path,
            line=number,
            lacking=["source_language", "target_language"],
        )
    rest = {key: value for key, value in row.items() if key != "translation"}
    return {**rest, "source": texts[source], "reference": texts[target]}


def _cell(value: Any) -> Any:
    """A cell; what frames have for nothing is `None`."""
    if value is None or isinstance(value, str | Mapping):
        return value
    if value != value or type(value).__name__ == "NAType":  # NaN and NA, as pandas has them
        return None
    return value.item() if hasattr(value, "item") else value  # numpy's numbers


# --- files ---------------------------------------------------------------------------------------


def recognises(path: Path, head: str) -> bool:  # noqa: ARG001  (every format has both)
    """By its first bytes."""
    return head.startswith((PARQUET, ARROW))


def read(path: Path, options: ReadOptions) -> Collection:
    """A test set with its systems, from a wide or a long table."""
    pyarrow = _pyarrow()
    try:
        with path.open("rb") as file:
            parquet = file.read(4) == PARQUET.encode()
        if parquet:
            table = _parquet().read_table(path)
        else:
            with pyarrow.memory_map(str(path)) as mapped:
                table = pyarrow.ipc.open_file(mapped).read_all()
    except (OSError, pyarrow.ArrowException) as error:
        reason = str(error).partition("\n")[0]
        raise FormatError(f"cannot be read ({reason})", path=path) from None
    return to_collection(_table(path, table.to_pylist(), options), options)


def write(collection: Collection, path: Path) -> None:
    """Write a wide table."""
    refuse_unwritable(collection, path, _fault, "mend or remove it")
    write_records([cells_of(row) for row in wide_rows(collection)], path)


def _fault(text: str) -> str | None:
    return "holds half a character (a lone surrogate)" if has_lone_surrogate(text) else None


def write_records(records: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Write rows as Parquet, or as Arrow (.arrow, .feather)."""
    table = _pyarrow().Table.from_pylist([dict(record) for record in records])
    with file_to_be(path) as beside:
        _writer(path)(table, str(beside))


def _writer(path: Path) -> Callable[[Any, str], None]:
    if path.suffix not in (".arrow", ".feather"):
        return _parquet().write_table  # type: ignore[no-any-return]

    def write_arrow(table: Any, target: str) -> None:
        pyarrow = _pyarrow()
        with pyarrow.OSFile(target, "wb") as sink, pyarrow.ipc.new_file(sink, table.schema) as out:
            out.write_table(table)

    return write_arrow


def _pyarrow() -> Any:
    try:
        import pyarrow
        import pyarrow.ipc
    except ImportError:
        raise MissingExtraError("Parquet and Arrow files need pyarrow", "frames") from None
    return pyarrow


def _parquet() -> Any:
    _pyarrow()
    import pyarrow.parquet

    return pyarrow.parquet


FORMAT = TestSetFormat(
    name="parquet",
    description="Parquet or Arrow with named columns, a row per segment (and system)",
    recognises=recognises,
    read=read,
    write=write,
)
