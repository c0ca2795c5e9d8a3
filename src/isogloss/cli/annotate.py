"""``isogloss annotate``: campaigns in which people judge translations in the browser."""

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ParamSpec

import typer

from isogloss.cli.output import Grid, Output, OutputOption, Record, Result, number, say, show
from isogloss.cli.streams import print_text
from isogloss.destination import write_file
from isogloss.documents import counted
from isogloss.errors import InputError, MissingExtraError

if TYPE_CHECKING:
    from isogloss.annotate.campaign import Campaign
    from isogloss.annotate.opening import Links
    from isogloss.annotate.store import Store

app = typer.Typer(
    help="Annotation campaigns: people judge translations in the browser.",
    no_args_is_help=True,
)

FolderArgument = Annotated[
    Path, typer.Argument(metavar="CAMPAIGN", help="The campaign's folder, made by 'init'.")
]
_PORT = 8237


@app.command()
def init(
    testset: Annotated[Path, typer.Argument(help="A test set with systems.")],
    into: Annotated[Path, typer.Option("--into", help="A new folder for the campaign.")],
    annotators: Annotated[
        str, typer.Option("--annotators", "-a", help="Names of the annotators, by comma.")
    ],
    phases: Annotated[
        str, typer.Option(help="By comma: phase1, phase2, da, spans, consistency.")
    ] = "phase1,phase2",
    redundancy: Annotated[int, typer.Option(help="How many annotators judge each document.")] = 1,
    database: Annotated[
        str, typer.Option(help="A file in the folder, or the URL of a PostgreSQL database.")
    ] = "campaign.db",
    name: Annotated[str | None, typer.Option(help="What annotators see as its name.")] = None,
    chains: Annotated[
        Path | None,
        typer.Option(help="For the phase consistency: what 'isogloss chains extract' wrote."),
    ] = None,
    propose: Annotated[
        int,
        typer.Option(
            help="For phase 2: how many markables a program proposes for each document when the "
            "campaign opens. The organiser can ask for them later, too."
        ),
    ] = 0,
) -> None:
    """Make a campaign: a folder with campaign.toml and guidelines to edit before it opens.

    [bold]Examples[/bold]

      isogloss annotate init testset.toml --into study -a ann,bob --redundancy 2
      isogloss annotate init wmt23/en-de --into esa -a ann,bob,cyd --phases spans
      isogloss annotate init testset.toml --into words -a ann,bob --phases consistency \\
        --redundancy 2 --chains chains
    """
    _needs_extra()
    from isogloss.annotate.campaign import FILE, Campaign, write_campaign
    from isogloss.annotate.guidelines import GUIDELINES
    from isogloss.formats.catalogue import read_collection

    collection = read_collection(testset)
    chosen = tuple(each.strip() for each in phases.split(","))
    campaign = Campaign(
        name or collection.testset.name,
        str(testset.resolve()),
        tuple(each.strip() for each in annotators.split(",")),
        chosen,  # type: ignore[arg-type]  # checked by the campaign itself
        redundancy=redundancy,
        guidelines="guidelines.md",
        database=database,
        chains=str(chains.resolve()) if chains else None,
        propose=propose,
    )
    if (into / FILE).exists():
        raise InputError(f"{into}: there is a campaign already; choose another folder")
    texts = [GUIDELINES[phase] for phase in campaign.phases]
    write_file(into / "guidelines.md", "\n\n".join(texts).encode())
    write_campaign(campaign, into)  # last: with it, the folder is a campaign
    say(f"made {into / FILE} and {into / 'guidelines.md'}; edit them as you like, then:")
    say(f"  isogloss annotate serve {into}")


