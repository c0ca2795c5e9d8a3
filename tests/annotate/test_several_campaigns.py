"""Several campaigns on one server: each for itself, one list, and old links that still work."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from playwright.sync_api import expect

from annotate.browsing import Computer, all_saved, press
from annotate.campaigning import ORIGIN, Campaigning, sent, tasks
from annotate.served_campaigns import LEASE, listening_app
from annotate.test_campaign_rights import RIGHTS, routes
from annotate.test_people_browser import shot
from isogloss.annotate import Campaign, Store, campaign_folders, create_site
from isogloss.annotate.enrolment import EnrolmentPlan, begin_enrolment
from isogloss.annotate.launch import opened
from isogloss.annotate.storage.database import open_database
from isogloss.errors import InputError

Two = dict[str, Campaigning]


@pytest.fixture
def two(tmp_path: Path) -> Iterator[Two]:
    found = {}
    for name in ("one", "other"):
        store = Store(open_database(tmp_path / f"{name}.db"))
        links = opened(Campaign(name, "t", ("ann",), ("da",)), [LEASE], "Be kind.", store)
        found[name] = Campaigning(store, {"organiser": links.organiser, **links.annotators})
    yield found
    for campaign in found.values():
        campaign.store.database.close()


@pytest.fixture
def site(two: Two) -> FastAPI:
    return create_site({name: campaign.store for name, campaign in two.items()})


def browser(site: FastAPI) -> TestClient:
    return TestClient(site, headers={"Origin": ORIGIN})


def test_each_campaign_is_for_itself(site: FastAPI, two: Two) -> None:
    ann = browser(site)
    assert ann.get(f"/c/one/a/{two['one'].tokens['ann']}").status_code == 200
    assert ann.get("/c/one/api/me").json()["campaign"] == "one"
    assert ann.get("/c/other/api/me").status_code == 401, "a link opens one campaign"
    assert ann.get(f"/c/other/a/{two['one'].tokens['ann']}").status_code == 404
    task = ann.get("/c/one/api/me").json()["tasks"][0]["id"]
    body = sent(task, "seg:0/A", score=5)
    assert ann.post("/c/one/api/answers", json=body).status_code == 200
    assert ann.post("/c/other/api/answers", json=body).status_code == 401
    assert len(list(two["one"].store.events())) == 1
    for page in ("/c/one/", "/"):
        headers = ann.get(page).headers
        assert "default-src 'none'" in headers["content-security-policy"]
    assert ann.get("/c/one/api/me").headers["cache-control"] == "no-store"
    assert 'src="/c/one/app/annotate.js"' in ann.get("/c/one/").text
    assert ann.get("/c/one/app/annotate.js").status_code == 200


def test_old_links_still_work(site: FastAPI, two: Two) -> None:
    ann = browser(site)
    entered = ann.get(f"/a/{two['other'].tokens['ann']}")
    assert entered.url.path.startswith("/c/other/a/")
    assert 'url=/c/other/"' in entered.text
    assert ann.get("/c/other/api/me").json()["campaign"] == "other"
    token = begin_enrolment(two["one"].store, EnrolmentPlan(2, parameter="PID"))
    invited = browser(site).get(f"/e/{token}?PID=w7")
    assert str(invited.url).endswith(f"/c/one/e/{token}?PID=w7")
    guesses = [browser(site).get("/a/guess").status_code for _ in range(25)]
    assert (guesses[0], guesses[-1]) == (404, 429)
    stale = ann.post("/api/answers", json=sent("x", "seg:0/A", score=5))
    assert "error" not in stale.json(), "a page from before keeps its answers, and asks again"


def test_the_list_is_of_those_whose_links_one_has(site: FastAPI, two: Two) -> None:
    organiser = browser(site)
    assert organiser.get("/api/campaigns").json() == []
    for name, campaign in two.items():
        organiser.get(f"/c/{name}/a/{campaign.tokens['organiser']}")
    listed = organiser.get("/api/campaigns").json()
    assert [(each["path"], each["role"], each["total"]) for each in listed] == [
        ("/c/one/", "organiser", 6),
        ("/c/other/", "organiser", 6),
    ]


def test_every_campaign_on_it_has_the_same_rights(site: FastAPI) -> None:
    mounted = [route for route in site.routes if hasattr(route, "app")]
    apps = [route.app for route in mounted if isinstance(route.app, FastAPI)]
    assert len(apps) == 2
    for app in apps:
        assert sorted(routes(app)) == sorted(RIGHTS)
    own = {"GET /", "GET /app/{name}", "GET /a/{token}", "GET /e/{token}", "GET /api/campaigns"}
    start = [route for route in site.routes if hasattr(route, "original_router")]
    assert {each for route in start for each in routes(route.original_router)} == own
    assert len(start) + len(apps) == len(site.routes)


def test_folders_have_names_of_their_own(tmp_path: Path) -> None:
    for name in ("a/study 1", "a/b", "c/b"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "campaign.toml").touch()
    assert list(campaign_folders([tmp_path / "a"])) == ["b", "study-1"]
    assert list(campaign_folders([tmp_path / "a" / "b"])) == ["b"]
    with pytest.raises(InputError, match="rename one"):
        campaign_folders([tmp_path / "a", tmp_path / "c"])


def test_work_and_downloads_in_the_browser(site: FastAPI, two: Two, computer: Computer) -> None:
    with listening_app(site) as address:
        context = computer()
        page = context.new_page()
        page.goto(f"{address}/a/{two['one'].tokens['ann']}")
        page.get_by_role("link", name="Begin", exact=True).click()
        page.wait_for_selector(".workbench")
        press(page, "5", "Enter")
        all_saved(page)
        assert page.url.startswith(f"{address}/c/one/")
        page.goto(f"{address}/c/other/a/{two['other'].tokens['organiser']}")
        page.wait_for_selector("html[data-ready]")
        with page.expect_download() as download:
            page.get_by_role("link", name="events.jsonl").click()
        assert download.value.suggested_filename == "events.jsonl"
        page.goto(f"{address}/")
        expect(page.get_by_role("link", name="one you annotate")).to_be_visible()
        shot(page, "start")
        page.get_by_role("link", name="other organiser").click()
        expect(page.get_by_role("heading", name="other")).to_be_visible()
    assert len(tasks(two["one"].browser("ann"), "da")) == 1
