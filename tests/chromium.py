"""A real browser: Debian's Chromium, driven by Playwright, and what axe says of a page in it."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

AXE = Path(__file__).parents[1] / "web" / "node_modules" / "axe-core" / "axe.min.js"
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or "/usr/bin/chromium"


@contextmanager
def running_browser() -> Iterator[Browser]:
    """A browser without a window."""
    assert Path(CHROMIUM).exists(), (
        "these tests need Chromium: run 'make test', or apt-get install chromium"
    )
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
        yield browser
        browser.close()


def serious(page: Page) -> list[Any]:
    """What axe calls serious or worse."""
    return [found for found in violations(page) if found[0] in ("serious", "critical")]


def violations(page: Page) -> list[Any]:
    """All that axe finds; a debugger may add a script, whatever the policy says."""
    assert AXE.exists(), "these tests need axe-core: run 'make test'"
    page.wait_for_timeout(100)
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
    return [
        (each["impact"], each["id"], [node["html"][:200] for node in each["nodes"][:3]])
        for each in found["violations"]
    ]