@app.command()
def serve(
    folder: FolderArgument,
    host: Annotated[
        str, typer.Option(help="The address to listen at; other machines reach 0.0.0.0.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0: any that is free.")] = _PORT,
    new_links: Annotated[
        bool, typer.Option("--new-links", help="Make new secret links; the old ones stop working.")
    ] = False,
    public_url: Annotated[
        str | None,
        typer.Option(
            help="Where people find the campaign if a proxy with TLS stands in front of it: links "
            "begin with it, cookies are Secure, and answers are taken from pages at this "
            "address only."
        ),
    ] = None,
    trusted_proxy: Annotated[
        list[str] | None,
        typer.Option(
            help="The IP address of a proxy whose X-Forwarded headers are believed; may be given "
            "again. Default: none."
        ),
    ] = None,
) -> None:
    """Open the campaign and serve its pages, until Ctrl-C.

    The first time prints the organiser's link and one secret link for each annotator: write them
    down, they are kept nowhere.

    [bold]Examples[/bold]

      isogloss annotate serve study
      isogloss annotate serve study --public-url https://campaign.example.org \\
        --trusted-proxy 127.0.0.1
    """
    _needs_extra()
    from isogloss.annotate.campaign import read_campaign
    from isogloss.annotate.server import create_app
    from isogloss.annotate.serving import (
        address,
        bound_socket,
        public_origin,
        run,
        trusted_addresses,
    )

    campaign = read_campaign(folder)
    origin = public_origin(public_url) if public_url else None
    trusted = trusted_addresses(trusted_proxy or [])
    listening = bound_socket(host, port)  # first: links that nobody can follow would be lost
    store = _store(folder, new=True)
    try:
        here = address(host, listening)
        _tell_links(_links(campaign, folder, store, new_links=new_links), origin or here)
        if campaign.propose:
            _propose(store)
        say(f"serving at {here}; Ctrl-C ends")
        run(create_app(store, origin), listening, trusted)
    finally:
        listening.close()
        store.database.close()


def _links(
    campaign: "Campaign", folder: Path, store: "Store", *, new_links: bool
) -> "Links | None":
    """The links to tell, if there are any that were not told before."""
    from isogloss.annotate.opening import is_open, open_campaign, renewed_links

    if not is_open(store):
        return open_campaign(campaign, folder, store)
    return renewed_links(store) if new_links else None


def _tell_links(links: "Links | None", address: str) -> None:
    """First of all: they cannot be told again."""
    if links is None:
        say("everybody's link is the one they were given (--new-links makes new ones)")
        return
    rows = [["organiser", f"{address}/a/{links.organiser}"]]
    rows += [[name, f"{address}/a/{token}"] for name, token in links.annotators.items()]
    grid = Grid("Secret links: they are shown this once", ["who", "link"], rows)
    show(Result([grid], []), Output.TABLE)


def _propose(store: "Store") -> None:
    """What the campaign asks for, unless it was done when it was served before."""
    from isogloss.annotate.proposing import are_proposed, propose_markables

    if are_proposed(store):
        return
    say("aligning the translations and proposing markables …")
    organiser = next(actor for actor in store.actors() if actor.role == "organiser")
    say(f"{propose_markables(store, organiser.id).added:,} markables are proposed")


P = ParamSpec("P")
_ON_DAMAGE = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)


def _telling_damage(command: Callable[P, None]) -> Callable[P, None]:
    """A command that says so where the database does not hold what a campaign's must."""

    @wraps(command)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> None:
        from sqlalchemy.exc import SQLAlchemyError

        try:
            command(*args, **kwargs)
        except (SQLAlchemyError, *_ON_DAMAGE) as error:
            raise InputError(
                "the campaign's database is damaged or not a campaign's; restore a backup, or see "
                "what 'isogloss annotate verify' says"
            ) from error

    return guarded


@app.command()
@_telling_damage
def export(
    folder: FolderArgument,
    what: Annotated[
        str,
        typer.Argument(
            help="events.jsonl (all that happened), answers.jsonl (what stands), decisions.jsonl "
            "(of the organiser, where annotators disagreed), study.jsonl (for "
            "'markables analyse'), scores.tsv, esa.jsonl, consistency.jsonl and "
            "consistency-NAME.jsonl (for 'chains')."
        ),
    ] = "answers.jsonl",
    to: Annotated[Path | None, typer.Option(help="A file; default: standard output.")] = None,
) -> None:
    """Write what annotators said, with the names of the systems."""
    store = _store(folder)
    from isogloss.annotate.exporting import exported

    try:
        lines = (f"{line}\n" for line in exported(store, what))
        if to is None:
            print_text("".join(lines))
        else:
            write_file(to, "".join(lines).encode())
    finally:
        store.database.close()


