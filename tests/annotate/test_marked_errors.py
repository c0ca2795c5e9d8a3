"""Errors on the words: edges, left-out and added words, every script, fingers, and proposals."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

import isogloss
from annotate.browsing import Computer, all_saved, at_task, press
from annotate.served_campaigns import LEASE, Served, served
from chromium import serious
from isogloss.annotate import exported
from isogloss.annotate.answers import checked_value
from isogloss.annotate.items import DocumentText
from isogloss.annotate.prefilling import prefilled_items, proposals_at
from isogloss.annotate.results.adjudication import standing_answers
from isogloss.documents import Collection, Document, SystemOutput, TestSet
from isogloss.errors import InputError
from isogloss.metrics.markables import Phenomenon
from isogloss.spans import Evidence, Span

SCRIPTS = DocumentText(
    "scripts",
    ["one", "two", "three"],
    {"one": ["השוכר משלם שכר דירה.", "承租人支付租金。", "ผู้เช่าจ่ายค่าเช่า"]},
    None,
    "en",
    "he",
)


def drag(page: Page, text: Locator, start: int, end: int, *, alt: bool = False) -> None:
    """Select code units of a text with the mouse."""
    places = text.evaluate(
        """(text, places) => places.map((place) => {
            const range = document.createRange();
            range.setStart(text.firstChild, place);
            range.setEnd(text.firstChild, place);
            const box = range.getBoundingClientRect();
            return [box.left, box.top + box.height / 2];
        })""",
        [start, end],
    )
    if alt:
        page.keyboard.down("Alt")
    page.mouse.move(*places[0])
    page.mouse.down()
    page.mouse.move(*places[1], steps=4)
    page.mouse.up()
    if alt:
        page.keyboard.up("Alt")
    expect(page.get_by_role("toolbar", name="Selected words")).to_be_visible()


def errors(campaign: Served, item: str = "seg:0/A") -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = campaign.values("spans")[item]["errors"]
    return found


def test_edges_fall_between_words_unless_letters_are_meant(
    computer: Computer, tmp_path: Path
) -> None:
    with served(tmp_path, ["spans"]) as campaign:
        page = at_task(computer(), campaign, "spans")
        text = page.locator("article.here .own .text")
        drag(page, text, 6, 12)  # within "tenant" or "lessee", into "pays"
        page.get_by_role("button", name="Major").click()
        all_saved(page)
        assert [(e["start"], e["end"]) for e in errors(campaign)] == [(4, 15)]
        press(page, "Backspace")
        drag(page, text, 6, 9, alt=True)
        page.get_by_role("button", name="Added").click()
        all_saved(page)
        (added,) = errors(campaign)
        assert (added["start"], added["end"], added["category"]) == (6, 9, "Accuracy/Addition")


def test_words_of_the_source_are_left_out(computer: Computer, tmp_path: Path) -> None:
    with served(tmp_path, ["spans"]) as campaign:
        page = at_task(computer(), campaign, "spans")
        press(page, "s", "ArrowRight", "m", "5", "0")
        expect(page.locator(".document mark.major")).to_have_text("platí")
        expect(page.locator("article.here .errors")).to_contain_text("left out:platí")
        all_saved(page)
        (error,) = errors(campaign)
        assert (error["side"], error["missing"], error["start"], error["end"]) == (
            "source",
            True,
            8,
            13,
        )
        press(page, "ArrowDown")
        expect(page.locator(".document mark.major")).to_have_count(0)  # it is of the other one
        assert serious(page) == []
        system = next(a.system for a in standing_answers(campaign.store))
        file = tmp_path / "answers.jsonl"
        file.write_text("".join(f"{line}\n" for line in exported(campaign.store, file.name)))
        outputs = [SystemOutput(n, {"lease": tuple(t)}) for n, t in LEASE.outputs.items()]
        testset = TestSet("t", "cs", "en", [Document("lease", tuple(LEASE.source))])
        (item,) = isogloss.read_judgements(str(file), Collection(testset, outputs)).items
        (mark,) = item.errors
        assert (item.system, mark.category) == (system, "Accuracy/Omission")
        assert mark.span == isogloss.Span("lease", "source", 0, 8, 13)


def test_other_scripts(computer: Computer, tmp_path: Path) -> None:
    with served(tmp_path, ["spans"], texts=(SCRIPTS,)) as campaign:
        page = at_task(computer(), campaign, "spans")
        text = page.locator("article.here .own .text")
        assert text.evaluate("text => getComputedStyle(text).direction") == "rtl"
        drag(page, text, 7, 9)  # within the second word: the whole of it
        press(page, "q", "j")
        expect(text).to_have_text(SCRIPTS.outputs["one"][1] or "")
        drag(page, text, 1, 2)  # a character of three that make a word
        press(page, "q", "j")
        expect(text).to_have_text(SCRIPTS.outputs["one"][2] or "")
        drag(page, text, 0, 3)
        press(page, "q")
        all_saved(page)
        found = [[(e["start"], e["end"]) for e in errors(campaign, f"seg:{n}/A")] for n in range(3)]
        assert found[0] == [(6, 10)]
        assert found[1] == [(1, 2)]
        (thai,) = found[2]
        assert thai[0] == 0
        assert 2 <= thai[1] <= 4, "no letter is parted from its vowels"


def test_fingers_mark_words(computer: Computer, tmp_path: Path) -> None:
    with served(tmp_path, ["spans"]) as campaign:
        page = at_task(computer(), campaign, "spans")
        page.set_viewport_size({"width": 390, "height": 844})
        page.evaluate(  # a long press, which the browser takes over, and handles that are drawn
            """() => {
                const text = document.querySelector("article.here .own .text");
                const told = { bubbles: true, pointerType: "touch" };
                text.dispatchEvent(new PointerEvent("pointerdown", told));
                text.dispatchEvent(new PointerEvent("pointercancel", told));
                getSelection().setBaseAndExtent(text.firstChild, 5, text.firstChild, 8);
            }"""
        )
        bar = page.get_by_role("toolbar", name="Selected words")
        expect(bar).to_be_visible()
        bar.get_by_role("button", name="Minor").dispatch_event("click")
        all_saved(page)
        assert [(e["start"], e["end"]) for e in errors(campaign)] == [(4, 10)]


def test_proposals_are_corrected_and_kept_apart(computer: Computer, tmp_path: Path) -> None:
    proposed = [
        {"start": 0, "end": 3, "severity": "minor", "category": None, "missing": False},
        {"start": 4, "end": 10, "severity": "major", "category": None, "missing": False},
    ]
    numbered = [{**each, "prefilled": n} for n, each in enumerate(proposed)]
    proposals = {("one", "lease", 0): numbered, ("two", "lease", 0): numbered}
    with served(tmp_path, ["spans"], proposals=proposals) as campaign:
        page = at_task(computer(), campaign, "spans")
        expect(page.locator("article mark.proposed")).to_have_count(4)
        assert campaign.events() == [], "nothing was said yet"
        page.get_by_role("button", name="Remove this error").first.click()
        press(page, "u")
        expect(page.locator("article mark.proposed")).to_have_count(4)
        all_saved(page)
        assert list(standing_answers(campaign.store)) == [], "all was taken back"
        page.get_by_role("button", name="Remove this error").first.click()
        page.get_by_role("button", name="critical").first.click()
        press(page, "o", "End", "ArrowLeft", "q", "6", "0", "ArrowDown", "x")
        all_saved(page)
        assert serious(page) == []
        told = [(e["severity"], e.get("prefilled")) for e in errors(campaign)]
        assert told == [("critical", 1), ("minor", None)]
        assert errors(campaign, "seg:0/B") == numbered, "a score says that they are right"
        record = json.loads(next(iter(exported(campaign.store, "esa.jsonl"))))
        assert record["proposed"] == numbered
        assert [e.get("prefilled") for e in record["errors"]] == [1, None]


def test_proposals_come_from_judgements(tmp_path: Path) -> None:
    outputs = [SystemOutput(n, {"lease": tuple(t)}) for n, t in LEASE.outputs.items()]
    testset = TestSet("t", "cs", "en", [Document("lease", tuple(LEASE.source))])
    collection = Collection(testset, outputs)
    file = tmp_path / "esa.jsonl"
    record = {
        "annotator": "mqm",
        "system": "one",
        "doc": "lease",
        "segment": 0,
        "score": None,
        "errors": [
            {"start": 4, "end": 10, "severity": "critical", "category": "Sense"},
            {"start": 8, "end": 13, "severity": "major", "missing": True, "side": "source"},
        ],
        "source": LEASE.source[0],
        "target": LEASE.outputs["one"][0],
    }
    file.write_text(json.dumps(record))
    found = proposals_at(file, collection)
    assert set(found) == {("one", "lease", 0)}
    first, second = found["one", "lease", 0]
    assert (first["start"], first["severity"], first["prefilled"]) == (4, "critical", 0)
    assert (second["side"], second["missing"], second["prefilled"]) == ("source", True, 1)
    value = {"errors": [first, second], "score": None}
    assert checked_value("spans", value) == value, "they are answers as they stand"
    record["errors"] = []
    file.write_text(json.dumps(record))
    with pytest.raises(InputError, match="nothing is prefilled"):
        proposals_at(file, collection)


def test_what_mqm_found_is_proposed(tmp_path: Path) -> None:
    """Its evidence has a word for what is wrong, and a severity."""
    document = Document("lease", tuple(LEASE.source), {"A": tuple(LEASE.outputs["two"])})
    outputs = [SystemOutput("one", {"lease": tuple(LEASE.outputs["one"])})]
    collection = Collection(TestSet("t", "cs", "en", [document]), outputs)
    table = isogloss.evaluate(collection, "chrf")
    place, left_out = Span("lease", "output:one", 0, 4, 10), Span("lease", "source", 0, 8, 13)
    in_reference = Span("lease", "reference:A", 0, 0, 3)
    evidence = (
        Evidence("wrong or added, minor", (place,), 1.2),
        Evidence("not what the source says, major", (left_out,), 4.0),
        Evidence("missing from the output, major", (in_reference,), 4.0),
    )
    (row,) = table.rows
    (scored,) = row.documents
    scored = replace(scored, measurement=replace(scored.measurement, evidence=evidence))
    told = replace(table, rows=(replace(row, documents=(scored,)),))
    isogloss.write_scores(told, tmp_path / "scores.jsonl")
    found = proposals_at(tmp_path / "scores.jsonl", collection)
    first, second = found.pop(("one", "lease", 0))
    assert not found, "words of a reference are nowhere that annotators can see"
    assert first == {
        "start": 4, "end": 10, "severity": "minor", "category": "wrong or added",
        "missing": False, "prefilled": 0,
    }  # fmt: skip
    assert (second["side"], second["severity"], second["prefilled"]) == ("source", "major", 1)


def test_what_markables_found_is_proposed(tmp_path: Path) -> None:
    """Real findings, from a file of scores to the items of tasks."""
    collection = isogloss.load_sample("cs-en")
    table = isogloss.evaluate(collection, "markables(aligner=fast-align)")
    isogloss.write_scores(table, tmp_path / "scores.jsonl")
    found = proposals_at(tmp_path / "scores.jsonl", collection)
    outputs = {output.name: output.documents for output in collection.outputs}
    findings = [
        (row.system, span, evidence)
        for row in table.rows
        for document in row.documents
        for evidence in document.measurement.evidence
        for span in evidence.spans
    ]
    severities = {
        (system, span.document, span.segment, span.start, span.end): evidence.value
        for system, span, evidence in findings
    }
    left_out = {
        (system, span.document, span.segment, span.start)
        for system, span, evidence in findings
        if len(evidence.spans) == 1 and span.side == "source"
    }
    assert found
    for (system, document, segment), errors in found.items():
        assert [each["prefilled"] for each in errors] == list(range(len(errors)))
        value = {"errors": errors, "score": None}
        assert checked_value("spans", value) == value, "they are answers as they stand"
        for each in errors:
            weight = severities[system, document, segment, each["start"], each["end"]]
            assert each["severity"] == ("major" if (weight or 0) >= 0.5 else "minor")
            if "side" in each:
                assert (system, document, segment, each["start"]) in left_out, "not only wrong"
            else:
                assert each["end"] <= len(outputs[system][document][segment] or "")
                assert each["category"] in {phenomenon.value for phenomenon in Phenomenon}


def test_some_segments_stay_without_proposals() -> None:
    error = [{"start": 0, "end": 1, "severity": "minor", "prefilled": 0}]
    proposals = {("one", "d", segment): error for segment in range(400)}
    places = [(segment, "A") for segment in range(400)]
    found = prefilled_items(proposals, "d", places, {"A": "one"}, 0.7, "seed")
    assert 230 < len(found) < 330
    again = [(segment, "B") for segment in range(400)]
    other = prefilled_items(proposals, "d", again, {"B": "one"}, 0.7, "seed")
    assert [name.replace("/B", "/A") for name in other] == list(found), "the same for everybody"


def test_marks_on_the_source_are_left_out_words() -> None:
    error = {"start": 0, "end": 1, "severity": "minor", "side": "source"}
    with pytest.raises(InputError, match="where they are missing"):
        checked_value("spans", {"errors": [error]})
    old = {"start": 0, "end": 1, "severity": "minor", "category": None, "missing": False}
    assert checked_value("spans", {"errors": [old]})["errors"] == [old], "as it always was"
