"""Who may do what: a table of every route and every role, which a new route must be added to."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute
from fastapi.testclient import TestClient

from annotate.campaigning import Campaigning
from isogloss.annotate import Campaign, Store
from isogloss.annotate.people import add_person, withdraw
from isogloss.annotate.storage.database import open_database

ALL = frozenset({"stranger", "annotator", "withdrawn", "observer", "curator", "organiser"})
KNOWN = ALL - {"stranger"}
ANNOTATES = frozenset({"annotator"})
WATCHES = frozenset({"observer", "curator", "organiser"})
DECIDES = frozenset({"curator", "organiser"})
ORGANISES = frozenset({"organiser"})

RIGHTS: Mapping[str, frozenset[str]] = {
    "GET /": ALL,
    "GET /app/{name}": ALL,
    "GET /a/{token}": ALL,
    "GET /worker.js": ALL,
    "GET /results": DECIDES,  # and observers who may know who judged
    "GET /api/tutorial/{phase}": ANNOTATES,
    "POST /api/tutorial/{phase}": ANNOTATES,
    "GET /api/tutorials": ORGANISES,
    "POST /api/tutorials/let-in": ORGANISES,
    "GET /api/me": KNOWN,
    "GET /api/tasks/{id}": ANNOTATES,
    "POST /api/answers": ANNOTATES | {"withdrawn"},  # refused one by one, and kept
    "GET /api/overview": WATCHES,
    "GET /api/curation": DECIDES,
    "POST /api/curation": DECIDES,
    "POST /api/curation/propose": DECIDES,
    "POST /api/curation/release": DECIDES,
    "GET /api/disagreements": DECIDES,
    "POST /api/adjudications": DECIDES,
    "GET /api/export/{name:path}": DECIDES,
    "GET /api/people": ORGANISES,
    "POST /api/people": ORGANISES,
    "POST /api/people/link": ORGANISES,
    "POST /api/people/withdraw": ORGANISES,
    "POST /api/people/reassign": ORGANISES,
    "POST /api/people/extend": ORGANISES,
    "POST /api/people/close": ORGANISES,
    "POST /api/people/reopen": ORGANISES,
    "POST /api/people/late": ORGANISES,
    "GET /e/{token}": ALL,
    "GET /api/invitation/{token}": ALL,
    "POST /api/enrol": ALL,
    "POST /api/finish": ANNOTATES,
    "GET /api/enrolment": ORGANISES,
    "POST /api/enrolment": ORGANISES,
    "POST /api/enrolment/end": ORGANISES,
}
PARTS = {
    "{name:path}": "answers.jsonl",
    "{name}": "annotate.js",
    "{token}": "x",
    "{id}": "x",
    "{phase}": "da",
}


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[str, TestClient]]:
    """Somebody of each role at a browser of theirs."""
    folder: Path = tmp_path_factory.mktemp("rights")
    database = open_database(folder / "campaign.db")
    store = Store(database)
    campaign = Campaigning.of(Campaign("test", "t", ("ann", "bob"), ("phase1", "da")), store)
    tokens = {"annotator": campaign.tokens["ann"], "organiser": campaign.tokens["organiser"]}
    tokens["withdrawn"] = campaign.tokens["bob"]
    for role in ("observer", "curator"):
        tokens[role] = add_person(store, role, role, nameless=role == "observer").token  # type: ignore[arg-type]
    withdraw(store, "bob")
    campaign.tokens.update(tokens)
    yield {role: campaign.browser(None if role == "stranger" else role) for role in ALL}
    database.close()


def routes(router: Any) -> Iterator[str]:
    """What the server answers to, routers within routers included."""
    for route in router.routes:
        if (inner := getattr(route, "original_router", None)) is not None:
            yield from routes(inner)
            continue
        assert isinstance(route, APIRoute), f"{route} is no route of ours: nobody knows its rights"
        yield from (f"{method} {route.path}" for method in route.methods)


def test_every_route_says_who_may(people: Mapping[str, TestClient]) -> None:
    app = people["stranger"].app
    assert isinstance(app, FastAPI)
    assert sorted(routes(app)) == sorted(RIGHTS)


@pytest.mark.parametrize("route", RIGHTS)
def test_nobody_else_may(people: Mapping[str, TestClient], route: str) -> None:
    method, path = route.split(" ")
    for part, value in PARTS.items():
        path = path.replace(part, value)
    body = None if method == "GET" else {}
    may = set()
    for role, browser in people.items():
        code = browser.request(method, path, json=body).status_code
        assert code < 500
        assert (code == 401) <= (role == "stranger")
        if code not in (401, 403):
            may.add(role)
    assert may == RIGHTS[route]


def test_observers_see_how_it_goes_and_neither_texts_nor_names(
    people: Mapping[str, TestClient],
) -> None:
    seen = people["observer"].get("/api/overview")
    assert seen.json()["exports"] == []
    assert [each["name"] for each in seen.json()["annotators"]] == ["annotator 1", "annotator 2"]
    assert 'ann"' not in seen.text
    assert people["curator"].get("/api/overview").json()["annotators"][0]["name"] == "ann"
    me = people["observer"].get("/api/me").json()
    assert (me["role"], me["tasks"]) == ("observer", [])


def test_a_curator_decides(people: Mapping[str, TestClient]) -> None:
    curator = people["curator"]
    assert curator.get("/api/export/answers.jsonl").status_code == 200
    assert curator.get("/api/disagreements").json() == []
    assert curator.post("/api/people/close", json={}).status_code == 403
