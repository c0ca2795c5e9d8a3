"""The event log of an annotation campaign: JSON lines that are only ever appended to.

    {"time": 1596431112565, "annotator": "a", "document": "d", "system": "s",
     "line": 3, "rating": {"fluency": 0.8, "adequacy": 1.0, "conflicting": false, "reported": ""}}
    {"time": ..., "annotator": "a", "document": "d", "system": "s",
     "markable": "tenant", "occurrence": 0, "marks": {"conflict": 1.0, "typography": null}}

``null`` is a phenomenon that was ticked and not rated; empty marks are an explicit "no error". Of
several events of one annotator on the same system at the same place the last one counts, and the
others stay for whoever wants to know how opinions changed.
"""

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from isogloss.errors import FormatError, InputError
from isogloss.formats.files import read_lines
from isogloss.markables.phenomena import Phenomenon
from isogloss.markables.study.screens import (
    LineRating,
    LineScreen,
    LineSheet,
    Marks,
    MarkScreen,
    MarkSheet,
)
from isogloss.notation import in_words, json_value


@dataclass(frozen=True, slots=True)
class LineEvent:
    """An annotator rated a line of a translation."""

    time: int
    annotator: str
    document: str
    system: str
    line: int
    rating: LineRating


@dataclass(frozen=True, slots=True)
class MarkEvent:
    """An annotator judged an occurrence of a markable in a translation."""

    time: int
    annotator: str
    document: str
    system: str
    markable: str
    occurrence: int
    marks: Marks


Event = LineEvent | MarkEvent


def append_events(path: Path, events: Iterable[Event]) -> None:
    """Add events at the end of the log; they are on the disk when this returns."""
    text = "".join(json.dumps(event_record(event), ensure_ascii=False) + "\n" for event in events)
    try:
        with path.open("a", encoding="utf-8") as log:
            log.write(text)
            log.flush()
            os.fsync(log.fileno())
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror})") from error


def event_record(event: Event) -> dict[str, Any]:
    """An event as it is written."""
    common = {
        "time": event.time,
        "annotator": event.annotator,
        "document": event.document,
        "system": event.system,
    }
    if isinstance(event, LineEvent):
        rating = event.rating
        said = {
            "fluency": rating.fluency,
            "adequacy": rating.adequacy,
            "conflicting": rating.conflicting,
            "reported": rating.reported,
        }
        return {**common, "line": event.line, "rating": said}
    marks = {phenomenon.value: severity for phenomenon, severity in event.marks.items()}
    place = {"markable": event.markable, "occurrence": event.occurrence}
    return {**common, **place, "marks": marks}


def read_events(path: Path) -> tuple[Event, ...]:
    """All events of a log, in the order in which they happened."""
    return tuple(_event(path, number, line) for number, line in enumerate(read_lines(path), 1))


def _event(path: Path, number: int, line: str) -> Event:
    return event_in(json_value(line, path, number), path, number)


def event_in(record: Any, path: Path, number: int) -> Event:
    """The event that a record of a file tells; `path` and `number` say where, should it be none."""
    try:
        common = (
            int(record["time"]),
            str(record["annotator"]),
            str(record["document"]),
            str(record["system"]),
        )
        if "rating" in record:
            return LineEvent(*common, int(record["line"]), LineRating(**record["rating"]))
        marks = {Phenomenon(name): severity for name, severity in record["marks"].items()}
        return MarkEvent(*common, str(record["markable"]), int(record["occurrence"]), marks)
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, InputError) as error:
        raise _no_event(error, path, number) from error


def _no_event(error: Exception, path: Path, number: int) -> FormatError:
    return FormatError(
        f"no event of an annotation campaign ({in_words(error)})",
        path=path,
        line=number,
        remedy="every event needs time, annotator, document, system, and a rating or marks",
    )


def events_of(
    line_sheets: Iterable[LineSheet], mark_sheets: Iterable[MarkSheet]
) -> Iterator[Event]:
    """Finished sheets as events."""
    for sheet in line_sheets:
        for screen in sheet.screens:
            for system, rating in screen.ratings.items():
                yield LineEvent(
                    screen.time, sheet.annotator, screen.document, system, screen.line, rating
                )
    for marked in mark_sheets:
        for shown in marked.screens:
            for system, marks in shown.marks.items():
                yield MarkEvent(
                    shown.time,
                    marked.annotator,
                    shown.document,
                    system,
                    shown.head,
                    shown.occurrence,
                    marks,
                )


def sheets_of(events: Iterable[Event]) -> tuple[tuple[LineSheet, ...], tuple[MarkSheet, ...]]:
    """What the log comes to: the last word of every annotator on everything, as sheets."""
    lines: dict[tuple[str, str, int], dict[str, LineEvent]] = {}
    marks: dict[tuple[str, str, str, int], dict[str, MarkEvent]] = {}
    for event in events:
        if isinstance(event, LineEvent):
            place = (event.annotator, event.document, event.line)
            lines.setdefault(place, {})[event.system] = event
        else:
            spot = (event.annotator, event.document, event.markable, event.occurrence)
            marks.setdefault(spot, {})[event.system] = event
    line_screens = (
        (place[0], LineScreen(place[1], place[2], _said(said, "rating"), _last(said)))
        for place, said in lines.items()
    )
    mark_screens = (
        (spot[0], MarkScreen(spot[1], spot[2], spot[3], _said(said, "marks"), _last(said)))
        for spot, said in marks.items()
    )
    return (
        tuple(LineSheet(name, screens) for name, screens in _by_annotator(line_screens)),
        tuple(MarkSheet(name, screens) for name, screens in _by_annotator(mark_screens)),
    )


def _said(events: Mapping[str, Event], what: str) -> dict[str, Any]:
    return {system: getattr(event, what) for system, event in events.items()}


def _last(events: Mapping[str, Event]) -> int:
    return max(event.time for event in events.values())


def _by_annotator(screens: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, tuple[Any, ...]]]:
    ordered = sorted(screens, key=lambda item: item[0])  # stable: screens stay in their order
    for annotator, group in groupby(ordered, key=lambda item: item[0]):
        yield annotator, tuple(screen for _, screen in group)
