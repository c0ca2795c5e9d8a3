"""``isogloss annotate``: campaigns in which people judge translations in the browser."""

from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from isogloss.cli.campaigns import campaign_store, needs_extra, telling_damage
from isogloss.cli.grid import Grid
from isogloss.cli.lazy import Entry, LazyCommands
from isogloss.cli.output import (
    Output,
    OutputOption,
    Record,
    Result,
    number,
    print_text,
    say,
    show,
)
from isogloss.destination import folder_to_be, write_file
from isogloss.documents import counted
from isogloss.errors import InputError

if TYPE_CHECKING:
    from isogloss.annotate import AccessLinks, Campaign, Store


# Those that need more of the library than the others are loaded when they are called.
_ENTRIES = {
    "init": Entry(
        "campaign_init:command",
        "Make a campaign: a folder with campaign.toml and guidelines to edit before it opens.",
    ),
    "people": Entry(
        "campaign_people:app",
        "Who takes part in a campaign that goes on: list, add, withdraw, reassign, link.",
    ),
    "enrol": Entry(
        "campaign_enrolment:command",
        "Let people enrol by one link; without options, who has, how far they are, and their "
        "codes.",
    ),
    "extend": Entry(
        "campaign_course:extend",
        "Ask more of a campaign that goes on: more judgements of each document, or more documents.",
    ),
    "close": Entry(
        "campaign_course:close",
        "End a campaign: no more answers are taken; results and exports stay as they are.",
    ),
    "reopen": Entry("campaign_course:reopen", "Take answers again in a campaign that was closed."),
    "late": Entry(
        "campaign_course:late",
        "Print answers that came too late, one a line: the campaign was closed, or work had gone "
        "on.",
    ),
    "preview": Entry(
        "campaign_preview:command",
        "Show what annotators will be asked, in which order, and how long that takes.",
    ),
    "results": Entry(
        "campaign_results:command",
        "Rank the systems of a campaign by what people said, at any time while it goes on.",
    ),
}


class CampaignCommands(LazyCommands):
    """The commands of a campaign."""

    entries = _ENTRIES


app = typer.Typer(
    cls=CampaignCommands,
    help="Annotation campaigns: people judge translations in the browser.",
    no_args_is_help=True,
)

FolderArgument = Annotated[
    Path, typer.Argument(metavar="CAMPAIGN", help="The campaign's folder, made by 'init'.")
]
_PORT = 8237


@app.command("import")
def import_(
    study: Annotated[
        Path,
        typer.Argument(
            metavar="STUDY",
            help="The folder of the WMT20 markable study as its authors released it, or the "
            "study.jsonl of another campaign.",
        ),
    ],
    into: Annotated[Path, typer.Option("--into", help="A new folder for the campaign.")],
) -> None:
    """Make a campaign of a finished markable study: everybody has answered what they did there.

    Serve it to see how far annotators agree, to decide where they do not, and to ask about more
    markables; 'annotate export' gives all of it out, decisions included.

    [bold]Examples[/bold]

      isogloss annotate import wmt20-elitr-testsuite --into wmt20
      isogloss annotate serve wmt20 --new-links
    """
    needs_extra()
    from isogloss.annotate import (
        Store,
        campaign_database,
        import_study,
        study_campaign,
        write_campaign,
    )
    from isogloss.cli.markables import study_at

    if into.exists():
        raise InputError(f"{into}: is there already; choose another folder")
    found = study_at(study)
    campaign = study_campaign(found, str(study.resolve()))
    with folder_to_be(into) as folder:
        store = Store(campaign_database(campaign, folder, new=True))
        try:
            import_study(found, campaign, store)
        finally:
            store.database.close()
        write_campaign(campaign, folder)
    say(f"made {into} of {counted(len(found.line_rows) + len(found.mark_rows), 'answer')}; next:")
    say(f"  isogloss annotate serve {into} --new-links")


