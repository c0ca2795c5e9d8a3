"""``isogloss metaeval``: how well do scores agree with people?"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli import inputs, people
from isogloss.cli.metaeval_slices import slices_grid, slices_records
from isogloss.cli.metaeval_tables import ceiling_grid, judged_grid
from isogloss.cli.output import Output, OutputOption, Record, Result, say, show
from isogloss.cli.people import DocumentScores
from isogloss.metaeval import (
    DEFAULT_TASK,
    Column,
    Differences,
    Interval,
    Judged,
    JudgingSettings,
    Level,
    Slices,
    Study,
    Task,
    by_slices,
    judge,
    known_tasks,
    task_for,
    top_systems,
)
from isogloss.report import (
    differences_plot,
    save_plot,
    scatter_plot,
    significance_plot,
    slices_plot,
)
from isogloss.verdicts import Correction


class SlicesBy(StrEnum):
    """Parts of a test set."""

    DOMAIN = "domain"
    LENGTH = "length"
    POSITION = "position"
    DISTANCE = "distance"


CHANCE = "Intervals and significance"


class MetricCorrection(StrEnum):
    """Corrections for multiple testing."""

    NONE = "none"
    HOLM = "holm"
    BENJAMINI_HOCHBERG = "benjamini-hochberg"


def command(
    testsets: Annotated[
        list[Path],
        typer.Argument(help="Test sets; several are judged together (accuracies are pooled)."),
    ],
    human: people.HumanOption = "mqm",
    scores: people.ScoresOption = None,
    stored: people.StoredOption = False,
    metrics: people.MetricsOption = None,
    judged_only: people.JudgedOnlyOption = False,
    passages: people.PassagesOption = False,
    task: Annotated[
        str,
        typer.Option(
            "--task",
            help="Which statistics: overview, documents, pdp, wmt20, wmt22 ... wmt25, a TOML file.",
            autocompletion=known_tasks,
        ),
    ] = DEFAULT_TASK,
    documents: people.DocumentsOption = DocumentScores.MEAN,
    segment_means: Annotated[
        bool, typer.Option("--segment-means", help="A system's score is the mean of its segments.")
    ] = False,
    with_references: Annotated[
        bool,
        typer.Option(
            "--with-references",
            help="Show all a second time, with judged references counting as systems.",
        ),
    ] = False,
    without_outliers: Annotated[
        bool,
        typer.Option(
            "--without-outliers", help="Compare systems without those that people scored far off."
        ),
    ] = False,
    top_n: Annotated[
        bool,
        typer.Option(
            "--top-n",
            help="Add agreement over the n systems that people scored best, n from 4 to all.",
        ),
    ] = False,
    by: Annotated[
        list[SlicesBy] | None,
        typer.Option(
            help="Add agreement of segments and documents on each domain, on thirds of the "
            "documents by length, on thirds of a document by position; or of systems in thirds "
            "of their pairs by the distance that people see; repeatable."
        ),
    ] = None,
    ceiling: Annotated[
        bool,
        typer.Option(
            "--ceiling/--no-ceiling",
            help="Add how well one half of the annotators agrees with the other, where judgements "
            "name them, and which share of that each metric reaches.",
        ),
    ] = True,
    use_reference: inputs.UseReferenceOption = None,
    output: OutputOption = Output.TABLE,
    plots: Annotated[
        Path | None,
        typer.Option(help="Folder for plots: significance, metric against people, differences."),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no notes.")] = False,
    device: inputs.DeviceOption = inputs.DeviceKind.CPU,
    cache: inputs.CacheOption = None,
    no_cache: inputs.NoCacheOption = False,
    allow_network: inputs.AllowNetworkOption = False,
    resamples: Annotated[int, typer.Option(rich_help_panel=CHANCE, help="For intervals.")] = 10_000,
    draws: Annotated[
        int, typer.Option(rich_help_panel=CHANCE, help="Of the permutation tests; 0 for none.")
    ] = 1000,
    seed: Annotated[
        int, typer.Option(min=0, rich_help_panel=CHANCE, help="Of all of them.")
    ] = 12345,
    by_segment: Annotated[
        bool, typer.Option("--by-segment", rich_help_panel=CHANCE, help="Not by document.")
    ] = False,
    alpha: Annotated[
        float, typer.Option(rich_help_panel=CHANCE, help="A p-value up to this separates.")
    ] = 0.05,
    correction: Annotated[
        MetricCorrection, typer.Option(rich_help_panel=CHANCE, help="For multiple testing.")
    ] = MetricCorrection.NONE,
) -> None:
    """Measure how well metrics agree with human judgements, as the WMT metrics task does.

    Prints each metric's agreement with people at each level, with intervals and ranks (a new rank
    begins where a metric of the one above is significantly better), best first.

    [bold]Examples[/bold]

      isogloss metaeval wmt23/en-de --human mqm --stored --task wmt23
      isogloss metaeval testset.toml --human ratings.tsv -m bleu,chrf,prism
      isogloss metaeval testset.toml --human mqm --scores a.jsonl --scores b.jsonl -o latex
      isogloss metaeval wmt23/en-de --human mqm --stored --top-n --by domain --by position
    """
    runtime = inputs.runtime_from(device, cache, no_cache, allow_network)
    found = people.gather(
        testsets,
        human,
        scores=scores or (),
        stored=stored,
        metrics=metrics or (),
        references=use_reference,
        judged_only=judged_only,
        runtime=runtime,
        quiet=quiet,
        passages=passages,
    )
    settings = JudgingSettings(
        resamples=resamples,
        draws=draws,
        seed=seed,
        by_document=not by_segment,
        alpha=alpha,
        correction=_CORRECTIONS[correction],
        ceiling_splits=_CEILING_SPLITS if ceiling else 0,
    )
    chosen = task_for((each.judgements for each in found), task)
    if without_outliers:
        chosen = chosen.without_outliers()
    views = []
    for references in (False, True) if with_references else (False,):
        studies = [
            each.study(documents, own_systems=not segment_means, references=references)
            for each in found
        ]
        judged = judge(studies, chosen, settings)
        parts = [*_slices(studies, chosen, settings, top_n=top_n, by=by or ())]
        views.append(MetaevalView(studies, judged, references, parts))
    for view in views:
        if plots:
            _draw(view, plots / "with-references" if view.references else plots)
        if not quiet:
            say(*view.judged.notices)
    show(_result(views), output)


@dataclass(frozen=True, slots=True)
class MetaevalView:
    """A task carried out, with or without judged references among the systems."""

    studies: Sequence[Study]
    judged: Judged
    references: bool
    parts: Sequence[Slices]


def _slices(
    studies: Sequence[Study],
    task: Task,
    settings: JudgingSettings,
    *,
    top_n: bool,
    by: Sequence[SlicesBy],
) -> Iterator[Slices]:
    """Agreement on parts of each test set, as far as it was asked for."""
    for study in studies:
        if top_n:
            yield from top_systems(study, task, settings)
        for kind in by:
            yield from by_slices(study, task, kind.value, settings)


_CEILING_SPLITS = 100
_CORRECTIONS: dict[MetricCorrection, Correction | None] = {
    MetricCorrection.NONE: None,
    MetricCorrection.HOLM: "holm",
    MetricCorrection.BENJAMINI_HOCHBERG: "benjamini-hochberg",
}


def _draw(view: MetaevalView, folder: Path) -> None:
    """A heat map for every tested column; for every metric and level a scatter and differences."""
    called = {study.testset.name: _called(study) for study in view.studies}
    alone = len(called) == len(view.studies)  # a year has a set for each pair of languages
    for number, column in enumerate(view.judged.columns):
        if column.significance:
            where = called.get(column.testset, column.testset) if alone else column.testset
            name = _file_name(f"{where}.{column.statistic}" + ("" if alone else f".{number + 1}"))
            title = f"{column.testset}: {column.statistic}"
            save_plot(significance_plot(column.significance, title), folder / f"{name}.svg")
    levels = dict.fromkeys(column.statistic.level for column in view.judged.columns)
    for study in view.studies:
        for level in levels:
            _draw_metrics(study, level, folder)
    for each in view.parts:
        name = _file_name(f"{each.testset}.{each.languages}.{each.statistic}.{each.by}")
        save_plot(slices_plot(each, view.judged.metrics), folder / f"{name}.svg")


def _draw_metrics(study: Study, level: Level, folder: Path) -> None:
    matched = study.at(level)
    for metric in matched.metrics:
        stem = _file_name(f"{_called(study)}.{level}.{metric}")
        save_plot(scatter_plot(matched, metric), folder / f"{stem}.scatter.png")
        plot = differences_plot(Differences.of(matched, metric), metric, level)
        save_plot(plot, folder / f"{stem}.differences.svg")


def _called(study: Study) -> str:
    """The test set with its languages: wmt23.en-de."""
    testset = study.testset
    return f"{testset.name}.{testset.source_language or ''}-{testset.target_language or ''}"


def _file_name(told: str) -> str:
    return told.replace(" ", "-").replace("/", "_")


def _result(views: Sequence[MetaevalView]) -> Result:
    first = views[0].judged
    summary = {
        "task": first.task.name,
        "settings": asdict(first.settings),
        "averages": first.averages,
        "average_intervals": {name: asdict(each) for name, each in first.standing.items()},
        "ceilings": [
            {**record, "references": view.references}
            for view in views
            for column in view.judged.columns
            for record in _ceiling_record(column)
        ],
        "tests": [
            {**record, "references": view.references}
            for view in views
            for column in view.judged.columns
            for record in _tests(column)
        ],
        "parts": [
            {**record, "references": view.references}
            for view in views
            for each in view.parts
            for record in slices_records(each)
        ],
    }
    grids = [judged_grid(view.judged, view.studies) for view in views]
    shares = [ceiling_grid(view.judged, view.studies) for view in views]
    grids += [grid for grid in shares if grid.rows]
    grids += [slices_grid(each, view.judged.metrics) for view in views for each in view.parts]
    records = [
        {**record, "references": view.references}
        for view in views
        for record in _records(view.judged)
    ]
    return Result(grids, records, summary)


def _records(judged: Judged) -> list[Record]:
    return [
        {
            "metric": finding.metric,
            "testset": finding.testset,
            "level": column.statistic.level,
            "statistic": column.statistic.name,
            "grouping": column.statistic.grouping,
            "average": column.statistic.average,
            "undefined": column.statistic.undefined,
            "value": finding.value,
            "low": finding.interval.low,
            "high": finding.interval.high,
            "rank": finding.rank,
            "count": finding.interval.value.count,
            "groups": finding.interval.value.groups,
            "baseline": finding.baseline,
            "epsilon": finding.epsilon,
            **_share_record(judged.share_of_ceiling(column, finding)),
            "reason": finding.interval.value.reason,
        }
        for column in judged.columns
        for finding in column.findings
    ]


def _share_record(share: Interval | None) -> Record:
    names = ("share_of_ceiling", "share_low", "share_high")
    values = (share.value.value, share.low, share.high) if share else (None, None, None)
    return dict(zip(names, values, strict=True))


def _ceiling_record(column: Column) -> list[Record]:
    if column.ceiling is None:
        return []
    where = {"testset": column.testset, "statistic": str(column.statistic)}
    interval = column.ceiling.interval
    between = {"low": interval.low, "high": interval.high} if interval else {}
    return [{**where, **asdict(column.ceiling.value), **between, "spread": column.ceiling.spread}]


def _tests(column: Column) -> list[Record]:
    if column.significance is None:
        return []
    where = {"testset": column.testset, "statistic": str(column.statistic)}
    return [{**where, **asdict(test)} for test in column.significance.tests.values()]
