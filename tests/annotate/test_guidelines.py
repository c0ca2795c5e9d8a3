"""Guidelines: there for every phase, and one key away wherever somebody is."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from annotate.browsing import Computer, at_task, entered, press
from annotate.served_campaigns import served
from chromium import serious
from isogloss.annotate import GUIDELINES
from isogloss.annotate.campaign import PHASES

HOME = Path(__file__).parents[2] / "web" / "src" / "annotate" / "frame" / "home.tsx"


def test_every_phase_has_guidelines_under_the_name_that_pages_use() -> None:
    assert set(GUIDELINES) == set(PHASES)
    names = dict(re.findall(r'^  (\w+): \[\s*"([^"]+)"', HOME.read_text(encoding="utf-8"), re.M))
    for phase, text in GUIDELINES.items():
        assert text.startswith(f"# {names[phase]}\n"), phase
        assert "## " in text


@pytest.mark.parametrize("width", [1024, 390])
def test_one_key_opens_them_at_the_present_phase(
    computer: Computer, tmp_path: Path, width: int
) -> None:
    phases = ("phase1", "da", "spans", "document")
    text = "\n\n".join(GUIDELINES[phase] for phase in phases)
    with served(tmp_path, phases, guidelines=text, tutorial="sample") as campaign:
        page = entered(computer(), campaign)
        page.set_viewport_size({"width": width, "height": 844})
        press(page, "g")
        expect(page.get_by_role("complementary", name="Guidelines")).to_be_focused()
        assert serious(page) == []
        for phase, name in (("spans", "Errors"), ("da", "Scores")):
            page.goto(f"{campaign.address}/#/tutorial/{phase}")
            page.wait_for_selector(".workbench")
            if not page.get_by_role("complementary", name="Guidelines").is_visible():
                press(page, "g")
            heading = page.get_by_role("complementary").get_by_role(
                "heading", name=name, exact=True
            )
            expect(heading).to_be_in_viewport(ratio=0.9)
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            press(page, "Escape")
            expect(heading).to_have_count(0)


def test_they_open_at_real_work_too(computer: Computer, tmp_path: Path) -> None:
    text = GUIDELINES["da"] + GUIDELINES["spans"]
    with served(tmp_path, ["da", "spans"], guidelines=text) as campaign:
        page = at_task(computer(), campaign, "spans")
        press(page, "g")
        heading = page.get_by_role("complementary").get_by_role(
            "heading", name="Errors", exact=True
        )
        expect(heading).to_be_in_viewport(ratio=0.9)
