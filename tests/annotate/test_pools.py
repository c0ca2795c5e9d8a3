"""Every kind of work gone through at real browsers on a phone, from init to the page of results."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from annotate.browsing import Computer, entered
from campaign_trials.at_browsers import gone_through, made
from campaign_trials.pool import KINDS, QUALITY, Pool
from chromium import serious

PEOPLE = 2
POOL = Pool(seed=1, documents=2, segments=2)  # in which every kind has a clear order


@pytest.mark.parametrize("kind", KINDS)
def test_a_pool_of_annotators_finds_the_order(
    computer: Computer, tmp_path: Path, kind: str
) -> None:
    with made(POOL, kind, tmp_path, PEOPLE) as campaign:
        context = computer()
        assert gone_through(POOL, kind, campaign, context, PEOPLE) >= 4
        office = entered(context, campaign, "organiser")
        office.set_viewport_size({"width": 390, "height": 844})
        expect(office.locator(".conduct > li")).to_have_count(PEOPLE * len(KINDS[kind].phases))
        assert office.evaluate("document.documentElement.scrollWidth") <= 390
        judged = KINDS[kind].judgements
        if judged is None:
            return
        office.goto(f"{campaign.address}/results?kind={judged}")
        office.wait_for_selector("html[data-ready]")
        ranked = office.locator(".standings tbody th").all_inner_texts()
        assert [name.strip() for name in ranked] == list(QUALITY)
        office.get_by_role("link", name="People", exact=True).click()
        expect(office.locator(".conduct > li")).to_have_count(PEOPLE)
        assert office.evaluate("document.documentElement.scrollWidth") <= 390
        assert serious(office) == []
