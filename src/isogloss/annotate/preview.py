"""A campaign as it will be, before anybody works: opened in a database that is gone afterwards.

What is shown is what is given out: the same texts, lots and tasks, by the same way.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

from isogloss.annotate.campaign import ORGANISER, Campaign, Phase
from isogloss.annotate.items import ItemName
from isogloss.annotate.launch import AccessLinks, open_campaign
from isogloss.annotate.storage.database import open_database
from isogloss.annotate.storage.schema import Task
from isogloss.annotate.storage.store import Store
from isogloss.annotate.tutoring import let_in, tutorials


@dataclass(frozen=True, slots=True)
class PlannedTask:
    """One task of somebody: where it comes, and how much it asks."""

    annotator: str
    phase: Phase
    batch: int | None
    document: str
    screens: int
    questions: int
    checks: int
    prefilled: int


@contextmanager
def rehearsal(campaign: Campaign, folder: Path) -> Iterator[tuple[Store, AccessLinks]]:
    """The campaign in a folder, open until the end of the block; nothing of it is kept."""
    with TemporaryDirectory() as place:
        store = Store(open_database(Path(place) / "preview.db"))
        try:
            links = open_campaign(campaign, folder, store)
            _skip_tutorials(store)
            yield store, links
        finally:
            store.database.close()


def _skip_tutorials(store: Store) -> None:
    """Whoever looks may look at everything."""
    people = store.actors()
    organiser = next(actor for actor in people if actor.name == ORGANISER)
    for actor in people:
        for phase in tutorials(store) if actor.role == "annotator" else ():
            let_in(store, organiser, actor.name, phase, 0)


def planned_work(store: Store, batch: int) -> list[PlannedTask]:
    """Everybody's tasks in the order in which pages lead through them; phase 2 comes later."""
    found = []
    for actor in store.actors():
        counts: Counter[str] = Counter()
        for task in store.tasks_of(actor.id):
            part = counts[task.kind] // batch + 1 if batch else None
            found.append(_planned(actor.name, part, task))
            counts[task.kind] += 1
    return found


def _planned(annotator: str, batch: int | None, task: Task) -> PlannedTask:
    content = task.content
    names = [ItemName.parse(item) for item in content["items"]]
    screens = groupby(names, key=lambda name: (name.kind, name.number, name.check))
    return PlannedTask(
        annotator,
        cast(Phase, task.kind),
        batch,
        task.document,
        sum(1 for _ in screens),
        len(names),
        len(content.get("checks", ())),
        len(content.get("prefilled", ())),
    )
