"""ESA annotations in the shapes of WMT24, WMT25 and Pearmut, with texts of our own."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from isogloss.documents import Collection, Document, SystemOutput, TestSet
from isogloss.errors import FormatError
from isogloss.formats import esa, recognise
from isogloss.judgements import ErrorMark, Judgement, Judgements
from isogloss.spans import Span

TESTSET = TestSet(
    "tiny",
    "en",
    "de",
    (
        Document("news-1", ("One house.", "Yes.", "Yes."), {"refA": ("Ein Haus.", "Ja.", "Ja.")}),
        Document("blog", ("Two\nlines 😀!",), {"refA": ("Zwei Zeilen 😀!",)}),
    ),
)
COLLECTION = Collection(
    TESTSET,
    (
        SystemOutput(
            "sys1", {"news-1": ("Ein Haus.", "Ja.", "Jo."), "blog": (" Zwei\nZeilen 😀! ",)}
        ),
        SystemOutput("sys2", {"news-1": ("Eine Haus.", None, "Ja."), "blog": ("Zwei",)}),
    ),
)


def mark(
    start: int | str, end: int | str, severity: str | None = "minor", **more: object
) -> dict[str, Any]:
    return {"start_i": start, "end_i": end, "severity": severity} | more


def span(system: str, start: int, end: int, segment: int = 0, document: str = "news-1") -> Span:
    return Span(document, f"output:{system}", segment, start, end)


def put(path: Path, *records: object) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "annotations.jsonl"


# --- one annotation a record: WMT24 --------------------------------------------------------------


def annotation(*spans: object, **more: object) -> dict[str, Any]:
    record = {
        "langs": "en-de",
        "line_id": 0,
        "src": "One house.",
        "tgt": "Ein Haus.",
        "doc_id": "news-1",
        "domain": "news",
        "esa_spans": list(spans),
        "esa_score": "87",
        "times": ["10.5", "12.5"],
        "system": "sys1",
        "annotator": "engdeu7904",
        "speech_info": None,
    }
    return record | more


def test_annotations_are_recognised(path, tmp_path):
    assert recognise(put(path, annotation())).name == "esa"
    assert not esa.recognises(tmp_path, "")
    assert not esa.recognises(path, '{"src": "a", "tgt": "b", "score": 1}')
    assert not esa.recognises(path, 'system\tesa\t"esa_spans"')


def test_a_score_and_marked_errors(path):
    put(
        path,
        annotation(mark(0, 2), mark(4, 4, "major", error_type=None)),
        annotation(system="refA", esa_score=100, annotator="other"),
    )
    reading = esa.read_annotations(path, COLLECTION)
    assert reading.judgements == Judgements(
        "esa",
        (
            Judgement(
                "sys1",
                "news-1",
                0,
                "engdeu7904",
                87.0,
                # The last character is included in ESA, and not in a span.
                (
                    ErrorMark("", "minor", span("sys1", 0, 3)),
                    ErrorMark("", "major", span("sys1", 4, 5)),
                ),
            ),
            Judgement("refA", "news-1", 0, "other", 100.0, human=True),
        ),
    )
    assert (reading.marked, reading.unplaced, reading.left_out) == (2, 0, 0)


def test_errors_are_placed_in_the_text_that_was_marked(path):
    put(path, annotation(mark(0, 2)))
    (item,) = esa.read(path, COLLECTION).items
    (error,) = item.errors
    assert error.span is not None
    assert error.span.text(COLLECTION.outputs[0].documents["news-1"]) == "Ein"


@pytest.mark.parametrize("index", ["missing", -1])
def test_what_is_missing_has_no_place(path, index):
    reading = esa.read_annotations(put(path, annotation(mark(index, index, "major"))), COLLECTION)
    assert reading.judgements.items[0].errors == (ErrorMark("omission", "major"),)
    assert reading.marked == 0


def test_units_are_those_of_utf_16_in_the_trimmed_text(path):
    # "Zwei\nZeilen 😀!" without white space around: 😀 is units 12 and 13, "!" is unit 14.
    record = annotation(
        mark(12, 13), mark(12, 12), mark(14, 14), mark(4, 4),
        doc_id="blog", line_id=3, src="Two\nlines 😀!", tgt="Zwei\nZeilen 😀!",
    )  # fmt: skip
    (item,) = esa.read(put(path, record), COLLECTION).items
    text = COLLECTION.outputs[0].documents["blog"]
    spans = [error.span for error in item.errors]
    assert [each and each.text(text) for each in spans] == ["😀", "😀", "!", "\n"]


@pytest.mark.parametrize(
    ("spans", "more"),
    [
        ([mark(0, 9)], {}),  # beyond the text
        ([mark(3, 1)], {}),
        ([mark(0, 1)], {"tgt": "Ein Hut."}),  # another text was marked
        ([mark(0, 1)], {"system": "unheard-of"}),
        ([mark(0, 1)], {"system": "sys2", "tgt": None, "src": "Yes.", "line_id": 1}),  # no output
    ],
)
def test_errors_in_another_text_are_kept_without_their_place(path, spans, more):
    reading = esa.read_annotations(put(path, annotation(*spans, **more)), COLLECTION)
    assert reading.judgements.items[0].errors == (ErrorMark("", "minor"),)
    assert (reading.marked, reading.unplaced) == (1, 1)


def test_without_outputs_errors_have_no_place(path):
    reading = esa.read_annotations(put(path, annotation(mark(0, 2))), TESTSET)
    assert reading.judgements.items[0].errors == (ErrorMark("", "minor"),)
    assert (reading.marked, reading.unplaced) == (1, 1)


def test_a_severity_that_nobody_chose_is_undecided(path):
    (item,) = esa.read(put(path, annotation(mark(0, 0, None))), COLLECTION).items
    assert item.errors[0].severity == "undecided"


def test_lines_of_the_same_text_are_told_apart_by_number(path):
    records = [annotation(src="Yes.", line_id=line, tgt=None) for line in (1, 2)]
    items = esa.read(put(path, *records), COLLECTION).items
    assert [item.segment for item in items] == [1, 2]


def test_numbers_may_count_a_canary_line(path):
    # The test set lacks it, so that line 2 of the file's is line 1 of ours.
    records = [
        annotation(line_id=1),
        annotation(doc_id="blog", src="Two lines 😀", line_id=4, tgt=None),
        annotation(src="Yes.", line_id=2, tgt=None),
        annotation(src="Yes.", line_id=3, tgt=None),
    ]
    items = esa.read(put(path, *records), COLLECTION).items
    assert [(item.document, item.segment) for item in items] == [
        ("news-1", 0),
        ("blog", 0),
        ("news-1", 1),
        ("news-1", 2),
    ]


def test_the_latest_word_of_an_annotator_counts(path):
    records = [
        annotation(esa_score="10", times=[1, 2]),
        annotation(esa_score="90", times=[5, 6]),
        annotation(esa_score="50", times=[3, 4]),
    ]
    reading = esa.read_annotations(put(path, *records), COLLECTION)
    assert [item.score for item in reading.judgements.items] == [90.0]
    assert reading.left_out == 2


def test_other_language_pairs_are_left_out(path):
    put(path, annotation(langs="en-cs", doc_id="elsewhere"), annotation())
    reading = esa.read_annotations(path, COLLECTION)
    assert (len(reading.judgements.items), reading.left_out) == (1, 1)


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (annotation(doc_id="cnn"), "document 'cnn' is not in test set 'tiny'"),
        (annotation(src="A hut."), "no segment of document 'news-1', or none that is sure"),
        (annotation(src="Yes.", line_id=None), "no segment of document 'news-1', or none that"),
        (annotation(esa_score="101"), "'101' is no score of 0 to 100"),
        (annotation(esa_score="good"), "'good' is no score of 0 to 100"),
        (annotation(esa_score=float("nan")), "NaN is no number"),
        (annotation(esa_score=True), "'esa_score' is missing or of the wrong kind: True"),
        (annotation(system=None), "'system' is missing or of the wrong kind: None"),
        (annotation(esa_spans=None), "'esa_spans' is missing or of the wrong kind"),
        (annotation(7), "an object is needed here: 7"),
        (annotation(mark("a", "b")), "'a' to 'b' is no place in a text"),
        (annotation(mark(0.5, 1)), "'start_i' is missing or of the wrong kind: 0.5"),
        (annotation(times=["noon"]), "'times' holds something else than times"),
        ([annotation()], "an object is needed here"),
    ],
)
def test_broken_records_are_refused_with_their_line(path, record, message):
    put(path, annotation(), record)
    with pytest.raises(FormatError, match=re.escape(f"annotations.jsonl:2: {message}")):
        esa.read(path, COLLECTION)


def test_a_line_that_is_no_json_is_refused(path):
    path.write_text(json.dumps(annotation()) + "\n\n{oops\n", encoding="utf-8")
    with pytest.raises(FormatError, match=r"annotations.jsonl:3: not JSON"):
        esa.read(path, COLLECTION)


def test_records_may_stand_in_an_array(path):
    path.write_text(
        json.dumps([annotation(), annotation(doc_id="cnn")], indent=1), encoding="utf-8"
    )
    with pytest.raises(FormatError, match=r"annotations.jsonl: record 2: document 'cnn'"):
        esa.read(path, COLLECTION)
    path.write_text(json.dumps([annotation(mark(0, 2))], indent=1), encoding="utf-8")
    assert recognise(path).name == "esa"
    assert esa.read(path, COLLECTION).items[0].errors[0].span == span("sys1", 0, 3)


# --- one segment a record: WMT25 -----------------------------------------------------------------


def segment(doc_id: str, src: str, scores: dict[str, Any], **texts: str) -> dict[str, Any]:
    return {"scores": scores, "src_text": src, "tgt_text": texts, "doc_id": doc_id}


def said(score: float | None, *errors: object, annotator: str | None = "a1") -> dict[str, Any]:
    return {"score": score, "annotator": annotator, "errors": list(errors), "times": [1, 2]}


def test_scores_by_system(path):
    put(
        path,
        segment("news-1_#_0", "One house.", {}),
        segment(
            "news-1_#_2",
            "Yes.",
            {"sys1": [said(70, mark(0, 1)), said(80)], "refA": [said(95, annotator=None)]},
            sys1="Jo.",
        ),
    )
    assert recognise(path).name == "esa"
    reading = esa.read_annotations(path, COLLECTION)
    assert reading.judgements.items == (
        Judgement(
            "sys1", "news-1", 2, "a1", 70.0, (ErrorMark("", "minor", span("sys1", 0, 2, 2)),)
        ),
        Judgement("sys1", "news-1", 2, "a1", 80.0),
        Judgement("refA", "news-1", 2, None, 95.0, human=True),
    )
    assert reading.left_out == 1


def test_the_whole_id_of_wmt25(path):
    put(
        path,
        segment("en-de_DE_#_news_#_news-1_#_1", "Yes.", {"sys1": [said(1)]}),
        segment("en-cs_CZ_#_news_#_news-1_#_1", "Yes.", {"sys1": [said(2)]}),
    )
    reading = esa.read_annotations(path, COLLECTION)
    assert [(i.document, i.segment, i.score) for i in reading.judgements.items] == [
        ("news-1", 1, 1.0)
    ]
    assert reading.left_out == 1


def test_a_document_may_carry_the_whole_id(path):
    name = "en-de_DE_#_news_#_x"
    testset = TestSet("t", "en", "de-DE", (Document(name, ("Hi.",)),))
    put(path, segment(f"{name}_#_0", "Hi.", {"s": [said(5)]}))
    assert esa.read(path, testset).items == (Judgement("s", name, 0, "a1", 5.0),)


def test_segments_may_be_numbered_over_the_test_set(path):
    put(path, segment("blog_#_3", "Two lines 😀!", {"sys1": [said(5)]}))
    assert esa.read(path, COLLECTION).items == (Judgement("sys1", "blog", 0, "a1", 5.0),)


def test_scores_must_be_lists(path):
    put(path, segment("news-1_#_0", "One house.", {"sys1": {"human": 5}}))
    with pytest.raises(FormatError, match=r"jsonl:1: 'sys1' is missing or of the wrong kind"):
        esa.read(path, COLLECTION)


# --- one submission a record: Pearmut ------------------------------------------------------------


def answer(score: float | None, *spans: object) -> dict[str, Any]:
    return {"score": score, "error_spans": list(spans), "textfield": None}


def submission(
    *pairs: tuple[dict[str, Any], dict[str, Any]], user: str = "bob", item_i: object = 0
) -> dict[str, Any]:
    return {
        "annotation": [answers for _, answers in pairs],
        "actions": [{"time": 1.5, "action": "load"}],
        "item": [item for item, _ in pairs],
        "user_id": user,
        "item_i": item_i,
    }


def item(item_id: str | None, src: str, **tgt: str) -> dict[str, Any]:
    return {"item_id": item_id, "src": src, "tgt": tgt}


BLOG = item("en-de_#_social_#_blog_#_0", "Two\nlines 😀!", sys1=" Zwei\nZeilen 😀! ", sys2="Zwei")
HOUSE = item("news-1_#_0", "One house.", sys1="Ein Haus.")


def test_a_submission_of_pearmut(path):
    category = mark(0, 3, "major", category="Style/Awkward style")
    put(
        path,
        submission(
            # Pearmut counts all but line breaks: " ZweiZeilen 😀! ", "Zeilen" from unit 5.
            (
                BLOG,
                {
                    "sys1": answer(60, mark(5, 10), mark(12, 13), mark(16, 16)),
                    "sys2": answer(90, category),
                },
            ),
            (HOUSE, {"sys1": answer(100)}),
        ),
    )
    assert recognise(path).name == "esa"
    reading = esa.read_annotations(path, COLLECTION)
    first, second, third = reading.judgements.items
    assert (first.system, first.document, first.annotator, first.score) == (
        "sys1",
        "blog",
        "bob",
        60.0,
    )
    text = COLLECTION.outputs[0].documents["blog"]
    spans = [error.span for error in first.errors]
    assert [each and each.text(text) for each in spans] == ["Zeilen", "😀", None]
    assert [error.category for error in first.errors] == ["", "", "omission"]
    assert second.errors == (
        ErrorMark("Style/Awkward style", "major", span("sys2", 0, 4, 0, "blog")),
    )
    assert third == Judgement("sys1", "news-1", 0, "bob", 100.0)
    assert (reading.marked, reading.unplaced, reading.left_out) == (3, 0, 0)


def test_the_last_submission_counts(path):
    put(
        path,
        submission((HOUSE, {"sys1": answer(10)})),
        submission((HOUSE, {"sys1": answer(20)})),
        submission((HOUSE, {"sys1": answer(30)}), user="eve"),
        {"user_id": "eve", "item_i": 0, "annotation": "__RESET__"},
    )
    reading = esa.read_annotations(path, COLLECTION)
    assert [(i.annotator, i.score) for i in reading.judgements.items] == [("bob", 20.0)]
    assert reading.left_out == 2


def test_tutorials_checks_and_skipped_items_are_left_out(path):
    check = HOUSE | {"validation": {"sys1": {"score": [80, 90]}}}
    elsewhere = HOUSE | {"item_id": "en-cs_CZ_#_news_#_news-1_#_0"}
    put(
        path,
        submission((HOUSE, {"sys1": answer(10)}), item_i="welcome_0"),
        submission((check, {"sys1": answer(85)}), item_i=1),
        submission((elsewhere, {"sys1": answer(85)}), item_i=2),
        submission((HOUSE, {"sys1": answer(None)}), item_i=3),
    )
    reading = esa.read_annotations(path, COLLECTION)
    assert (reading.judgements.items, reading.left_out) == ((), 4)


def test_an_item_without_id_is_found_by_its_text(path):
    put(path, submission((item(None, "One house.", sys1="Ein Haus."), {"sys1": answer(5)})))
    assert esa.read(path, COLLECTION).items == (Judgement("sys1", "news-1", 0, "bob", 5.0),)
    put(path, submission((item("x", "Yes.", sys1="Ja."), {"sys1": answer(5)})))
    with pytest.raises(FormatError, match=r"no segment, or more than one.*DOCUMENT_#_SEGMENT"):
        esa.read(path, COLLECTION)


def test_a_log_that_does_not_say_what_was_annotated_is_refused(path):
    put(path, {"user_id": "a", "item_i": 0, "annotation": [{"m": answer(5)}]})
    with pytest.raises(FormatError, match="'item' is missing"):
        esa.read(path, COLLECTION)
    put(path, submission((HOUSE, {"sys1": answer(5)})) | {"annotation": []})
    with pytest.raises(FormatError, match="1 items, but 0 annotations"):
        esa.read(path, COLLECTION)


def test_the_download_of_pearmut_is_by_campaign(path):
    log = [submission((HOUSE, {"sys1": answer(5)}))]
    path.write_text(json.dumps({"campaign": log, "empty": []}), encoding="utf-8")
    assert recognise(path).name == "esa"
    assert esa.read(path, COLLECTION).items == (Judgement("sys1", "news-1", 0, "bob", 5.0),)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[" * 100_000, "nested too deeply"),
        ('{"esa_spans": [], "esa_score": NaN}', "NaN is no number"),
        ('{"esa_spans": [], "line_id": ' + "9" * 5000 + "}", "too many digits"),
    ],
)
def test_hostile_json_is_told_with_its_line(path, text, complaint):
    path.write_text(text + "\n", encoding="utf-8")
    with pytest.raises(FormatError, match=complaint) as told:
        esa.read(path, TESTSET)
    assert told.value.line == 1


def test_items_that_pearmut_let_annotators_skip_are_left_out(path: Path) -> None:
    item = {"item_id": "news-1_#_0", "src": "One house.", "tgt": {"sys1": "Ein Haus."}}
    answer = {"sys1": {"score": 50, "error_spans": []}}
    record = {"user_id": "u", "item_i": 0, "item": [item, item], "annotation": [None, answer]}
    found = esa.read_annotations(put(path, record), COLLECTION)
    assert (len(found.judgements.items), found.left_out) == (1, 1)
