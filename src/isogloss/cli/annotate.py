"""``isogloss annotate``: campaigns in which people judge translations in the browser."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from isogloss.cli.campaign_choice import SelectBy, selected
from isogloss.cli.campaign_results import command as results_command
from isogloss.cli.campaigns import campaign_store, needs_extra, telling_damage
from isogloss.cli.grid import Grid
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


app = typer.Typer(
    help="Annotation campaigns: people judge translations in the browser.",
    no_args_is_help=True,
)

app.command("results")(results_command)

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
        str,
        typer.Option(
            help="By comma: phase1, phase2, da, spans, document, preference, consistency."
        ),
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
    seed: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=2**63 - 1,
            help="All that is drawn by lot follows from it: letters of systems, shares, order, "
            "checks. Default: a new one, which campaign.toml keeps; it is the organiser's secret.",
        ),
    ] = None,
    select: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Judge so many documents only, drawn so that they say as much as more of them at "
            "random; results are of the whole test set all the same.",
        ),
    ] = None,
    select_by: Annotated[
        SelectBy,
        typer.Option(
            help="Evenly from easy to hard, as metrics see them (level); more of those on which "
            "outputs (diversity) or metrics (spread) differ, and weights for them; or by chance."
        ),
    ] = SelectBy.LEVEL,
    scores: Annotated[
        list[Path] | None,
        typer.Option(
            "--scores",
            help="Saved scores of metrics, for --select; default: chrf is computed. Repeatable.",
        ),
    ] = None,
    propose: Annotated[
        int,
        typer.Option(
            help="For phase 2: how many markables a program proposes for each document when the "
            "campaign opens. The organiser can ask for them later, too."
        ),
    ] = 0,
    systems: Annotated[str, typer.Option(help="By comma. Default: all.")] = "",
    documents: Annotated[str, typer.Option(help="Their ids, by comma. Default: all.")] = "",
    domains: Annotated[
        str, typer.Option(help="Only documents of these, by comma. Default: all.")
    ] = "",
    severities: Annotated[
        str, typer.Option(help="For spans: which annotators may choose, by comma.")
    ] = "minor,major,critical",
    categories: Annotated[
        str,
        typer.Option(help="For spans: kinds of errors, by comma. Default: those of MQM."),
    ] = "",
    checks: Annotated[
        float,
        typer.Option(
            min=0,
            max=0.5,
            help="For da and spans: the share of items that come twice, and as many that come once "
            "more, spoilt, to see whether annotators are awake. 0: none.",
        ),
    ] = 0.03,
    document_scores: Annotated[
        bool,
        typer.Option(
            "--document-scores",
            help="For da and spans: ask for a score of the whole document, too.",
        ),
    ] = False,
    pairs: Annotated[
        int,
        typer.Option(
            min=0, help="For preference: how many pairs of systems in a document. Default: all."
        ),
    ] = 0,
    prefilled: Annotated[
        Path | None,
        typer.Option(
            help="For spans: errors to begin with, for annotators to correct: a file of judgements "
            "with places, or of scores with evidence (mqm, markables)."
        ),
    ] = None,
    prefilled_share: Annotated[
        float,
        typer.Option(
            min=0,
            max=1,
            help="The share of segments that are prefilled; the others, by lot, show what people "
            "find by themselves.",
        ),
    ] = 1.0,
) -> None:
    """Make a campaign: a folder with campaign.toml and guidelines to edit before it opens.

    [bold]Examples[/bold]

      isogloss annotate init testset.toml --into study -a ann,bob --redundancy 2
      isogloss annotate init wmt23/en-de --into esa -a ann,bob,cyd --phases spans
      isogloss annotate init wmt23/en-de --into few -a ann,bob --phases da --select 30
      isogloss annotate init testset.toml --into words -a ann,bob --phases consistency \\
        --redundancy 2 --chains chains
      isogloss annotate init testset.toml --into esa -a ann,bob --phases spans --document-scores \\
        --prefilled scores.jsonl --prefilled-share 0.8
    """
    needs_extra()
    from isogloss.annotate import (
        CAMPAIGN_FILE,
        CATEGORIES,
        GUIDELINES,
        Campaign,
        Checks,
        new_seed,
        write_campaign,
    )
    from isogloss.formats import read_collection

    collection = read_collection(testset)
    checked = bool({"da", "spans"} & set(_listed(phases)))
    campaign = Campaign(
        name or collection.testset.name,
        str(testset.resolve()),
        _listed(annotators),
        _listed(phases),  # type: ignore[arg-type]  # checked by the campaign itself
        redundancy=redundancy,
        seed=new_seed() if seed is None else seed,
        guidelines="guidelines.md",
        database=database,
        chains=str(chains.resolve()) if chains else None,
        propose=propose,
        systems=_listed(systems),
        documents=_listed(documents),
        domains=_listed(domains),
        severities=_listed(severities),
        categories=_listed(categories) or CATEGORIES,
        checks=Checks(checks, checks) if checked else Checks(),
        document_scores=document_scores,
        pairs=pairs,
        prefilled=str(prefilled.resolve()) if prefilled else None,
        prefilled_share=prefilled_share,
    )
    if (into / CAMPAIGN_FILE).exists():
        raise InputError(f"{into}: there is a campaign already; choose another folder")
    if select is not None:
        campaign = selected(campaign, collection, select, select_by.value, scores or [], into)
    texts = [GUIDELINES[phase] for phase in campaign.phases]
    write_file(into / "guidelines.md", "\n\n".join(texts).encode())
    write_campaign(campaign, into)  # last: with it, the folder is a campaign
    say(f"made {into / CAMPAIGN_FILE} and {into / 'guidelines.md'}; edit them as you like, then:")
    say(f"  isogloss annotate serve {into}")


def _listed(text: str) -> tuple[str, ...]:
    """What stands between commas; nothing is an empty list."""
    return tuple(each.strip() for each in text.split(",")) if text.strip() else ()


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
    needs_extra()
    from isogloss.annotate import (
        bound_socket,
        create_app,
        public_origin,
        read_campaign,
        run_server,
        server_address,
        trusted_addresses,
    )

    campaign = read_campaign(folder)
    origin = public_origin(public_url) if public_url else None
    trusted = trusted_addresses(trusted_proxy or [])
    listening = bound_socket(host, port)  # first: links that nobody can follow would be lost
    store = campaign_store(folder, new=True)
    try:
        here = server_address(host, listening)
        _tell_links(_links(campaign, folder, store, new_links=new_links), origin or here)
        if campaign.propose:
            _propose(store)
        say(f"serving at {here}; Ctrl-C ends")
        run_server(create_app(store, origin), listening, trusted)
    finally:
        listening.close()
        store.database.close()


def _links(
    campaign: "Campaign", folder: Path, store: "Store", *, new_links: bool
) -> "AccessLinks | None":
    """The links to tell, if there are any that were not told before."""
    from isogloss.annotate import check_unchanged, is_open, open_campaign, renewed_links

    if not is_open(store):
        return open_campaign(campaign, folder, store)
    check_unchanged(campaign, folder, store)
    return renewed_links(store) if new_links else None


def _tell_links(links: "AccessLinks | None", address: str) -> None:
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
    from isogloss.annotate import EXCHANGES, exported, write_exchange

    try:
        if what in EXCHANGES:
            if to is None:
                raise InputError(f"{what} needs a place to be written to: --to")
            say(f"{to}: {write_exchange(store, what, to, kind)}")
            return
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
