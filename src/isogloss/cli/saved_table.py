"""Printed results as files, in the form that their names' endings say."""

from pathlib import Path

from isogloss.cli.output import Output, Result, rendered
from isogloss.destination import write_file
from isogloss.errors import InputError

_TEXTS = {
    ".csv": Output.CSV,
    ".tsv": Output.TSV,
    ".jsonl": Output.JSONL,
    ".json": Output.JSON,
    ".md": Output.MARKDOWN,
    ".tex": Output.LATEX,
}
_FRAMES = (".parquet", ".arrow", ".feather")


def checked_ending(path: Path | None) -> Path | None:
    """Refuse a name that says nothing, before hours of work."""
    if path is not None and path.suffix not in (*_TEXTS, *_FRAMES):
        known = ", ".join((*_TEXTS, *_FRAMES))
        raise InputError(f"--table {path}: the name has to end in one of {known}")
    return path


def save_result(result: Result, path: Path | None) -> None:
    """Write the records of a result, if that was asked for: what -o prints, or a data frame."""
    if path is None:
        return
    if path.suffix in _FRAMES:
        from isogloss.formats import write_records

        write_records(result.records, path)
    else:
        write_file(path, rendered(result, _TEXTS[path.suffix]).encode())
