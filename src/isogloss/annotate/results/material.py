"""A campaign as a test set with judgements: what every tool that reads judgements can take."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from isogloss.annotate.campaign import CAMPAIGN_FILE, read_campaign
from isogloss.annotate.launch import campaign_database, is_open
from isogloss.annotate.results.adjudication import standing_answers
from isogloss.annotate.results.export import exported
from isogloss.annotate.storage.database import open_database
from isogloss.annotate.storage.schema import OPENED
from isogloss.annotate.storage.store import Store
from isogloss.comparison import PREFERENCE
from isogloss.destination import write_file
from isogloss.documents import Collection, Document, SystemOutput, TestSet
from isogloss.errors import FormatError, InputError, shown_path
from isogloss.formats import judgement_kinds, read_choices, read_judgements
from isogloss.judgements import Choices, Judgements


def stored_campaign(path: Path) -> Store:
    """The memory of a campaign that is open; whoever asks for it closes its database."""
    if path.is_dir() or path.name == CAMPAIGN_FILE:
        folder = path if path.is_dir() else path.parent
        store = Store(campaign_database(read_campaign(folder), folder, new=False))
    else:
        store = Store(open_database(path, new=False))
    if not is_open(store):
        store.database.close()
        raise InputError(f"{shown_path(path)}: nobody was asked anything yet; serve the campaign")
    return store


def judgements_of(store: Store, known: TestSet | Collection, kind: str | None = None) -> Judgements:
    """What people said, decisions included, as judgements on a test set."""
    with _export(store, "answers.jsonl") as path:
        if not path.stat().st_size:
            raise InputError("nobody has answered anything yet")
        return read_judgements(path, known, kind)


def choices_of(store: Store, known: TestSet | Collection) -> Choices:
    """Which of two translations people found better, decisions included."""
    with _export(store, "preferences.tsv") as path:
        return read_choices(path, known)


@contextmanager
def _export(store: Store, name: str) -> Iterator[Path]:
    """An export as a file: its readers say at which line something is wrong."""
    with TemporaryDirectory() as folder:
        path = Path(folder, name)
        write_file(path, "".join(f"{line}\n" for line in exported(store, name)).encode())
        try:
            yield path
        except FormatError as error:  # the file is nobody's: where it is says nothing
            raise InputError(f"{error.what}; {error.remedy}".removesuffix("; ")) from None


def judged_kinds(store: Store) -> list[str]:
    """The usual kind of judgements of each phase in which somebody has judged a translation."""
    compared = any(answer.value["better"] for answer in standing_answers(store, PREFERENCE))
    try:
        with _export(store, "answers.jsonl") as path:
            kinds = judgement_kinds(path)
    except InputError:  # there are none
        kinds = []
    return [*kinds, PREFERENCE] if compared else kinds


def ranking_kind(kinds: Sequence[str]) -> str:
    """The kind that ranks systems where nobody says which: segments before whole documents."""
    ranking = [kind for kind in kinds if kind != "document"]
    if len(ranking) == 1 and ranking[0] in _OF_SEGMENTS:
        return ranking[0]
    if len(kinds) != 1:
        there = ", ".join(kinds) or "none"
        raise InputError(f"which kind of judgements (--kind)? there are: {there}")
    return kinds[0]


_OF_SEGMENTS = ("da", "esa", "cesa")
"""Kinds whose phases may end in a score for the whole document."""


def campaign_judgements(
    path: str | Path, known: TestSet | Collection, kind: str | None = None
) -> Judgements:
    """The judgements of a campaign: its folder, or its SQLite database."""
    store = stored_campaign(Path(path))
    with closing(store.database):
        return judgements_of(store, known, kind)


def campaign_collection(store: Store) -> Collection:
    """The texts as people saw them: documents, outputs, and references that were not shown."""
    texts = [store.text(id) for id in store.documents()]
    documents = tuple(
        Document(text["id"], tuple(text["source"]), _references(text), text["domain"])
        for text in texts
    )
    first = texts[0]
    testset = TestSet(
        store.fact(OPENED)["name"], first["source_language"], first["target_language"], documents
    )
    humans = {system for text in texts for system in text["humans"]}
    systems = dict.fromkeys(system for text in texts for system in text["outputs"])
    outputs = tuple(
        SystemOutput(
            system,
            {text["id"]: _lines(text, system) for text in texts},
            human=system in humans,
        )
        for system in systems
    )
    return Collection(testset, outputs)


def _lines(text: Mapping[str, Any], system: str) -> tuple[str | None, ...]:
    """A system's output; a study of several language pairs has documents that it lacks."""
    lines = text["outputs"].get(system)
    return (None,) * len(text["source"]) if lines is None else tuple(lines)


def _references(text: Mapping[str, Any]) -> dict[str, tuple[str | None, ...]]:
    """References by name; campaigns that were opened by an older isogloss kept none."""
    kept = text.get("references") or {}
    return {name: tuple(lines) for name, lines in kept.items()}
