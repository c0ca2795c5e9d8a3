"""The organiser: curation, release, agreement, adjudication, exports; and nobody else."""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from fastapi.testclient import TestClient

from annotate.campaigning import TEXTS, Campaigning, sent, tasks
from isogloss.annotate import Campaign, Store
from isogloss.annotate.campaign import Checks
from isogloss.annotate.checks import planned, spoilt
from isogloss.annotate.results.export import EXPORTS
from isogloss.annotate.storage.database import open_database
from isogloss.metrics.consistency import Chain, ChainItem


@pytest.fixture
def campaign(tmp_path: Path) -> Iterator[Campaigning]:
    database = open_database(tmp_path / "campaign.db")
    plan = Campaign("test", "t", ("ann", "bob"), ("phase1", "phase2", "da"), redundancy=2)
    yield Campaigning.of(plan, Store(database))
    database.close()


def report(browser: TestClient, note: str) -> None:
    """Somebody reports markables on the first line of the first document."""
    task = next(task for task in tasks(browser) if task["document"] == "d0")
    key = f"report-{note}"[:60].replace(" ", "-").replace(",", "-")
    body = sent(task["id"], "line:0/A", key=key, adequacy=0.5, note=note)
    assert browser.post("/api/answers", json=body).status_code == 200


def first(browser: TestClient) -> dict[str, Any]:
    found: dict[str, Any] = browser.get("/api/curation").json()[0]
    return found


def decide(browser: TestClient, candidate: dict[str, Any], **change: Any) -> Any:
    value = {**candidate["markable"], **change}
    body = sent("curation:d0", candidate["item"], candidate["revision"], "decision-1", **value)
    return browser.post("/api/curation", json=body)


def test_reports_become_candidates_and_accepted_ones_become_tasks(campaign: Campaigning) -> None:
    ann, bob, organiser = map(campaign.browser, ("ann", "bob", "organiser"))
    report(ann, "tenant, unheard of")
    report(bob, "Tenant")
    (candidate,) = first(organiser)["candidates"]
    assert candidate["markable"] == {
        "head": "tenant",
        "occurrences": [
            {"segment": 0, "start": 4, "end": 10},
            {"segment": 1, "start": 2, "end": 8},
        ],
        "state": "proposed",
        "origin": "reported by 2 annotators",
    }
    assert len(first(organiser)["candidates"]) == 1  # looking again adds nothing
    assert organiser.post("/api/curation/release", json={}).json() == {"tasks": 0}
    assert decide(organiser, candidate, state="accepted").status_code == 200
    assert organiser.post("/api/curation/release", json={}).json() == {"tasks": 2}
    assert organiser.post("/api/curation/release", json={}).json() == {"tasks": 0}
    (task,) = tasks(ann, "phase2")
    shown = ann.get(f"/api/tasks/{task['id']}").json()
    assert shown["markable"]["head"] == "tenant"
    assert len(shown["items"]) == 2 * 3
    assert set(shown["aligned"]) == set(shown["items"])
    for item, places in shown["aligned"].items():
        number, slot = item.removeprefix("occ:").split("/")
        output = shown["outputs"][slot][int(number)] or ""
        assert all(0 <= start < end <= len(output) for start, end in places)


def test_only_what_the_phases_fill_is_offered(tmp_path: Path) -> None:
    database = open_database(tmp_path / "campaign.db")
    campaign = Campaigning.of(Campaign("test", "t", ("ann",), ("da",)), Store(database))
    organiser = campaign.browser("organiser")
    offered = organiser.get("/api/overview").json()["exports"]
    whole = ["events.jsonl", "answers.jsonl", "decisions.jsonl", "scores.tsv"]
    sheets = [f"{name.partition('.')[0]}.csv" for name in whole]
    assert offered == [*whole, *sheets, "mtme.zip"]
    nothing = organiser.get("/api/export/mtme.zip")
    assert (nothing.status_code, nothing.json()["error"]) == (422, "nobody has given a score yet")
    assert organiser.get("/api/me").json()["phases"] == ["da"]
    database.close()


def test_a_markable_that_is_not_there_is_refused(campaign: Campaigning) -> None:
    organiser = campaign.browser("organiser")
    report(campaign.browser("ann"), "tenant")
    (candidate,) = first(organiser)["candidates"]
    outside = decide(organiser, candidate, occurrences=[{"segment": 0, "start": 5, "end": 99}])
    assert outside.status_code == 422
    assert "no such place" in outside.json()["receipts"][0]["refused"]
    assert decide(organiser, candidate, state="perhaps").status_code == 422


def score(campaign: Campaigning, name: str, scores: dict[str, float]) -> None:
    """Somebody scores the first segments of the first document, systems by their names."""
    browser = campaign.browser(name)
    task = next(task for task in tasks(browser, "da") if task["document"] == "d0")
    shown = browser.get(f"/api/tasks/{task['id']}").json()
    for system, value in scores.items():
        texts = list(TEXTS[0].outputs[system])
        slot = next(slot for slot, lines in shown["outputs"].items() if lines == texts)
        body = sent(task["id"], f"seg:0/{slot}", key=f"{name}-{system}-0", score=value)
        assert browser.post("/api/answers", json=body).status_code == 200


