"""The report in a real browser: opened from disk, with the network cut.

Any message of the browser's console fails a test.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Locator, Page, expect

from chromium import running_browser, serious, violations
from isogloss import load_sample
from isogloss.comparison import ComparisonSettings, compare
from isogloss.evaluation import evaluate
from isogloss.report import report_data, write_report
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
    expect(page.get_by_role("region", name="Verdict")).to_contain_text(
        "6 documents and 3 pairs of systems"
    )
    warnings = page.get_by_role("complementary", name="Warnings")
    expect(warnings.get_by_role("listitem")).to_have_text(["the source has 1 empty segment"])
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


def test_the_answer_comes_before_the_numbers(opened: Any) -> None:
    data = judged_report()
    page = opened(data)
    verdict = page.get_by_role("region", name="Verdict")
    expect(verdict.get_by_role("heading")).to_have_text(f"{data.overview.verdict.headline}.")
    expect(verdict.get_by_role("listitem")).to_have_count(len(data.overview.verdict.clauses))
    expect(verdict).to_contain_text("eople")
    heads = page.locator("table.standings thead th")
    expect(heads).to_have_text(["System", "mqm (people) ↑", "made ↑", "chains ↑"])
    order = [data.overview.systems[i].name for i in data.overview.verdict.order]
    expect(page.locator("table.standings tbody th")).to_have_text(order)
    page.get_by_role("button", name="chains ↑").click()
    expect(page).to_have_url(re.compile("metric=chains"))
    expect(heads.nth(3)).to_have_attribute("aria-sort", "descending")
    page.get_by_role("button", name="System", exact=True).click()
    expect(page.locator("table.standings tbody th")).to_have_text(order)


def test_words_are_explained(opened: Any) -> None:
    page = opened(judged_report(), "#/agreement")
    expect(page.locator("table.standings")).to_be_visible()
    page.locator(".term", has_text="acc-eq").first.focus()
    expect(page.get_by_role("tooltip")).to_contain_text("ties included")
    help = page.get_by_role("dialog", name="Keys and words")
    page.keyboard.press("?")
    expect(help).to_be_visible()
    expect(help).to_contain_text("soft pairwise accuracy")
    expect(help).to_contain_text("rank cluster")
    assert violations(page) == []
    page.keyboard.press("Escape")
    expect(help).to_be_hidden()
    page.goto(page.url.replace("#/agreement", "#/segments"))
    page.get_by_label("Search in all texts").press("?")
    expect(help).to_be_hidden()


def test_tables_and_figures_can_be_taken_away(opened: Any) -> None:
    page = opened(judged_report())

    def saved(name: str, nth: int = 0) -> tuple[str, str]:
        with page.expect_download() as download:
            page.get_by_role("button", name=name, exact=True).nth(nth).click(force=True)
        path = download.value.path()
        return download.value.suggested_filename, Path(path).read_text(encoding="utf-8")

    name, latex = saved("LaTeX")
    assert name == "made-systems.tex"
    assert r"\begin{tabular}{l" in latex
    # People's intervals cannot be told here: a column in which nothing stands is left out.
    assert r"system & mqm (people) $\uparrow$ & \# & made $\uparrow$ & interval & \# &" in latex
    name, table = saved("CSV")
    assert name == "made-systems.csv"
    assert table.splitlines()[1].startswith("good,")
    name, drawing = saved("SVG")
    assert name == "made-intervals.svg"
    assert drawing.startswith("<svg")
    assert 'xmlns="http://www.w3.org/2000/svg"' in drawing
    assert "fill=" in drawing
    assert "class=" not in drawing
    name, wins = saved("LaTeX", 1)
    assert name == "made-wins.tex"
    assert "good &  & +" in wins
    name, square = saved("CSV", 2)
    assert name == "metrics-by-document.csv"
    assert square.startswith("metric,mqm (people),made,chains\nmqm (people),,0.")
    page.get_by_role("link", name="Documents").click()
    page.get_by_label("Domain").select_option("talk")
    name, documents = saved("CSV")
    assert name == "made-documents.csv"
    assert documents.startswith("document,domain,segments,mean,good,bad,other\ntalk-1,talk,3,")
    assert len(documents.splitlines()) == 4


def test_a_chart_is_printed_alone_on_a_page_of_its_size(opened: Any, report: ReportData) -> None:
    page = opened(report)
    page.emulate_media(color_scheme="dark")
    page.evaluate("window.print = () => undefined")  # what follows prints, and saves
    chart = page.locator(".chart").first
    box = chart.locator("svg").bounding_box()
    chart.get_by_role("button", name="PDF").click(force=True)
    ink = page.locator(".chart-sheet text").first.get_attribute("fill")
    assert ink == "rgb(90, 95, 104)", "in the light look, for white paper"
    pdf = page.pdf(prefer_css_page_size=True)
    sizes = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", pdf)
    assert len(sizes) == 1
    points = [72 / 96 * box["width"], 72 / 96 * (box["height"] + 1)]
    assert [float(size) for size in sizes[0]] == pytest.approx(points, abs=1)
    expect(page.locator(".chart-sheet"), "all is as it was").to_have_count(0)
    assert sizes[0][0] not in page.pdf(prefer_css_page_size=True)


def test_long_names_end_in_an_ellipsis(opened: Any) -> None:
    long = "a-system-whose-name-goes-on-and-on-and-on-until-nobody-listens"
    texts = {"d": ("Eins.", "Zwei."), "e": ("Drei.",)}
    collection = collection_of(texts, {long: texts, "b": texts})
    page = opened(data_of(collection, table_of(collection)))
    name = page.locator("table.standings tbody .long-name").first
    expect(name).to_have_attribute("title", long)
    expect(name).to_have_css("text-overflow", "ellipsis")
    assert name.evaluate("e => e.scrollWidth > e.clientWidth")


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


def test_segments_can_be_filtered(opened: Any, report: ReportData) -> None:
    page = opened(report, "#/segments?one=good&other=bad")
    cases = page.locator("article")
    expect(cases).to_have_count(18)
    page.get_by_label("Domain").select_option("talk")
    expect(cases).to_have_count(9)
    page.get_by_label("Domain").select_option("all")
    page.get_by_label("With evidence of").select_option("chains: inconsistent")
    expect(cases).to_have_count(2)
    expect(page).to_have_url(re.compile("found=chains"))
    page.get_by_label("Other system").select_option("good")
    expect(page.locator("main")).to_contain_text("Nothing is like that.")
    page.get_by_label("Other system").select_option("bad")
    page.get_by_label("With evidence of").select_option("anything")
    page.get_by_label("Length of document").select_option("the longest third")
    expect(page.locator("main")).to_contain_text("Nothing is like that.")


def test_every_passage_has_an_address(opened: Any, report: ReportData) -> None:
    page = opened(report, "#/document/news-1?systems=good,bad")
    page.get_by_role("rowheader").nth(1).get_by_role("link").click()
    expect(page).to_have_url(re.compile(r"systems=good%2Cbad&segment=2"))
    expect(page.locator(".row.current")).to_have_attribute("id", "segment-1")


def test_several_test_sets_have_an_overview(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "sets.html"
    write_report([small_report(), judged_report()], path)
    page = browser.new_context(offline=True, viewport={"width": 1024, "height": 800}).new_page()
    page.goto(f"file://{path}")
    expect(page.get_by_role("heading", level=1)).to_have_text("2 test sets")
    sets = page.get_by_role("table", name="Test sets and who comes first on them")
    expect(sets.locator("tbody tr")).to_have_count(2)
    page.get_by_role("group", name="Metric").get_by_role("button", name="mqm").click()
    scores = page.get_by_role("table", name="mqm of each system on each test set")
    expect(scores.locator("tbody tr").first.locator("td").first).to_have_text("–")
    for look in ("light", "dark"):
        page.emulate_media(color_scheme=look)
        assert violations(page) == [], look
    sets.get_by_role("link").nth(1).click()
    expect(page.get_by_role("link", name="Agreement with people")).to_be_visible()
    page.get_by_role("link", name="Documents").click()
    expect(page).to_have_url(re.compile(r"#/@1/documents"))
    page.get_by_role("link", name="talk-2").click()
    expect(page.locator(".segments")).to_be_visible()
    page.get_by_role("link", name="all test sets").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("2 test sets")
    sets.get_by_role("link").first.click()
    expect(page.get_by_role("link", name="Segments")).to_be_visible()
    expect(page.get_by_role("link", name="Agreement with people")).to_have_count(0)
    page.context.close()


def explained_report() -> ReportData:
    sample = load_sample("cs-en")
    table = evaluate(sample, ["chrf", "bleu"])
    comparisons = compare(table, settings=ComparisonSettings(resamples=500))
    data = report_data(sample, table, comparisons, explain="some")
    # As with many systems: not every pair was taken apart.
    overview = replace(data.overview, explained=data.overview.explained[:2], unexplained="Not all.")
    return replace(data, overview=overview, explanations=data.explanations[:2])


def pair_heading(page: Page, pair: str) -> Locator:
    """Of the view of a pair; before it comes, the view that was left has headings, too."""
    return page.get_by_role("heading", level=2, name=pair, exact=True)


def test_why_a_system_beats_another(opened: Any) -> None:
    page = opened(explained_report())
    page.get_by_role("link", name=re.compile("^Why\\? steady against")).click()
    expect(page).to_have_url(re.compile("#/explain"))
    expect(pair_heading(page, "steady against shifting")).to_be_visible()
    page.get_by_role("combobox", name="Other system").select_option("tangled (scores only)")
    expect(page.locator("main")).to_contain_text("isogloss explain steady tangled SCORES")
    expect(page.locator("main table tbody tr")).to_have_count(2)
    page.get_by_role("link", name="shifting against tangled").click()
    why = page.get_by_role("region", name="Why")
    expect(why).to_contain_text("shifting beats tangled by")
    page.get_by_role("combobox", name="Metric").select_option("bleu")
    expect(why).to_contain_text("bleu (")
    places = page.get_by_role("table").filter(has_text="together").first
    expect(places.locator("tbody tr").first.locator("svg")).to_be_attached()
    why.get_by_role("link").last.click()
    expect(page).to_have_url(re.compile("table="))
    expect(page.locator("h3:focus")).to_have_count(1)
    passage = page.locator("article.passage").first
    expect(passage.locator("mark").first).to_be_attached()
    passage.get_by_role("link").click()
    expect(page).to_have_url(re.compile(r"#/document/.*segment=\d+&systems=shifting%2Ctangled"))
    expect(page.locator(".row.current")).to_be_visible()
    page.go_back()
    expect(page.locator("article.passage").first).to_be_attached()


def test_a_cell_of_the_wins_leads_to_the_reasons(opened: Any) -> None:
    page = opened(explained_report())
    page.locator(".square td[data-cell='0,1']").first.click()
    expect(pair_heading(page, "steady against shifting")).to_be_visible()
    page.go_back()
    page.locator(".square td[data-cell='0,0']").first.focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    expect(pair_heading(page, "shifting against tangled")).to_be_visible()


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
    "#/explain",
    "#/explain?one=bad&other=other",
)


@pytest.mark.parametrize("look", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1024, 1440])
def test_everyone_can_use_it_on_any_screen(opened: Any, width: int, look: str) -> None:
    """axe looks for what shuts people out: contrast, names, headings, roles, keyboard traps."""
    report = judged_report()
    for view in VIEWS:
        page = opened(report, view)
        page.emulate_media(color_scheme=look)
        page.set_viewport_size({"width": width, "height": 800})
        expect(page.locator("main h2").first).to_be_attached()
        page.wait_for_function("document.documentElement.scrollWidth <= innerWidth")
        assert violations(page) == [], view


def test_on_a_phone_scores_stand_below_their_system(opened: Any) -> None:
    page = opened(judged_report())
    page.set_viewport_size({"width": 390, "height": 800})
    first = page.locator("table.standings tbody tr").first
    expect(first.locator("td").first).to_have_css("display", "flex")
    name, scores = first.locator("th").bounding_box(), first.locator("td").first.bounding_box()
    assert name["y"] + name["height"] <= scores["y"] + 1
    page.goto(page.url.replace("#/overview", "#/document/news-1?systems=good,bad"))
    cells = page.locator(".segments .row").nth(1).locator(".cell")
    expect(cells).to_have_count(4)
    expect(cells.nth(1)).to_be_visible()
    boxes = [cell.bounding_box() for cell in cells.all()]
    assert [box["y"] for box in boxes] == sorted({box["y"] for box in boxes})


def test_letters_of_plots_keep_their_size(opened: Any, report: ReportData) -> None:
    page = opened(report)
    for width in (390, 1440):
        page.set_viewport_size({"width": width, "height": 800})
        drawing = page.locator(".chart svg").first
        page.wait_for_function(
            "() => { const d = document.querySelector('.chart svg'), f = d.parentElement;"
            " return Number(d.getAttribute('width')) === f.clientWidth; }"
        )
        scale = drawing.evaluate("d => d.getBoundingClientRect().width / d.viewBox.baseVal.width")
        assert scale == pytest.approx(1, abs=0.01)
