"""The event log: appended to, read back, folded into sheets."""

import json
from pathlib import Path

import pytest

from isogloss.errors import FormatError
from isogloss.metrics.markables import Phenomenon
from isogloss.metrics.markables.study import (
    LineEvent,
    LineRating,
    MarkableStudy,
    MarkEvent,
    append_events,
    events_of,
)
from isogloss.metrics.markables.study.events import read_events, sheets_of

RATED = LineEvent(5, "ann", "d", "sys", 3, LineRating(True, "tenant,", 0.8, None))
MARKED = MarkEvent(
    7, "ann", "d", "sys", "lease", 0, {Phenomenon.CONFLICT: 1.0, Phenomenon.SENSE: None}
)
CLEAN = MarkEvent(8, "ann", "d", "other", "lease", 0, {})


def test_what_is_appended_is_read_back(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    append_events(log, [RATED])
    before = log.read_bytes()
    append_events(log, [MARKED, CLEAN])
    assert log.read_bytes().startswith(before)
    assert read_events(log) == (RATED, MARKED, CLEAN)
    first = json.loads(log.read_text().splitlines()[0])
    assert first["annotator"] == "ann"
    assert first["rating"]["reported"] == "tenant,"


def test_the_last_word_counts_and_no_error_is_a_word() -> None:
    again = MarkEvent(9, "ann", "d", "sys", "lease", 0, {Phenomenon.SENSE: 0.5})
    lines, marks = sheets_of([RATED, MARKED, CLEAN, again])
    assert lines[0].screens[0].ratings["sys"].fluency == 0.8
    (screen,) = marks[0].screens
    assert dict(screen.marks["sys"]) == {Phenomenon.SENSE: 0.5}
    assert dict(screen.marks["other"]) == {}
    assert screen.time == 9


def test_the_study_survives_the_log(study: MarkableStudy, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    append_events(log, events_of(study.line_sheets, study.mark_sheets))
    lines, marks = sheets_of(read_events(log))
    assert lines == study.line_sheets
    assert marks == study.mark_sheets


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "[]",
        '{"time": 1, "annotator": "a", "document": "d", "system": "s"}',
        '{"time": 1, "annotator": "a", "document": "d", "system": "s", "line": 0, "rating": {}}',
        '{"time": 1, "annotator": "a", "document": "d", "system": "s", "markable": "m", '
        '"occurrence": 0, "marks": {"nontranslated": 1}}',
    ],
)
def test_a_broken_event_is_told_with_its_line(tmp_path: Path, line: str) -> None:
    log = tmp_path / "log.jsonl"
    append_events(log, [RATED])
    with log.open("a") as file:
        file.write(line + "\n")
    with pytest.raises(FormatError, match=r"log\.jsonl:2"):
        read_events(log)