@app.command()
def serve(
    folders: Annotated[
        list[Path],
        typer.Argument(
            metavar="CAMPAIGN...",
            help="The campaign's folder, made by 'init'; several, or a folder with campaigns in "
            "it, are served together, each under /c/NAME/.",
        ),
    ],
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
    """Open a campaign and serve its pages, until Ctrl-C.

    The first time prints the organiser's link and one secret link for each annotator: write them
    down, they are kept nowhere.

    [bold]Examples[/bold]

      isogloss annotate serve study
      isogloss annotate serve study --public-url https://campaign.example.org \\
        --trusted-proxy 127.0.0.1
      isogloss annotate serve study1 study2
      isogloss annotate serve campaigns
    """
    needs_extra()
    from isogloss.annotate import (
        bound_socket,
        campaign_folders,
        create_app,
        create_site,
        public_origin,
        read_campaign,
        run_server,
        server_address,
        trusted_addresses,
    )
    from isogloss.cli.campaign_page import served_page

    named = campaign_folders(folders)
    together = [*named.values()] != folders or len(named) > 1
    campaigns = {name: read_campaign(folder) for name, folder in named.items()}
    results = {name: partial(served_page, folder) for name, folder in named.items()}
    origin = public_origin(public_url) if public_url else None
    trusted = trusted_addresses(trusted_proxy or [])
    with ExitStack() as end:
        listening = bound_socket(host, port)  # first: links that nobody can follow would be lost
        end.callback(listening.close)
        here = server_address(host, listening)
        stores = {}
        for name, campaign in campaigns.items():
            stores[name] = campaign_store(named[name], new=True)
            end.callback(stores[name].database.close)
            address = f"{origin or here}/c/{name}" if together else origin or here
            links = _links(campaign, named[name], stores[name], new_links=new_links)
            # Campaigns on one test set are often called alike.
            _tell_links(links, address, f"{name}: {campaign.name}" if together else campaign.name)
            _begin(campaign, stores[name], address)
        if together:
            app = create_site(stores, origin, results)
        else:
            [(name, store)] = stores.items()
            app = create_app(store, origin, results[name])
        say(f"serving at {here}; Ctrl-C ends")
        run_server(app, listening, trusted)


def _begin(campaign: "Campaign", store: "Store", address: str) -> None:
    """What is done once the links are told."""
    from isogloss.annotate import keep_address

    keep_address(store, address)
    if campaign.propose:
        _propose(store)


def _links(
    campaign: "Campaign", folder: Path, store: "Store", *, new_links: bool
) -> "AccessLinks | None":
    """The links to tell, if there are any that were not told before."""
    from isogloss.annotate import check_unchanged, is_open, open_campaign, renewed_links

    if not is_open(store):
        return open_campaign(campaign, folder, store)
    check_unchanged(campaign, folder, store)
    return renewed_links(store) if new_links else None


def _tell_links(links: "AccessLinks | None", address: str, name: str) -> None:
    """First of all: they cannot be told again."""
    if links is None:
        say(f"{name}: everybody's link is the one they were given (--new-links makes new ones)")
        return
    rows = [["organiser", f"{address}/a/{links.organiser}"]]
    rows += [[name, f"{address}/a/{token}"] for name, token in links.annotators.items()]
    grid = Grid(f"{name}: secret links, shown this once", ["who", "link"], rows)
    show(Result([grid], []), Output.TABLE)


def _propose(store: "Store") -> None:
    """What the campaign asks for, unless it was done when it was served before."""
    from isogloss.annotate import are_proposed, propose_markables

    if are_proposed(store):
        return
    say("aligning the translations and proposing markables …")
    organiser = next(actor for actor in store.actors() if actor.role == "organiser")
    say(f"{propose_markables(store, organiser.id).added:,} markables are proposed")


@app.command()
@telling_damage
def export(
    folder: FolderArgument,
    what: Annotated[
        str,
        typer.Argument(
            help="events.jsonl (all that happened), answers.jsonl (what stands), decisions.jsonl "
            "(of the organiser, where annotators disagreed), study.jsonl (for "
            "'markables analyse'), scores.tsv, esa.jsonl, preferences.tsv (for 'preferences'), "
            "consistency.jsonl and consistency-NAME.jsonl (for 'chains'). All but events.jsonl "
            "and those for other commands are judgements for 'metaeval --human'. All but study "
            "and consistency also as .csv, for spreadsheets. With --to: mtme (a folder of "
            "mt-metrics-eval), mqm.tsv (MQM ratings)."
        ),
    ] = "answers.jsonl",
    to: Annotated[Path | None, typer.Option(help="A file; default: standard output.")] = None,
    kind: Annotated[
        str | None, typer.Option(help="For mtme, of several kinds of judgements one: da, esa ...")
    ] = None,
) -> None:
    """Write what annotators said, with the names of the systems.

    [bold]Examples[/bold]

      isogloss annotate export study answers.jsonl --to answers.jsonl
      isogloss annotate export study scores.csv --to scores.csv
      isogloss annotate export study mtme --to study-mtme
      isogloss metaeval testset.toml --human answers.jsonl -m bleu,chrf
    """
    store = campaign_store(folder)
    from isogloss.annotate import EXCHANGES, export_names, exported, write_exchange

    try:
        if what in EXCHANGES:
            if to is None:
                raise InputError(f"{what} needs a place to be written to: --to")
            say(f"{to}: {write_exchange(store, what, to, kind)}")
            return
        if what not in (names := export_names(store)):
            known = ", ".join([*names, *(f"{name} (with --to)" for name in EXCHANGES)])
            raise InputError(f"there is no export {what!r}; there are: {known}")
        lines = (f"{line}\n" for line in exported(store, what))
        if to is None:
            print_text("".join(lines))
        else:
            write_file(to, "".join(lines).encode())
    finally:
        store.database.close()


@app.command()
@telling_damage
def agreement(folder: FolderArgument, output: OutputOption = Output.TABLE) -> None:
    """Print how far annotators agree, and how far each of them has come."""
    store = campaign_store(folder)
    from isogloss.annotate import campaign_overview

    try:
        found = campaign_overview(store)
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
@telling_damage
def backup(
    folder: FolderArgument, to: Annotated[Path, typer.Argument(help="The file to write.")]
) -> None:
    """Copy the campaign's database while it goes on; PostgreSQL's events as JSON lines."""
    store = campaign_store(folder)
    from isogloss.annotate import back_up

    try:
        say(f"{to}: {back_up(store, to)}")
    finally:
        store.database.close()


@app.command()
@telling_damage
def verify(folder: FolderArgument) -> None:
    """Check every row of the campaign's database; exit code 1 where one is not what was written.

    Texts, tasks, people and facts have digests, events are a chain of digests, and answers must be
    what the events come to. The digest at the end is that of the whole campaign: written down, it
    shows later whether anything came, went or changed since.
    """
    store = campaign_store(folder, opened=False)
    from isogloss.annotate import verified_campaign

    try:
        found = verified_campaign(store)
    finally:
        store.database.close()
    if found.faults:
        say(*found.faults, counted(len(found.faults), "fault"))
        raise typer.Exit(1)
    say(f"digest {found.digest}", f"{found.events:,} events, 0 faults")
