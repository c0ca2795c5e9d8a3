"""``isogloss score-corpus``: score rows of any number, to filter a corpus or to watch traffic."""

import sys
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli import completion, inputs
from isogloss.cli.grid import Grid
from isogloss.cli.output import Output, Result, complain, number, say, show
from isogloss.cli.progress import rows_bar
from isogloss.documents import counted
from isogloss.errors import InputError
from isogloss.model import usable_cores
from isogloss.runtime import HUNG_AFTER, Runtime
from isogloss.scale import (
    ROWS_PER_PART,
    Corpus,
    CorpusJob,
    CorpusSummary,
    ScoreRows,
    Tally,
    Threshold,
    score_corpus,
    stream_corpus,
    summary_of,
)
from isogloss.signature import split_names
from isogloss.tables import decimals


class RowFormat(StrEnum):
    """What a corpus is read from."""

    JSONL = "jsonl"
    TSV = "tsv"
    PARQUET = "parquet"


class PartFormat(StrEnum):
    """What a scored corpus is written as."""

    JSONL = "jsonl"
    PACKED = "jsonl.zst"
    PARQUET = "parquet"


_INCOMPLETE = 3
_SHOWN_PROBLEMS = 5
_SHARES = (0.1, 0.25, 0.5, 0.75, 0.9)


def command(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...",
            help="JSON lines, tables with tabs (both also as .gz, .xz or .zst) or Parquet; - is "
            "standard input.",
            show_default=False,
        ),
    ],
    metrics: Annotated[
        list[str],
        typer.Option(
            "--metrics",
            "-m",
            metavar="METRIC[,METRIC...]",
            help="Metrics of single rows: chrf, prism, prism-src, mqm and others, with options in "
            "brackets. See 'isogloss list metrics'.",
            autocompletion=completion.metrics,
            show_default=False,
        ),
    ],
    into: Annotated[
        Path | None,
        typer.Option(
            help="Folder for the scored rows, in parts; begun again with the same options it goes "
            "on where it was stopped. Without it rows are printed as JSON lines.",
        ),
    ] = None,
    keep_above: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[METRIC=]SCORE",
            help="Keep only rows with at least this score; repeat for several metrics.",
        ),
    ] = None,
    keep_below: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[METRIC=]SCORE",
            help="Keep only rows with at most this score, for metrics of which less is better.",
        ),
    ] = None,
    write: Annotated[
        PartFormat, typer.Option("--write", "-w", help="What the parts are written as.")
    ] = PartFormat.JSONL,
    rows_per_part: Annotated[
        int,
        typer.Option(
            help="Rows of a part: what a worker gets at a time, and what is lost if it is killed."
        ),
    ] = ROWS_PER_PART,
    skip_bad_rows: Annotated[
        bool,
        typer.Option(
            "--skip-bad-rows",
            help="Leave rows out that cannot be read, and list them, instead of stopping there.",
        ),
    ] = False,
    source_language: inputs.FromOption = None,
    target_language: inputs.ToOption = None,
    column: inputs.ColumnOption = None,
    header: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,NAME...",
            help="Names of the columns of a table without a line of names: source,output.",
            rich_help_panel=inputs.TESTSET,
        ),
    ] = None,
    format: Annotated[
        RowFormat | None,
        typer.Option(
            "--format",
            help="Format of the files, if it should not be recognised by their content.",
            rich_help_panel=inputs.TESTSET,
        ),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", "-j", help="Processes to share the work. Default: one a core."),
    ] = None,
    device: inputs.DeviceOption = inputs.DeviceKind.CPU,
    cluster: inputs.ClusterOption = None,
    worker_cores: inputs.WorkerCoresOption = 1,
    hung_after: inputs.HungAfterOption = HUNG_AFTER,
    shard_limit: inputs.ShardLimitOption = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no notes.")] = False,
) -> None:
    """Score rows of any number: filter training text, watch translation traffic.

    A row has a [bold]source[/bold], an [bold]output[/bold] (also called target, mt, hyp or
    translation) and, for metrics that read one, a [bold]reference[/bold]. It comes back with all
    that it had and a column for each metric. Memory does not grow with the number of rows.

    [bold]Keep the sentence pairs that a model finds probable[/bold]

      isogloss score-corpus pairs.jsonl.zst -m prism-src --from de --to en \\
        --keep-above -2.5 --into kept

    [bold]Two files side by side, as corpora often are[/bold]

      paste corpus.de corpus.en | isogloss score-corpus - --format tsv \\
        --header source,output -m prism-src --from de --to en --into scored

    [bold]Watch traffic: rows in, rows with scores out[/bold]

      tail -f traffic.jsonl | isogloss score-corpus - -m mqm --to en \\
        --rows-per-part 1 > scored.jsonl

    [bold]Parquet in, Parquet out[/bold]

      isogloss score-corpus pairs.parquet -m chrf -w parquet --into scored

    With --into every row is written exactly once, however often the program is killed and started
    again: a part is there whole or not at all, and is not made twice. A row that no worker
    survives is listed and has no score. Rows that cannot be read stop the program with their line
    number, or are listed (--skip-bad-rows); where any are, the exit code is 3.
    """
    names = [name for text in metrics for name in split_names(text)]
    task = ScoreRows(
        tuple(names),
        source_language,
        target_language,
        tuple(inputs.named("--column", item) for item in column or ()),
        (*_thresholds(keep_above, names, True), *_thresholds(keep_below, names, False)),
        write.value,
        skip_bad_rows,
        device.value,
    )
    columns = tuple(header.split(",")) if header else None
    corpus = Corpus(tuple(files), format.value if format else None, columns)
    job = CorpusJob(corpus, task, rows_per_part)
    runtime = Runtime(
        device.value,
        jobs=jobs or usable_cores(),
        cluster=cluster,
        worker_cores=worker_cores,
        hung_after=hung_after,
        shard_limit=shard_limit,
        notice=None if quiet else say,
    )
    if into is None:
        summary = _printed(job, runtime, quiet)
        if not quiet:
            say(*_lines(summary))
    else:
        with rows_bar(quiet) as tell, inputs.unspoken(runtime):
            summary = score_corpus(job, into, runtime, tell)
        show(Result([_grid(summary, into)], [summary.record()]), Output.TABLE)
    _end_if_incomplete(summary)


