"""A campaign in other people's formats: a folder of mt-metrics-eval, a table of MQM ratings.

Both hold less than the campaign's own exports: mt-metrics-eval one score a segment, the mean over
annotators; MQM ratings marks and no scores. What a format cannot hold is refused with a word.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from isogloss.annotate.results.material import (
    campaign_collection,
    judged_kinds,
    judgements_of,
    ranking_kind,
)
from isogloss.annotate.storage.store import Store
from isogloss.documents import counted
from isogloss.errors import InputError
from isogloss.formats import write_collection, write_human_scores, write_judgements
from isogloss.judgements import Judgements

MTME, MQM = "mtme", "mqm.tsv"
_MARKED = ("esa", "cesa")
"""Kinds of judgements with errors on the words."""


def write_exchange(store: Store, name: str, to: Path, kind: str | None = None) -> str:
    """Write the campaign in one of the formats; what was written, in words."""
    if name not in EXCHANGES:
        raise InputError(f"there is no format {name!r}; there are: {', '.join(EXCHANGES)}")
    return EXCHANGES[name](store, to, kind)


def _write_mtme(store: Store, to: Path, kind: str | None) -> str:
    collection = campaign_collection(store)
    judgements = judgements_of(store, collection, kind)
    write_collection(collection, to, "mtme")
    write_human_scores(judgements, collection, to)
    scored = len(judgements.segment_means()) or len(judgements.document_means())
    return f"texts, and {counted(scored, 'mean score')} of kind {judgements.kind}"


def _write_mqm(store: Store, to: Path, kind: str | None) -> str:
    collection = campaign_collection(store)
    marked = [each for each in judged_kinds(store) if each in _MARKED]
    wanted = kind or (ranking_kind(marked) if marked else _MARKED[0])
    judgements = judgements_of(store, collection, wanted)
    marks = tuple(replace(item, score=None) for item in judgements.items)
    write_judgements(Judgements("mqm", marks), collection, to, "mqm")
    number = sum(len(item.errors) for item in marks)
    return f"{counted(number, 'error')} in {counted(len(marks), 'rated segment')}"


EXCHANGES: Mapping[str, Callable[[Store, Path, str | None], str]] = {
    MTME: _write_mtme,
    MQM: _write_mqm,
}
