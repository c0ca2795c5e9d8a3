"""``isogloss annotate init --select``: the documents that a campaign asks about."""

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from isogloss.cli.output import say
from isogloss.documents import Collection, counted

_QUICK = "chrf"

if TYPE_CHECKING:
    from isogloss.annotate import Campaign
    from isogloss.planning import Guess
    from isogloss.scores import ScoreTable


class SelectBy(StrEnum):
    """By what documents are chosen."""

    LEVEL = "level"
    DIVERSITY = "diversity"
    SPREAD = "spread"
    CHANCE = "chance"


def selected(
    campaign: "Campaign",
    collection: Collection,
    number: int,
    guess: "Guess",
    scores: Sequence[Path],
    into: Path,
) -> "Campaign":
    """The campaign on so many chosen documents, which are written into its folder."""
    from isogloss.annotate import write_selection
    from isogloss.cli.inputs import read_saved
    from isogloss.planning import select_documents

    judged = collection.with_systems(campaign.systems or collection.system_names)
    table = read_saved(scores) if scores else None
    if table is None and guess in ("level", "spread"):
        table, guess = _computed(judged, guess)
    chosen = select_documents(judged, number, campaign.seed or 0, guess, table)
    texts = write_selection(chosen, collection, into)
    segments = sum(len(d) for d in collection.testset.documents if d.id in set(chosen.chosen))
    say(
        f"chose {counted(number, 'document')} ({counted(segments, 'segment')}) of "
        f"{len(collection.testset.documents):,}; selection.tsv has the chance of each"
    )
    return replace(campaign, testset=texts.name)


def _computed(collection: Collection, guess: "Guess") -> "tuple[ScoreTable | None, Guess]":
    """A quick metric's scores, where the test set has a reference; else chance must do."""
    references = collection.testset.reference_names
    if not references:
        say(f"no reference and no --scores: documents are chosen by chance, not by {guess}")
        return None, "chance"
    from isogloss.evaluation import evaluate

    return evaluate(collection.with_references(references[:1]), _QUICK), guess
