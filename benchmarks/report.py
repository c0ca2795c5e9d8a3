"""The HTML report: how long it takes to build, how large it is, how fast it opens and scrolls.

    python benchmarks/report.py TESTSET [SCORES ...] [--human KIND] [--out report.html]
    python benchmarks/report.py --made [--out report.html]

With a test set: the report of saved scores (or of BLEU and chrF, scored first). With ``--made``:
50 systems x 200 documents x 5,000 segments of invented text under three metrics with evidence.
The size is held against three times the compressed texts and scores plus 400 kB. Opening is
measured in headless Chromium from disk, until the overview is drawn; scrolling by the frames that
took longer than 50 ms while the matrix of documents and a long text are scrolled through.
"""

import argparse
import random
import shutil
import statistics
import tempfile
import zlib
from functools import reduce
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from playwright.sync_api import Page, sync_playwright

from isogloss import (
    Collection,
    Document,
    ScoreTable,
    SystemOutput,
    TestSet,
    compare,
    evaluate,
    read_judgements,
    read_scores,
)
from isogloss.formats import read_collection
from isogloss.formula import MeanFormula
from isogloss.report import report_data, write_report
from isogloss.report.assembly import ReportData
from isogloss.scores import DocumentScore, Measurement, MetricInfo, Provenance, SystemScore
from isogloss.spans import SOURCE, Evidence, Span, output_side

ALLOWANCE = 400_000
RUNS = 5


def compressed_size(collection: Collection, table: ScoreTable) -> int:
    """Bytes of all texts and all scores (system, document, segment), compressed as one text."""
    lines: list[str] = []
    for document in collection.testset.documents:
        lines += document.source
        for reference in document.references.values():
            lines += [text or "" for text in reference]
    for output in collection.outputs:
        lines += [text or "" for segments in output.documents.values() for text in segments]
    for row in table.rows:
        lines.append(repr(row.score))
        for scored in row.documents:
            lines.append(repr(scored.score))
            lines += map(repr, scored.measurement.segment_scores or ())
    return len(zlib.compress("\n".join(lines).encode(), 9))


def made_collection(systems: int = 50, documents: int = 200, segments: int = 25) -> Collection:
    """Invented texts; the systems change a few words of a common translation."""
    rng = random.Random(0)
    words = [
        "".join(rng.choices("aeioubcdfghklmnprstvz", k=rng.randint(2, 9))) for _ in range(4000)
    ]
    weights = [1 / (rank + 5) for rank in range(len(words))]

    def line() -> list[str]:
        return rng.choices(words, weights, k=rng.randint(8, 32))

    def changed(text: list[str], share: float) -> str:
        return " ".join(rng.choice(words) if rng.random() < share else word for word in text)

    sources = {f"document-{d}": [line() for _ in range(segments)] for d in range(documents)}
    targets = {id: [line() for _ in lines] for id, lines in sources.items()}
    testset = TestSet(
        "made",
        "en",
        "de",
        tuple(
            Document(
                id,
                tuple(" ".join(words) for words in lines),
                {"ref": tuple(changed(words, 0.15) for words in targets[id])},
                f"domain-{number % 4}",
            )
            for number, (id, lines) in enumerate(sources.items())
        ),
    )
    outputs = (
        SystemOutput(
            f"system-{n}",
            {id: [changed(t, 0.1 + 0.01 * n) for t in lines] for id, lines in targets.items()},
        )
        for n in range(systems)
    )
    return Collection(testset, tuple(outputs))


def made_evidence(document: Document, system: str) -> list[Evidence]:
    """Five chains of four mentions each, on the source and the output."""
    side = output_side(system)
    return [
        Evidence(
            ("matched", "partly matched", "false")[number % 3],
            tuple(
                Span(document.id, where, segment, number, number + 4)
                for where in (SOURCE, side)
                for segment in range(number, min(len(document), number + 2))
            ),
            0.5,
        )
        for number in range(5)
    ]


