"""Decisions of the organiser's own: an answer of the kind in dispute, typed at a real browser."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotate.browsing import Computer, entered, press
from annotate.campaigning import answer_all
from annotate.served_campaigns import Served, served
from chromium import serious
from isogloss.annotate import exported
from isogloss.annotate.answers import checked_value
from isogloss.annotate.campaign import Phase
from isogloss.annotate.items import ItemName
from isogloss.annotate.storage.schema import Submission, Task
from isogloss.annotate.storage.verification import faults

PEOPLE = ("ann", "bob")
PHASES: tuple[Phase, ...] = ("phase1", "phase2", "da", "spans", "consistency")
MINOR = {"start": 4, "end": 10, "severity": "minor"}
MAJOR = {"start": 0, "end": 3, "severity": "major"}
SAID: dict[Phase, tuple[dict[str, Any], dict[str, Any]]] = {
    "phase1": ({"adequacy": 0.2, "fluency": 0.5}, {"adequacy": 0.9, "fluency": 0.5}),
    "phase2": ({"phenomena": {"sense": 0.5}}, {"no_error": True}),
    "da": ({"score": 20}, {"score": 80}),
    "spans": ({"errors": [MINOR], "score": 70}, {"errors": [MAJOR], "score": 30}),
    "consistency": ({"same": True}, {"same": False}),
}
ITEMS = {"phase1": "line:0/", "phase2": "occ:0/", "da": "seg:0/", "spans": "seg:0/"}


@pytest.fixture
def campaign(tmp_path: Path) -> Iterator[Served]:
    """A campaign in which ann and bob disagree once about everything."""
    with served(tmp_path, PHASES, annotators=PEOPLE) as campaign:
        slots = {who: campaign.slot("one", who) for who in PEOPLE}
        _give_markables(campaign, slots)
        for kind, values in SAID.items():
            for who, value in zip(PEOPLE, values, strict=True):
                item = "chain:0" if kind == "consistency" else f"{ITEMS[kind]}{slots[who]}"
                task = campaign.task(kind, who).id
                said = checked_value(kind, value)
                sent = Submission(f"{kind}-{who}-said", task, item, 0, said, 1)
                campaign.store.save(campaign.actor(who).id, [sent])
        yield campaign


def _give_markables(campaign: Served, slots: dict[str, str]) -> None:
    markable = {"head": "nájemce", "occurrences": [{"segment": 0, "start": 0, "end": 7}]}
    for who, slot in slots.items():
        content = {"items": [f"occ:0/{slot}"], "markable": markable}
        task = Task(f"markable-{who}", campaign.actor(who).id, "phase2", "lease", 50, content)
        campaign.store.add_tasks([task])


def dispute(page: Page, words: str) -> None:
    """Go to the disagreement in which these words were said."""
    page.locator("article.dispute", has_text=words).locator("h2").click()
    press(page, "e")
    expect(page.get_by_role("form", name="Your own decision")).to_be_visible()


def decided(page: Page, number: int) -> None:
    expect(page.get_by_role("status")).to_have_text(f"{number} of 5 decided")


def decisions(campaign: Served) -> dict[str, Any]:
    lines = map(json.loads, exported(campaign.store, "decisions.jsonl"))
    return {record["kind"]: record for record in lines}


def test_every_kind_of_answer_can_be_decided_otherwise(
    campaign: Served, computer: Computer
) -> None:
    page = entered(computer(), campaign, "organiser")
    page.get_by_role("link", name="Disagreements", exact=True).click()
    expect(page.locator("article.dispute")).to_have_count(5)
    dispute(page, "adequacy 0.2")
    form = page.get_by_role("form", name="Your own decision")
    button = form.get_by_role("button", name="Decide like this")
    expect(form.get_by_label("Adequacy")).to_be_focused()
    expect(form.get_by_label("Fluency")).to_have_value("0.5")  # on that they agree
    page.keyboard.type("7")
    expect(form.get_by_label("Adequacy")).to_have_attribute("aria-invalid", "true")
    expect(button).to_be_disabled()
    press(page, "Backspace", *"0.65", "Tab", *"0.4", "Enter")
    decided(page, 1)
    expect(page.locator("article.dispute", has_text="adequacy 0.65")).to_have_count(1)
    dispute(page, "Sense 0.5")
    assert serious(page) == []
    form.get_by_label("Conflict", exact=True).check()
    expect(button).to_be_disabled()  # how severe?
    form.get_by_role("button", name="Conflict: severity 0.75").click()
    button.click()
    decided(page, 2)
    dispute(page, "score 20")
    page.keyboard.type("55")
    press(page, "Enter")
    decided(page, 3)
    dispute(page, "score 70")
    form.get_by_label("tenant minor").check()
    form.get_by_label("Score").fill("64")
    press(page, "Enter")
    decided(page, 4)
    dispute(page, "must be the same")
    form.get_by_label("may differ here").nth(1).check()
    assert serious(page) == []
    button.click()
    decided(page, 5)
    check_exports(campaign)
    check_reloaded(page)


def check_exports(campaign: Served) -> None:
    found = decisions(campaign)
    values = {kind: record["value"] for kind, record in found.items()}
    assert (values["phase1"]["adequacy"], values["phase1"]["fluency"]) == (0.65, 0.4)
    assert values["phase2"]["phenomena"] == {"conflict": 0.75}
    assert values["da"] == {"score": 55}
    assert values["spans"]["score"] == 64
    assert [error["severity"] for error in values["spans"]["errors"]] == ["minor"]
    assert values["consistency"] == {"same": False, "unsure": False, "flexible": [1]}
    assert found["da"]["opinions"] == {"ann": {"score": 20}, "bob": {"score": 80}}
    assert found["phase2"]["markable"] == "nájemce"
    assert {record["system"] for record in found.values()} == {"one", None}
    (answer,) = exported(campaign.store, "consistency.jsonl")
    assert json.loads(answer)["flexible"] == [1]
    assert faults(campaign.store) == []


def check_reloaded(page: Page) -> None:
    """Decisions are there again, are not those of anybody else, and can be changed."""
    page.reload()
    page.wait_for_selector("article.dispute")
    decided(page, 5)
    dispute(page, "score 55")
    expect(page.get_by_label("Score")).to_have_value("55")
    press(page, "Escape")
    expect(page.get_by_role("form", name="Your own decision")).to_have_count(0)
    press(page, "2")
    here = page.locator("article.dispute", has_text="score 80")
    expect(here.get_by_role("button", name="bob")).to_have_attribute("aria-pressed", "true")


@pytest.mark.parametrize(
    ("task", "item", "value"),
    [
        ("adjudication:lease", "da:0/one", {"score": 101}),
        ("adjudication:lease", "da:0/one", {"score": None}),
        ("adjudication:lease", "da:0/one", {"adequacy": 0.5}),
        ("adjudication:lease", "astrology:0/one", {"score": 5}),
        ("adjudication:lease", "da", {"score": 5}),
        ("adjudication:nowhere", "da:0/one", {"score": 5}),
        ("adjudication:lease", "consistency:0/", {"same": False, "flexible": [3]}),
        ("adjudication:lease", "consistency:7/", {"same": True}),
    ],
)
def test_decisions_of_another_kind_are_refused(
    campaign: Served, computer: Computer, task: str, item: str, value: dict[str, Any]
) -> None:
    page = entered(computer(), campaign, "organiser")
    answer = {"key": "decision-x", "task": task, "item": item, "revision": 0, "at": 1}
    sent = page.request.post(
        f"{campaign.address}/api/adjudications",
        data={"answers": [{**answer, "value": value}]},
        headers={"Origin": campaign.address},
    )
    assert sent.status == 422
    assert decisions(campaign) == {}


def test_what_is_against_what_is_read_at_once(computer: Computer, tmp_path: Path) -> None:
    def say(task: Task, who: str, slots: Mapping[str, str], item: ItemName) -> dict[str, Any]:
        if task.kind == "preference":
            ahead = {"ann": "one", "bob": "two"}[who]
            better = next(slot for slot, system in slots.items() if system == ahead)
            return {"better": better, "reasons": ["meaning"], "note": ""}
        error = {"start": 4, "end": 10, "severity": "major", "category": None, "missing": False}
        return {"score": 50.0, "errors": [error] if who == "bob" else []}

    kinds: list[Phase] = ["preference", "spans"]
    with served(tmp_path, kinds, annotators=("ann", "bob")) as campaign:
        answer_all(campaign.store, say)
        page = entered(computer(), campaign, "organiser")
        page.goto(f"{campaign.address}/#/disagreements")
        pair = page.locator(".dispute", has_text=" against ").first
        names = pair.get_by_role("heading", level=3)
        expect(names).to_have_text(["one", "two"])
        boxes = [text.bounding_box() for text in pair.locator(".now").all()]
        assert len(boxes) == 2
        assert all(boxes)
        tops, lefts = zip(*((box["y"], box["x"]) for box in boxes if box), strict=True)
        assert tops[0] == tops[1]
        assert lefts[0] < lefts[1]
        expect(page.get_by_text("“tenant”: major").first).to_be_visible()
        expect(page.get_by_role("button", name="Take the answer of bob").first).to_be_visible()
        page.set_viewport_size({"width": 390, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        below = [text.bounding_box() for text in pair.locator(".now").all()]
        assert below[0] is not None
        assert below[1] is not None
        assert below[0]["x"] == below[1]["x"]
