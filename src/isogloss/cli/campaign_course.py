"""``isogloss annotate extend``, ``close``, ``reopen`` and ``late``: a campaign's further course."""

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from isogloss.cli.campaign_people import (
    FolderArgument,
    given_out,
    named,
    opened_store,
    tell_left,
)
from isogloss.cli.campaigns import telling_damage
from isogloss.cli.output import print_text, say
from isogloss.documents import counted
from isogloss.errors import InputError

if TYPE_CHECKING:
    from isogloss.annotate import HandedOver, Store


@telling_damage
def extend(
    folder: FolderArgument,
    redundancy: Annotated[
        int | None,
        typer.Option(min=1, help="How many annotators judge each document from now on."),
    ] = None,
    documents: Annotated[
        str, typer.Option("--documents", "-d", help="Documents to ask about as well, by comma.")
    ] = "",
    testset: Annotated[
        Path | None,
        typer.Option(help="Where these are, with the same systems. Default: the campaign's own."),
    ] = None,
) -> None:
    """Ask more of a campaign that goes on: more judgements of each document, or more documents.

    campaign.toml stays as it was when the campaign opened. Whoever has least to do is given the new
    work; nobody judges a document twice.

    [bold]Examples[/bold]

      isogloss annotate extend study --redundancy 3
      isogloss annotate extend study -d news-17,news-18
      isogloss annotate extend study --testset more.toml -d lease-4
    """
    from isogloss.annotate import extend_redundancy

    if (redundancy is None) == (not documents):
        raise InputError("extend a campaign by --redundancy or by --documents, one at a time")
    with opened_store(folder) as store:
        if redundancy is not None:
            done = extend_redundancy(store, redundancy)
        else:
            done = _more_documents(store, folder, documents, testset)
    say(f"gave out {given_out(done)}")
    tell_left(done)


def _more_documents(
    store: "Store", folder: Path, documents: str, testset: Path | None
) -> "HandedOver":
    from isogloss.annotate import (
        extend_documents,
        later_material,
        read_campaign,
        selection_weights,
    )

    if selection_weights(folder):
        raise InputError(
            "these documents were drawn with unequal chances, and results weight them by these; "
            "one that is added has none: make a campaign of its own"
        )
    campaign = read_campaign(folder)
    if testset is not None:
        campaign = replace(campaign, testset=str(testset.resolve()))
    material = later_material(campaign, folder, named(documents) or ())
    return extend_documents(store, *material)


@telling_damage
def close(folder: FolderArgument) -> None:
    """End a campaign: no more answers are taken; results and exports stay as they are.

    Annotators are told so when they come. What their browsers still send is kept aside: see
    'isogloss annotate late'. 'isogloss annotate reopen' takes answers again.
    """
    from isogloss.annotate import close as close_campaign

    with opened_store(folder) as store:
        say("the campaign is closed" if close_campaign(store) else "it was closed already")


@telling_damage
def reopen(folder: FolderArgument) -> None:
    """Take answers again in a campaign that was closed."""
    from isogloss.annotate import reopen as reopen_campaign

    with opened_store(folder) as store:
        say("the campaign takes answers again" if reopen_campaign(store) else "it was not closed")
        late = len(store.late())
    if late:
        say(f"{counted(late, 'answer')} came while it was not; 'annotate late --take' saves them")


@telling_damage
def late(
    folder: FolderArgument,
    take: Annotated[
        bool, typer.Option("--take", help="Save them as if they had come in time.")
    ] = False,
) -> None:
    """Print answers that came too late, one a line: the campaign was closed, or work had gone on.

    Annotators were told that these were not counted and that you have them. With --take they
    become their authors' answers, but for those in whose place something newer stands.

    [bold]Examples[/bold]

      isogloss annotate late study > late.jsonl
      isogloss annotate late study --take
    """
    from isogloss.annotate import take_late

    with opened_store(folder) as store:
        if take:
            taken, left = take_late(store)
            say(f"{counted(taken, 'answer')} taken in, {left:,} left: something newer stands there")
            return
        found = store.late()
    print_text("".join(f"{json.dumps(asdict(each), ensure_ascii=False)}\n" for each in found))
