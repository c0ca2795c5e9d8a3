"""``isogloss plan``: how much to judge, before people are asked."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli.output import Output, OutputOption, Result, print_text, show
from isogloss.cli.people import judgements_on
from isogloss.cli.plan_tables import (
    components_grid,
    listing,
    looks_grids,
    plan_summary,
    sizes_grid,
)
from isogloss.errors import InputError
from isogloss.formats import read_collection
from isogloss.metaeval import ratings_of
from isogloss.planning import (
    Components,
    Design,
    Looks,
    Plan,
    components_like,
    components_of,
    text_plot,
)

DA_SECONDS = 28.0  # benchmarks/planning.py pace
_ABOUT, _HOW = "What is asked", "How it is judged"


class SpendingKind(StrEnum):
    """How interim looks share the level."""

    OBRIEN_FLEMING = "obrien-fleming"
    POCOCK = "pocock"


def command(
    difference: Annotated[
        float | None,
        typer.Option(
            "--difference",
            "-d",
            help="How far two systems are apart, in points of the judgements: how many documents "
            "show it?",
            rich_help_panel=_ABOUT,
        ),
    ] = None,
    documents: Annotated[
        int | None,
        typer.Option(
            "--documents",
            "-n",
            min=2,
            help="So many can be judged: which difference do they show? With --difference: how "
            "likely do they show it?",
            rich_help_panel=_ABOUT,
        ),
    ] = None,
    hours: Annotated[
        float | None,
        typer.Option(
            min=0,
            help="The same, from the hours of work that can be paid (see --seconds).",
            rich_help_panel=_ABOUT,
        ),
    ] = None,
    power: Annotated[
        float,
        typer.Option(help="How sure one wants to be to see it.", rich_help_panel=_ABOUT),
    ] = 0.8,
    alpha: Annotated[
        float,
        typer.Option(
            help="The level: how often chance may be taken for a difference.",
            rich_help_panel=_ABOUT,
        ),
    ] = 0.05,
    systems: Annotated[
        int,
        typer.Option(help="How many are compared, all with all.", rich_help_panel=_HOW),
    ] = 2,
    segments: Annotated[
        float | None,
        typer.Option(
            help="Judged segments of a document. Default: as in the earlier judgements.",
            rich_help_panel=_HOW,
        ),
    ] = None,
    ratings: Annotated[
        int,
        typer.Option(help="How many annotators judge each translation.", rich_help_panel=_HOW),
    ] = 1,
    annotators: Annotated[
        int | None,
        typer.Option(
            help="How many share the work. With it the result is to hold for other annotators, "
            "too.",
            rich_help_panel=_HOW,
        ),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            help="What a judgement of a segment takes. Default: 28 for da, else unknown.",
            rich_help_panel=_HOW,
        ),
    ] = None,
    looks: Annotated[
        int,
        typer.Option(
            min=1,
            help="How often one looks, evenly, to stop as soon as it is clear; the last look is at "
            "all documents.",
            rich_help_panel=_HOW,
        ),
    ] = 1,
    spending: Annotated[
        SpendingKind,
        typer.Option(
            help="How looks share the level: obrien-fleming spares it for the end, pocock spends "
            "it evenly and stops earlier.",
            rich_help_panel=_HOW,
        ),
    ] = SpendingKind.OBRIEN_FLEMING,
    kind: Annotated[
        str,
        typer.Option(help="Judgements like the earlier ones of this kind: mqm, esa, da."),
    ] = "mqm",
    like: Annotated[
        str | None,
        typer.Option(help="Like those of one set that comes with isogloss (--list names them)."),
    ] = None,
    testset: Annotated[
        Path | None,
        typer.Option("--testset", "-t", help="A test set with judgements of your own (--human)."),
    ] = None,
    human: Annotated[
        str | None,
        typer.Option(
            help="Earlier judgements or a pilot: a kind that lies beside the test set, a file, a "
            "campaign's folder; FILE:KIND where there are several kinds.",
        ),
    ] = None,
    listed: Annotated[
        bool, typer.Option("--list", help="List the earlier judgements that come with isogloss.")
    ] = False,
    output: OutputOption = Output.TABLE,
) -> None:
    """Plan human judgements: how many documents tell two systems apart.

    Earlier judgements say how much scores vary between documents, segments and annotators; those of
    WMT come with isogloss. The table has for each number of documents what it costs and the
    smallest difference that it shows; a difference that is named has its power, too.

    [bold]How many documents?[/bold]

      isogloss plan --difference 0.5 --kind mqm
      isogloss plan --difference 3 --kind esa --segments 8 --ratings 2 --annotators 6

    [bold]What can be seen with what there is?[/bold]

      isogloss plan --documents 30 --kind da --systems 4
      isogloss plan --hours 40 --seconds 45 --kind esa

    [bold]From a pilot, with two interim looks[/bold]

      isogloss plan -t testset.toml --human pilot --difference 3 --looks 3
    """
    if listed:
        show(listing(), output)
        return
    if difference is not None and not difference > 0:
        raise InputError(f"a difference is above 0, not {difference:g}")
    components = _components(kind, like, testset, human)
    design = Design(
        components.segments_a_document if segments is None else segments,
        ratings,
        systems,
        annotators,
        alpha,
        Looks.even(looks, spending.value) if looks > 1 else None,
        DA_SECONDS if seconds is None and components.kind == "da" else seconds,
    )
    plan = Plan(components, design)
    if hours is not None:
        documents = _affordable(design, hours, documents)
    needed = plan.documents(difference, power) if difference and documents is None else documents
    grid, records = sizes_grid(plan, difference, needed, power)
    grids = [grid, *looks_grids(plan, needed, difference), components_grid(plan)]
    show(Result(grids, records, plan_summary(plan, difference, needed, power)), output)
    if output is Output.TABLE and difference:
        curve = plan.curve(difference, 2 * (needed or 50))
        print_text(
            "\n".join(["", f"Power at a difference of {difference:g}", *text_plot(curve, power)])
        )
        print_text("\n")


def _affordable(design: Design, hours: float, documents: int | None) -> int:
    if documents is not None:
        raise InputError("either --documents or --hours says how much can be judged")
    if design.seconds is None:
        raise InputError("how long does a judgement take? say it with --seconds")
    found = design.affordable(hours)
    if found < 2:
        raise InputError(
            f"{hours:g} hours are not enough for two documents; use more, or fewer --segments"
        )
    return found


def _components(kind: str, like: str | None, testset: Path | None, human: str | None) -> Components:
    if (testset is None) != (human is None):
        raise InputError("judgements of your own take both: --testset and --human")
    if testset is None or human is None:
        return components_like(kind, like)
    collection = read_collection(testset)
    judgements = judgements_on(testset, human, collection)
    name = f"{collection.testset.name} ({human})"
    return components_of(ratings_of(judgements, collection), judgements.kind, name)
