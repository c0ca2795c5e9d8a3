"""``isogloss evaluate``: score systems on a test set."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, cast

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from isogloss.cli import comparing, inputs
from isogloss.cli.output import (
    Grid,
    Output,
    OutputOption,
    Record,
    Result,
    complain,
    decimals,
    number,
    say,
    show,
)
from isogloss.cli.pages import write_page
from isogloss.comparison import Comparison, compare
from isogloss.documents import TestSet
from isogloss.evaluation import Step, evaluate
from isogloss.formats.catalogue import write_scores
from isogloss.metrics.consistency import Ltcr
from isogloss.metrics.hybrid import Hybrid
from isogloss.metrics.modelled import ModelMetric
from isogloss.metrics.protocol import ConfiguredMetric, Metric
from isogloss.metrics.registry import load
from isogloss.paraphraser.store import Runtime
from isogloss.scores import DocumentScore, ScoreTable
from isogloss.signature import split_names

DEFAULT_METRICS = ("bleu", "chrf")


class Level(StrEnum):
    """What a score is given for."""

    SYSTEM = "system"
    DOCUMENT = "document"
    SEGMENT = "segment"


def _metric_names(incomplete: str) -> list[str]:
    from isogloss.metrics.registry import known

    return [entry.name for entry in known() if entry.name.startswith(incomplete)]


MetricsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--metrics",
        "-m",
        metavar="METRIC[,METRIC...]",
        help="Metrics, with options in brackets: -m bleu,'chrf(word_order=2)'. "
        "Default: bleu,chrf. See 'isogloss list metrics'.",
        autocompletion=_metric_names,
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
    source: inputs.SourceOption = None,
    reference: inputs.ReferenceOption = None,
    system: inputs.SystemOption = None,
    documents: inputs.DocumentsOption = None,
    source_language: inputs.FromOption = None,
    target_language: inputs.ToOption = None,
    format: inputs.FormatOption = None,
    pair: inputs.PairOption = None,
    column: inputs.ColumnOption = None,
    use_reference: inputs.UseReferenceOption = None,
    use_system: inputs.UseSystemOption = None,
    allow_missing: inputs.AllowMissingOption = False,
    device: inputs.DeviceOption = inputs.DeviceKind.CPU,
    cache: inputs.CacheOption = None,
    no_cache: inputs.NoCacheOption = False,
    test: comparing.TestOption = comparing.TestKind.RANDOMISATION,
    blocks: comparing.BlocksOption = comparing.BlockKind.DOCUMENTS,
    resamples: comparing.ResamplesOption = 10_000,
    seed: comparing.SeedOption = 12345,
    confidence: comparing.ConfidenceOption = 0.95,
    alpha: comparing.AlphaOption = 0.05,
    correction: comparing.CorrectionOption = comparing.CorrectionKind.HOLM,
) -> None:
    """Score systems on a test set: segments, documents and systems.

    Prints each system's score with its confidence interval and rank cluster, best first. A metric
    that cannot score the test set (its model does not know the language, say) does not stop the
    others: it has no scores (null in JSON, empty in TSV), the reason is printed, and the
    exit code is 3 instead of 0. Where nothing can be scored it is 2.

    [bold]A whole test set in one file or folder[/bold]

      isogloss evaluate testset.toml
      isogloss evaluate newstest.xml -m bleu,chrf++ --use-reference refA

    [bold]Loose files, one segment per line[/bold]

      isogloss evaluate -s src.txt -r ref.txt -t good=a.txt -t b.txt -d docs.tsv

    [bold]Save once, then look at it in many ways[/bold]

      isogloss evaluate testset.toml --save scores.jsonl -q > table.txt
      isogloss compare scores.jsonl
      isogloss evaluate testset.toml --level document -o tsv > documents.tsv

    [bold]See why one translation is better[/bold]

      isogloss evaluate testset.toml -m bleu,prism --report report.html
    """
    settings = comparing.settings_from(test, blocks, resamples, seed, confidence, alpha, correction)
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
        columns=column,
        allow_missing=allow_missing,
    )
    if use_reference:
        collection = collection.with_references(use_reference)
    if use_system:
        collection = collection.with_systems(use_system)
    names = [name for text in metrics or DEFAULT_METRICS for name in split_names(text)]
    runtime = inputs.runtime_from(device, cache, no_cache)
    every_word = all_evidence or report is not None
    chosen = [running(runtime, name, collection.testset, every_word) for name in names]
    with progress_bar(quiet) as tell:
        table = evaluate(collection, chosen, jobs=jobs, progress=tell)
    if save:
        write_scores(table, save)
    if not quiet:
        say(*table.provenance.notices)
    needed = report is not None or level is Level.SYSTEM
    comparisons = compare(table, settings=settings) if needed else ()
    if report:
        write_page(collection, table, comparisons, report)
    show(_result(table, level, comparisons), output)
    _end_if_incomplete(table, output)


_INCOMPLETE = 3


def _end_if_incomplete(table: ScoreTable, output: Output) -> None:
    """Say which metrics did not score, if any; a result that lacks them is no plain success."""
    lacking = [metric for metric in table.metrics if metric.not_scored is not None]
    if not lacking:
        return
    if output in (Output.TABLE, Output.MARKDOWN, Output.LATEX):  # the notes below it say why
        complain(f"not scored: {', '.join(metric.name for metric in lacking)}")
    else:
        complain(*table.obstacles)
    raise typer.Exit(_INCOMPLETE)


def running(runtime: Runtime, name: str, testset: TestSet, all_evidence: bool = False) -> Metric:
    """The metric of that name; one with a model is told where to run and what to remember."""
    metric = load(name, testset.source_language, testset.target_language)
    return _told(metric, runtime, all_evidence)


def _told(metric: Metric, runtime: Runtime, all_evidence: bool) -> Metric:
    if isinstance(metric, Hybrid):
        parts = (replace(p, metric=_told(p.metric, runtime, all_evidence)) for p in metric.parts)
        return replace(metric, parts=tuple(parts))
    if isinstance(metric, (ModelMetric, Ltcr)):
        metric = replace(metric, runtime=runtime)
    if all_evidence and isinstance(metric, ConfiguredMetric) and hasattr(metric, "evidence"):
        metric = replace(cast(Any, metric), evidence="all")
    return metric


class _RateColumn(ProgressColumn):
    """Segments per second, of late."""

    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        if speed is None:
            return Text("–/s", style="progress.data.speed")
        return Text(f"{speed:,.{0 if speed >= 10 else 1}f}/s", style="progress.data.speed")


@contextmanager
def progress_bar(quiet: bool) -> Iterator[Callable[[Step], None] | None]:
    """A bar per metric on standard error, with speed and time left; nothing where nobody looks."""
    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield None
        return
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("segments"),
        _RateColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
    ) as bar:
        tasks: dict[str, TaskID] = {}

        def report(step: Step) -> None:
            if step.metric not in tasks:
                tasks[step.metric] = bar.add_task(step.metric, total=step.total)
            bar.update(tasks[step.metric], completed=step.done)

        yield report


def _result(table: ScoreTable, level: Level, comparisons: Sequence[Comparison]) -> Result:
    summary = {
        "provenance": asdict(table.provenance),
        "metrics": [asdict(m) for m in table.metrics],
    }
    if level is Level.SYSTEM:
        grid = comparing.standings_grid(table, comparisons)
        summary["settings"] = asdict(comparisons[0].settings)
        return Result([grid], comparing.standing_records(comparisons), summary)
    if level is Level.DOCUMENT:
        return Result(_document_grids(table), list(_document_records(table)), summary)
    return Result(_segment_grids(table), list(_segment_records(table)), summary)


def _document_grids(table: ScoreTable) -> list[Grid]:
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
        grids.append(Grid(metric.name, headings, lines, metric.notes, numeric))
    return grids


def _document_records(table: ScoreTable) -> Iterator[Record]:
    for row in table.rows:
        for document in row.documents:
            yield {
                "metric": row.metric,
                "system": row.system,
                "document": document.document,
                "score": document.score,
                "domain": document.domain,
                "scored": document.measurement.scored,
                "total": document.measurement.total,
            }


def _segment_grids(table: ScoreTable) -> list[Grid]:
    """For each metric, segments x systems."""
    grids = []
    for metric in table.metrics:
        rows = table.of_metric(metric.name)
        digits = decimals(row.score for row in rows)
        lines = []
        for documents in zip(*(row.documents for row in rows), strict=True):
            columns = zip(*map(_segment_scores, documents), strict=True)
            lines += [
                [documents[0].document, str(segment), *(number(s, digits) for s in scores)]
                for segment, scores in enumerate(columns, start=1)
            ]
        headings = ["document", "segment", *(row.system for row in rows)]
        numeric = frozenset(range(1, len(headings)))
        grids.append(Grid(metric.name, headings, lines, metric.notes, numeric))
    return grids


def _segment_records(table: ScoreTable) -> Iterator[Record]:
    for row in table.rows:
        for document in row.documents:
            for segment, score in enumerate(_segment_scores(document), start=1):
                yield {
                    "metric": row.metric,
                    "system": row.system,
                    "document": document.document,
                    "segment": segment,
                    "score": score,
                }


def _segment_scores(document: DocumentScore) -> tuple[float | None, ...]:
    """The scores of the document's segments; all absent where the metric sees documents only."""
    measured = document.measurement
    return measured.segment_scores or (None,) * measured.total