@app.command()
@_telling_damage
def agreement(folder: FolderArgument, output: OutputOption = Output.TABLE) -> None:
    """Print how far annotators agree, and how far each of them has come."""
    store = _store(folder)
    from isogloss.annotate.overview import overview

    try:
        found = overview(store)
    finally:
        store.database.close()
    figures = [
        [each.what, number(each.value, 3), str(each.units), each.reason or ""]
        for each in found.agreement
    ]
    people = [
        [
            each.name,
            f"{each.done:,} of {each.total:,}",
            number(each.seconds_per_item, 1),
            number(each.bias, 3),
            number(each.repeat_difference, 1),
            number(each.degraded_seen, 2),
        ]
        for each in found.annotators
    ]
    grids = [
        Grid(
            f"{found.campaign}: Krippendorff's alpha",
            ["what", "alpha", "judged twice", ""],
            figures,
            numeric=frozenset({1, 2}),
        ),
        Grid(
            "Annotators",
            ["name", "done", "seconds an item", "bias", "repeats differ by", "spoilt seen"],
            people,
            numeric=frozenset(range(1, 6)),
        ),
    ]
    records: list[Record] = [each.model_dump() for each in found.agreement]
    show(Result(grids, records, {"annotators": [p.model_dump() for p in found.annotators]}), output)


@app.command()
@_telling_damage
def backup(
    folder: FolderArgument, to: Annotated[Path, typer.Argument(help="The file to write.")]
) -> None:
    """Copy the campaign's database while it goes on; PostgreSQL's events as JSON lines."""
    store = _store(folder)
    from isogloss.annotate.keeping import back_up

    try:
        say(f"{to}: {back_up(store, to)}")
    finally:
        store.database.close()


@app.command()
@_telling_damage
def verify(folder: FolderArgument) -> None:
    """Check every row of the campaign's database; exit code 1 where one is not what was written.

    Texts, tasks, people and facts have digests, events are a chain of digests, and answers must be
    what the events come to. The digest at the end is that of the whole campaign: written down, it
    shows later whether anything came, went or changed since.
    """
    store = _store(folder, opened=False)
    from isogloss.annotate.verification import verified

    try:
        found = verified(store)
    finally:
        store.database.close()
    if found.faults:
        say(*found.faults, counted(len(found.faults), "fault"))
        raise typer.Exit(1)
    say(f"digest {found.digest}", f"{found.events:,} events, 0 faults")


def _store(folder: Path, *, new: bool = False, opened: bool = True) -> "Store":
    """The campaign's memory; one that does not exist yet is made only where `new` says so."""
    _needs_extra()
    from sqlalchemy.exc import SQLAlchemyError

    from isogloss.annotate.campaign import read_campaign
    from isogloss.annotate.database import reason
    from isogloss.annotate.opening import campaign_database, is_open
    from isogloss.annotate.store import Store

    store = Store(campaign_database(read_campaign(folder), folder, new=new))
    if not opened or new:
        return store
    try:
        is_there = is_open(store)
    except (ValueError, SQLAlchemyError) as error:
        store.database.close()
        raise InputError(
            f"{folder}: the database is damaged ({reason(error)[:200]}); "
            "'isogloss annotate verify' looks closer"
        ) from error
    if not is_there:
        store.database.close()
        raise InputError(f"{folder}: not open yet; 'isogloss annotate serve {folder}' opens it")
    return store


def _needs_extra() -> None:
    try:
        import fastapi  # noqa: F401
        import sqlalchemy  # noqa: F401
        import uvicorn  # noqa: F401
    except ModuleNotFoundError as error:
        raise MissingExtraError(f"annotation needs {error.name}", "annotate") from error