def _thresholds(items: Sequence[str] | None, names: Sequence[str], above: bool) -> list[Threshold]:
    return [_threshold(item, names, above) for item in items or ()]


def _threshold(item: str, names: Sequence[str], above: bool) -> Threshold:
    option = "--keep-above" if above else "--keep-below"
    metric, equals, bound = item.rpartition("=")
    if not equals and len(names) != 1:
        raise InputError(f"{option} {item}: of which metric? Say METRIC={item}")
    try:
        return Threshold(metric or names[0], float(bound), above)
    except ValueError:
        raise InputError(f"{option} takes [METRIC=]SCORE, not {item!r}") from None


def _printed(job: CorpusJob, runtime: Runtime, quiet: bool) -> CorpusSummary:
    """Print the rows as they come."""
    if job.task.format != "jsonl":
        raise InputError(f"{job.task.format} is for files, not for printing; name a folder: --into")
    summary, printed = CorpusSummary(), sys.stdout.buffer
    with rows_bar(quiet) as tell, inputs.unspoken(runtime):
        for part in stream_corpus(job, runtime):
            printed.write(part.data)
            printed.flush()
            summary = summary_of([part], summary)
            if tell:
                tell(summary)
    return summary


def _grid(summary: CorpusSummary, into: Path) -> Grid:
    digits = decimals(v for _, t in summary.tallies for v in (t.least, t.most) if t.scored)
    lines = [
        [name, f"{tally.scored:,}", number(tally.mean, digits)]
        + [number(value, digits) for value in _spread(tally)]
        for name, tally in summary.tallies
    ]
    kept = f"{counted(summary.rows, 'row')} read, {summary.kept:,} kept in {into}"
    shares = [f"{share:.0%}" for share in _SHARES]
    headings = ["metric", "scored", "mean", "least", *shares, "most"]
    foot = ["10%: a tenth of the rows score no more; --keep-above this score keeps the others"]
    return Grid(kept, headings, lines, foot, frozenset(range(1, len(headings))))


def _spread(tally: Tally) -> list[float | None]:
    """The least and the greatest score, and what lies between."""
    if not tally.scored:
        return [None] * (len(_SHARES) + 2)
    return [tally.least, *map(tally.quantile, _SHARES), tally.most]


def _lines(summary: CorpusSummary) -> list[str]:
    told = [f"{counted(summary.rows, 'row')} read, {summary.kept:,} kept"]
    digits = decimals(v for _, t in summary.tallies for v in (t.least, t.most) if t.scored)
    for name, tally in summary.tallies:
        mean = f", mean {tally.mean:.{digits}f}" if tally.mean is not None else ""
        told.append(f"{name}: {tally.scored:,} scored{mean}")
        if tally.scored:
            parts = [f"{share:.0%} up to {tally.quantile(share):g}" for share in _SHARES]
            told.append(f"{name}: of the rows score {', '.join(parts)}")
    return told


def _end_if_incomplete(summary: CorpusSummary) -> None:
    if not summary.not_scored:
        return
    shown = summary.problems[:_SHOWN_PROBLEMS]
    complain(*(f"{problem.path}:{problem.line}: {problem.why}" for problem in shown))
    if summary.not_scored > len(shown):
        complain(f"and {counted(summary.not_scored - len(shown), 'more row')} of that kind")
    raise typer.Exit(_INCOMPLETE)
