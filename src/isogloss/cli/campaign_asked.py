"""What a campaign holds of the kind of judgements that was asked for."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from isogloss.cli.campaigns import is_campaign_path
from isogloss.comparison import PREFERENCE
from isogloss.documents import Collection
from isogloss.errors import InputError
from isogloss.judgements import Choices, Judgements

if TYPE_CHECKING:
    from isogloss.annotate import Results, Store, Voices


@dataclass(frozen=True, slots=True)
class Asked:
    """What people said, on which texts; how many documents each stands for; what else there is.

    `passed_over` are the `others` where nobody named a kind.
    """

    said: Judgements | Choices
    collection: Collection
    weights: Mapping[str, float]
    voices: "Voices"
    others: Sequence[str]
    passed_over: Sequence[str]


@contextmanager
def opened_campaign(campaign: Path) -> "Iterator[Store]":
    """A campaign that people were asked in."""
    from isogloss.annotate import stored_campaign

    if not is_campaign_path(campaign):
        raise InputError(f"{campaign}: no campaign here; name its folder")
    store = stored_campaign(campaign)
    with closing(store.database):
        yield store


def read_asked(store: "Store", campaign: Path, kind: str | None) -> Asked:
    """Judgements of a kind; where none is named, of the one that ranks."""
    from isogloss.annotate import (
        campaign_collection,
        campaign_voices,
        choices_of,
        judged_kinds,
        judgements_of,
        ranking_kind,
        selection_weights,
    )

    collection = campaign_collection(store)
    kinds = judged_kinds(store)
    wanted = kind or (ranking_kind(kinds) if kinds else None)
    read = choices_of if wanted == PREFERENCE else partial(judgements_of, kind=wanted)
    said = read(store, collection)
    voices = campaign_voices(store, PREFERENCE if isinstance(said, Choices) else said.kind)
    others = [each for each in kinds if each != wanted]
    weights = selection_weights(campaign)
    return Asked(said, collection, weights, voices, others, () if kind else others)


def told_of(found: "Results", passed_over: Sequence[str]) -> list[str]:
    """What must be known of the ranking."""
    how = {
        "mixed": "annotators' mildness is taken out by a mixed model (--annotators none: not)",
        "z": "annotators' scores are brought to one mean and deviation (z-scores)",
    }
    told = [how[found.correction]] if found.correction in how else []
    if found.chosen:
        told.append(
            "preference: the share of its comparisons that a system won, ties half; of each, "
            "the mean over annotators"
        )
    if passed_over:
        kind, others = found.people.metric.name, ", ".join(passed_over)
        told.append(f"ranked by {kind}, scores of segments; also judged: {others} (--kind)")
    if found.weighted:
        told.append("documents were chosen with unequal chances, and are weighted by them")
    idle = [each.metric for each in found.help if not each.helps]
    if idle:
        told.append(f"{', '.join(idle)} scored other documents, too, which is no help here")
    return told
