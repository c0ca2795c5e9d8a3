"""``isogloss plan``: how much to judge, before people are asked."""

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli.grid import Grid
from isogloss.cli.output import Output, OutputOption, Record, Result, print_text, show
from isogloss.cli.people import judgements_on
from isogloss.documents import counted
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
    known_components,
    text_plot,
)

_SIZES = (5, 10, 15, 20, 30, 50, 75, 100, 150, 200, 300, 500)
_DA_SECONDS = 28.0  # the mean over 9,548 segments of the WMT22 passages, pauses left out
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
        show(_listing(), output)
        return
    components = _components(kind, like, testset, human)
    design = Design(
        components.segments_a_document if segments is None else segments,
        ratings,
        systems,
        annotators,
        alpha,
        Looks.even(looks, spending.value) if looks > 1 else None,
        _DA_SECONDS if seconds is None and components.kind == "da" else seconds,
    )
    plan = Plan(components, design)
    if hours is not None:
        documents = _affordable(design, hours, documents)
    needed = plan.documents(difference, power) if difference and documents is None else documents
    grid, records = _sizes(plan, difference, needed, power)
    grids = [grid, *_looks_grids(plan, needed, difference), _ground(plan)]
    show(Result(grids, records, _summary(plan, difference, needed, power)), output)
    if output is Output.TABLE and difference:
        curve = plan.curve(difference, 2 * (needed or 50))
        print_text(
            "\n".join(["", f"Power at a difference of {difference:g}", *_drawn(curve, power)])
        )
        print_text("\n")


def _drawn(curve: Sequence[tuple[int, float]], power: float) -> list[str]:
    return text_plot(curve, power)


def _affordable(design: Design, hours: float, documents: int | None) -> int:
    if documents is not None:
        raise InputError("either --documents or --hours says how much can be judged")
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


# --- what is shown -------------------------------------------------------------------------------


def _sizes(
    plan: Plan, difference: float | None, asked: int | None, power: float
) -> tuple[Grid, list[Record]]:
    """A row for each number of documents, that which was asked about among them."""
    sizes = sorted({*_SIZES, *([asked] if asked else [])})
    if asked and difference:
        sizes = [size for size in sizes if size <= 4 * asked]
    records = [_size_record(plan, size, difference, power) for size in sizes]
    headings = ["documents", "judgements", "hours", f"shows ({power:.0%})"]
    if difference:
        headings.append(f"power at {difference:g}")
    rows = [
        [
            f"{each['documents']:,}",
            f"{each['judgements']:,}",
            "–" if each["hours"] is None else f"{each['hours']:,.1f}",
            _points(each["smallest_difference"]),
            *([f"{each['power']:.0%}"] if difference else []),
        ]
        for each in records
    ]
    return Grid(
        "How much to judge",
        headings,
        rows,
        _notes(plan),
        frozenset(range(len(headings))),
        answer=_answer(plan, difference, asked, power),
        best=frozenset((sizes.index(asked), i) for i in range(len(headings)))
        if asked
        else frozenset(),
    ), records


def _size_record(plan: Plan, size: int, difference: float | None, power: float) -> Record:
    told = {
        "documents": size,
        "judgements": plan.design.judgements(size),
        "hours": plan.design.hours(size),
        "smallest_difference": plan.smallest_difference(size, power),
    }
    return {**told, "power": plan.power(size, difference)} if difference else told


def _points(difference: float | None) -> str:
    return "nothing" if difference is None else f"{difference:.3g}"


def _answer(plan: Plan, difference: float | None, asked: int | None, power: float) -> str:
    if asked is None:
        return ""
    of = counted(asked, "document")
    design = plan.design
    how = f"{of} of {design.segments:.3g} segments"
    if difference:
        reached = plan.power(asked, difference)
        said = f"{how} show a difference of {difference:g} in {reached:.0%} of cases"
        if reached >= power:
            return said
        needed = plan.documents(difference, power)
        return f"{said} only; for {power:.0%} it takes {needed:,} documents"
    smallest = plan.smallest_difference(asked, power)
    if smallest is None:
        return f"{how} show nothing, however far systems are apart: judge more documents"
    return f"{how} show differences of {_points(smallest)} or more in {power:.0%} of cases"