def test_the_overview_tells_how_the_campaign_goes(campaign: Campaigning) -> None:
    score(campaign, "ann", {"alpha": 80, "beta": 20, "gamma": 90})
    score(campaign, "bob", {"alpha": 70, "beta": 10, "gamma": 90})
    overview = campaign.browser("organiser").get("/api/overview").json()
    systems = {each["system"]: (each["mean"], each["human"]) for each in overview["systems"]}
    assert systems == {"gamma": (90, True), "alpha": (75, False), "beta": (15, False)}
    by_name = {each["name"]: each for each in overview["annotators"]}
    assert by_name["ann"]["bias"] == pytest.approx(20 / 3)
    assert by_name["bob"]["bias"] == pytest.approx(-20 / 3)
    assert (by_name["ann"]["done"], by_name["ann"]["total"]) == (3, 2 * 5 + 2 * 5)
    (agreement,) = overview["agreement"]
    assert agreement["what"] == "da score"
    assert 0.9 < agreement["value"] < 1
    assert overview["disagreements"] == 2


def test_disagreements_are_decided_and_exported(campaign: Campaigning) -> None:
    score(campaign, "ann", {"alpha": 80})
    score(campaign, "bob", {"alpha": 30})
    organiser = campaign.browser("organiser")
    (place,) = organiser.get("/api/disagreements").json()
    assert (place["system"], place["source"], place["output"]) == (
        "alpha",
        "The tenant pays.",
        "Eins.",
    )
    assert [opinion["answer"]["value"]["score"] for opinion in place["opinions"]] == [80, 30]
    body = sent(place["task"], place["item"], key="decided-1", score=60)
    assert organiser.post("/api/adjudications", json=body).status_code == 200
    (decided,) = organiser.get("/api/disagreements").json()
    assert decided["decision"]["value"] == {"score": 60}
    lines = organiser.get("/api/export/answers.jsonl").text.splitlines()
    assert {json.loads(line)["decision"]["score"] for line in lines} == {60}
    table = organiser.get("/api/export/scores.tsv").text.splitlines()
    said = {"ann": 80, "bob": 30, "organiser": 60}
    assert table[1:] == [f"{who}\talpha\td0\t0\tda\t{score}" for who, score in said.items()]


def test_only_the_organiser_organises(campaign: Campaigning) -> None:
    ann = campaign.browser("ann")
    for path in ("overview", "curation", "disagreements", *(f"export/{name}" for name in EXPORTS)):
        assert ann.get(f"/api/{path}").status_code == 403
        assert campaign.browser().get(f"/api/{path}").status_code == 401
    for path in ("curation", "adjudications"):
        assert ann.post(f"/api/{path}", json=sent("curation:d0", "x")).status_code == 403
    for path in ("release", "propose"):
        assert ann.post(f"/api/curation/{path}", json={}).status_code == 403
    organiser = campaign.browser("organiser")
    assert organiser.get("/api/export/passwords.txt").status_code == 404
    stray = organiser.post("/api/adjudications", json=sent("curation:d0", "x"))
    assert stray.status_code == 422


def test_every_annotator_has_a_file_whatever_their_name(tmp_path: Path) -> None:
    database = open_database(tmp_path / "campaign.db")
    names = ("Žofie/2", "bob")
    plan = Campaign("test", "t", names, ("consistency",), redundancy=2, chains="chains")
    tenant = Chain(
        "d0:1", "d0", "tenant", "Mieter", (ChainItem(0, 1, 4, 10), ChainItem(1, 1, 2, 8))
    )
    campaign = Campaigning.of(plan, Store(database), [tenant])
    for name in names:
        browser = campaign.browser(name)
        (task,) = tasks(browser, "consistency")
        body = sent(task["id"], "chain:0", key=f"{len(name)}-said-so", same=False, flexible=[1])
        assert browser.post("/api/answers", json=body).status_code == 200
    organiser = campaign.browser("organiser")
    listed = organiser.get("/api/overview").json()["exports"]
    assert listed[-3:] == [
        "consistency.jsonl",
        "consistency-Žofie/2.jsonl",
        "consistency-bob.jsonl",
    ]
    for name in listed:
        assert organiser.get(f"/api/export/{quote(name, safe='')}").status_code == 200
    own = organiser.get(f"/api/export/{quote(listed[-2], safe='')}").json()
    assert (own["chain"], own["flexible"], own["annotator"]) == ("d0:1", [1], "Žofie/2")
    agreed = organiser.get("/api/export/consistency.jsonl").json()
    assert agreed["annotator"] == "Žofie/2, bob"
    database.close()


def test_checks_repeat_and_spoil_what_they_say() -> None:
    outputs = {slot: [f"{slot} has words {n} of its own" for n in range(20)] for slot in "ABC"}
    checks = planned(dict(outputs), Checks(0.1, 0.2), "seed")
    kinds = [check.kind for check in checks]
    assert (kinds.count("repeat"), kinds.count("degraded")) == (6, 12)
    for check in checks:
        original = outputs[check.slot][check.segment]
        assert (check.text == original) == (check.kind == "repeat")
        assert sorted(check.text) == sorted(original)
    assert planned(dict(outputs), Checks(0.1, 0.2), "seed") == checks


def test_texts_without_spaces_are_spoilt_too() -> None:
    text = "天气很好我们去公园散步"
    assert spoilt(text, random.Random(1)) != text
    assert sorted(spoilt(text, random.Random(1))) == sorted(text)
