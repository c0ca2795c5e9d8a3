"""A campaign in other people's formats: a folder of mt-metrics-eval, a table of MQM ratings.

Both hold less than the campaign's own exports: mt-metrics-eval one score a segment, the mean over
annotators; MQM ratings marks and no scores. What a format cannot hold is refused with a word.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from shutil import make_archive
from tempfile import TemporaryDirectory

from isogloss.annotate.results.material import (
    campaign_collection,
    judged_kinds,
    judgements_of,
    ranking_kind,
)
from isogloss.annotate.storage.schema import OPENED
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


def download_names(store: Store) -> list[str]:
    """What can be fetched in these formats at a browser, by what is asked."""
    phases = set(store.fact(OPENED)["phases"])
    return [name for name, of in _DOWNLOADS.items() if phases & of]


def download(store: Store, name: str) -> bytes:
    """One of them; mt-metrics-eval is an archive, with a folder for each kind of judgements."""
    with TemporaryDirectory() as place:
        path = Path(place) / name
        if name == MQM:
            write_exchange(store, MQM, path)
            return path.read_bytes()
        scored = [kind for kind in judged_kinds(store) if kind != "preference"]
        if not scored:
            raise InputError("nobody has given a score yet")
        for kind in scored:
            write_exchange(store, MTME, Path(place) / MTME / kind, kind)
        return Path(make_archive(str(path.with_suffix("")), "zip", Path(place) / MTME)).read_bytes()


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


_DOWNLOADS: Mapping[str, frozenset[str]] = {
    f"{MTME}.zip": frozenset({"da", "spans", "contrastive", "document", "phase1", "phase2"}),
    MQM: frozenset({"spans", "contrastive"}),
}
"""Names of files, and the phases that fill them."""
EXCHANGES: Mapping[str, Callable[[Store, Path, str | None], str]] = {
    MTME: _write_mtme,
    MQM: _write_mqm,
}
