"""People at their browsers."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, BrowserContext, Page, expect

from annotate.served_campaigns import Served

# The network is cut and the disk filled on purpose, conflicts are meant, and at the end the server
# goes first.
EXPECTED = (
    "ERR_INTERNET_DISCONNECTED",
    "status of 409",
    "status of 503",
    "ERR_CONNECTION_REFUSED",
)

Computer = Callable[[], BrowserContext]


@contextmanager
def computers(browser: Browser) -> Iterator[Computer]:
    """Computers that know nothing of each other; none may have anything to complain about."""
    complaints: list[str] = []
    contexts: list[BrowserContext] = []

    def start() -> BrowserContext:
        context = browser.new_context(viewport={"width": 1280, "height": 720})
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


def all_saved(page: Page) -> None:
    """Wait until the page says so."""
    expect(page.get_by_role("status").first).to_have_text("All saved")
