"""Take the screenshots of docs/screenshots from reports, in headless Chromium.

    make demo
    python docs/make_screenshots.py out/sample-cs-en.html JUDGED.html

The second report is one of a test set with human judgements (docs/report.md names the command). A
third one, of whole documents, is made here.
Fonts are those of the machine; with Inter and Noto Serif the pictures look as they do here.
"""

import argparse
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

import isogloss
from isogloss.documents import Unsplit
from isogloss.wholes import WholeText

FOLDER = Path(__file__).parent / "screenshots"
LEASE = "#/document/lease-flat?systems=steady,shifting&explain=shifting"


@dataclass(frozen=True)
class Shot:
    """One picture: where the page is, what the pointer rests on."""

    name: str
    address: str
    judged: bool = False
    hover: str | None = None
    width: int = 1360
    height: int = 860
    dark: bool = False


SHOTS = (
    Shot("overview", "#/overview", judged=True, height=1250),
    Shot("phone", "#/overview", judged=True, width=390, height=844, dark=True),
    Shot("documents", "#/documents?sort=GPT4-5shot&metric=chrf", judged=True),
    Shot("chains", f"{LEASE}&show=cohesion", hover=".row:nth-child(3) .cell:last-child mark"),
    Shot("words", f"{LEASE}&show=prism", dark=True),
    Shot("consistency", f"{LEASE}&show=ltcr", hover=".evidence li:first-child button"),
    Shot("segments", "#/segments?one=steady&other=tangled&metric=prism"),
    Shot(
        "explain", "#/explain?one=GPT4-5shot&other=ONLINE-W&metric=chrf", judged=True, height=1250
    ),
    Shot("agreement", "#/agreement", judged=True, height=1120),
)


WHOLE = Shot(
    "whole-documents",
    "#/document/lease-flat?systems=steady,tangled&explain=tangled&show=coverage",
    hover="mark.gap",
    width=1440,
    height=1330,
)


def write_whole_documents(path: Path) -> None:
    """The report of the sample, in which tangled handed in every document as one text.

    Of the lease it leaves out a sentence, and adds another.
    """
    sample = isogloss.load_sample("cs-en")
    *others, tangled = sample.outputs
    documents = {id: list(lines) for id, lines in tangled.documents.items()}
    lease = documents["lease-flat"]
    del lease[4]
    lease.insert(2, "Smoking is forbidden in all common rooms of the house.")
    texts = {id: WholeText.of_lines([" ".join(lines)]) for id, lines in documents.items()}
    whole = Unsplit(tangled.name, texts)
    collection = isogloss.segment(replace(sample, outputs=tuple(others), unsplit=(whole,)))
    isogloss.write_report(path, collection, isogloss.evaluate(collection, "chrf,coverage"))


@contextmanager
def pages() -> Iterator[Page]:
    """One page in a new browser, with the network cut."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        yield browser.new_context(offline=True).new_page()
        browser.close()


def take(page: Page, shot: Shot, report: Path) -> None:
    """Open the report where the shot wants it, and save the picture."""
    page.set_viewport_size({"width": shot.width, "height": shot.height})
    page.emulate_media(color_scheme="dark" if shot.dark else "light")
    page.goto("about:blank")
    page.goto(f"file://{report.resolve()}{shot.address}")
    page.wait_for_selector("html[data-ready]")
    page.wait_for_timeout(500)
    if shot.hover:
        page.locator(shot.hover).first.hover()
        page.wait_for_timeout(200)
    path = FOLDER / f"{shot.name}.png"
    page.screenshot(path=path)
    # A page has few colours: a palette makes the file three times smaller, and nobody can tell.
    with Image.open(path) as picture:
        picture.convert("RGB").quantize(192, dither=Image.Dither.NONE).save(path, optimize=True)


def main() -> None:
    """Take all pictures that the given reports allow."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sample", type=Path)
    parser.add_argument("judged", type=Path, nargs="?")
    reports = parser.parse_args()
    FOLDER.mkdir(exist_ok=True)
    with pages() as page:
        for shot in SHOTS:
            report = reports.judged if shot.judged else reports.sample
            if report:
                take(page, shot, report)
        with tempfile.TemporaryDirectory() as folder:
            write_whole_documents(Path(folder, "whole.html"))
            take(page, WHOLE, Path(folder, "whole.html"))


if __name__ == "__main__":
    main()
