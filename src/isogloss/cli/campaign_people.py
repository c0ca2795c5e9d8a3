"""``isogloss annotate people``: who takes part, and who does what, while a campaign goes on."""

from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from isogloss.cli.campaigns import campaign_store, telling_damage
from isogloss.cli.grid import Grid
from isogloss.cli.output import Output, OutputOption, Result, say, show
from isogloss.documents import counted

if TYPE_CHECKING:
    from isogloss.annotate import HandedOver, Store

app = typer.Typer(
    help="Who takes part in a campaign that goes on: list, add, withdraw, reassign, link.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    add_completion=False,
)
FolderArgument = Annotated[
    Path, typer.Argument(metavar="CAMPAIGN", help="The campaign's folder, made by 'init'.")
]
NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="Who it is about.")]
ToOption = Annotated[
    str,
    typer.Option(
        "--to", help="Who takes over, by comma. Default: all others, whoever has least to do."
    ),
]


class RoleName(StrEnum):
    """What somebody may do."""

    ANNOTATOR = "annotator"
    CURATOR = "curator"
    OBSERVER = "observer"
    ORGANISER = "organiser"


@contextmanager
def opened_store(folder: Path) -> Iterator["Store"]:
    """The campaign's memory, until the end of the block."""
    store = campaign_store(folder)
    try:
        yield store
    finally:
        store.database.close()


@app.command("list")
@telling_damage
def list_(folder: FolderArgument, output: OutputOption = Output.TABLE) -> None:
    """List everybody: what they may do, how far they have come, whether their link works."""
    from dataclasses import asdict

    from isogloss.annotate import members

    with opened_store(folder) as store:
        found = members(store)
    rows = [
        [
            each.name,
            each.role,
            "works" if each.state == "active" else "withdrawn",
            f"{each.done:,} of {each.total:,}" if each.role == "annotator" else "",
            f"{each.late:,}" if each.late else "",
        ]
        for each in found
    ]
    headings = ["name", "role", "link", "done", "came too late"]
    notes = ["links are told once; 'people link' makes a new one"]
    grid = Grid("People", headings, rows, notes, numeric=frozenset({3, 4}))
    show(Result([grid], [asdict(each) for each in found]), output)


@app.command()
@telling_damage
def add(
    folder: FolderArgument,
    name: NameArgument,
    role: Annotated[
        RoleName,
        typer.Option(
            help="An annotator judges; a curator sees all answers, decides and exports; an "
            "observer sees progress, agreement and results; an organiser may do everything."
        ),
    ] = RoleName.ANNOTATOR,
    share: Annotated[
        bool,
        typer.Option(
            "--share/--no-share",
            help="Whether an annotator takes over what others have not begun, until nobody has "
            "more to do.",
        ),
    ] = True,
    nameless: Annotated[
        bool, typer.Option("--nameless", help="An observer sees numbers for names of annotators.")
    ] = False,
) -> None:
    """Let somebody take part, and print their secret link, this once.

    [bold]Examples[/bold]

      isogloss annotate people add study cyd
      isogloss annotate people add study eva --role curator
      isogloss annotate people add study board --role observer --nameless
    """
    from isogloss.annotate import add_person

    with opened_store(folder) as store:
        welcome = add_person(store, name, role.value, nameless=nameless, share=share)
        tell_link(store, name, welcome.token)
    if welcome.work.tasks:
        say(f"{name} takes over {given_out(welcome.work)}")


def tell_link(store: "Store", name: str, token: str) -> None:
    """A link that is told once, with the address at which the campaign was served last."""
    from isogloss.annotate import last_address

    link = f"{last_address(store)}/a/{token}"
    grid = Grid("Secret link: it is shown this once", ["who", "link"], [[name, link]])
    show(Result([grid], []), Output.TABLE)


def given_out(done: "HandedOver") -> str:
    """How much work it was, in words."""
    return f"{counted(done.tasks, 'task')} with {counted(done.items, 'item')}"


def tell_left(done: "HandedOver") -> None:
    """What nobody was there for."""
    if done.left:
        say(
            f"{counted(done.left, 'item')} left: everybody else judges these documents already; "
            "'people add' lets somebody new take them"
        )


@app.command()
@telling_damage
def withdraw(
    folder: FolderArgument,
    name: NameArgument,
    to: ToOption = "",
    keep: Annotated[
        bool, typer.Option("--keep", help="Leave their open work with them, until they return.")
    ] = False,
) -> None:
    """Somebody leaves: their link opens nothing from now on, and others take over.

    What they answered stays theirs. Answers that their browser still sends are refused in so many
    words, and kept: see 'isogloss annotate late'.

    [bold]Examples[/bold]

      isogloss annotate people withdraw study bob
      isogloss annotate people withdraw study bob --to cyd
    """
    from isogloss.annotate import withdraw as withdraw_person

    with opened_store(folder) as store:
        done = withdraw_person(store, name, named(to), keep=keep)
    say(f"{name}'s link is withdrawn; others take over {given_out(done)}")
    tell_left(done)


@app.command()
@telling_damage
def reassign(
    folder: FolderArgument,
    name: NameArgument,
    to: ToOption = "",
    documents: Annotated[
        str, typer.Option("--documents", "-d", help="Only these, by comma. Default: all.")
    ] = "",
) -> None:
    """Give somebody's open work to others; what was answered stays theirs.

    [bold]Examples[/bold]

      isogloss annotate people reassign study bob --to cyd
      isogloss annotate people reassign study bob -d news-17,news-18
    """
    from isogloss.annotate import reassign as reassign_work

    with opened_store(folder) as store:
        done = reassign_work(store, name, named(to), named(documents))
    say(f"others take over {given_out(done)} of {name}")
    tell_left(done)


@app.command()
@telling_damage
def link(folder: FolderArgument, name: NameArgument) -> None:
    """Print a new secret link for somebody; the old one stops working.

    Whoever was withdrawn is back with it, and with the work that nobody took over.
    """
    from isogloss.annotate import new_link

    with opened_store(folder) as store:
        tell_link(store, name, new_link(store, name))


def named(text: str) -> tuple[str, ...] | None:
    """What stands between commas, if anything does."""
    return tuple(each.strip() for each in text.split(",")) if text.strip() else None