def made_table(collection: Collection) -> ScoreTable:
    """Invented scores under three metrics."""
    rng = np.random.default_rng(0)
    rows = []
    for metric in ("one", "two", "three"):
        for rank, output in enumerate(collection.outputs):
            scored = []
            for translation in collection.translations(output):
                document = translation.document
                scores = rng.normal(60 - 0.3 * rank, 12, size=len(document))
                cells = np.column_stack([scores, np.ones_like(scores)])
                found = made_evidence(document, output.name)
                measured = Measurement(
                    cells.sum(axis=0),
                    len(scores),
                    len(scores),
                    cells,
                    tuple(scores.tolist()),
                    tuple(found) if metric == "one" else (),
                )
                scored.append(
                    DocumentScore(document.id, float(scores.mean()), measured, document.domain)
                )
            mean = float(np.mean([each.score for each in scored]))
            rows.append(SystemScore(metric, output.name, mean, tuple(scored)))
    testset = collection.testset
    provenance = Provenance("made", "en", "de", ("ref",), testset.digest(), "", "0")
    infos = tuple(
        MetricInfo(name, f"{name}|made", formula=MeanFormula()) for name in ("one", "two", "three")
    )
    return ScoreTable(provenance, infos, tuple(rows))


def opening_times(path: Path) -> tuple[list[float], dict[str, int]]:
    """Seconds from the request to the drawn overview, and slow frames while scrolling."""
    chromium = shutil.which("chromium")
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path=chromium, args=arguments)
        times = []
        for _ in range(RUNS):
            page = browser.new_context(offline=True).new_page()
            page.goto(f"file://{path}#/overview")
            page.wait_for_selector("html[data-ready]")
            times.append(page.evaluate(DRAWN) / 1000)
        slow = slow_frames(page)
        browser.close()
    return times, slow


# Milliseconds since navigation began, once the frame after the next has been drawn.
DRAWN = """() => new Promise((done) =>
  requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now()))))"""

SCROLLING = """(selector) => new Promise((done) => {
  const element = selector ? document.querySelector(selector) : document.scrollingElement;
  let before = performance.now(), slow = 0, frames = 0;
  function step(now) {
    if (now - before > 50) slow++;
    before = now;
    element.scrollTop += 120;
    if (++frames < 150) requestAnimationFrame(step);
    else done(slow);
  }
  requestAnimationFrame(step);
})"""


def slow_frames(page: Page) -> dict[str, int]:
    """Of 150 frames of scrolling: how many took longer than 50 ms."""
    found = {}
    for view, selector in (("documents", ".matrix"), ("segments", None)):
        page.evaluate(f"location.hash = '#/{view}'")
        page.wait_for_timeout(1500)
        found[view] = page.evaluate(SCROLLING, selector)
    return found


def build(
    collection: Collection, table: ScoreTable, human: Any, explain: Any
) -> tuple[ReportData, float]:
    """The report's data and the seconds that comparing and assembling took."""
    start = perf_counter()
    comparisons = compare(table)
    data = report_data(collection, table, comparisons, human, explain=explain)
    return data, perf_counter() - start


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("testset", nargs="?", type=Path)
    parser.add_argument("scores", nargs="*", type=Path)
    parser.add_argument("--human")
    parser.add_argument("--explain", choices=["some", "all", "none"], default="some")
    parser.add_argument("--made", action="store_true")
    parser.add_argument("--out", type=Path, default=Path(tempfile.gettempdir()) / "report.html")
    options = parser.parse_args()
    if options.made:
        collection = made_collection()
        table = made_table(collection)
    else:
        collection = read_collection(options.testset)
        if options.scores:
            table = reduce(ScoreTable.merged_with, map(read_scores, options.scores))
            collection = collection.with_references(table.provenance.references)
        else:
            table = evaluate(collection, ["bleu", "chrf"])
    human = read_judgements(options.testset, collection, options.human) if options.human else None
    data, seconds = build(collection, table, human, options.explain)
    start = perf_counter()
    write_report(data, options.out)
    writing = perf_counter() - start
    size, plain = options.out.stat().st_size, compressed_size(collection, table)
    limit = 3 * plain + ALLOWANCE
    times, slow = opening_times(options.out.resolve())
    systems, documents = len(table.systems), len(collection.testset.documents)
    print(
        f"{systems} systems x {documents} documents x {collection.testset.segment_count:,} "
        f"segments, {len(table.metrics)} metrics, {len(data.overview.layers)} layers of evidence"
    )
    print(f"build      {seconds:6.2f} s comparing and assembling, {writing:.2f} s writing")
    print(
        f"size       {size / 1e6:6.2f} MB; texts and scores compressed {plain / 1e6:.2f} MB; "
        f"allowed {limit / 1e6:.2f} MB: {'kept' if size <= limit else 'EXCEEDED'}"
    )
    print(
        f"opening    {statistics.median(times):6.2f} s median of {RUNS} "
        f"({min(times):.2f} to {max(times):.2f})"
    )
    print("scrolling  " + ", ".join(f"{n} of 150 frames slow in {v}" for v, n in slow.items()))


if __name__ == "__main__":
    main()
