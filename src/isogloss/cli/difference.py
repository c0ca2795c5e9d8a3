"""``isogloss difference``: does a difference in a metric mean that people see it too?"""

from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli import inputs, people
from isogloss.cli.grid import Grid
from isogloss.cli.output import Output, OutputOption, Record, Result, number, show
from isogloss.cli.people import DocumentScores
from isogloss.metaeval import Differences, Preference
from isogloss.tables import decimals


class PairLevel(StrEnum):
    """What is compared between two systems."""

    SEGMENT = "segment"
    DOCUMENT = "document"
    SYSTEM = "system"


def command(
    metric: Annotated[str, typer.Argument(help="The metric, by the name its scores have.")],
    size: Annotated[float, typer.Argument(help="The difference, in the metric's own points.")],
    testset: Annotated[Path, typer.Argument(help="A test set with scores and judgements.")],
    level: Annotated[
        PairLevel,
        typer.Option("--level", "-l", help="Two systems' segments, documents, or wholes."),
    ] = PairLevel.DOCUMENT,
    human: people.HumanOption = "mqm",
    scores: people.ScoresOption = None,
    stored: people.StoredOption = False,
    metrics: people.MetricsOption = None,
    judged_only: people.JudgedOnlyOption = False,
    documents: people.DocumentsOption = DocumentScores.MEAN,
    with_references: Annotated[
        bool, typer.Option("--with-references", help="Let judged references count as systems.")
    ] = False,
    use_reference: inputs.UseReferenceOption = None,
    allow_network: inputs.AllowNetworkOption = False,
    output: OutputOption = Output.TABLE,
) -> None:
    """Estimate how often a difference of this size in a metric means that people see it too.

    Looks at all pairs of systems in the data given: of those whose metric scores differ by about
    the size asked for, how often do people prefer the same one, neither, or the other?

    [bold]Examples[/bold]

      isogloss difference COMET-refA 0.02 wmt23/en-de --stored --level system
      isogloss difference chrf 2.0 testset.toml --human ratings.tsv -m chrf
    """
    (material,) = people.gather(
        [testset],
        human,
        scores=scores or (),
        stored=stored,
        metrics=metrics or (),
        references=use_reference,
        judged_only=judged_only,
        runtime=inputs.runtime_from(allow_network=allow_network),
        quiet=False,
    )
    study = material.study(documents, references=with_references)
    found = Differences.of(study.at(level.value), metric)
    asked = found.near(size)
    bins = found.bins(with_intervals=True)
    digits = decimals([bins[-1].high]) if bins else 2
    rows = [
        [f"about {number(size, digits)}", *_cells(asked, digits)],
        *(["", *_cells(each, digits)] for each in bins),
    ]
    headings = ["", "difference", "pairs", "people agree", "interval", "see none", "disagree"]
    title = f"{metric}, {level.value}s of {study.testset.name}: what people say ({study.kind})"
    grid = Grid(title, headings, rows, notes=_notes(asked), numeric=frozenset(range(1, 7)))
    records: list[Record] = [
        _record(size, asked),
        *(_record(None, each) for each in bins),
    ]
    show(Result([grid], records), output)


def _cells(found: Preference, digits: int) -> list[str]:
    low, high = found.interval or (None, None)
    between = "" if low is None or high is None else f"[{low:.0%}, {high:.0%}]"
    return [
        f"{number(found.low, digits)}–{number(found.high, digits)}",
        str(found.pairs),
        f"{found.same:.0%}",
        between,
        f"{found.tied:.0%}",
        f"{found.opposite:.0%}",
    ]


def _notes(found: Preference) -> list[str]:
    if found.interval is None:
        return ["no intervals: pairs of whole systems share systems, and there are too few of them"]
    return ["interval: 95 % of how often people agree, over documents"]


def _record(asked: float | None, found: Preference) -> Record:
    values = asdict(found)
    low, high = values.pop("interval") or (None, None)
    return {"asked": asked, **values, "same_low": low, "same_high": high}
