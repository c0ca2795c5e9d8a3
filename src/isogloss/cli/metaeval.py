"""``isogloss metaeval``: how well do scores agree with people?"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli import inputs, people
from isogloss.cli.grid import Grid
from isogloss.cli.metaeval_slices import slices_grid, slices_records
from isogloss.cli.output import Output, OutputOption, Record, Result, number, say, show
from isogloss.cli.people import DocumentScores
from isogloss.documents import counted
from isogloss.metaeval import (
    DEFAULT_TASK,
    Column,
    Differences,
    Judged,
    JudgingSettings,
    Slices,
    StatisticFinding,
    Study,
    Task,
    by_slices,
    judge,
    known_tasks,
    load_task,
    top_systems,
)
from isogloss.report import (
    differences_plot,
    save_plot,
    scatter_plot,
    significance_plot,
    top_systems_plot,
)
from isogloss.verdicts import Correction


class SlicesBy(StrEnum):
    """Parts of a test set."""

    DOMAIN = "domain"
    LENGTH = "length"
    POSITION = "position"


CHANCE = "Intervals and significance"
PEOPLE = "(people)"


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
            "documents by length, on thirds of a document by position; repeatable."
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
    runtime = inputs.runtime_from(device, cache, no_cache)
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
    of_documents = all(each.judgements.of_documents for each in found)
    chosen = load_task("documents" if task == DEFAULT_TASK and of_documents else task)
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
    for column in view.judged.columns:
        if column.significance:
            name = f"{column.testset}.{column.statistic}".replace(" ", "-").replace("/", "_")
            title = f"{column.testset}: {column.statistic}"
            save_plot(significance_plot(column.significance, title), folder / f"{name}.svg")
    levels = dict.fromkeys(column.statistic.level for column in view.judged.columns)
    for study in view.studies:
        for level in levels:
            matched = study.at(level)
            for metric in matched.metrics:
                stem = f"{study.testset.name}.{level}.{metric}".replace("/", "_")
                save_plot(scatter_plot(matched, metric), folder / f"{stem}.scatter.png")
                found = Differences.of(matched, metric)
                plot = differences_plot(found, metric, level)
                save_plot(plot, folder / f"{stem}.differences.svg")
    for each in view.parts:
        if each.by == "top-n":
            name = f"{each.testset}.{each.statistic}.top-n".replace(" ", "-").replace("/", "_")
            save_plot(top_systems_plot(each, view.judged.metrics), folder / f"{name}.svg")


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
    grids = [_grid(view.judged, view.studies) for view in views]
    shares = [_ceiling_grid(view.judged, view.studies) for view in views]
    grids += [grid for grid in shares if grid.rows]
    grids += [slices_grid(each, view.judged.metrics) for view in views for each in view.parts]
    records = [
        {**record, "references": view.references}
        for view in views
        for record in _records(view.judged)
    ]
    return Result(grids, records, summary)


def _grid(judged: Judged, studies: Sequence[Study]) -> Grid:
    cells = {(f.metric, id(column)): f for column in judged.columns for f in column.findings}
    headings = ["metric", "average", "interval", "#"]
    for column in judged.columns:
        headings += [_heading(column, studies), "interval", "#"]
    rows = []
    for metric in judged.metrics:
        average = judged.standing[metric]
        row = [metric, *_three(average.value, average.low, average.high, average.rank)]
        for column in judged.columns:
            row += _cells(cells.get((metric, id(column))))
        rows.append(row)
    best = _best(rows)
    if any(map(_has_ceiling, judged.columns)):
        ceilings = [cell for column in judged.columns for cell in _ceiling_cells(column)]
        rows.append([PEOPLE, "", "", "", *ceilings])
    numeric = frozenset(range(1, len(headings)))
    notes = [*_blanks(judged), *_notes(judged)]
    return Grid(_title(studies), headings, rows, notes, numeric, together=3, best=best)


def _heading(column: Column, studies: Sequence[Study]) -> str:
    where = f"{column.testset} " if len(studies) > 1 else ""
    return f"{where}{column.statistic}"


def _ceiling_grid(judged: Judged, studies: Sequence[Study]) -> Grid:
    """Which share of people's agreement with people each metric reaches; empty without raters."""
    columns = [each for each in judged.columns if _has_ceiling(each)]
    names = [metric for metric in judged.metrics if columns]
    by_name = [{f.metric: each.share_of_ceiling(f) for f in each.findings} for each in columns]
    rows = [[name, *(_percent(shares.get(name)) for shares in by_name)] for name in names]
    headings = ["metric", *(_heading(each, studies) for each in columns)]
    title = "How far from chance to where people agree with people"
    notes = [
        "chance: 0 of correlations, 0.5 of accuracies of pairs, of acc-eq what ties alone give",
        "more than 100 % is possible: metrics meet all annotators, halves of them each other",
    ]
    return Grid(title, headings, rows, notes, frozenset(range(1, len(headings))))


def _has_ceiling(column: Column) -> bool:
    return column.ceiling is not None and column.ceiling.value.value is not None


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{share:.0%}"


