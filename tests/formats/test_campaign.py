"""Exports of campaigns that somebody edited: what is wrong is said, and where."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from isogloss.documents import Collection, Document, SystemOutput, TestSet
from isogloss.errors import FormatError
from isogloss.formats import read_judgements, recognise
from isogloss.judgements import ErrorMark, Judgement
from isogloss.spans import Span, output_side

COLLECTION = Collection(
    TestSet("t", "en", "de", (Document("d", ("One.", "Two.")),)),
    (SystemOutput("s", {"d": ("Eins.", "Zwei.")}),),
)
MARK = {"start": 0, "end": 4, "severity": "major", "category": None, "missing": False}
ANSWER = {
    "annotator": "ann",
    "kind": "spans",
    "document": "d",
    "number": 0,
    "system": "s",
    "markable": None,
    "segment": 0,
    "place": None,
    "at": 1,
    "check": None,
    "value": {"errors": [MARK], "score": 50},
    "decision": None,
    "source": "One.",
    "target": "Eins.",
}
LINE = {
    "adequacy": 0.5,
    "fluency": 0.5,
    "conflicting": True,
    "reported": [{"side": "source", "start": 0, "end": 3, "text": "One"}],
    "note": "two",
}
RATED = {**ANSWER, "kind": "phase1", "value": LINE}
MARKED = {
    **ANSWER,
    "kind": "phase2",
    "markable": "one",
    "place": [0, 3],
    "value": {"no_error": False, "phenomena": {"sense": 0.5}, "target": None, "same_as": None},
}
ESA = {
    "annotator": "ann",
    "system": "s",
    "doc": "d",
    "segment": 0,
    "score": 50,
    "errors": [MARK],
    "source": "One.",
    "target": "Eins.",
}
DECIDED = {**{key: ANSWER[key] for key in ANSWER if key not in ("annotator", "check")}}
DECIDED = {**DECIDED, "opinions": {}}
STUDY = (
    {"study": "x"},
    {"text": "d", "source_language": "en", "target_language": "de", "domain": None}
    | {"source": ["One.", "Two."], "outputs": {"s": ["Eins.", "Zwei."]}, "references": {}},
    {"term": "one", "document": "d", "occurrences": [[0, 0, 3]]},
    {"time": 1, "annotator": "ann", "document": "d", "system": "s", "line": 0}
    | {"rating": {"fluency": 0.5, "adequacy": 0.5, "conflicting": False, "reported": ""}},
    {"time": 1, "annotator": "ann", "document": "d", "system": "s", "markable": "one"}
    | {"occurrence": 0, "marks": {"sense": 0.5}},
)
HEADER = "annotator\tsystem\tdoc\tsegment\tkind\tscore"


def put(folder: Path, *records: Mapping[str, Any]) -> Path:
    path = folder / "answers.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    return path


def test_an_answer_is_read(tmp_path: Path) -> None:
    span = Span("d", output_side("s"), 0, 0, 4)
    expected = Judgement("s", "d", 0, "ann", 50, (ErrorMark("", "major", span),))
    for record in (ANSWER, ESA):
        assert recognise(put(tmp_path, record)).name == "campaign"
        assert read_judgements(put(tmp_path, record), COLLECTION).items == (expected,)


@pytest.mark.parametrize(
    ("record", "complaint"),
    [
        ({**ANSWER, "kind": "sports"}, "not judged in a phase 'sports'"),
        ({**ANSWER, "system": ""}, "'system' is empty"),
        ({**ANSWER, "annotator": ""}, "'annotator' is empty"),
        ({**ANSWER, "segment": "0"}, "'segment' is missing or of the wrong kind"),
        ({**ANSWER, "source": None}, "'source' is missing"),
        ({**ANSWER, "source": "Three."}, "no segment of document 'd'"),
        ({**ANSWER, "value": {"score": 101}}, "'?101'? is no score of 0 to 100"),
        ({**ANSWER, "value": []}, "an object is needed here"),
        ({**ANSWER, "value": {"score": 1, "errors": [{**MARK, "severity": "awful"}]}}, "'awful'"),
        ({**ANSWER, "value": {"score": 1, "errors": [{**MARK, "start": None}]}}, "'start' is mis"),
        ({**RATED, "value": {"adequacy": 2, "fluency": 1}}, "adequacy 2 is no number of 0 to 1"),
        ({**RATED, "value": {"adequacy": "x", "fluency": 1}}, "adequacy 'x' is no number"),
        ({**RATED, "value": {**LINE, "reported": [{"side": "moon"}]}}, "'moon' is no side"),
        ({**MARKED, "place": [1]}, "a place is two numbers"),
        ({**MARKED, "place": {"start": 1}}, "a place is two numbers"),
        ({**MARKED, "value": {"phenomena": {"sense": "bad"}}}, "sense 'bad' is no number of 0"),
    ],
)
def test_what_is_wrong_with_an_answer_is_said(
    tmp_path: Path, record: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(FormatError, match=rf"answers\.jsonl:1: .*{complaint}"):
        read_judgements(put(tmp_path, record), COLLECTION)


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        ("ann\ts\td\t0\tda", "5 columns, the header has 6"),
        ("ann\ts\td\t-1\tda\t5", "'-1' is no number of a segment"),
        ("ann\ts\td\t²\tda\t5", "is no number of a segment"),
        ("ann\ts\td\t2\tda\t5", "document 'd' has 2 segments, counted from 0"),
        ("\ts\td\t0\tda\t5", "'annotator' is empty"),
        ("ann\t\td\t0\tda\t5", "'system' is empty"),
        ("ann\ts\td\t0\tda\tmuch", "'much' is no score"),
        ("ann\ts\td\t0\tda\tnan", "'nan' is no score"),
        ("ann\ts\td\t0\tmood\t5", "not judged in a phase 'mood'"),
        ("ann\ts\te\t0\tda\t5", "document 'e' is not in test set"),
        ("ann\ts\td\t0\tadequacy\t5", "adequacy '5' is no number of 0 to 1"),
        ("ann\ts\td\t1\tda\t5\nann\ts\td\t1\tda\t6", "'ann' has a score of this kind"),
    ],
)
def test_what_is_wrong_with_a_row_is_said(tmp_path: Path, row: str, complaint: str) -> None:
    path = tmp_path / "scores.tsv"
    path.write_text(f"{HEADER}\n{row}\n", "utf-8")
    with pytest.raises(FormatError, match=rf"scores\.tsv:[23]: .*{complaint}"):
        read_judgements(path, COLLECTION)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({2: {**STUDY[2], "occurrences": []}}, "there is no place 0 of 'one'"),
        ({2: {**STUDY[2], "occurrences": [[0, 1]]}}, "there is no place 0 of 'one'"),
        ({1: {**STUDY[1], "text": "e"}}, "there is no text of document 'd'"),
        ({3: {**STUDY[3], "line": 7}}, "segment 7 is not in the text"),
        ({3: {**STUDY[3], "line": -1}}, "segment -1 is not in the text"),
        ({4: {**STUDY[4], "marks": 1}}, "'marks' is missing or of the wrong kind"),
    ],
)
def test_what_is_wrong_with_a_study_is_said(
    tmp_path: Path, change: dict[int, dict[str, Any]], complaint: str
) -> None:
    records = [change.get(number, record) for number, record in enumerate(STUDY)]
    with pytest.raises(FormatError, match=complaint):
        read_judgements(put(tmp_path, *records), COLLECTION, "markable-errors")


def test_a_study_of_other_languages_judges_nothing_here(tmp_path: Path) -> None:
    records = [STUDY[0], {**STUDY[1], "target_language": "fr"}, *STUDY[2:]]
    assert read_judgements(put(tmp_path, *records), COLLECTION, "adequacy").items == ()


SCALARS = st.none() | st.booleans() | st.integers(-5, 2**70) | st.floats() | st.text(max_size=5)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=4,
)
FILES: list[tuple[Mapping[str, Any], ...]] = [(ANSWER,), (RATED,), (MARKED,), (ESA,), (DECIDED,)]
FILES += [STUDY]


@st.composite
def edited(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Records of an export in which something, anywhere, was replaced."""
    records: list[Any] = json.loads(json.dumps(draw(st.sampled_from(FILES))))
    at: Any = records
    while True:
        keys = list(at) if isinstance(at, dict) else list(range(len(at)))
        key = draw(st.sampled_from(keys))
        deeper = isinstance(at[key], dict | list) and at[key] and draw(st.booleans())
        if not deeper:
            break
        at = at[key]
    at[key] = draw(VALUES)
    return records


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=400)
@given(edited(), st.sampled_from([None, "esa", "fluency", "fluency-adequacy", "markable-errors"]))
def test_an_edited_file_is_read_or_refused(
    tmp_path: Path, records: list[dict[str, Any]], kind: str | None
) -> None:
    try:
        found = read_judgements(put(tmp_path, *records), COLLECTION, kind, "campaign")
    except FormatError as error:
        assert "answers.jsonl" in str(error)  # noqa: PT017  (either way is fine)
    else:
        assert all(item.document == "d" for item in found.items)
