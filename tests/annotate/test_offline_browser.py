"""An annotator whose network or server is gone reloads the page, goes on, and nothing is lost.

Real Chromium, with the service worker that the page registers; the network is cut by the browser,
or the server is really stopped and started again at its port.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.types import ASGIApp

from annotate.browsing import Computer, all_saved, press
from annotate.served_campaigns import LEASE, Served
from isogloss.annotate import AccessLinks, Campaign, Store, bound_socket, create_app
from isogloss.annotate.items import DocumentText
from isogloss.annotate.launch import opened
from isogloss.annotate.storage.database import open_database
from isogloss.annotate.storage.verification import faults
from isogloss.annotate.web import server as program
from isogloss.annotate.web.listener import server

SECOND = DocumentText("sequel", LEASE.source[:1], {"one": ["He pays."], "two": ["She pays."]})


def at_hand(page: Page) -> None:
    """Wait until the page could be opened without a network."""
    page.evaluate("navigator.serviceWorker.ready")
    page.wait_for_function(
        """async () => {
            const program = await caches.keys().then((n) => n.find((m) => /program/.test(m)));
            const parts = program ? await (await caches.open(program)).keys() : [];
            const work = await caches.keys().then((n) => n.find((m) => /work/.test(m)));
            const kept = work ? await (await caches.open(work)).keys() : [];
            return parts.length === 3 && kept.length === 3; // who it is, and both tasks
        }"""
    )


def saved_by_itself(page: Page) -> None:
    """The page asks again ever more rarely, until somebody answers."""
    expect(page.get_by_role("status").first).to_have_text("All saved", timeout=30_000)


def begun(context: BrowserContext, campaign: Served, address: str = "") -> Page:
    """Somebody who has scored the first translation of the first task, ready for anything."""
    page = context.new_page()
    page.goto(address or campaign.link("ann"))
    page.wait_for_selector("html[data-ready]")
    at_hand(page)
    page.get_by_role("link", name="Begin", exact=True).click()
    page.wait_for_selector(".workbench")
    press(page, "7", "5")
    all_saved(page)
    return page


@contextmanager
def standing(app: ASGIApp, port: int = 0) -> Iterator[int]:
    """A server that is really gone at the end; its port can be taken again."""
    listening = bound_socket("127.0.0.1", port)
    running = server(app)  # type: ignore[arg-type]
    thread = threading.Thread(target=running.run, args=([listening],), daemon=True)
    thread.start()
    try:
        yield listening.getsockname()[1]
    finally:
        running.should_exit = True
        thread.join()
        listening.close()


@pytest.fixture
def open_store(tmp_path: Path) -> Iterator[tuple[Store, AccessLinks]]:
    """An open campaign of two documents that nobody serves yet."""
    store = Store(open_database(tmp_path / "campaign.db"))
    plan = Campaign("leases", "t", ("ann",), ("da",), seed=2)
    yield store, opened(plan, [LEASE, SECOND], "", store)
    store.database.close()


def test_a_page_that_is_opened_again_offline_goes_on(
    computer: Computer, open_store: tuple[Store, AccessLinks]
) -> None:
    store, links = open_store
    context = computer()
    with standing(create_app(store)) as port:
        campaign = Served(store, f"http://127.0.0.1:{port}", {"ann": links.annotators["ann"]})
        page = begun(context, campaign)
    press(page, "ArrowDown", "4")
    expect(page.get_by_role("status").first).to_contain_text("Offline · 1 waiting")
    page.reload()
    page.wait_for_selector(".workbench")
    expect(page.get_by_role("status").first).to_contain_text("Offline · 1 waiting")
    sliders = page.get_by_role("slider")
    expect(sliders.nth(0)).to_have_attribute("aria-valuetext", "75")
    expect(sliders.nth(1)).to_have_attribute("aria-valuetext", "40")
    press(page, "ArrowUp", "8", "Enter", *["x", "Enter"] * 6)  # what was saved is changed, too
    page.get_by_role("link", name="Next task").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("sequel")
    press(page, "5")  # a task that was never opened
    page.close()
    page = context.new_page()
    page.goto(campaign.address)
    expect(page.get_by_text("7 of 8 answered")).to_be_visible()
    expect(page.get_by_role("status").first).to_contain_text("Offline · 7 waiting")
    with standing(create_app(store), port):
        saved_by_itself(page)
        expect(page.get_by_text("7 of 8 answered")).to_be_visible()
    places = [(event.task, event.item, event.revision) for event in campaign.events()]
    assert len(places) == len(set(places)) == 8, "nothing is lost, and nothing is there twice"
    assert campaign.values("da")["seg:0/A"] == {"score": 80}
    assert faults(store) == []


def test_a_server_that_is_stopped_and_updated(
    computer: Computer, open_store: tuple[Store, AccessLinks], monkeypatch: pytest.MonkeyPatch
) -> None:
    store, links = open_store
    with standing(create_app(store)) as port:
        campaign = Served(store, f"http://127.0.0.1:{port}", {"ann": links.annotators["ann"]})
        page = begun(computer(), campaign)
    page.reload()
    page.wait_for_selector(".workbench")
    expect(page.get_by_role("slider").first).to_have_attribute("aria-valuetext", "75")
    press(page, "ArrowUp", "6")
    old = program.asset

    def updated(name: str) -> tuple[str, str]:
        content, tag = old(name)
        return f"{content}\n/* new */" + "window.updated = true;" * name.endswith("e.js"), tag + "+"

    monkeypatch.setattr(program, "asset", updated)
    with standing(create_app(store), port):
        saved_by_itself(page)
        assert campaign.values("da")["seg:0/A"] == {"score": 60}
        page.reload()
        page.wait_for_selector(".workbench")
        assert page.evaluate("window.updated"), "nothing old hides what is new"
    page.reload()
    page.wait_for_selector(".workbench")
    assert page.evaluate("window.updated"), "what was fetched last is what is kept"


def test_a_campaign_in_a_folder_of_a_site(
    computer: Computer, open_store: tuple[Store, AccessLinks]
) -> None:
    store, links = open_store
    site = Starlette(routes=[Mount("/c/leases", app=create_app(store))])
    context = computer()
    with standing(site) as port:
        address = f"http://127.0.0.1:{port}/c/leases"
        campaign = Served(store, address, {"ann": links.annotators["ann"]})
        page = begun(context, campaign)
        scopes = "navigator.serviceWorker.getRegistrations().then((a) => a.map((r) => r.scope))"
        assert page.evaluate(scopes) == [f"{address}/"]
        context.set_offline(True)
        page.reload()
        page.wait_for_selector(".workbench")
        expect(page.get_by_role("status").first).to_contain_text("Offline")
        context.set_offline(False)
        saved_by_itself(page)
    page.reload()
    page.wait_for_selector(".workbench")
    expect(page.get_by_role("slider").first).to_have_attribute("aria-valuetext", "75")
