"""``isogloss stability``: how many documents a score needs."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli import inputs, significance
from isogloss.cli.evaluate import MetricsOption
from isogloss.cli.grid import Grid
from isogloss.cli.output import Output, OutputOption, Record, Result, number, show
from isogloss.cli.people import computed
from isogloss.cli.significance import SignaturesOption, signature_notes
from isogloss.errors import InputError
from isogloss.formats import Holds, recognise
from isogloss.report import save_plot, stability_plot
from isogloss.runtime import Runtime
from isogloss.scores import ScoreTable
from isogloss.signature import split_names
from isogloss.stability import Curve, StabilitySettings, stability
from isogloss.tables import decimals


def command(
    given: Annotated[
        Path,
        typer.Argument(
            metavar="SCORES|TESTSET",
            help="Scores saved by 'isogloss evaluate --save', or a test set to score first.",
        ),
    ],
    metrics: MetricsOption = None,
    use_system: inputs.UseSystemOption = None,
    sizes: Annotated[
        str | None,
        typer.Option("--sizes", help="Sample sizes, as 10,50,100. Default: ten even steps."),
    ] = None,
    draws: Annotated[int, typer.Option(help="Samples drawn of each size.")] = 1000,
    seed: significance.SeedOption = 12345,
    confidence: significance.ConfidenceOption = 0.95,
    replacement: Annotated[
        bool,
        typer.Option(
            "--replacement",
            help="Draw documents with replacement: the band then does not close at the full size.",
        ),
    ] = False,
    allow_network: inputs.AllowNetworkOption = False,
    plot: Annotated[Path | None, typer.Option(help="Draw the curves (.svg, .png, .pdf).")] = None,
    output: OutputOption = Output.TABLE,
    signatures: SignaturesOption = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
) -> None:
    """Show how a score settles as more documents are scored.

    For each sample size, documents are drawn many times; the table gives the mean of the samples'
    scores and the band in which most of them lie.

    [bold]Examples[/bold]

      isogloss evaluate testset.toml -m ltcr,bleu --save scores.jsonl
      isogloss stability scores.jsonl --plot stability.svg
      isogloss stability testset.toml -m ltcr --sizes 10,20,40 --replacement -o tsv
    """
    names = [name for text in metrics or () for name in split_names(text)]
    table = _table(given, names, inputs.runtime_from(allow_network=allow_network), quiet)
    settings = StabilitySettings(_numbers(sizes), draws, seed, confidence, replacement)
    curves = stability(table, settings, metrics=names or None, systems=use_system or None)
    if plot:
        save_plot(stability_plot(curves), plot)
    summary = {"settings": asdict(settings), "signatures": [m.signature for m in table.metrics]}
    grids = [
        _grid(table, name, curves, settings, signatures)
        for name in dict.fromkeys(c.metric for c in curves)
    ]
    show(Result(grids, _records(curves), summary), output)


def _numbers(sizes: str | None) -> tuple[int, ...] | None:
    if sizes is None:
        return None
    try:
        return tuple(int(size) for size in sizes.split(","))
    except ValueError:
        raise InputError(f"--sizes takes numbers with commas between them, not {sizes!r}") from None


def _table(given: Path, names: list[str], runtime: Runtime, quiet: bool) -> ScoreTable:
    if not given.is_dir() and recognise(given).holds is Holds.SCORES:
        return inputs.read_saved([given])
    if not names:
        raise InputError("which metrics shall score the test set? name them with -m")
    collection = inputs.read_input(given, runtime=runtime, quiet=quiet)
    (table,) = computed(collection, names, runtime, quiet)
    return table


def _grid(
    table: ScoreTable,
    metric: str,
    curves: tuple[Curve, ...],
    settings: StabilitySettings,
    signatures: bool,
) -> Grid:
    """Sample sizes x systems under one metric."""
    own = [curve for curve in curves if curve.metric == metric]
    digits = decimals(curve.score for curve in own)
    sizes = sorted({point.size for curve in own for point in curve.points})
    points = {(curve.system, point.size): point for curve in own for point in curve.points}
    rows = []
    for size in sizes:
        cells = [str(size)]
        for curve in own:
            point = points.get((curve.system, size))
            cells += (
                ["–", ""]
                if point is None
                else [
                    number(point.mean, digits),
                    f"[{number(point.low, digits)}, {number(point.high, digits)}]",
                ]
            )
        rows.append(cells)
    headings = ["documents", *(cell for curve in own for cell in (curve.system, "band"))]
    how = "with" if settings.replacement else "without"
    notes = [
        f"band: the middle {settings.confidence:.0%} of {settings.draws:,} samples drawn {how} "
        f"replacement, seed {settings.seed}",
        *signature_notes([table.metric(metric)], whole=signatures),
    ]
    numeric = frozenset(range(len(headings)))
    return Grid(f"{metric}: score by number of documents", headings, rows, notes, numeric, 2)


def _records(curves: tuple[Curve, ...]) -> list[Record]:
    return [
        {"metric": curve.metric, "system": curve.system, "score": curve.score, **asdict(point)}
        for curve in curves
        for point in curve.points
    ]
