"""People at their browsers."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page, expect

from annotate.served_campaigns import Served

# The network is cut and the disk filled on purpose, conflicts are meant, and at the end the server
# goes first.
EXPECTED = (
    "ERR_INTERNET_DISCONNECTED",
    "status of 409",
    "status of 403",
    "status of 503",
    "ERR_CONNECTION_REFUSED",
)

Computer = Callable[..., BrowserContext]
PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "has_touch": True,
    "is_mobile": True,
}


@contextmanager
def computers(browser: Browser) -> Iterator[Computer]:
    """Computers that know nothing of each other; none may have anything to complain about."""
    complaints: list[str] = []
    contexts: list[BrowserContext] = []

    def start(**settings: Any) -> BrowserContext:
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 720}, **settings})
        contexts.append(context)
        context.on("console", lambda message: complaints.append(message.text))
        context.on("weberror", lambda error: complaints.append(str(error.error)))
        return context

    yield start
    for context in contexts:
        context.close()
    unexpected = [text for text in complaints if not any(word in text for word in EXPECTED)]
    assert unexpected == [], unexpected


def entered(context: BrowserContext, campaign: Served, who: str = "ann") -> Page:
    """Somebody comes by their link."""
    page = context.new_page()
    page.goto(campaign.link(who))
    page.wait_for_selector("html[data-ready]")
    return page


def at_task(context: BrowserContext, campaign: Served, kind: str, who: str = "ann") -> Page:
    """Somebody at their first task of a kind."""
    page = entered(context, campaign, who)
    page.goto(f"{campaign.address}/#/task/{campaign.task(kind, who).id}")
    page.wait_for_selector(".workbench")
    return page


def press(page: Page, *keys: str) -> None:
    """Keys, one after the other."""
    for key in keys:
        page.keyboard.press(key)


def drawn(page: Page, start: tuple[float, float], end: tuple[float, float]) -> None:
    """A finger goes down, draws a line and is lifted."""
    touching = page.context.new_cdp_session(page)
    steps = [(start[0] + (end[0] - start[0]) * n / 10, start[1] + (end[1] - start[1]) * n / 10)
             for n in range(11)]  # fmt: skip
    for n, (x, y) in enumerate(steps):
        kind = "touchMove" if n else "touchStart"
        points = [{"x": x, "y": y}]
        touching.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    touching.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def all_saved(page: Page) -> None:
    """Wait until the page says so."""
    expect(page.get_by_role("status").first).to_have_text("All saved")
