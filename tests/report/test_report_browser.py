"""The report in a real browser: opened from disk, with the network cut.

Any message of the browser's console fails a test.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Locator, Page, expect

from chromium import running_browser, serious
from isogloss.report import write_report
from isogloss.report.assembly import ReportData
from isogloss.spans import Evidence, Span, output_side
from report.made_reports import (
    collection_of,
    cut_report,
    data_of,
    judged_report,
    small_report,
    table_of,
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with running_browser() as browser:
        yield browser


@pytest.fixture
def opened(browser: Browser, tmp_path: Path) -> Iterator[Any]:
    """Writes a report and opens it at an address, offline; no complaint may appear."""
    complaints: list[str] = []
    context = browser.new_context(offline=True, viewport={"width": 1300, "height": 850})

    def note(message: ConsoleMessage) -> None:
        complaints.append(f"{message.type}: {message.text}")

    def open(data: ReportData, address: str = "#/overview") -> Page:
        path = tmp_path / "report.html"
        if not path.exists():
            write_report(data, path)
        page = context.new_page()
        page.on("console", note)
        page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
        page.goto(f"file://{path}{address}")
        page.wait_for_selector("html[data-ready]")
        return page

    yield open
    context.close()
    assert complaints == []


@pytest.fixture(scope="module")
def report() -> ReportData:
    return small_report()


def test_the_overview_tells_who_is_best(opened: Any, report: ReportData) -> None:
    page = opened(report)
    expect(page.get_by_role("complementary", name="Warnings")).to_contain_text(
        "6 documents and 3 pairs of systems"
    )
    standings = page.locator("table.standings")
    expect(standings.locator("tbody th").first).to_have_text("good")
    standings.locator("tbody td").first.hover()
    expect(page.get_by_role("tooltip")).to_contain_text("Cannot be told apart from bad, other")
    page.keyboard.press("Escape")
    standings.locator("tbody td").first.focus()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("tooltip")).to_contain_text("bad · made")
    page.get_by_text("Signatures and settings").click()
    expect(page.get_by_text("made|made:by-hand")).to_be_visible()
    page.locator(".square td[data-cell='0,1']").first.hover()
    expect(page.get_by_role("tooltip")).to_contain_text("good cannot be told apart from bad")
    page.get_by_role("group", name="Metric").get_by_role("button", name="chains").click()
    expect(page).to_have_url(re.compile("metric=chains"))


def test_documents_can_be_sorted_and_filtered(opened: Any, report: ReportData) -> None:
    page = opened(report, "#/documents")
    documents, scores = page.locator("main tbody th"), page.locator("tbody td.score:nth-child(5)")
    expect(documents).to_have_count(6)
    worst_first = sorted(scores.all_inner_texts(), key=float)
    assert scores.all_inner_texts() != worst_first
    page.get_by_role("button", name="bad", exact=True).click()
    expect(scores).to_have_text(worst_first)
    page.get_by_label("Domain").select_option("talk")
    expect(documents).to_have_text([re.compile("^talk-")] * 3)
    page.get_by_label("Find a document").fill("-2")
    expect(page.locator("main tbody th")).to_have_count(1)
    page.get_by_role("link", name="talk-2").click()
    expect(page.get_by_role("heading", name="talk-2")).to_be_visible()
    page.go_back()
    expect(page.get_by_label("Find a document")).to_have_value("-2")


def marked(texts: Locator, word: str) -> Locator:
    return texts.locator("mark", has_text=word)


def test_a_chain_lights_up_as_a_whole(opened: Any, report: ReportData) -> None:
    page = opened(report, "#/document/news-1?systems=good,bad")
    texts = page.locator(".segments")
    expect(marked(texts, "stops")).to_have_text(["stops", "stops"])  # behind an emoji
    assert texts.locator("mark.active").count() == 0
    marked(texts, "ferry").first.hover()
    expect(texts.locator("mark.active")).to_have_text(
        ["Trajekt", "ferry", "Trajekt", "Trajekt", "ferry"]
    )
    expect(page.locator(".links path"), "down two columns, across two rows").to_have_count(5)
    page.get_by_role("button", name="explain").nth(1).click()
    listed = page.get_by_role("complementary", name="Evidence")
    expect(listed).to_contain_text("Trajekt ×2 → ferry, boat")
    listed.get_by_role("button").first.focus()
    expect(texts.locator("mark.active")).to_have_text(
        ["Trajekt", "ferry", "Trajekt", "Trajekt", "boat"]
    )
    expect(marked(texts, "boat")).to_have_class(re.compile("bad"))


def test_systems_can_be_switched_and_compared(opened: Any, report: ReportData) -> None:
    page = opened(report, "#/document/news-1?systems=good")
    chips = page.get_by_role("group", name="Systems shown")
    chips.get_by_role("button", name="other").click()
    heads = page.get_by_role("columnheader")
    expect(heads.last).to_contain_text("other")
    page.get_by_role("button", name="word difference").click()
    expect(page.locator("mark.differs.first")).to_have_text(["ferry"])
    expect(page.locator("mark.differs.second")).to_have_text(["boat"])
    chips.get_by_role("button", name="good").click()
    expect(page.locator("mark")).to_have_count(0)


def test_segments_can_be_searched(opened: Any, report: ReportData) -> None:
    page = opened(report, "#/segments?one=good&other=bad")
    expect(page.locator("article")).to_have_count(18)
    page.get_by_label("Search in all texts").fill("BOÁT")
    expect(page.locator("article")).to_have_count(6)
    page.get_by_role("button", name="two metrics").click()
    expect(page.locator("main")).to_contain_text("rank most differently")
    page.locator("article a").first.click()
    expect(page.locator(".row.current")).to_be_visible()


def test_metrics_stand_beside_people(opened: Any) -> None:
    page = opened(judged_report(), "#/agreement")
    expect(page.locator("table.standings tbody th")).to_have_text(["made", "chains"])
    expect(page.locator("figure")).to_have_count(4)
    page.get_by_role("group", name="Level").get_by_role("button", name="documents").click()
    page.locator("figure g[role=img]").first.hover()
    expect(page.get_by_role("tooltip")).to_contain_text("people agree")
    page.goto(page.url.replace("#/agreement", "#/document/news-1?show=mqm&systems=good"))
    expect(page.locator("mark")).to_have_text(["The"])


def test_what_lacks_its_partner_is_shown(opened: Any) -> None:
    page = opened(cut_report(), "#/document/storm?systems=swapped,short&explain=short")
    expect(page.locator(".cut-note")).to_contain_text("and cut to fit the source by hand: sw")
    expect(page.locator(".segment-label").nth(2)).to_have_text("00:00:02,000 --> 00:00:02,900")
    texts = page.locator(".segments")
    added = marked(texts, "Here is the rest of the translation:")
    expect(added).to_have_class(re.compile("bad"))
    expect(added).to_have_attribute("title", "added, 8 · characters 84 to 120 as handed in")
    expect(marked(texts, "In the evening")).to_have_class(re.compile("half"))
    expect(texts.locator("mark.gap")).to_have_text(["omitted", "moved"])
    omitted = marked(texts.locator(".cell.source"), "Die Behörden riefen")
    expect(omitted).to_have_class(re.compile("missed"))
    page.get_by_role("button", name="explain").first.click()
    expect(omitted).to_have_count(0)
    expect(marked(texts.locator(".cell.source"), "Verletzt wurde niemand.")).to_be_visible()
    marked(texts, "Nobody was hurt.").hover()
    expect(texts.locator("mark.active")).to_have_text(
        ["Nobody was hurt.", "Verletzt wurde niemand.", "moved"]
    )
    for look in ("light", "dark"):
        page.emulate_media(color_scheme=look)
        assert serious(page) == [], look


def test_texts_that_were_handed_in_split_are_not_said_to_be_cut(
    opened: Any, report: ReportData
) -> None:
    page = opened(report, "#/document/news-1?systems=good,bad")
    expect(page.locator(".segments")).to_be_visible()
    expect(page.locator(".cut-note")).to_have_count(0)
    expect(marked(page.locator(".segments"), "stops").first).to_have_attribute(
        "title", "partly matched: a detail"
    )


HOSTILE = (
    "</script><script>window.hacked = 1</script>",
    "<img src=x onerror='window.hacked = 1'>",
    "\u202eright to left\u202c \u2066isolate",
    "مرحبا بالعالم <b>bold</b>",
    "𝒳😀 ]]> <!-- &amp; {{window.hacked = 1}} javascript:window.hacked=1",
)


def hostile_report() -> ReportData:
    id, system = "\"'><img src=x onerror='window.hacked=1'>/#?%", "<script>window.hacked=1</script>"
    collection = collection_of({id: HOSTILE}, {system: {id: HOSTILE}, "a,b & c": {id: HOSTILE}})

    def evidence(_metric: str, name: str, document: str) -> list[Evidence]:
        place = Span(document, output_side(name), 4, 1, 2)
        return [Evidence("<img src=x onerror='window.hacked=1'>: x", (place,))]

    return data_of(collection, table_of(collection, ("m",), evidence, notices=HOSTILE))


def test_hostile_text_stays_text(opened: Any) -> None:
    page = opened(hostile_report(), "#/overview")
    for view in ("Overview", "Documents", "Segments"):
        page.get_by_role("link", name=view).click()
        page.wait_for_timeout(50)
    page.get_by_role("link", name="Documents").click()
    page.locator("tbody th a").click()
    cells = page.locator(".segments .cell.source .text")
    expect(cells).to_have_count(len(HOSTILE))
    expect(page.locator(".segments mark")).to_have_text(["😀", "😀"])
    assert tuple(cell.text_content() for cell in cells.all()) == HOSTILE
    assert page.locator("img, iframe, b").count() == 0
    assert page.evaluate("window.hacked") is None
    assert cells.nth(3).evaluate("e => getComputedStyle(e).direction") == "rtl"
    assert cells.nth(2).evaluate("e => getComputedStyle(e).unicodeBidi") in ("isolate", "plaintext")


def large_report() -> ReportData:
    texts = {f"doc-{d}": [f"Segment {d}-{s} of the source." for s in range(25)] for d in range(199)}
    texts["long"] = [f"Line {s}." for s in range(25)]
    outputs = {f"system-{n}": {i: [*lines] for i, lines in texts.items()} for n in range(8)}
    collection = collection_of(texts, outputs)
    return data_of(collection, table_of(collection, ("m", "n")))


def test_five_thousand_segments_are_drawn_as_needed(opened: Any) -> None:
    page = opened(large_report(), "#/documents")
    assert page.locator("header").inner_text().count("5,000 segments") == 1
    assert page.locator("main tbody tr").count() < 80
    page.locator(".matrix").evaluate("e => e.scrollTop = e.scrollHeight")
    expect(page.get_by_role("link", name="long")).to_be_visible()
    assert page.locator("main tbody tr").count() < 80
    page.get_by_role("link", name="Segments").click()
    expect(page.locator("main")).to_contain_text("5,000 segments")
    assert 0 < page.locator("article").count() < 200
    page.get_by_label("Search in all texts").fill("Line 24.")
    expect(page.locator("article")).to_have_count(1)


def test_on_paper_everything_is_there(opened: Any) -> None:
    page = opened(large_report(), "#/documents")
    page.emulate_media(media="print")
    expect(page.locator("main tbody th")).to_have_count(200)
    expect(page.locator("nav.views")).to_be_hidden()


VIEWS = (
    "#/overview",
    "#/documents",
    "#/document/news-1?systems=good,bad",
    "#/segments?between=people",
    "#/agreement",
)


@pytest.mark.parametrize("look", ["light", "dark"])
def test_everyone_can_use_it(opened: Any, look: str) -> None:
    """axe looks for what shuts people out: contrast, names, roles, keyboard traps."""
    report = judged_report()
    for view in VIEWS:
        page = opened(report, view)
        page.emulate_media(color_scheme=look)
        assert serious(page) == [], view
