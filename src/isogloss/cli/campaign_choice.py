"""``isogloss annotate init --select``: the documents that a campaign asks about."""

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from isogloss.cli.inputs import read_saved
from isogloss.cli.output import say
from isogloss.documents import Collection, counted
from isogloss.planning import Guess, select_documents

if TYPE_CHECKING:
    from isogloss.annotate import Campaign


class SelectBy(StrEnum):
    """What tells that a document tells much."""

    DIVERSITY = "diversity"
    SCORES = "scores"
    NONE = "none"


def selected(
    campaign: "Campaign",
    collection: Collection,
    number: int,
    guess: Guess,
    scores: Sequence[Path],
    into: Path,
) -> "Campaign":
    """The campaign on so many chosen documents, which are written into its folder."""
    from isogloss.annotate import write_selection

    judged = collection.with_systems(campaign.systems or collection.system_names)
    table = read_saved(scores) if scores else None
    chosen = select_documents(judged, number, campaign.seed or 0, guess, table)
    texts = write_selection(chosen, collection, into)
    segments = sum(len(d) for d in collection.testset.documents if d.id in set(chosen.chosen))
    say(
        f"chose {counted(number, 'document')} ({counted(segments, 'segment')}) of "
        f"{len(collection.testset.documents):,}; selection.tsv has the chance of each"
    )
    return replace(campaign, testset=texts.name)
