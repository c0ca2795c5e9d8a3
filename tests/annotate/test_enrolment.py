"""One link for many: places, shares, codes; races, and people who do not come back."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import update

from annotate.campaigning import ORIGIN, TEXTS, Campaigning, sent, tasks
from isogloss.annotate import Campaign, Store, create_app
from isogloss.annotate.campaign import Checks
from isogloss.annotate.enrolment import (
    EnrolmentPlan,
    begin_enrolment,
    end_enrolment,
    enrol,
    participants,
)
from isogloss.annotate.people import close, extend_redundancy
from isogloss.annotate.storage import schema
from isogloss.annotate.storage.database import open_database
from isogloss.annotate.storage.verification import faults
from isogloss.errors import InputError

CROWD = Campaign("crowd", "t", (), ("da",), redundancy=2, seed=5, checks=Checks(0, 0.3))


def newcomer(store: Store) -> TestClient:
    return TestClient(create_app(store), headers={"Origin": ORIGIN})


def came(browser: TestClient, token: str, platform: str | None = None) -> Any:
    return browser.post("/api/enrol", json={"token": token, "platform": platform})


def answer_everything(browser: TestClient, *, awake: bool = True) -> None:
    """Scores of 80; spoilt items get less from those who read."""
    number = 0
    for task in tasks(browser, "da"):
        shown = browser.get(f"/api/tasks/{task['id']}").json()
        spoilt = {each["item"] for each in shown["shown"]}
        for item in shown["items"]:
            number += 1
            score = 20 if awake and item in spoilt else 80
            body = sent(task["id"], item, key=f"{task['id']}-{number}", score=score)
            assert browser.post("/api/answers", json=body).status_code == 200


def test_a_newcomer_takes_a_place_works_and_gets_a_code(store: Store) -> None:
    Campaigning.of(CROWD, store)
    url = "https://crowd.example.org/done?cc={code}"
    plan = EnrolmentPlan(2, items=5, parameter="PROLIFIC_PID", url=url)
    token = begin_enrolment(store, plan)
    browser = newcomer(store)
    assert browser.get(f"/e/{token}?PROLIFIC_PID=a1").status_code == 200
    invitation = browser.get(f"/api/invitation/{token}").json()
    assert (invitation["parameter"], invitation["known"]) == ("PROLIFIC_PID", None)
    assert len(store.actors()) == 1, "looking takes no place"
    missing = came(browser, token)
    assert (missing.status_code, "id is missing" in missing.json()["error"]) == (409, True)
    assert came(browser, token, "a1").status_code == 200
    assert came(browser, token, "a1").status_code == 200, "once more is the same person"
    me = browser.get("/api/me").json()
    assert (me["name"], me["enrolled"], len(me["tasks"])) == ("p001", True, 1)
    early = browser.post("/api/finish", json={})
    assert (early.status_code, "not answered" in early.json()["error"]) == (422, True)
    answer_everything(browser)
    done = browser.post("/api/finish", json={}).json()
    assert len(done["code"]) == 10
    assert done["url"] == f"https://crowd.example.org/done?cc={done['code']}"
    assert browser.post("/api/finish", json={}).json() == done
    (found,) = participants(store)
    assert (found.name, found.platform, found.state) == ("p001", "a1", "finished")
    assert (found.code, found.done) == (done["code"], found.total)
    assert faults(store) == []


def test_nobody_comes_twice_or_in_somebody_elses_name(store: Store) -> None:
    Campaigning.of(CROWD, store)
    token = begin_enrolment(store, EnrolmentPlan(5, items=5, parameter="WORKER"))
    assert came(newcomer(store), token, "w1").status_code == 200
    again = came(newcomer(store), token, "w1")
    assert (again.status_code, "already" in again.json()["error"]) == (409, True)
    for odd in ("", "a b", "x" * 201, "<script>", "é"):
        assert came(newcomer(store), token, odd).status_code in (409, 422)
    assert len(participants(store)) == 1


def test_work_goes_where_judgements_are_lacking(store: Store) -> None:
    Campaigning.of(CROWD, store)
    token = begin_enrolment(store, EnrolmentPlan(9, items=5))
    for _ in range(4):
        enrol(store, token, None)
    held = [(task.document, task.actor) for task in store.tasks_of()]
    assert len(set(held)) == 4
    assert sorted(document for document, _ in held) == ["d0", "d0", "d1", "d1"]
    with pytest.raises(InputError, match="all work is being done"):
        enrol(store, token, None)
    assert len(participants(store)) == 4, "who got nothing took no place"
    assert extend_redundancy(store, 3).left == 0, "newcomers are asked, not those who have a share"
    enrol(store, token, None)
    assert [each.total > 0 for each in participants(store)] == [True] * 5


def test_many_at_once_get_each_place_once(place: str) -> None:
    servers = [Store(open_database(place)) for _ in range(2)]
    Campaigning.of(Campaign("c", "t", (), ("da",), redundancy=20), servers[0])
    token = begin_enrolment(servers[0], EnrolmentPlan(7, items=5, parameter="ID"))

    def come(number: int) -> str | None:
        try:
            return enrol(servers[number % 2], token, f"id{number // 2}")  # everybody clicks twice
        except InputError:
            return None

    with ThreadPoolExecutor(8) as crowd:
        tokens = [each for each in crowd.map(come, range(40)) if each]
    people = participants(servers[1])
    assert len(tokens) == len(people) == 7
    assert len({each.platform for each in people}) == len({each.name for each in people}) == 7
    assert all(each.total == 5 for each in people), "a document each"
    assert faults(servers[0]) == []
    for server in servers:
        server.database.close()


def test_the_place_of_who_does_not_come_back_is_free_again(store: Store) -> None:
    Campaigning.of(Campaign("c", "t", (), ("da",), redundancy=1), store)
    token = begin_enrolment(store, EnrolmentPlan(2, items=5, minutes=30, parameter="ID"))
    gone, slow = newcomer(store), newcomer(store)
    came(gone, token, "gone")
    came(slow, token, "slow")
    assert "taken" in came(newcomer(store), token, "third").json()["error"]
    task = tasks(gone, "da")[0]
    item = gone.get(f"/api/tasks/{task['id']}").json()["items"][0]
    an_hour_passes(store)
    slow_task = tasks(slow, "da")[0]
    slow_item = slow.get(f"/api/tasks/{slow_task['id']}").json()["items"][0]
    slow.post("/api/answers", json=sent(slow_task["id"], slow_item, score=1))
    third = newcomer(store)
    assert came(third, token, "third").status_code == 200
    assert [each.state for each in participants(store)] == ["gave up", "at work", "at work"]
    assert tasks(third, "da")[0]["document"] == task["document"]
    assert gone.get("/api/me").json()["standing"] == "withdrawn"
    late = gone.post("/api/answers", json=sent(task["id"], item, key="from-the-dead", score=2))
    assert "withdrawn" in late.json()["receipts"][0]["refused"]
    assert [each.value for each in store.late()] == [{"score": 2}]
    assert faults(store) == []


def an_hour_passes(store: Store) -> None:
    """Everybody came an hour earlier than they did."""
    earlier = update(schema.places).values(taken=schema.places.c.taken - 3_600_000)
    store.at_desk(lambda desk: desk._run(schema.places, earlier))


@pytest.mark.parametrize(("least", "codes"), [(None, [True, True]), (0.8, [True, False])])
def test_checks_decide_only_where_the_organiser_says_so(
    store: Store, least: float | None, codes: list[bool]
) -> None:
    Campaigning.of(CROWD, store)
    token = begin_enrolment(store, EnrolmentPlan(5, items=5, code="SAME", checks=least))
    found = []
    for awake in (True, False):
        browser = newcomer(store)
        came(browser, token)
        answer_everything(browser, awake=awake)
        found.append(browser.post("/api/finish", json={}).json()["code"] == "SAME")
    assert found == codes


def test_enrolment_ends_with_the_campaign_and_at_a_word(store: Store) -> None:
    Campaigning.of(CROWD, store)
    token = begin_enrolment(store, EnrolmentPlan(5, items=5))
    end_enrolment(store)
    assert newcomer(store).get(f"/e/{token}").status_code == 404
    assert begin_enrolment(store, EnrolmentPlan(6)) != token
    token = begin_enrolment(store, EnrolmentPlan(7))
    close(store)
    closed = came(newcomer(store), token)
    assert (closed.status_code, "closed" in closed.json()["error"]) == (409, True)


def test_newcomers_are_few_at_a_time_and_send_little(store: Store) -> None:
    Campaigning.of(CROWD, store)
    token = begin_enrolment(store, EnrolmentPlan(100, items=1))
    browser = newcomer(store)
    large = browser.post("/api/enrol", json={"token": token, "platform": "x" * 3000})
    assert large.status_code == 413
    elsewhere = {"Origin": "http://evil.example"}
    body = {"token": token, "platform": None}
    assert browser.post("/api/enrol", json=body, headers=elsewhere).status_code == 403
    wrong = [came(browser, "guess").status_code for _ in range(12)]
    assert (wrong[0], wrong[-1]) == (409, 429)
    assert len(store.actors()) == 1


def test_the_organiser_sets_it_up_in_the_browser(store: Store) -> None:
    campaign = Campaigning.of(CROWD, store)
    organiser = campaign.browser("organiser")
    assert organiser.get("/api/enrolment").json()["settings"] is None
    plan = {"places": 3, "items": 5, "parameter": "PROLIFIC_PID"}
    state = organiser.post("/api/enrolment", json=plan).json()
    assert state["link"].endswith("?PROLIFIC_PID={{%PROLIFIC_PID%}}")
    assert state["settings"]["places"] == 3
    wrong = organiser.post("/api/enrolment", json={"places": 3, "url": "javascript:alert(1)"})
    assert wrong.status_code == 422
    assert organiser.post("/api/enrolment/end", json={}).json()["link"] is None
    assert len(TEXTS) == 2
