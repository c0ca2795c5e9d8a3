"""``isogloss annotate enrol``: one link by which people enrol themselves, as crowd platforms do."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from isogloss.cli.campaign_people import FolderArgument, opened_store
from isogloss.cli.campaigns import telling_damage
from isogloss.cli.grid import Grid
from isogloss.cli.output import Output, OutputOption, Result, say, show
from isogloss.documents import counted
from isogloss.errors import InputError

if TYPE_CHECKING:
    from isogloss.annotate import Store


@telling_damage
def command(
    folder: FolderArgument,
    places: Annotated[
        int | None,
        typer.Option(min=1, help="How many people may take part; who gave up is not counted."),
    ] = None,
    items: Annotated[
        int, typer.Option(min=1, help="About how many items each gets, in whole documents.")
    ] = 100,
    minutes: Annotated[
        int, typer.Option(min=1, help="Without an answer for so long, a place is free again.")
    ] = 120,
    parameter: Annotated[
        str | None,
        typer.Option(
            "--id",
            help="What the platform calls its participants in the address, as PROLIFIC_PID: nobody "
            "comes without one, or twice.",
        ),
    ] = None,
    code: Annotated[
        str | None,
        typer.Option(help="What everybody gets at the end. Default: a code for each."),
    ] = None,
    url: Annotated[
        str | None,
        typer.Option(help="Where everybody goes at the end; {code} becomes their code."),
    ] = None,
    checks: Annotated[
        float | None,
        typer.Option(
            min=0,
            max=1,
            help="The share of spoilt items that must have scored lower for a code. Default: a "
            "code for everybody who answered everything.",
        ),
    ] = None,
    stop: Annotated[bool, typer.Option("--stop", help="Let nobody else enrol.")] = False,
    output: OutputOption = Output.TABLE,
) -> None:
    """Let people enrol by one link; without options, who has, how far they are, and their codes.

    Each newcomer gets a name (p001 ...) and documents that lack judgements; the platform's id is
    kept beside it. The link stays the same while places and other settings change.

    [bold]Examples[/bold]

      isogloss annotate init testset.toml --into crowd --phases da --redundancy 3
      isogloss annotate enrol crowd --places 40 --items 60 --id PROLIFIC_PID \\
        --url 'https://app.prolific.com/submissions/complete?cc={code}' --code C1ABC2
      isogloss annotate enrol crowd
      isogloss annotate enrol crowd --stop
    """
    from isogloss.annotate import EnrolmentPlan, begin_enrolment, end_enrolment

    with opened_store(folder) as store:
        if stop:
            say("nobody else enrols now" if end_enrolment(store) else "nobody could enrol anyway")
        elif places is not None:
            plan = EnrolmentPlan(places, items, minutes, parameter, code, url, checks)
            begin_enrolment(store, plan)
            say(f"{counted(places, 'place')}; the link, for everybody:")
            say(f"  {_link(store)}")
        else:
            _show(store, output)


def _link(store: "Store") -> str:
    from isogloss.annotate import enrolment_plan, last_address

    plan = enrolment_plan(store)
    if plan is None:
        raise InputError("nobody can enrol yet; say how many may: --places")
    return f"{last_address(store)}/e/{plan.token}{plan.query}"


def _show(store: "Store", output: Output) -> None:
    from isogloss.annotate import participants

    found = participants(store)
    link = _link(store)
    rows = [
        [
            each.name,
            each.platform or "",
            each.state,
            f"{each.done:,} of {each.total:,}",
            each.code or "",
        ]
        for each in found
    ]
    headings = ["name", "id", "state", "done", "code"]
    grid = Grid("Enrolled", headings, rows, [f"the link: {link}"], numeric=frozenset({3}))
    show(Result([grid], [asdict(each) for each in found], {"link": link}), output)