def _best(rows: Sequence[Sequence[str]]) -> frozenset[tuple[int, int]]:
    """The cells of the first rank; where there are no ranks, the highest value."""
    found = []
    for column in range(1, len(rows[0]), 3):
        values = [row[column] for row in rows]
        ranks = [row[column + 2] for row in rows]
        known = [float(value) for value in values if value not in ("", "–")]
        top = f"{max(known):.3f}" if known else None
        for place, (value, rank) in enumerate(zip(values, ranks, strict=True)):
            if rank == "1" if any(ranks) else value == top:
                found.append((place, column))
    return frozenset(found)


def _three(
    value: float | None, low: float | None, high: float | None, rank: int | None
) -> list[str]:
    between = "" if low is None else f"[{low:.3f}, {high:.3f}]"
    return [number(value, 3), between, "" if rank is None else str(rank)]


def _blanks(judged: Judged) -> list[str]:
    """Why cells are empty, where some are."""
    notes = []
    untold = [
        str(column.statistic)
        for column in judged.columns
        if any(f.value is not None and f.interval.jackknife is None for f in column.findings)
    ]
    if untold:
        which = ", ".join(dict.fromkeys(untold))
        notes.append(
            f"no rank, and no interval by documents: {which} (nor their average), since a metric's "
            "score of a system is not the mean of its judged segments; --segment-means makes it so "
            "(an interval of Pearson's r that stands there is Fisher's)"
        )
    reasons = {
        f"–: {finding.metric}, {column.statistic}: {reason}": None
        for column in judged.columns
        for finding in column.findings
        if (reason := finding.interval.value.reason)
    }
    if len(reasons) > _MOST_REASONS:
        more = len(reasons) - _MOST_REASONS
        return [*notes, *list(reasons)[:_MOST_REASONS], f"–: and {more} more; -o json says why"]
    return [*notes, *reasons]


_MOST_REASONS = 3


def _cells(finding: StatisticFinding | None) -> list[str]:
    if finding is None:
        return ["–", "", ""]
    return _three(finding.value, finding.interval.low, finding.interval.high, finding.rank)


def _ceiling_cells(column: Column) -> list[str]:
    if column.ceiling is None or column.ceiling.value.value is None:
        return ["–", "", ""]
    low, high = column.ceiling.spread or (None, None)
    between = "" if low is None else f"[{low:.3f}, {high:.3f}]"
    return [number(column.ceiling.value.value, 3), between, ""]


def _title(studies: Sequence[Study]) -> str:
    parts = []
    for study in studies:
        testset, human = study.testset, study.human
        languages = f"{testset.source_language or '?'}-{testset.target_language or '?'}"
        segments = f"{len(human.items):,} segments, " if human.level == "segment" else ""
        parts.append(
            f"{testset.name} {languages}: {study.kind}, {_systems(study)}, "
            f"{segments}{len(set(human.blocks.tolist())):,} documents"
        )
    return " · ".join(parts)


def _systems(study: Study) -> str:
    """'12 systems', or '12 systems and refA' where references take part."""
    references = [name for name in study.human.systems if name in study.testset.reference_names]
    systems = counted(len(study.human.systems) - len(references), "system")
    return " and ".join([systems, *references])


def _notes(judged: Judged) -> list[str]:
    settings = judged.settings
    what = "documents" if settings.by_document else "segments"
    notes = [
        f"task {judged.task.name}: {judged.task.description}",
        f"interval: {settings.confidence:.0%}, studentised bootstrap of {what}; "
        f"#: a new rank begins where a metric of the rank above is better at p ≤ {settings.alpha:g}"
        f" ({settings.draws:,} permutations of {what}, or the bootstrap of the interval)",
    ]
    if settings.ceiling_splits:
        notes += _ceiling_notes(judged)
    for column in judged.columns:
        baseline = next((f.baseline for f in column.findings if f.baseline is not None), None)
        if baseline is not None:
            notes.append(f"{column.testset} {column.statistic}: ties alone give {baseline:.3f}")
    return notes


def _ceiling_notes(judged: Judged) -> list[str]:
    ceilings = [column.ceiling for column in judged.columns if column.ceiling]
    reasons = dict.fromkeys(c.value.reason for c in ceilings if c.value.reason)
    splits = judged.settings.ceiling_splits
    if not any(map(_has_ceiling, judged.columns)):
        return [f"no ceiling (people against people): {reason}" for reason in reasons]
    meaning = f"{PEOPLE}: half of the annotators against the other half, mean of {splits} splits"
    return [meaning, *(f"{PEOPLE}: {reason}" for reason in reasons)]


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
            "share_of_ceiling": column.share_of_ceiling(finding),
            "reason": finding.interval.value.reason,
        }
        for column in judged.columns
        for finding in column.findings
    ]


def _ceiling_record(column: Column) -> list[Record]:
    if column.ceiling is None:
        return []
    where = {"testset": column.testset, "statistic": str(column.statistic)}
    return [{**where, **asdict(column.ceiling.value), "spread": column.ceiling.spread}]


def _tests(column: Column) -> list[Record]:
    if column.significance is None:
        return []
    where = {"testset": column.testset, "statistic": str(column.statistic)}
    return [{**where, **asdict(test)} for test in column.significance.tests.values()]
