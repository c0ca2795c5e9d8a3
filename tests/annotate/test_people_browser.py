"""In the browser: people are added and withdrawn, a campaign closes, newcomers enrol."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from annotate.browsing import Computer, all_saved, entered, press
from annotate.served_campaigns import Served, served
from isogloss.annotate.enrolment import EnrolmentPlan, begin_enrolment, participants
from isogloss.annotate.people import close, members, withdraw
from isogloss.annotate.storage.verification import faults

SHOTS = os.environ.get("ISOGLOSS_SHOTS")


@pytest.fixture
def campaign(tmp_path: Path) -> Iterator[Served]:
    with served(tmp_path, ["da"], annotators=("ann", "bob"), redundancy=1) as campaign:
        yield campaign


def shot(page: Page, name: str) -> None:
    """A picture for people at each width, where somebody wants to look; nothing is cut off."""
    for width in (1440, 1024, 390):
        page.set_viewport_size({"width": width, "height": 900})
        across = page.evaluate("document.documentElement.scrollWidth")
        assert across <= width, f"{name}: {across} px wide at {width}"
        if SHOTS:
            page.screenshot(path=f"{SHOTS}/{name}-{width}.png")
    page.set_viewport_size({"width": 1280, "height": 720})


def test_people_come_and_go(campaign: Served, computer: Computer) -> None:
    organiser = entered(computer(), campaign, "organiser")
    organiser.get_by_role("link", name="People", exact=True).click()
    organiser.get_by_label("Name").fill("cyd")
    organiser.get_by_role("button", name="Add", exact=True).click()
    link = organiser.get_by_label("Secret link").input_value()
    assert re.fullmatch(rf"{campaign.address}/a/[\w-]{{43}}", link)
    who = next(each.name for each in members(campaign.store) if each.total and each.name != "cyd")
    row = organiser.get_by_role("row", name=re.compile(who))
    row.get_by_role("button", name="Withdraw").click()
    shot(organiser, "people-withdraw")
    dialog = organiser.get_by_role("dialog")
    dialog.get_by_role("combobox").select_option("cyd")
    dialog.get_by_role("button", name="Withdraw", exact=True).click()
    expect(organiser.get_by_text("1 task given out")).to_be_visible()
    expect(row.get_by_text("withdrawn")).to_be_visible()
    shot(organiser, "people")
    cyd = computer().new_page()
    cyd.goto(link)
    expect(cyd.get_by_role("link", name="Begin", exact=True)).to_be_visible()
    organiser.get_by_role("button", name="Close the campaign").click()
    expect(organiser.get_by_role("heading", name="The campaign is closed")).to_be_visible()
    cyd.reload()
    expect(cyd.get_by_role("heading", name="The campaign is closed")).to_be_visible()
    shot(cyd, "closed")
    organiser.get_by_role("button", name="Open it again").click()
    expect(organiser.get_by_role("heading", name="The campaign takes answers")).to_be_visible()
    assert faults(campaign.store) == []


def test_who_is_withdrawn_at_work_reads_so_and_what_they_said_is_kept(
    campaign: Served, computer: Computer
) -> None:
    who = next(each.name for each in members(campaign.store) if each.total)
    page = entered(computer(), campaign, who)
    page.get_by_role("link", name="Begin", exact=True).click()
    page.wait_for_selector(".workbench")
    press(page, "5", "Enter")
    all_saved(page)
    withdraw(campaign.store, who)
    press(page, "7", "Enter")
    expect(page.get_by_text("it came after your link was withdrawn").first).to_be_visible()
    expect(page.get_by_role("heading", name="Your link was withdrawn")).to_be_visible()
    shot(page, "withdrawn")
    assert [each.reason for each in campaign.store.late()] == ["withdrawn"]
    assert len(campaign.events()) == 1


def test_answers_of_a_closed_campaign_are_handed_over_at_the_next_visit(
    campaign: Served, computer: Computer
) -> None:
    who = next(each.name for each in members(campaign.store) if each.total)
    context: BrowserContext = computer()
    page = entered(context, campaign, who)
    page.get_by_role("link", name="Begin", exact=True).click()
    page.wait_for_selector(".workbench")
    context.set_offline(True)
    press(page, "6", "Enter")
    expect(page.get_by_role("status").first).to_contain_text("Offline")
    close(campaign.store)
    context.set_offline(False)
    page.reload()
    expect(page.get_by_role("heading", name="The campaign is closed")).to_be_visible()
    all_saved(page)
    (late,) = campaign.store.late()
    assert (late.reason, late.value["score"]) == ("closed", 60)


def test_a_newcomer_enrols_works_and_gets_a_code(campaign: Served, computer: Computer) -> None:
    organiser = entered(computer(), campaign, "organiser")
    organiser.goto(f"{campaign.address}/#/people")
    organiser.get_by_label("The platform’s id in the address").fill("PID")
    organiser.get_by_label("Address at the end").fill(f"{campaign.address}/done?cc={{code}}")
    organiser.get_by_role("button", name="Let people enrol").click()
    link = organiser.get_by_label("The link").input_value()
    assert link.endswith("?PID={{%PID%}}")
    shot(organiser, "enrolment")
    withdraw(campaign.store, "ann", keep=True)  # a document that lacks judgements
    withdraw(campaign.store, "bob", keep=True)
    page = computer().new_page()
    page.goto(link.replace("{{%PID%}}", "worker-7"))
    expect(page.get_by_role("button", name="Take part")).to_be_visible()
    shot(page, "invitation")
    page.get_by_role("button", name="Take part").click()
    page.get_by_role("link", name="Begin", exact=True).click()
    page.wait_for_selector(".workbench")
    for _ in range(6):
        press(page, "5", "Enter")
    all_saved(page)
    page.goto(f"{campaign.address}/#/home")
    page.get_by_role("button", name="Finish and get the code").click()
    expect(page.get_by_role("link", name="Back to the platform")).to_be_visible()
    (found,) = participants(campaign.store)
    expect(page.get_by_text(found.code or "?")).to_be_visible()
    shot(page, "completion")
    assert (found.platform, found.state) == ("worker-7", "finished")
    expected = f"{campaign.address}/done?cc={found.code}"
    expect(page.get_by_role("link", name="Back to the platform")).to_have_attribute(
        "href", expected
    )


def test_a_second_visit_takes_no_second_place(campaign: Served, computer: Computer) -> None:
    token = begin_enrolment(campaign.store, EnrolmentPlan(3))
    withdraw(campaign.store, "ann", keep=True)
    withdraw(campaign.store, "bob", keep=True)
    page = computer().new_page()
    for _ in range(2):
        page.goto(f"{campaign.address}/e/{token}")
        page.wait_for_selector("html[data-ready]")
        part = page.get_by_role("button", name="Take part")
        if part.count():
            part.click()
            page.get_by_role("link", name="Begin", exact=True).wait_for()
    expect(page.get_by_text("You take part as p001")).to_be_visible()
    assert len(participants(campaign.store)) == 1
