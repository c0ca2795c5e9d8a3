"""``isogloss evaluate`` and ``demo``: score systems on a test set, or on the bundled sample."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from isogloss.cli.output import say, with_flags
from isogloss.comparison import Comparison
from isogloss.documents import Collection
from isogloss.judgements import Judgements
from isogloss.scores import MetricInfo, ScoreTable

if TYPE_CHECKING:
    from isogloss.alignment import Aligner
import os
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Annotated, Any

import typer

from isogloss.cli import completion, inputs, significance
from isogloss.cli.estimate import long_work
from isogloss.cli.grid import Grid
from isogloss.cli.output import Output, OutputOption, Record, Result, complain, number, show
from isogloss.cli.price import DryRunOption, PriceOption, foretold, sent
from isogloss.cli.progress import progress_bar
from isogloss.cli.saved_table import checked_ending, save_result
from isogloss.comparison import compare
from isogloss.evaluation import evaluate
from isogloss.formats import write_scores
from isogloss.runtime import HUNG_AFTER, Runtime
from isogloss.sample import SAMPLES, load_sample
from isogloss.signature import split_names
from isogloss.tables import decimals


def write_page(
    collection: Collection,
    table: ScoreTable,
    comparisons: Sequence[Comparison],
    path: Path,
    judgements: Judgements | None = None,
    aligner: "Aligner | None" = None,
) -> str:
    """Write the HTML report; the line that says where it is."""
    from isogloss.report import report_data, write_report

    write_report(report_data(collection, table, comparisons, judgements, aligner), path)
    return f"report written to {path}; open it in a browser"


def draw_plots(table: ScoreTable, comparisons: Sequence[Comparison], folder: Path) -> None:
    """Draw every plot of the page, as SVG for papers and as PNG for everything else."""
    from isogloss.report import save_plot, table_plots

    for name, figure in table_plots(table, comparisons):
        for suffix in (".svg", ".png"):
            save_plot(figure, folder / f"{name}{suffix}")


DEFAULT_METRICS = ("bleu", "chrf")


class Level(StrEnum):
    """What a score is given for."""

    SYSTEM = "system"
    DOCUMENT = "document"
    SEGMENT = "segment"


MetricsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--metrics",
        "-m",
        metavar="METRIC[,METRIC...]",
        help="Metrics, with options in brackets: -m bleu,'chrf(word_order=2)'. "
        "Default: bleu,chrf. See 'isogloss list metrics'.",
        autocompletion=completion.metrics,
    ),
]


def command(
    testset: inputs.TestsetArgument = None,
    metrics: MetricsOption = None,
    level: Annotated[
        Level, typer.Option("--level", "-l", help="Print scores of systems, documents or segments.")
    ] = Level.SYSTEM,
    output: OutputOption = Output.TABLE,
    save: Annotated[
        Path | None,
        typer.Option(
            help="Save all scores (with statistics and signatures) for compare and reports; "
            "a name in .jsonl, or .jsonl.gz/.xz/.zst."
        ),
    ] = None,
    table_file: Annotated[
        Path | None,
        typer.Option(
            "--table",
            help="Also write the printed scores to a file, in the form that its name ends in: "
            ".parquet, .arrow, .csv, .tsv, .jsonl, .json, .md, .tex.",
            callback=checked_ending,
        ),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(
            help="Write a page to look at (one HTML file): systems, documents, texts, evidence."
        ),
    ] = None,
    all_evidence: Annotated[
        bool,
        typer.Option(
            "--all-evidence",
            help="Keep what a model said of every word, not only of the most surprising ones, so "
            "that a report of saved scores can colour them all. Implied by --report.",
        ),
    ] = False,
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="Processes to share the work.")] = 1,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no notes.")] = False,
    signatures: significance.SignaturesOption = False,
    source: inputs.SourceOption = None,
    reference: inputs.ReferenceOption = None,
    system: inputs.SystemOption = None,
    documents: inputs.DocumentsOption = None,
    source_language: inputs.FromOption = None,
    target_language: inputs.ToOption = None,
    format: inputs.FormatOption = None,
    pair: inputs.PairOption = None,
    blank_lines: inputs.BlankLinesOption = False,
    column: inputs.ColumnOption = None,
    use_reference: inputs.UseReferenceOption = None,
    use_system: inputs.UseSystemOption = None,
    allow_missing: inputs.AllowMissingOption = False,
    realign: inputs.RealignOption = False,
    sentences: inputs.SentencesOption = False,
    device: inputs.DeviceOption = inputs.DeviceKind.CPU,
    cache: inputs.CacheOption = None,
    no_cache: inputs.NoCacheOption = False,
    allow_network: inputs.AllowNetworkOption = False,
    dry_run: DryRunOption = False,
    price: PriceOption = None,
    cluster: inputs.ClusterOption = None,
    worker_cores: inputs.WorkerCoresOption = 1,
    hung_after: inputs.HungAfterOption = HUNG_AFTER,
    shard_limit: inputs.ShardLimitOption = None,
    test: significance.TestOption = significance.TestKind.RANDOMISATION,
    blocks: significance.BlocksOption = significance.BlockKind.DOCUMENTS,
    resamples: significance.ResamplesOption = 10_000,
    seed: significance.SeedOption = 12345,
    confidence: significance.ConfidenceOption = 0.95,
    alpha: significance.AlphaOption = 0.05,
    correction: significance.CorrectionOption = significance.CorrectionKind.HOLM,
) -> None:
    """Score systems on a test set: segments, documents and systems.

    Prints who comes first, then each system's score with its confidence interval and rank
    cluster, best first; of two systems also how far they are apart, and how sure that is. A metric
    that cannot score the test set (its model does not know the language, say) does not stop the
    others: it has no scores (null in JSON, empty in TSV), the reason is printed, and the
    exit code is 3 instead of 0. Where nothing can be scored it is 2.

    [bold]A whole test set in one file or folder[/bold]

      isogloss evaluate testset.toml
      isogloss evaluate newstest.xml -m bleu,chrf++ --use-reference refA

    [bold]Loose files, one segment per line[/bold]

      isogloss evaluate -s src.txt -r ref.txt -t good=a.txt -t b.txt -d docs.tsv

    [bold]Documents that systems translated as a whole[/bold]

      isogloss evaluate -s source.jsonl -t a.jsonl -m coverage,prism-src

    Outputs whose documents are not split as the source's are cut to fit it: a note and every
    signature say so, and [bold]isogloss segment[/bold] shows the result.

    [bold]Save once, then look at it in many ways[/bold]

      isogloss evaluate testset.toml --save scores.jsonl -q > table.txt
      isogloss compare scores.jsonl
      isogloss evaluate testset.toml --level document -o tsv > documents.tsv

    [bold]See why one translation is better[/bold]

      isogloss evaluate testset.toml -m bleu,prism --report report.html

    [bold]Many systems, many machines[/bold]

      isogloss evaluate testset.toml -m prism,ltcr --cluster 10.0.0.1:6379
    """
    settings = significance.settings_from(
        test, blocks, resamples, seed, confidence, alpha, correction
    )
    runtime = inputs.runtime_from(device, cache, no_cache, allow_network)
    collection = inputs.read_input(
        testset,
        source=source,
        references=reference,
        systems=system,
        documents=documents,
        source_language=source_language,
        target_language=target_language,
        format=format,
        pair=pair,
        blank_lines=blank_lines,
        columns=column,
        allow_missing=allow_missing,
        realign=realign,
        sentences=sentences,
        runtime=runtime,
        quiet=quiet,
    )
    if use_reference:
        collection = collection.with_references(use_reference)
    if use_system:
        collection = collection.with_systems(use_system)
    names = [name for text in metrics or DEFAULT_METRICS for name in split_names(text)]
    if dry_run:
        show(foretold(collection, names, runtime, price), output)
        return
    every_word = all_evidence or report is not None
    faster = _Remedies(device, jobs)
    if not quiet and cluster is None:  # how many workers a cluster has is not known here
        say(*long_work(collection, names, faster, runtime.device, jobs))
    if not quiet:
        say(*sent(collection, names, runtime))
    with progress_bar(quiet, len(names), faster) as tell:
        runtime = replace(
            runtime,
            jobs=jobs,
            progress=tell,
            cluster=cluster,
            worker_cores=worker_cores,
            hung_after=hung_after,
            shard_limit=shard_limit,
            notice=None if quiet else say,
        )
        with inputs.unspoken(runtime):
            table = evaluate(collection, names, runtime=runtime, all_evidence=every_word)
    if save:
        write_scores(table, save)
    needed = report is not None or level is Level.SYSTEM
    comparisons = compare(table, settings=settings) if needed else ()
    whole = signatures or output is Output.LATEX  # in comments, where they disturb nobody
    result = _result(table, level, comparisons, signatures=whole)
    show(result, output)
    save_result(result, table_file)
    if not quiet:
        say(*table.provenance.notices)
        if any(system.cut_by for system in collection.outputs):
            say("'isogloss segment' shows where texts were cut")
    if report:
        say(write_page(collection, table, comparisons, report))
    _end_if_incomplete(table, output)


@dataclass(frozen=True, slots=True)
class _Remedies:
    """What would make a metric faster than it is on this device, with so many processes."""

    device: inputs.DeviceKind
    jobs: int

    def __call__(self, metric: str) -> str:
        from isogloss.metrics import load_metric

        cores = os.cpu_count() or 1
        ways = []
        if load_metric(metric).uses_all_cores:
            if self.device is inputs.DeviceKind.CPU:
                ways.append("--device auto (where there is a GPU)")
        elif self.jobs < cores:
            ways.append(f"-j {cores}")
        ways.append("--use-system (fewer systems)")
        if metric not in DEFAULT_METRICS:
            ways.append("-m chrf (a first look)")
        return ", ".join(ways)


_INCOMPLETE = 3


def _end_if_incomplete(table: ScoreTable, output: Output) -> None:
    """Say which metrics did not score, if any; a result that lacks them is no plain success."""
    lacking = [metric for metric in table.metrics if metric.not_scored is not None]
    if not lacking:
        return
    if output in (Output.TABLE, Output.MARKDOWN, Output.LATEX):  # the notes below it say why
        told = (with_flags(metric.name, metric.lacking) for metric in lacking)
        complain(f"not scored: {', '.join(told)}")
    else:
        complain(*obstacles(table))
    raise typer.Exit(_INCOMPLETE)


def obstacles(table: ScoreTable) -> list[str]:
    """A line for each metric that could not score the test set: which, why, and what helps."""
    lacking = [metric.lacking for metric in table.metrics if metric.not_scored is not None]
    return list(map(with_flags, table.obstacles, lacking))


def _result(
    table: ScoreTable, level: Level, comparisons: Sequence[Comparison], *, signatures: bool
) -> Result:
    summary: dict[str, Any] = {
        "provenance": asdict(table.provenance),
        "metrics": [metric.record() for metric in table.metrics],
    }
    if level is Level.SYSTEM:
        standings = significance.standings_grid(table, comparisons, signatures=signatures)
        appraiser = significance.appraiser_of(table)
        grids = [standings, *significance.difference_grids(comparisons, appraiser)]
        summary["settings"] = asdict(comparisons[0].settings)
        summary["conclusion"] = significance.conclusion_record(comparisons, appraiser)
        return Result(grids, significance.standing_records(comparisons), summary)
    if level is Level.DOCUMENT:
        grids = _document_grids(table, signatures)
        return Result(grids, table.records("document"), summary)
    return Result(_segment_grids(table, signatures), table.records("segment"), summary)


def _metric_notes(metric: MetricInfo, signatures: bool) -> list[str]:
    return [*metric.warnings, *significance.signature_notes([metric], whole=signatures)]


def _document_grids(table: ScoreTable, signatures: bool) -> list[Grid]:
    """For each metric, documents x systems."""
    grids = []
    for metric in table.metrics:
        rows = table.of_metric(metric.name)
        digits = decimals(row.score for row in rows)
        lines = [
            [documents[0].document, documents[0].domain or "", str(documents[0].measurement.total)]
            + [number(document.score, digits) for document in documents]
            for documents in zip(*(row.documents for row in rows), strict=True)
        ]
        headings = ["document", "domain", "segments", *(row.system for row in rows)]
        numeric = frozenset(range(2, len(headings)))
        notes = _metric_notes(metric, signatures)
        grids.append(Grid(metric.name, headings, lines, notes, numeric))
    return grids


def _segment_grids(table: ScoreTable, signatures: bool) -> list[Grid]:
    """For each metric, segments x systems."""
    grids = []
    for metric in table.metrics:
        rows = table.of_metric(metric.name)
        digits = decimals(row.score for row in rows)
        lines = []
        for documents in zip(*(row.documents for row in rows), strict=True):
            columns = zip(*(document.segment_scores for document in documents), strict=True)
            lines += [
                [documents[0].document, str(segment), *(number(s, digits) for s in scores)]
                for segment, scores in enumerate(columns, start=1)
            ]
        headings = ["document", "segment", *(row.system for row in rows)]
        numeric = frozenset(range(1, len(headings)))
        notes = _metric_notes(metric, signatures)
        grids.append(Grid(metric.name, headings, lines, notes, numeric))
    return grids


METRICS = (*DEFAULT_METRICS, "ter", "prism", "embedding", "cohesion", "ltcr")


def demo(
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
    saved: list[str] = []
    for name in SAMPLES:
        collection = load_sample(name)
        with progress_bar(quiet=False) as tell:
            table = evaluate(collection, METRICS, runtime=Runtime(progress=tell), all_evidence=True)
        comparisons = compare(table)
        if save:
            path = save / f"{table.provenance.testset}.jsonl"
            write_scores(table, path)
            saved.append(f"scores saved in {path}; try: isogloss compare {path}")
            saved.append(write_page(collection, table, comparisons, path.with_suffix(".html")))
        grids.append(significance.standings_grid(table, comparisons))
        testset = {"testset": table.provenance.testset}
        records += [{**testset, **record} for record in significance.standing_records(comparisons)]
    show(Result(grids, records), output)
    say(*saved)