def _notes(plan: Plan) -> list[str]:
    design, components = plan.design, plan.components
    pairs = counted(design.pairs, "pair")
    many = f", corrected for {pairs} of systems" if design.pairs > 1 else ""
    notes = [
        f"two-sided test of documents at {design.alpha:.0%}{many}; {design.systems} systems, "
        f"{counted(design.ratings, 'annotator')} for each translation",
    ]
    if design.ratings > 1 and not components.more_ratings_help:
        notes.append(
            "the earlier judgements have one score for each translation: what more annotators "
            "bring is not known, and counted as nothing"
        )
    if design.annotators is not None and not components.annotators:
        notes.append("the earlier judgements name no annotators: what these differ by is not known")
    if design.seconds is None:
        notes.append("hours need the time that a judgement takes: --seconds")
    return notes


def _looks_grids(plan: Plan, documents: int | None, difference: float | None) -> list[Grid]:
    looks, design = plan.design.looks, plan.design
    if looks is None or documents is None:
        return []
    levels = looks.of_level(design.level)
    at = [max(2, round(share * documents)) for share in looks.shares]
    headings = ["look", "documents", "stop at p ≤"]
    rows = [
        [str(n), f"{size:,}", f"{level:.2g}"]
        for n, (size, level) in enumerate(zip(at, levels, strict=True), 1)
    ]
    if difference:
        headings.append("stopped by then")
        distance = difference / plan.standard_error(documents)
        stopped = 0.0
        for row, chance in zip(rows, looks.crossing(distance, design.level), strict=True):
            stopped += chance
            row.append(f"{stopped:.0%}")
    title = f"Looks ({looks.spending})"
    return [Grid(title, headings, rows, (), frozenset(range(len(headings))))]


def _ground(plan: Plan) -> Grid:
    """The components that everything rests on."""
    found = plan.components
    people = f", {counted(found.annotators, 'annotator')}" if found.annotators else ""
    title = (
        f"Earlier judgements: {found.kind}, {found.source}: {found.systems} systems, "
        f"{found.documents:,} documents, {found.segments:,} segments{people}"
    )
    rows = [[name, f"{variance**0.5:.3g}"] for name, variance in found.variances.items()]
    return Grid(title, ["effect", "deviation"], rows, _other_sets(plan), frozenset({1}))


def _other_sets(plan: Plan) -> list[str]:
    """How far other sets of the same kind differ: what one should not rely on."""
    known = [each for each in known_components() if each.kind == plan.components.kind]
    if plan.components not in known or len(known) < 2:
        return []
    size = plan.design.segments
    spread = sorted(each.of_difference(size) ** 0.5 for each in known)
    return [
        f"from document to document the difference of two systems varies by "
        f"{plan.components.of_difference(size) ** 0.5:.2g}; in {len(known)} sets of this kind by "
        f"{spread[0]:.2g} to {spread[-1]:.2g}: a pilot of your own (--human) says more"
    ]


def _summary(plan: Plan, difference: float | None, asked: int | None, power: float) -> Record:
    design, looks = plan.design, plan.design.looks
    return {
        "answer": _answer(plan, difference, asked, power),
        "documents": asked,
        "difference": difference,
        "power": plan.power(asked, difference) if asked and difference else None,
        "smallest_difference": plan.smallest_difference(asked, power) if asked else None,
        "segments": design.segments,
        "ratings": design.ratings,
        "systems": design.systems,
        "level": design.level,
        "looks": None
        if looks is None
        else {"shares": looks.shares, "p": looks.of_level(design.level)},
        "earlier": {
            "kind": plan.components.kind,
            "source": plan.components.source,
            "variances": dict(plan.components.variances),
        },
    }


def _listing() -> Result:
    records = [
        {
            "kind": each.kind,
            "set": each.source,
            "systems": each.systems,
            "documents": each.documents,
            "segments": each.segments,
            "deviation": each.of_difference(each.segments_a_document) ** 0.5,
        }
        for each in known_components()
    ]
    rows = [[*map(str, list(r.values())[:-1]), f"{r['deviation']:.3g}"] for r in records]
    note = "deviation: of the difference of two systems, from document to document"
    headings = ["kind", "set", "systems", "documents", "segments", "deviation"]
    grid = Grid("Earlier judgements", headings, rows, [note], frozenset(range(2, 6)), lead=2)
    return Result([grid], records)
