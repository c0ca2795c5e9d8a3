"""``isogloss demo``: the bundled sample documents, scored."""

from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli import comparing
from isogloss.cli.evaluate import DEFAULT_METRICS, progress_bar, running
from isogloss.cli.output import Grid, Output, OutputOption, Record, Result, say, show
from isogloss.cli.pages import write_page
from isogloss.comparison import compare
from isogloss.documents import TestSet
from isogloss.evaluation import evaluate
from isogloss.formats.catalogue import write_scores
from isogloss.metrics.protocol import Metric
from isogloss.paraphraser.store import Runtime
from isogloss.sample import SAMPLES, load_sample

METRICS = (*DEFAULT_METRICS, "ter", "prism", "embedding", "cohesion", "ltcr")


def command(
    output: OutputOption = Output.TABLE,
    save: Annotated[
        Path | None,
        typer.Option(help="Folder to save in: for each sample its scores, and a page to look at."),
    ] = None,
) -> None:
    """Score the bundled sample documents with every metric that needs no download.

    Three invented systems translate short Czech and Chinese documents into English:
    [bold]steady[/bold] is good, [bold]shifting[/bold] translates the same term differently each
    time, [bold]tangled[/bold] mixes terms up.
    """
    grids: list[Grid] = []
    records: list[Record] = []
    for name in SAMPLES:
        collection = load_sample(name)
        with progress_bar(quiet=False) as tell:
            table = evaluate(collection, _metrics(collection.testset), progress=tell)
        comparisons = compare(table)
        if save:
            path = save / f"{table.provenance.testset}.jsonl"
            write_scores(table, path)
            say(f"scores saved in {path}; try: isogloss compare {path}")
            write_page(collection, table, comparisons, path.with_suffix(".html"))
        grids.append(comparing.standings_grid(table, comparisons))
        testset = {"testset": table.provenance.testset}
        records += [{**testset, **record} for record in comparing.standing_records(comparisons)]
    show(Result(grids, records), output)


def _metrics(testset: TestSet) -> list[Metric]:
    """The metrics ready to run, with what the model says of every word for the page."""
    return [running(Runtime(), name, testset, all_evidence=True) for name in METRICS]
