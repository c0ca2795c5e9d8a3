"""Single bits of a campaign's database are turned over: what does harm, and what `verify` sees.

A flip does harm where a program that knows nothing of isogloss reads something else than before, in
any table by any way, or can no longer read or write.
"""

import random
import sqlite3
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path

from isogloss.annotate import Campaign, Store, verified_campaign
from isogloss.annotate.answers import checked_value
from isogloss.annotate.campaign import Checks
from isogloss.annotate.items import DocumentText
from isogloss.annotate.launch import opened
from isogloss.annotate.results.curation import add_candidates
from isogloss.annotate.storage.database import open_database
from isogloss.annotate.storage.schema import Saved, Submission
from isogloss.annotate.wire import PlaceView
from isogloss.annotate.wire_organiser import CuratedMarkable
from isogloss.errors import IsoglossError


@dataclass
class Flips:
    """How many flips did harm, how many of these nobody saw, and how many ended in a traceback."""

    flips: int = 0
    harmful: int = 0
    unseen: int = 0
    harmless_reported: int = 0
    tracebacks: int = 0
    notes: list[str] = field(default_factory=list)


def made_campaign(path: Path) -> bytes:
    """A campaign in which people have answered, curated and changed their minds; its file."""
    text = [f"The tenant pays rent number {n}, říká nájemce." for n in range(12)]
    texts = [
        DocumentText(f"doc-{n}", text, dict.fromkeys(("one", "two"), text), text) for n in range(3)
    ]
    store = Store(open_database(path))
    phases = ("phase1", "da")
    plan = Campaign("flips", "t", ("ann", "bob"), phases, redundancy=2, checks=Checks(0.1, 0.1))
    opened(plan, texts, "Be kind.", store)
    for number, task in enumerate(store.tasks_of()):
        for item in task.content["items"][:12]:
            said = {"note": "říká"} if task.kind == "phase1" else {"score": number % 101}
            value = checked_value("phase1" if task.kind == "phase1" else "da", said)
            for revision in range(1 + number % 2):
                key = f"{task.id}-{item}-{revision}"[:64]
                given = Submission(key, task.id, item, revision, value, 1_700_000_000_000)
                assert isinstance(store.save(task.actor, [given])[0], Saved)
    place = PlaceView(segment=0, start=4, end=10)
    found = CuratedMarkable(head="tenant", occurrences=[place], state="proposed", origin="x")
    organiser = next(actor.id for actor in store.actors() if actor.role == "organiser")
    add_candidates(store, organiser, "doc-0", [found])
    store.database.close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("VACUUM")
    return path.read_bytes()


def flipped(content: bytes, bit: int) -> bytes:
    """The content with one bit turned over."""
    changed = bytearray(content)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def try_flips(folder: Path, number: int, seed: int = 1) -> Flips:
    """Turn over bits at random, one at a time."""
    content = made_campaign(folder / "whole.db")
    expected = _as_read(folder / "whole.db")
    assert expected is not None
    found = Flips()
    rng = random.Random(seed)
    for _ in range(number):
        bit = rng.randrange(8 * len(content))
        changed = flipped(content, bit)
        _put(folder / "flipped.db", changed)
        harmful = _as_read(folder / "flipped.db") != expected
        _put(folder / "flipped.db", changed)
        try:
            reported = _is_reported(folder / "flipped.db")
        except Exception as error:
            reported = True
            found.tracebacks += 1
            found.notes.append(f"byte {bit // 8}: {error!r}")
        if harmful and not reported:
            found.notes.append(f"byte {bit // 8} of {len(content)}: unseen")
        found.flips += 1
        found.harmful += harmful
        found.unseen += harmful and not reported
        found.harmless_reported += reported and not harmful
    return found


def _put(path: Path, content: bytes) -> None:
    for rest in path.parent.glob(f"{path.name}-*"):
        rest.unlink()
    path.write_bytes(content)


def _is_reported(path: Path) -> bool:
    """Whether opening refuses or `verify` reports the database."""
    try:
        store = Store(open_database(path, new=False))
    except IsoglossError:
        return True
    try:
        return bool(verified_campaign(store).faults)
    except IsoglossError:
        return True
    finally:
        store.database.close()


# --- another reader ------------------------------------------------------------------------------

_KEYS = {
    "facts": ("name",),
    "actors": ("id", "name", "token_hash"),
    "texts": ("document",),
    "tasks": ("id", "actor"),
    "events": ("id", "key", "task, item, revision"),
    "answers": ("task, item",),
}


def _as_read(path: Path) -> object:
    """All that a plain reader finds, by rows and by every key; `None` where it finds an error."""
    with suppress(sqlite3.Error, UnicodeDecodeError), closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        found: list[object] = [connection.execute("SELECT sql FROM sqlite_master").fetchall()]
        for table, keys in _KEYS.items():
            rows = connection.execute(f"SELECT * FROM {table} NOT INDEXED").fetchall()  # noqa: S608
            found.append(rows)
            found += [_looked_up(connection, table, key) for key in keys]
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO facts VALUES ('new', '1')")
        connection.execute("UPDATE answers SET at = at + 1")
        connection.rollback()
        return found
    return None


def _looked_up(connection: sqlite3.Connection, table: str, key: str) -> list[object]:
    """The rows as they are found one by one, by what is in a key."""
    values = connection.execute(f"SELECT {key} FROM {table} NOT INDEXED").fetchall()  # noqa: S608
    where = " AND ".join(f"{name.strip()} = ?" for name in key.split(","))
    query = f"SELECT * FROM {table} WHERE {where}"  # noqa: S608
    return [connection.execute(query, value).fetchall() for value in values]
