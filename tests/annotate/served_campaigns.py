"""Campaigns for the browser: small ones, with a real server on a port of their own."""

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fastapi import FastAPI

from isogloss.annotate import AccessLinks, Campaign, Store, bound_socket, create_app
from isogloss.annotate.campaign import Checks, Phase
from isogloss.annotate.items import DocumentText
from isogloss.annotate.launch import NOTHING_PROPOSED, new_task_id, opened, task_slots
from isogloss.annotate.prefilling import Proposals
from isogloss.annotate.storage.database import open_database
from isogloss.annotate.storage.schema import Actor, Event, Task
from isogloss.annotate.tutorial import tutorial_tasks
from isogloss.annotate.web.listener import server
from isogloss.annotate.web.organiser import MakesResults
from isogloss.metrics.consistency import Chain, ChainItem

LEASE = DocumentText(
    "lease",
    ["Nájemce platí nájem.", "Nájemce byt vyklidí.", "Pronajímatel nájemce vyzve."],
    {
        "one": ["The tenant pays rent.", "The lodger clears the flat.", "He asks the tenant."],
        "two": ["The lessee pays rent.", "The lessee vacates it.", "The landlord asks the lessee."],
    },
    None,
    "cs",
    "en",
)
MARKABLE = {
    "head": "nájemce",
    "occurrences": [
        {"segment": 0, "start": 0, "end": 7},
        {"segment": 1, "start": 0, "end": 7},
        {"segment": 2, "start": 13, "end": 20},
    ],
}
ALIGNED = {
    "one": [[[4, 10]], [[4, 10]], [[12, 18]]],
    "two": [[[4, 10]], [[4, 10]], [[22, 28]]],
}
CHAINS = (
    Chain(
        "lease:1",
        "lease",
        "nájemce",
        "tenant",
        (
            ChainItem(0, 0, 0, 7, ((4, 10),), LEASE.source[0], "The tenant pays rent."),
            ChainItem(1, 0, 0, 7, ((4, 10),), LEASE.source[1], "The tenant clears the flat."),
            ChainItem(2, 1, 13, 20, ((12, 18),), LEASE.source[2], "He asks the tenant."),
        ),
    ),
)


_NO_CHECKS = Checks()


@dataclass(frozen=True)
class Served:
    """A campaign, open at an address."""

    store: Store
    address: str
    tokens: Mapping[str, str]

    def link(self, who: str) -> str:
        return f"{self.address}/a/{self.tokens[who]}"

    def actor(self, who: str) -> Actor:
        return next(actor for actor in self.store.actors() if actor.name == who)

    def task(self, kind: str, who: str = "ann") -> Task:
        tasks = self.store.tasks_of(self.actor(who).id)
        return next(task for task in tasks if task.kind == kind)

    def slot(self, system: str, who: str = "ann") -> str:
        """The letter behind which a system hides."""
        actor = self.actor(who)
        text = self.store.text(self.store.documents()[0])
        slots = task_slots(self.store, actor, text)
        return next(slot for slot, name in slots.items() if name == system)

    def values(self, kind: str, who: str = "ann") -> dict[str, Any]:
        """What stands, by item."""
        answers = self.store.answers(self.task(kind, who).id)
        return {item: answer.value for item, answer in answers.items()}

    def events(self) -> list[Event]:
        return list(self.store.events())


@contextmanager
def served(
    folder: Path,
    phases: Sequence[Phase],
    texts: Sequence[DocumentText] = (LEASE,),
    guidelines: str = "# Guidelines\n\n- Be **kind**.",
    annotators: tuple[str, ...] = ("ann",),
    checks: Checks = _NO_CHECKS,
    proposals: Proposals = NOTHING_PROPOSED,
    **settings: Any,
) -> Iterator[Served]:
    """A campaign of these phases, served until the end of the block.

    With one annotator the tasks that wait for markables are there from the beginning.
    """
    database = open_database(folder / "campaign.db")
    store = Store(database)
    people = len(annotators)
    settings = {"redundancy": people, "chains": "c", "checks": checks, **settings}
    plan = Campaign("leases", "t", annotators, tuple(phases), **settings)
    chains = CHAINS if LEASE in texts else ()
    tutorial = tutorial_tasks(plan, folder)
    links = opened(plan, texts, guidelines, store, chains, proposals, tutorial)
    if len(annotators) == 1 and "phase2" in phases:
        _give_out(store)
    try:
        with running(store, links) as campaign:
            yield campaign
    finally:
        database.close()


@contextmanager
def running(
    store: Store,
    links: AccessLinks,
    origin: str | None = None,
    trusted: Sequence[str] = (),
    results: MakesResults | None = None,
) -> Iterator[Served]:
    """An open campaign with its server, until the end of the block."""
    with listening_app(create_app(store, origin, results), trusted) as address:
        yield Served(store, address, {"organiser": links.organiser, **links.annotators})


@contextmanager
def listening_app(app: FastAPI, trusted: Sequence[str] = ()) -> Iterator[str]:
    """A server until the end of the block; its address."""
    listening = bound_socket("127.0.0.1", 0)
    running = server(app, trusted)
    thread = threading.Thread(target=running.run, args=([listening],), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        running.should_exit = True
        thread.join()


def _give_out(store: Store) -> None:
    """What a curated campaign would give out."""
    actor = next(actor for actor in store.actors() if actor.name == "ann")
    slots = task_slots(store, actor, store.text(store.documents()[0]))
    content = {
        "items": [f"occ:{number}/{slot}" for number in range(3) for slot in slots],
        "markable": MARKABLE,
        "aligned": ALIGNED,
    }
    store.add_tasks([Task(new_task_id(), actor.id, "phase2", "lease", 50, content)])
