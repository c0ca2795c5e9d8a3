"""The pool at real browsers, from `init` to the page of results."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from playwright.sync_api import BrowserContext, Page, expect
from typer.testing import CliRunner

from annotate.browsing import all_saved, entered, press
from annotate.served_campaigns import Served, running
from campaign_trials.pool import KINDS, MILD, Pool, Value, keys, written
from isogloss.annotate import Store, campaign_database, open_campaign, read_campaign
from isogloss.annotate.campaign import Phase
from isogloss.annotate.items import ItemName
from isogloss.annotate.launch import opened, task_slots
from isogloss.annotate.storage.schema import Task
from isogloss.cli.campaign_page import served_page
from isogloss.cli.main import app


@contextmanager
def made(pool: Pool, kind: str, folder: Path, people: int = len(MILD)) -> Iterator[Served]:
    """A campaign of a kind as `init` makes it, open at an address; all judge all."""
    asked = KINDS[kind]
    testset = written(pool, folder)
    campaign = folder / "campaign"
    names = list(MILD)[:people]
    command = ["annotate", "init", testset, "--into", campaign, "-a", ",".join(names)]
    command += ["--phases", ",".join(asked.phases), "--redundancy", people, "--checks", 0]
    if kind == "consistency":
        (folder / "chains").mkdir()
        command += ["--chains", folder / "chains"]
    done = CliRunner().invoke(app, list(map(str, command)), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    plan = read_campaign(campaign)
    store = Store(campaign_database(plan, campaign, new=True))
    with closing(store.database):
        if kind == "consistency":
            links = opened(plan, pool.texts(), "", store, pool.chains())
        else:
            links = open_campaign(plan, campaign, store)
        with running(store, links, results=partial(served_page, campaign)) as served:
            yield served


def in_order(task: Task) -> list[str]:
    """The items as the page asks for them: screen by screen, and there by letter."""
    names = [ItemName.parse(item) for item in task.content["items"]]
    return [str(name) for name in sorted(names, key=lambda n: (n.number, n.slot or ""))]


def answer(page: Page, pool: Pool, campaign: Served, who: str, phase: Phase) -> int:
    """Somebody types all answers of a phase; what stands is what was meant. How many there are."""
    actor = campaign.actor(who)
    count = 0
    for task in (t for t in campaign.store.tasks_of(actor.id) if t.kind == phase):
        slots = task_slots(campaign.store, actor, campaign.store.text(task.document))
        page.clock.set_fixed_time(datetime.now(UTC))  # two digits are one score, however slow
        page.goto(f"{campaign.address}/#/task/{task.id}")
        page.wait_for_selector(".workbench")
        page.evaluate("new Promise((done) => setTimeout(done, 200))")  # until keys are listened to
        meant: dict[str, Value] = {}
        for item in in_order(task):
            name = ItemName.parse(item)
            meant[item] = pool.say(task, who, slots, name)
            pair = task.content["pairs"][name.number] if name.kind == "pair" else None
            press(page, *keys(phase, meant[item], pair and tuple(pair)))
        all_saved(page)
        stands = campaign.store.answers(task.id)
        for item, value in meant.items():
            assert _said(value) == _said(dict(stands[item].value)), (item, stands[item].value)
        count += len(meant)
    return count


def _said(value: Value) -> Value:
    """What counts in an answer; which words were marked is the browser's to say."""
    errors = len(value.get("errors", ()))
    names = ("score", "adequacy", "fluency", "same", "better", "phenomena")
    return {"errors": errors, **{name: value[name] for name in names if name in value}}


def curate(office: Page, campaign: Served) -> None:
    """The organiser lets the word that comes in every segment be asked about."""
    office.goto(f"{campaign.address}/#/curation")
    tabs = office.locator("nav.documents ul button")
    candidates = office.get_by_role("region", name="Candidates")
    expect(candidates).to_be_visible()
    for number in range(max(tabs.count(), 1)):
        if tabs.count():
            tabs.nth(number).click()
        press(office, "a")
        expect(candidates.locator("li.accepted")).to_have_count(1)
    office.get_by_role("button", name="Give out").click()
    expect(office.get_by_role("status")).to_contain_text("tasks were given out", timeout=60_000)


def gone_through(
    pool: Pool, kind: str, campaign: Served, context: BrowserContext, people: int = len(MILD)
) -> int:
    """Everybody answers everything at a browser; how many answers that were."""
    count = 0
    for phase in KINDS[kind].phases:
        if phase == "phase2":
            office = entered(context, campaign, "organiser")
            curate(office, campaign)
        for who in list(MILD)[:people]:
            page = entered(context, campaign, who)
            if phase == "phase1" and len(KINDS[kind].phases) > 1:
                _report(page, campaign, who)
            count += answer(page, pool, campaign, who, phase)
            page.close()
    return count


def _report(page: Page, campaign: Served, who: str) -> None:
    """The word of the markable, once in every document."""
    for task in campaign.store.tasks_of(campaign.actor(who).id):
        page.goto(f"{campaign.address}/#/task/{task.id}")
        page.wait_for_selector(".workbench")
        press(page, "s", "ArrowRight", "m")
        all_saved(page)
