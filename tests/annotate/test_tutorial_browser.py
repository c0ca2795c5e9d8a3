"""Tutorials at a real browser: the keyboard alone, every phase, a phone, and the organiser."""

from pathlib import Path

from playwright.sync_api import Page, expect

from annotate.browsing import Computer, all_saved, entered, press
from annotate.served_campaigns import served
from chromium import serious
from isogloss.annotate.campaign import PHASES
from isogloss.annotate.storage.verification import faults

ITEMS = 6


def score_all(page: Page, sound: str, spoilt: str) -> None:
    """The tutorial of `da`: three segments of a sound and a spoilt translation."""
    for _ in range(3):
        press(page, *sound, "ArrowDown", *spoilt, "Enter")
        expect(page.locator(".lesson")).to_have_count(2)
        press(page, "Enter")


def test_a_tutorial_with_the_keyboard_alone(computer: Computer, tmp_path: Path) -> None:
    with served(tmp_path, ["da"], tutorial="sample", tries=2) as campaign:
        page = entered(computer(), campaign)
        assert serious(page) == []
        expect(page.get_by_role("listitem").filter(has_text="lease")).to_contain_text("Later")
        while page.evaluate("document.activeElement.textContent") != "Begin with the tutorial":
            press(page, "Tab")
        press(page, "Enter")
        page.wait_for_selector(".workbench")
        page.context.set_offline(True)
        press(page, *"70", "ArrowDown", *"70", "Enter")
        told = page.get_by_role("status", name="What the tutorial says")
        expect(told).to_contain_text("could not be checked: the campaign is out of reach")
        page.context.set_offline(False)
        press(page, "Enter")
        expect(told).to_contain_text("A score from 80 to 100 was expected, not 70.")
        expect(told).to_contain_text("wrong numbers and wrong parties")
        press(page, *"95")  # too late: what was checked stays
        expect(page.get_by_role("slider").first).to_have_attribute("aria-valuetext", "70")
        page.reload()
        expect(page.get_by_role("status").first).to_have_text(f"Tutorial · 0 of {ITEMS} right")
        for _ in range(2):
            press(page, "Enter")
            expect(page.locator(".lesson")).to_have_count(0)
            press(page, *"70", "ArrowDown", *"70", "Enter")
            expect(page.locator(".lesson")).to_have_count(2)
        expect(told).to_contain_text("0 of 6 were right; 5 are needed. There is one try left.")
        assert serious(page) == []
        press(page, "r")
        expect(page.get_by_role("status").first).to_have_text(f"Tutorial · 0 of {ITEMS} right")
        expect(told).to_have_text("")
        score_all(page, "95", "20")
        expect(told).to_contain_text("You have passed.")
        press(page, "h")
        page.get_by_role("link", name="Begin", exact=True).click()
        page.wait_for_selector(".workbench")
        press(page, "5")
        all_saved(page)
        assert len(campaign.values("da")) == 1
        assert faults(campaign.store) == []


def test_whoever_fails_is_held_until_the_organiser_lets_them_in(
    computer: Computer, tmp_path: Path
) -> None:
    with served(tmp_path, ["da"], tutorial="sample", tries=1) as campaign:
        page = entered(computer(), campaign)
        page.get_by_role("link", name="Begin with the tutorial").click()
        page.wait_for_selector(".workbench")
        score_all(page, "70", "70")
        expect(page.get_by_text("There is no try left").first).to_be_visible()
        press(page, "h")
        expect(page.get_by_text("ask the organiser, who can let you work")).to_be_visible()
        office = entered(computer(), campaign, "organiser")
        row = office.get_by_role("region", name="Tutorials").get_by_role("row").nth(1)
        expect(row).to_contain_text("not passed, 0/6, 1 attempt")
        row.get_by_role("button", name="Let ann in: Scores").click()
        expect(row).to_contain_text("let in, 0/6, 1 attempt")
        assert serious(office) == []
        page.reload()
        expect(page.get_by_role("link", name="Begin", exact=True)).to_be_visible()


# What the first screen of a phase's tutorial is answered with, and something that is said then.
FIRST = {
    "phase1": ("9900", "two parties are confused"),
    "phase2": ("n1t", "cannot be told apart"),
    "da": (["9", "5", "ArrowDown", "2"], "wrong parties"),
    "spans": (["9", "5", "ArrowDown", "2"], "“CZK 15,800” should be marked"),
    "contrastive": (["9", "ArrowDown", "2", "ArrowDown", "8"], "on the one scale"),
    "document": (["9", "ArrowDown", "2"], "of no use"),
    "preference": (["ArrowLeft", "1"], "one person of tenant and landlord"),
    "consistency": ("y", "party of the contract"),
}


def test_every_phase_has_one_and_a_phone_shows_it(computer: Computer, tmp_path: Path) -> None:
    with served(tmp_path, PHASES, tutorial="sample") as campaign:
        page = entered(computer(), campaign)
        page.set_viewport_size({"width": 390, "height": 844})
        for phase, (keys, words) in FIRST.items():
            page.goto(f"{campaign.address}/#/tutorial/{phase}")
            page.wait_for_selector(".workbench")
            press(page, *keys, "Enter")
            told = page.get_by_role("status", name="What the tutorial says")
            expect(told, phase).to_contain_text(words, ignore_case=True)
            assert page.evaluate("document.documentElement.scrollWidth") <= 390, phase
            assert serious(page) == [], phase
            expect(told).to_be_in_viewport()
        assert campaign.store.answers(campaign.task("da").id) == {}
