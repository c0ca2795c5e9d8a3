"""A whole campaign at real browsers: two annotators, both phases, curation, decisions, export."""

import json
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect

from annotate.browsing import Computer, all_saved, at_task, entered, press
from annotate.served_campaigns import Served, served
from chromium import serious
from isogloss.annotate.storage.verification import faults

PEOPLE = ("ann", "bob")


def rate_lines(page: Page, digits: str) -> None:
    """All three lines of both translations; the first word of the source is reported."""
    press(page, "s", "m", *digits * 6)
    all_saved(page)


def downloaded(page: Page, name: str) -> list[dict[str, Any]]:
    with page.expect_download() as download:
        page.get_by_role("link", name=name).click()
    text = Path(download.value.path()).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def curate(page: Page) -> None:
    """Take what was reported, less one place and plus another, and one more markable."""
    page.get_by_role("link", name="Markables").click()
    candidates = page.get_by_role("region", name="Candidates")
    expect(candidates).to_contain_text("reported by 2 annotators")
    expect(page.locator(".source mark.markable")).to_have_text(["Nájemce", "Nájemce", "nájemce"])
    candidates.get_by_role("button", name="Remove the place in line 2").click()
    expect(page.locator(".source mark.markable")).to_have_count(2)
    candidates.get_by_label("Name").fill("tenant")
    press(page, "Enter", "Tab")
    expect(candidates.locator(".head bdi")).to_have_text("tenant")
    page.locator(".source [data-place]").nth(1).locator(".text").dblclick(
        position={"x": 15, "y": 10}
    )
    page.get_by_role("toolbar").get_by_role("button", name="Add to tenant").click()
    expect(page.locator(".source mark.markable")).to_have_count(3)
    press(page, "a")
    expect(candidates.locator("li.accepted")).to_have_count(1)
    press(page, "s", "End", "n")  # another markable, from the same line
    expect(candidates.locator("li.accepted")).to_have_count(2)
    press(page, "x")
    expect(candidates.locator("li.rejected")).to_have_count(1)
    assert serious(page) == []
    page.get_by_role("button", name="Give out 1 accepted").click()
    # Words are linked by the model, which has to be loaded first.
    expect(page.get_by_role("status")).to_have_text("2 tasks were given out.", timeout=60_000)


def judge(page: Page, *first: str) -> None:
    """The first occurrence in translation A gets these keys; everything else has no error."""
    press(page, *first, *(["ArrowDown"] if first[0] != "n" else []), *"nnnnn")
    all_saved(page)


def test_a_whole_campaign(computer: Computer, tmp_path: Path) -> None:
    with served(tmp_path, ["phase1", "phase2"], annotators=PEOPLE) as campaign:
        rate_lines(at_task(computer(), campaign, "phase1", "ann"), "85")
        rate_lines(at_task(computer(), campaign, "phase1", "bob"), "75")
        office = entered(computer(), campaign, "organiser")
        expect(office.get_by_role("row", name="bob")).to_contain_text("6/6")
        curate(office)
        judge(at_task(computer(), campaign, "phase2", "ann"), "3", "r")
        judge(at_task(computer(), campaign, "phase2", "bob"), "n")
        decide(office, campaign)
        office.get_by_role("link", name="Overview").click()
        expect(office.get_by_role("row", name="Markables: terminology")).to_be_visible()
        expect(office.get_by_role("region", name="Phenomena by system")).to_contain_text("0.75")
        assert serious(office) == []
        exported = downloaded(office, "answers.jsonl")
        assert len(exported) == 2 * (6 + 6)
        marked = [each for each in exported if each["value"].get("phenomena")]
        slots = {campaign.slot(system): system for system in ("one", "two")}
        assert [(each["annotator"], each["system"], each["markable"]) for each in marked] == [
            ("ann", slots["A"], "tenant")
        ]
        assert marked[0]["decision"]["phenomena"] == {"terminology": 0.75}
        # a name, a text and a markable come before what was said
        assert len(downloaded(office, "study.jsonl")) == 3 + len(exported)
        assert faults(campaign.store) == []


def decide(page: Page, campaign: Served) -> None:
    """Ann is right about everything on which the two disagree."""
    page.get_by_role("link", name="Disagreements").click()
    disputes = page.locator("article.dispute")
    expect(disputes).to_have_count(7)  # adequacy of six lines, and the marks of one occurrence
    for number in range(7):
        expect(page.get_by_role("status")).to_have_text(f"{number} of 7 decided")
        press(page, "1")
    expect(page.get_by_role("status")).to_have_text("7 of 7 decided")
    expect(disputes.locator("button[aria-pressed=true] bdi")).to_have_text(["ann"] * 7)
    page.reload()
    page.wait_for_selector("article.dispute")
    expect(page.get_by_role("status")).to_have_text("7 of 7 decided")
    assert serious(page) == []
    assert len({event.item for event in campaign.events() if event.actor == "organiser"}) == 7 + 2
