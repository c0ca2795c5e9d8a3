"""``isogloss annotate preview``: an annotator's whole work, before anybody does it."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from isogloss.cli.campaigns import needs_extra
from isogloss.cli.grid import Grid
from isogloss.cli.output import Output, OutputOption, Record, Result, say, show
from isogloss.documents import counted
from isogloss.errors import InputError

if TYPE_CHECKING:
    from isogloss.annotate import AccessLinks, Campaign, PlannedTask, Store

_HOUR = 3600


def command(
    folder: Annotated[
        Path, typer.Argument(metavar="CAMPAIGN", help="The campaign's folder, made by 'init'.")
    ],
    annotator: Annotated[
        str | None, typer.Option(help="Whose work; default: of everybody, in sums.")
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            min=0.1,
            help="How long a question takes. Default: 28 for da (see 'plan'); of other phases "
            "nothing is known beforehand.",
        ),
    ] = None,
    pages: Annotated[
        bool,
        typer.Option("--pages", help="Serve the pages, too, to click through; nothing is kept."),
    ] = False,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="With --pages; 0: any that is free.")
    ] = 0,
    output: OutputOption = Output.TABLE,
) -> None:
    """Show what annotators will be asked, in which order, and how long that takes.

    The campaign is opened in a database that is thrown away: the same documents, letters, checks
    and batches as 'serve' gives out, and nothing of what is clicked with --pages is kept.

    [bold]Examples[/bold]

      isogloss annotate preview study
      isogloss annotate preview study --annotator ann --seconds 40
      isogloss annotate preview study --annotator ann --pages
    """
    needs_extra()
    from isogloss.annotate import read_campaign, rehearsal

    campaign = read_campaign(folder)
    if annotator is not None and annotator not in campaign.annotators:
        known = ", ".join(campaign.annotators)
        raise InputError(f"there is no annotator {annotator!r}; there are: {known}")
    with rehearsal(campaign, folder) as (store, links):
        show(work_of(campaign, store, annotator, seconds), output)
        if pages:
            _serve(store, links, annotator, port)


def show_work(campaign: "Campaign", folder: Path) -> None:
    """The same for a campaign that is being made."""
    from isogloss.annotate import rehearsal

    with rehearsal(campaign, folder) as (store, _):
        show(work_of(campaign, store, None, None), Output.TABLE)


def work_of(
    campaign: "Campaign", store: "Store", annotator: str | None, seconds: float | None
) -> Result:
    """Everybody's work in sums, and the tasks of one of them."""
    from isogloss.annotate import planned_work

    tasks = planned_work(store, campaign.batch)
    whose = annotator or campaign.annotators[0]
    own = [task for task in tasks if task.annotator == whose]
    grids = [_sums(campaign, tasks, seconds), _tasks(whose, own, seconds)]
    records: list[Record] = [
        {**asdict(task), "hours": _hours(task, seconds)}
        for task in tasks
        if annotator in (None, task.annotator)
    ]
    return Result(grids, records)


def _sums(campaign: "Campaign", tasks: Sequence["PlannedTask"], seconds: float | None) -> Grid:
    groups: dict[tuple[str, str], list[PlannedTask]] = {}
    for task in tasks:
        groups.setdefault((task.annotator, task.phase), []).append(task)
    counted = _counted(tasks)
    rows = [_sum(name, own, counted, seconds) for (name, _), own in groups.items()]
    headings = ["annotator", "phase", "batches", "documents", *counted, "hours"]
    notes = []
    if "phase2" in campaign.phases:
        notes.append("phase2 is given out when the organiser has curated what phase1 reported.")
    if any(_hours(task, seconds) is None for task in tasks):
        notes.append("How long it takes: say with --seconds how long a question takes.")
    title = f"{campaign.name}: what everybody is asked"
    return Grid(title, headings, rows, notes, numeric=frozenset(range(2, len(headings))), lead=2)


def _counted(tasks: Sequence["PlannedTask"]) -> list[str]:
    """What is counted; checks and prefilled segments only where there are any."""
    rare = [what for what in ("checks", "prefilled") if any(getattr(t, what) for t in tasks)]
    return ["screens", "questions", *rare]


def _sum(
    name: str, tasks: Sequence["PlannedTask"], counted: Sequence[str], seconds: float | None
) -> list[str]:
    batches = {task.batch for task in tasks} - {None}
    hours = [_hours(task, seconds) for task in tasks]
    return [
        name,
        tasks[0].phase,
        str(len(batches) or 1),
        f"{len(tasks):,}",
        *(f"{sum(getattr(task, what) for task in tasks):,}" for what in counted),
        _told(None if None in hours else sum(filter(None, hours))),
    ]


def _tasks(whose: str, tasks: Sequence["PlannedTask"], seconds: float | None) -> Grid:
    counted = _counted(tasks)
    rows = [
        [
            str(number),
            task.phase,
            "" if task.batch is None else str(task.batch),
            task.document,
            *(f"{getattr(task, what):,}" for what in counted),
            _told(_hours(task, seconds)),
        ]
        for number, task in enumerate(tasks, 1)
    ]
    headings = ["", "phase", "batch", "document", *counted, "hours"]
    numeric = frozenset({0, 2, *range(4, len(headings))})
    return Grid(f"The work of {whose}, in its order", headings, rows, numeric=numeric)


def _hours(task: "PlannedTask", seconds: float | None) -> float | None:
    from isogloss.cli.plan import DA_SECONDS

    pace = DA_SECONDS if seconds is None and task.phase == "da" else seconds
    return None if pace is None else task.questions * pace / _HOUR


def _told(hours: float | None) -> str:
    return "–" if hours is None else f"{hours:.2f}"


def _serve(store: "Store", links: "AccessLinks", annotator: str | None, port: int) -> None:
    from isogloss.annotate import bound_socket, create_app, run_server, server_address

    listening = bound_socket("127.0.0.1", port)
    try:
        address = server_address("127.0.0.1", listening)
        people = {
            name: token for name, token in links.annotators.items() if annotator in (None, name)
        }
        for name, token in {**people, "organiser": links.organiser}.items():
            say(f"{name}: {address}/a/{token}")
        say(f"a preview of {counted(len(people), 'annotator')}; nothing is kept; Ctrl-C ends")
        run_server(create_app(store, preview=True), listening)
    finally:
        listening.close()
