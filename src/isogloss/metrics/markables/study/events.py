"""The event log of an annotation campaign: JSON lines that are only ever appended to.

    {"time": 1596431112565, "annotator": "a", "document": "d", "system": "s",
     "line": 3, "rating": {"fluency": 0.8, "adequacy": 1.0, "conflicting": false, "reported": ""}}
    {"time": ..., "annotator": "a", "document": "d", "system": "s",
     "markable": "tenant", "occurrence": 0, "marks": {"conflict": 1.0, "typography": null}}

``null`` is a phenomenon that was ticked and not rated; empty marks are an explicit "no error". Of
several events of one annotator on the same system at the same place the last one counts, and the
others stay for whoever wants to know how opinions changed.

A study as one file of JSON lines: texts, markables and events, as a campaign exports it.

    {"study": "lease contracts"}
    {"text": "d", "source_language": "cs", "target_language": "en", "domain": "lease",
     "source": [...], "references": {"refA": [...]}, "outputs": {"s": [...]}, "humans": []}
    {"term": "tenant", "document": "d", "occurrences": [[0, 4, 10], ...]}

Everything else is an event. A term may carry ``index_lines``: see `MarkableStudy.index_lines`.
"""

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from isogloss.documents import Collection, Document, SystemOutput, TestSet
from isogloss.errors import FormatError, InputError
from isogloss.formats import read_lines
from isogloss.metrics.markables.markable import Markable, Phenomenon
from isogloss.metrics.markables.study.study import (
    LineRating,
    LineScreen,
    LineSheet,
    MarkableStudy,
    Marks,
    MarkScreen,
    MarkSheet,
)
from isogloss.notation import in_words, json_value
from isogloss.spans import SOURCE, Span


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


Record = dict[str, Any]


def read_exported(path: Path) -> MarkableStudy:
    """The study in a file that a campaign exported."""
    name = path.stem
    texts: list[Record] = []
    terms: list[Record] = []
    events = []
    for number, line in enumerate(read_lines(path), 1):
        record = _record(path, number, line)
        if "study" in record:
            name = str(record["study"])
        elif "text" in record:
            texts.append(record)
        elif "term" in record:
            terms.append(record)
        else:
            events.append(event_in(record, path, number))
    if not texts:
        raise FormatError(
            "there are no texts beside the events",
            path=path,
            remedy="export it with 'isogloss annotate export CAMPAIGN study.jsonl'",
        )
    try:
        markables = tuple(map(_markable, terms))
        return MarkableStudy(
            name, tuple(_collections(texts)), markables, *sheets_of(events), _lines(terms)
        )
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError, InputError) as error:
        raise FormatError(
            f"texts and markables do not make a study ({in_words(error)})", path=path
        ) from error


def _record(path: Path, number: int, line: str) -> Record:
    record = json_value(line, path, number)
    if not isinstance(record, dict):
        raise FormatError("is no record of a study", path=path, line=number)
    return record


def _markable(record: Record) -> Markable:
    document = str(record["document"])
    spans = tuple(Span(document, SOURCE, *place) for place in record["occurrences"])
    return Markable(document, str(record["term"]), spans)


def _lines(terms: Sequence[Record]) -> dict[tuple[str, str, int], int]:
    return {
        (term["document"], term["term"], index): line
        for term in terms
        for index, line in enumerate(term.get("index_lines", ()))
    }


def _collections(texts: Sequence[Record]) -> Iterator[Collection]:
    """Texts of one direction with the same translations make one collection."""
    groups: dict[tuple[Any, ...], list[Record]] = {}
    for text in texts:
        kind = (text["source_language"], text["target_language"], tuple(text["outputs"]))
        groups.setdefault(kind, []).append(text)
    names: set[str] = set()
    for (source, target, systems), group in groups.items():
        name = _new_name(f"markables-{source}-{target}", names)
        documents = tuple(
            Document(t["text"], tuple(t["source"]), t["references"], t["domain"]) for t in group
        )
        outputs = tuple(
            SystemOutput(
                system,
                {t["text"]: tuple(t["outputs"][system]) for t in group},
                human=system in group[0]["humans"],
            )
            for system in systems
        )
        yield Collection(TestSet(name, source, target, documents), outputs)


def _new_name(wanted: str, taken: set[str]) -> str:
    """The name, with a number where it is taken: files are called by it."""
    number, name = 1, wanted
    while name in taken:
        number += 1
        name = f"{wanted}-{number}"
    taken.add(name)
    return name
