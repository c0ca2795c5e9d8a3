"""``isogloss demo``: the bundled sample documents, scored."""

from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli import comparing
from isogloss.cli.evaluate import DEFAULT_METRICS, progress_bar
from isogloss.cli.output import Grid, Output, OutputOption, Record, Result, say, show
from isogloss.comparison import compare
from isogloss.evaluation import evaluate
from isogloss.formats.catalogue import write_scores
from isogloss.sample import SAMPLES, load_sample

METRICS = (*DEFAULT_METRICS, "chrf++", "ter", "prism", "prism-src", "embedding")


def command(
    output: OutputOption = Output.TABLE,
    save: Annotated[
        Path | None, typer.Option(help="Folder to save the scores in, a file per sample.")
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
        with progress_bar(quiet=False) as report:
            table = evaluate(load_sample(name), METRICS, progress=report)
        if save:
            path = save / f"{table.provenance.testset}.jsonl"
            write_scores(table, path)
            say(f"scores saved in {path}; try: isogloss compare {path}")
        comparisons = compare(table)
        grids.append(comparing.standings_grid(table, comparisons))
        testset = {"testset": table.provenance.testset}
        records += [{**testset, **record} for record in comparing.standing_records(comparisons)]
    show(Result(grids, records), output)
