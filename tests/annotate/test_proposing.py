"""Markables proposed by a program, beside those that people reported, on the bundled sample."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from annotate.browsing import Computer, entered
from annotate.served_campaigns import Served, running
from chromium import serious
from isogloss.annotate import Campaign, Store, are_proposed, propose_markables
from isogloss.annotate.answers import checked_value
from isogloss.annotate.items import texts_of
from isogloss.annotate.launch import opened
from isogloss.annotate.results.curation import add_candidates, candidates, collect_reports, offer
from isogloss.annotate.storage.database import open_database
from isogloss.annotate.storage.schema import Submission
from isogloss.annotate.wire import PlaceView
from isogloss.annotate.wire_organiser import CuratedMarkable
from isogloss.sample import load_sample

LEASE = "lease-flat"


@pytest.fixture
def campaign(tmp_path: Path) -> Iterator[Served]:
    """A real campaign on the sample, with its server."""
    database = open_database(tmp_path / "campaign.db")
    plan = Campaign("sample", "", ("ann", "bob"), ("phase1", "phase2"), redundancy=2, propose=8)
    store = Store(database)
    links = opened(plan, texts_of(load_sample("cs-en"), plan), "", store)
    with running(store, links) as served:
        yield served
    database.close()


def organiser(campaign: Served) -> int:
    return campaign.actor("organiser").id


def report(campaign: Served, words: str) -> None:
    """Ann writes down words of the lease."""
    actor = campaign.actor("ann").id
    tasks = campaign.store.tasks_of(actor)
    task = next(task for task in tasks if task.document == LEASE)
    value = checked_value("phase1", {"note": words})
    item = task.content["items"][len(campaign.store.answers(task.id))]
    campaign.store.save(actor, [Submission(f"report-{item}", task.id, item, 0, value, 1)])


def test_proposals_stand_beside_reports_each_term_once(campaign: Served) -> None:
    store, who = campaign.store, organiser(campaign)
    report(campaign, "nájemce, dohoda o ničem")
    collect_reports(store, who)
    (reported,) = candidates(store, LEASE)
    done = propose_markables(store, who)
    assert are_proposed(store)
    found = {each.markable.head.lower(): each.markable for each in candidates(store, LEASE)}
    assert len(found) == 8, "the reported one is among the best eight"
    assert done.joined == 1
    assert done.added == sum(len(candidates(store, id)) for id in store.documents()) - 1
    tenant = found["nájemce"]
    assert tenant.origin.startswith("reported by 1 annotator; proposed: rendered as ")
    assert "bits within a translation" in tenant.origin
    assert len(tenant.occurrences) >= len(reported.markable.occurrences)
    source = store.text(LEASE)["source"]
    for markable in found.values():
        assert all(source[p.segment][p.start : p.end].strip() for p in markable.occurrences)
    taken = [(p.segment, p.start) for m in found.values() for p in m.occurrences]
    assert len(taken) == len(set(taken))


def test_proposing_again_changes_nothing(campaign: Served) -> None:
    store, who = campaign.store, organiser(campaign)
    propose_markables(store, who)
    before = [candidates(store, id) for id in store.documents()]
    again = propose_markables(store, who)
    assert (again.added, again.joined) == (0, 0)
    assert [candidates(store, id) for id in store.documents()] == before


def markable(head: str, *starts: int, state: str = "proposed", origin: str = "") -> CuratedMarkable:
    places = [PlaceView(segment=0, start=start, end=start + 4) for start in starts]
    return CuratedMarkable(head=head, occurrences=places, state=state, origin=origin)  # type: ignore[arg-type]


def test_reports_after_proposals_are_told_on_the_candidate(campaign: Served) -> None:
    store, who = campaign.store, organiser(campaign)
    propose_markables(store, who)
    head = candidates(store, LEASE)[0].markable.head
    report(campaign, head)
    assert collect_reports(store, who) == 0
    (told,) = [
        c for c in candidates(store, LEASE) if "reported by 1 annotator" in c.markable.origin
    ]
    assert told.markable.origin.startswith("proposed: ")
    assert collect_reports(store, who) == 0
    assert told in candidates(store, LEASE), "it is told once"


def test_what_the_organiser_decided_on_stays_as_it_is(campaign: Served) -> None:
    store, who = campaign.store, organiser(campaign)
    add_candidates(store, who, LEASE, [markable("flat", 0, 10, state="rejected", origin="x")])
    done = offer(store, who, LEASE, [markable("flats", 0, 10, 20, origin="proposed: y")])
    assert (done.added, done.joined) == (0, 0)
    (kept,) = candidates(store, LEASE)
    assert (kept.markable.origin, len(kept.markable.occurrences)) == ("x", 2)
    done = offer(store, who, LEASE, [markable("rent", 30), markable("rents", 30, 40)])
    assert done.added == 1, "two names for the same places are one candidate"


def test_the_organiser_asks_for_proposals(campaign: Served, computer: Computer) -> None:
    report(campaign, "nájemce")
    page = entered(computer(), campaign, "organiser")
    page.get_by_role("link", name="Markables").click()
    page.get_by_role("button", name=LEASE).click()
    listed = page.get_by_role("region", name="Candidates")
    expect(listed.locator("li.candidate")).to_have_count(1)
    expect(listed.locator(".head")).to_contain_text("reported · open")
    page.get_by_role("button", name="Propose markables").click()
    said = page.get_by_role("status")
    expect(said).to_contain_text("1 that had been reported", timeout=60_000)  # aligning takes time
    expect(listed.locator("li.candidate")).to_have_count(8)
    expect(listed.get_by_text("reported · automatic · open")).to_have_count(1)
    expect(listed.locator(".candidate-form")).to_contain_text("rendered as")
    expect(page.get_by_role("button", name="Propose markables")).to_have_count(0)
    assert serious(page) == []
