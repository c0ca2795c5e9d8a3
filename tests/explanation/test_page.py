"""The explanation as a page, in a real browser: wide and narrow, light and dark."""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser

import isogloss
from chromium import running_browser, serious
from isogloss.comparison import ComparisonSettings
from isogloss.explanation import explanation_page


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with running_browser() as browser:
        yield browser


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    collection = isogloss.load_sample("cs-en")
    table = isogloss.evaluate(collection, "chrf,bleu,cohesion")
    found = isogloss.explain(
        table,
        "steady",
        "tangled",
        collection=collection,
        settings=ComparisonSettings(resamples=1000),
    )
    path = tmp_path_factory.mktemp("page") / "why.html"
    path.write_text(explanation_page(found, "steady against tangled"), encoding="utf-8")
    return Path(path).as_uri()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1024, 390])
def test_it_can_be_read_by_all(
    browser: Browser, address: str, width: int, scheme: Literal["light", "dark"]
) -> None:
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page.goto(address)
    assert serious(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.close()


def test_every_link_leads_to_its_evidence(browser: Browser, address: str) -> None:
    page = browser.new_page()
    page.goto(address)
    links = page.locator("p.summary a")
    assert links.count() >= 5
    for link in links.all():
        number = link.inner_text().strip("[]")
        link.click()
        shown = page.locator(":target h2").inner_text()
        assert shown.startswith(f"{number} ")
    page.close()
