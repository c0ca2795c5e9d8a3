"""The server: links let in, tasks are blinded, answers are saved, strangers are refused."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from annotate.campaigning import TEXTS, Campaigning, sent, tasks
from isogloss.annotate import Campaign, Store
from isogloss.annotate.campaign import Checks
from isogloss.annotate.storage.database import open_database


@pytest.fixture
def campaign(tmp_path: Path) -> Iterator[Campaigning]:
    database = open_database(tmp_path / "campaign.db")
    store = Store(database)
    plan = Campaign(
        "test", "t", ("ann", "bob"), ("phase1", "da"), redundancy=1, checks=Checks(0.3, 0.3)
    )
    yield Campaigning.of(plan, store)
    database.close()


def test_a_link_lets_in_and_the_page_knows_who_came(campaign: Campaigning) -> None:
    browser = campaign.browser("ann")
    me = browser.get("/api/me").json()
    assert (me["name"], me["role"], me["campaign"]) == ("ann", "annotator", "test")
    assert me["guidelines"] == "Be kind."
    assert len(me["tasks"]) == 2
    cookie = browser.get(f"/a/{campaign.tokens['ann']}").headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie


def test_systems_are_blinded(campaign: Campaigning) -> None:
    browser = campaign.browser("ann")
    (task,) = tasks(browser)
    shown = browser.get(f"/api/tasks/{task['id']}")
    assert shown.json()["slots"] == ["A", "B", "C"]
    for name in ("alpha", "beta", "gamma", "repeat", "degraded"):
        assert name not in shown.text
    texts = {tuple(lines) for lines in shown.json()["outputs"].values()}
    assert texts == {tuple(lines) for lines in TEXTS[0].outputs.values()}


def test_checks_look_like_any_other_item(campaign: Campaigning) -> None:
    browser = campaign.browser("ann")
    (task,) = tasks(browser, "da")
    shown = browser.get(f"/api/tasks/{task['id']}").json()
    assert 1 <= len(shown["shown"]) <= 4
    assert {each["item"] for each in shown["shown"]} <= set(shown["items"])
    assert "repeat" not in str(shown)


def test_answers_are_saved_changed_and_shown_again(campaign: Campaigning) -> None:
    browser = campaign.browser("ann")
    (task,) = tasks(browser)
    first = browser.post("/api/answers", json=sent(task["id"], "line:0/A", adequacy=0.5))
    assert first.status_code == 200
    assert first.json()["receipts"][0]["revision"] == 1
    assert tasks(browser)[0]["done"] == 0, "fluency is open"
    second = sent(task["id"], "line:0/A", 1, "key-00002", adequacy=0.8, fluency=0.5)
    assert browser.post("/api/answers", json=second).json()["receipts"][0]["revision"] == 2
    assert browser.post("/api/answers", json=second).json()["receipts"][0]["revision"] == 2
    stands = browser.get(f"/api/tasks/{task['id']}").json()["answers"]["line:0/A"]
    assert (stands["revision"], stands["value"]["adequacy"]) == (2, 0.8)
    assert tasks(browser)[0]["done"] == 1


def test_a_stale_answer_is_told_what_stands(campaign: Campaigning) -> None:
    browser = campaign.browser("ann")
    (task,) = tasks(browser)
    browser.post("/api/answers", json=sent(task["id"], "line:0/A", adequacy=0.5))
    stale = browser.post("/api/answers", json=sent(task["id"], "line:0/A", 0, "key-other"))
    assert stale.status_code == 409
    assert stale.json()["receipts"][0]["conflict"]["value"]["adequacy"] == 0.5


@pytest.mark.parametrize(
    ("item", "revision", "value", "complaint"),
    [
        ("line:9/A", 0, {}, "no item"),
        ("line:0/A", 0, {"adequacy": 7}, "adequacy"),
        ("line:0/A", 3, {}, "no answer yet"),
    ],
)
def test_what_cannot_be_saved_is_refused(
    campaign: Campaigning, item: str, revision: int, value: dict[str, Any], complaint: str
) -> None:
    browser = campaign.browser("ann")
    (task,) = tasks(browser)
    found = browser.post("/api/answers", json=sent(task["id"], item, revision, **value))
    assert found.status_code == 422
    assert complaint in found.json()["receipts"][0]["refused"]
    assert list(campaign.store.events()) == []


def test_names_that_no_database_takes_are_no_tasks(store: Store) -> None:
    plan = Campaign("test", "t", ("ann",), ("phase1",))
    browser = Campaigning.of(plan, store).browser("ann")
    assert browser.get("/api/tasks/%00").status_code in (404, 422)
    assert browser.post("/api/answers", json=sent("\0", "line:0/A")).status_code in (404, 422)
    huge = sent(tasks(browser)[0]["id"], "line:0/A", adequacy=0.5)
    huge["answers"][0]["at"] = 2**53
    assert browser.post("/api/answers", json=huge).status_code == 422
    huge["answers"][0]["at"] = 2**53 - 1
    assert browser.post("/api/answers", json=huge).status_code == 200


def test_nobody_sees_or_answers_somebody_elses_task(campaign: Campaigning) -> None:
    ann, bob = campaign.browser("ann"), campaign.browser("bob")
    (task,) = tasks(bob)
    assert ann.get(f"/api/tasks/{task['id']}").status_code == 404
    assert ann.post("/api/answers", json=sent(task["id"], "line:0/A")).status_code == 404
    assert campaign.browser("organiser").get(f"/api/tasks/{task['id']}").status_code == 403


def test_strangers_and_forged_cookies_are_refused(campaign: Campaigning) -> None:
    stranger = campaign.browser()
    assert stranger.get("/api/me").status_code == 401
    assert "link" in stranger.get("/api/me").json()["remedy"]
    assert stranger.get("/a/guess").status_code == 404
    stranger.cookies.set(campaign.browser().app.state.cookie, "forged")  # type: ignore[attr-defined]
    assert stranger.get("/api/me").status_code == 401


@pytest.mark.parametrize(
    ("path", "who", "status", "said"),
    [
        ("/a/cut-off", None, 404, ["This link opens nothing.", "copy all of it"]),
        ("/e/cut-off", None, 404, ["Nobody can enrol with this link.", "copy all of it"]),
        ("/results", None, 401, ["Nobody knows you here.", "Open the link"]),
        ("/results", "ann", 403, ["This is for those who run or watch the campaign."]),
        ("/elsewhere", None, 404, ["There is nothing at this address.", "Open the link"]),
    ],
)
def test_whoever_comes_by_a_wrong_link_reads_a_page(
    campaign: Campaigning, path: str, who: str | None, status: int, said: list[str]
) -> None:
    browser = campaign.browser(who)
    page = browser.get(path, headers={"Accept": "text/html,application/xhtml+xml"})
    assert page.status_code == status
    assert page.headers["content-type"].startswith("text/html")
    assert page.headers["cache-control"] == "no-store"
    assert all(words in page.text for words in said)
    assert browser.get(path).headers["content-type"] == "application/json"  # for programs


def test_a_page_of_trouble_runs_nothing(campaign: Campaigning) -> None:
    app = campaign.browser().app
    hostile = TestClient(app, root_path='/"><script>x', headers={"Accept": "text/html"})
    page = hostile.get('/"><script>x/a/cut').text
    assert "opens nothing" in page
    assert "<script" not in page


def test_guessing_links_is_slowed_down(campaign: Campaigning) -> None:
    stranger = campaign.browser()
    codes = [stranger.get(f"/a/guess-{n}").status_code for n in range(30)]
    assert codes[0] == 404
    assert codes[-1] == 429
    assert stranger.get(f"/a/{campaign.tokens['ann']}").status_code == 200


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": ""}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Content-Type": "text/plain"}, 415),
    ],
)
def test_posts_from_elsewhere_are_refused(
    campaign: Campaigning, headers: dict[str, str], status: int
) -> None:
    browser = campaign.browser("ann")
    (task,) = tasks(browser)
    body = sent(task["id"], "line:0/A")
    assert browser.post("/api/answers", json=body, headers=headers).status_code == status
    assert list(campaign.store.events()) == []


def test_every_response_is_guarded(campaign: Campaigning) -> None:
    for path in ("/api/me", "/a/nothing", "/../../etc/passwd"):
        headers = campaign.browser("ann").get(path).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
