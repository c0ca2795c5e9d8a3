"""The study's own JSON: one file an annotator, phase 1 and phase 2.

    {"<document>": {"<line>": {"<system>": {"conflicting": ..., "fluency": "0.8"}, "time": ms}}}
    {"<document>-<head>": {"<occurrence>": {"<system>": {"<phenomenon>": "0.25"}, "time": ms}}}

Numbers are strings there. What is read is written again byte for byte, but for the line break at
the end of a file, which some have and some have not.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from isogloss.errors import FormatError, InputError
from isogloss.formats.files import plain_stem, read_text, write_text
from isogloss.markables.phenomena import Phenomenon
from isogloss.markables.study.screens import (
    LineRating,
    LineScreen,
    LineSheet,
    MarkScreen,
    MarkSheet,
)
from isogloss.notation import in_words, json_value

Renaming = Callable[[str, str], str]
"""(document, name of a system) to another name of that system."""


def _unchanged(document: str, system: str) -> str:  # noqa: ARG001
    return system


def read_line_sheet(path: Path, named: Renaming = _unchanged) -> LineSheet:
    """An annotator's file of phase 1."""
    screens = tuple(
        LineScreen(
            document,
            number,
            {named(document, system): rating for system, rating in systems.items()},
            time,
        )
        for document, number, systems, time in _screens(path, _rating)
    )
    return LineSheet(plain_stem(path), screens)


def read_mark_sheet(path: Path, named: Renaming = _unchanged) -> MarkSheet:
    """An annotator's file of phase 2."""
    screens = []
    for key, number, systems, time in _screens(path, _marks):
        document, _, head = key.partition("-")
        marks = {named(document, system): given for system, given in systems.items()}
        screens.append(MarkScreen(document, head, number, marks, time))
    return MarkSheet(plain_stem(path), tuple(screens))


Said = TypeVar("Said")


def _screens(
    path: Path, parse: Callable[[Mapping[str, Any]], Said]
) -> Iterator[tuple[str, int, dict[str, Said], int]]:
    """Outer key, number, what was said of each system, and time of every screen of a file."""
    place, content = "the file", json_value(read_text(path), path)
    try:
        for key, screens in content.items():
            for number, cells in screens.items():
                place = f"{key!r}, screen {number!r}"
                said = {name: parse(cell) for name, cell in cells.items() if name != "time"}
                yield key, int(number), said, int(cells["time"])
    except (ValueError, AttributeError, LookupError, TypeError, OverflowError, InputError) as error:
        if isinstance(error, FormatError):
            raise
        raise FormatError(
            f"{place} holds no annotations of the markable study ({in_words(error)})",
            path=path,
            remedy="expected {document: {number: {system: {...}, time: ...}}}",
        ) from error


def _rating(cells: Mapping[str, Any]) -> LineRating:
    scores = {name: _number(cells.get(name)) for name in ("fluency", "adequacy")}
    return LineRating(cells["conflicting"], cells["errors"], **scores)


def _number(text: str | None) -> float | None:
    return None if text is None else float(text)


def _marks(cells: Mapping[str, str]) -> dict[Phenomenon, float | None]:
    return {Phenomenon.of_key(key): _number(value) for key, value in cells.items()}


def write_line_sheet(
    sheet: LineSheet, path: Path, named: Renaming = _unchanged, *, end: str = "\n"
) -> None:
    """Write an annotator's file of phase 1."""
    content: dict[str, dict[str, Any]] = {}
    for screen in sheet.screens:
        cells: dict[str, Any] = {
            named(screen.document, system): _rating_cells(rating)
            for system, rating in screen.ratings.items()
        }
        cells["time"] = screen.time
        content.setdefault(screen.document, {})[str(screen.line)] = cells
    write_text(path, _json(content) + end)


def _rating_cells(rating: LineRating) -> dict[str, Any]:
    scores = {"fluency": rating.fluency, "adequacy": rating.adequacy}
    given = {name: f"{value:g}" for name, value in scores.items() if value is not None}
    return {"conflicting": rating.conflicting, **given, "errors": rating.reported}


def write_mark_sheet(
    sheet: MarkSheet, path: Path, named: Renaming = _unchanged, *, end: str = "\n"
) -> None:
    """Write an annotator's file of phase 2; it cannot hold a phenomenon without a severity."""
    content: dict[str, dict[str, Any]] = {}
    for screen in sheet.screens:
        cells: dict[str, Any] = {
            named(screen.document, system): {
                phenomenon.key: _severity_cell(phenomenon, severity, path)
                for phenomenon, severity in marks.items()
            }
            for system, marks in screen.marks.items()
        }
        cells["time"] = screen.time
        key = f"{screen.document}-{screen.head}"
        content.setdefault(key, {})[str(screen.occurrence)] = cells
    write_text(path, _json(content) + end)


def _severity_cell(phenomenon: Phenomenon, severity: float | None, path: Path) -> str:
    if severity is None:
        raise FormatError(
            f"{phenomenon} is marked without a severity, which the study's files cannot hold",
            path=path,
            remedy="write the event log instead",
        )
    return f"{severity:g}"


def _json(content: object) -> str:
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"))
