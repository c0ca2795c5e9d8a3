"""Annotating on a phone: what fingers do, what they can hit, and what need not be there."""

from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from annotate.browsing import PHONE, Computer, all_saved, at_task, drawn, entered
from annotate.served_campaigns import served
from chromium import serious
from isogloss.annotate.campaign import Phase

FINGER = 44
"""Pixels: what people hit with a finger, and do not hit beside it."""


def middle(place: Locator) -> tuple[float, float]:
    box = place.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def height(place: Locator) -> float:
    box = place.bounding_box()
    assert box is not None
    return box["height"]


def test_a_tap_scores_a_draw_scores_and_scrolling_does_not(
    computer: Computer, tmp_path: Path
) -> None:
    with served(tmp_path, ["da"]) as campaign:
        page = at_task(computer(**PHONE), campaign, "da")
        tracks = page.locator(".scale .track")
        x, y = middle(tracks.first)
        drawn(page, (x, y), (x + 3, y - 250))
        page.get_by_role("slider").first.locator(".name").tap()
        expect(page.get_by_role("slider").first.locator(".number")).to_have_text("–")
        assert campaign.events() == [], "whoever scrolls past, or points at a name, scores nothing"
        tracks.first.tap()
        all_saved(page)
        assert campaign.values("da") == {"seg:0/A": {"score": 50}}
        x, y = middle(tracks.first)
        box = tracks.first.bounding_box()
        assert box is not None
        drawn(page, (x, y), (box["x"] + box["width"] + 30, y + 4))
        all_saved(page)
        assert campaign.values("da") == {"seg:0/A": {"score": 100}}


@pytest.mark.parametrize("kind", ["da", "spans", "contrastive", "phase1", "phase2", "document"])
def test_fingers_hit_what_they_aim_at(computer: Computer, tmp_path: Path, kind: Phase) -> None:
    with served(tmp_path, [kind]) as campaign:
        page = at_task(computer(**PHONE), campaign, kind)
        expect(page.locator("kbd").first).to_be_hidden()
        aims = page.locator(".row.here :is(.track, .check, button), .turning button")
        assert aims.count() > 0
        small = [each.inner_text() for each in aims.all() if height(each) < FINGER]
        assert small == []
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert serious(page) == []


def test_a_note_needs_no_key(computer: Computer, tmp_path: Path) -> None:
    with served(tmp_path, ["phase1"]) as campaign:
        page = at_task(computer(**PHONE), campaign, "phase1")
        page.get_by_role("button", name="Note").tap()
        page.keyboard.type("written with a thumb")
        page.keyboard.press("Enter")
        all_saved(page)
        assert campaign.values("phase1")["line:0/A"]["note"] == "written with a thumb"
        expect(page.get_by_role("button", name="Note")).to_have_count(0)


def said_below(page: Page) -> list[str]:
    return page.locator(".row.here .meaning > span").all_inner_texts()


def test_what_a_score_means_stands_below_it(computer: Computer, tmp_path: Path) -> None:
    scale = ("0: nothing", "50: half of it", "100: all")
    with served(tmp_path, ["da", "phase1"], scale=scale) as campaign:
        page = at_task(computer(), campaign, "da")
        assert said_below(page) == ["nothing", "half of it", "all"]
        track = page.locator(".row.here .track").bounding_box()
        half = page.locator(".row.here .meaning > span").nth(1)
        assert track is not None
        assert middle(half)[0] == pytest.approx(track["x"] + track["width"] / 2, abs=2)
        page = at_task(computer(), campaign, "phase1")
        assert said_below(page) == ["nothing", "half", "all", "not at all", "like a native"]


def test_how_to_mark_is_said_until_somebody_has(computer: Computer, tmp_path: Path) -> None:
    with served(tmp_path, ["spans"]) as campaign:
        page = at_task(computer(), campaign, "spans")
        expect(page.get_by_text("Select words to mark an error")).to_have_count(1)
        page.keyboard.press("o")
        page.keyboard.press("w")
        expect(page.locator("mark.error")).to_have_count(1)
        expect(page.get_by_text("Select words to mark an error")).to_have_count(0)


def test_work_behind_a_tutorial_leads_back(computer: Computer, tmp_path: Path) -> None:
    with served(tmp_path, ["da"], tutorial="sample") as campaign:
        page = entered(computer(), campaign)
        with page.expect_response(lambda response: response.status == 403):
            page.goto(f"{campaign.address}/#/task/{campaign.task('da').id}")
        expect(page.get_by_role("heading")).to_have_text(
            "This work begins when its tutorial is passed."
        )
        page.get_by_role("link", name="All tasks").click()
        expect(page.get_by_role("link", name="Begin with the tutorial")).to_be_visible()
