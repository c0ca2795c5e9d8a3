"""Openings that fail, databases that are no campaign's, older ones, and damage that is found."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Connection, delete, insert, select, update

from annotate.campaigning import TEXTS
from isogloss.annotate import Campaign, Store, is_open, verified_campaign
from isogloss.annotate.launch import opened
from isogloss.annotate.storage import schema, store
from isogloss.annotate.storage.database import VERSION, open_database
from isogloss.annotate.storage.schema import Saved, Submission
from isogloss.annotate.storage.verification import faults
from isogloss.errors import InputError

PLAN = Campaign("test", "t", ("ann", "bob"), ("phase1",), redundancy=2)


@pytest.fixture
def opened_store(place: str) -> Iterator[Store]:
    """A campaign with answers of two people."""
    found = Store(open_database(place))
    opened(PLAN, TEXTS, "Be kind.", found)
    for task in found.tasks_of():
        given = [
            Submission(f"{task.id}-{n}", task.id, f"line:{n}/A", 0, {"note": str(n)}, 1)
            for n in range(2)
        ]
        assert all(isinstance(done, Saved) for done in found.save(task.actor, given))
    yield found
    found.database.close()


# --- openings that fail --------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["organiser", "Organiser", "x" * 201, "a\tb", " ann", "a\0"])
def test_names_that_cannot_be_are_refused_at_once(name: str) -> None:
    with pytest.raises(InputError, match="annotator"):
        Campaign("test", "t", ("ann", name))


def test_an_opening_that_fails_can_be_done_again(
    place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = Store(open_database(place))
    with monkeypatch.context() as broken:
        broken.setattr(store, "insert_tasks", lambda *_: 1 / 0)  # the last of its steps
        with pytest.raises(ZeroDivisionError):
            opened(PLAN, TEXTS, "", memory)
    assert not is_open(memory)
    assert memory.documents() == []
    links = opened(PLAN, TEXTS, "", memory)
    assert memory.actor_with(links.organiser) is not None
    with pytest.raises(InputError, match="open already"):
        opened(PLAN, TEXTS, "", memory)
    assert verified_campaign(memory).faults == []
    memory.database.close()


# --- older databases -----------------------------------------------------------------------------


def make_older(connection: Connection, version: int = 1) -> None:
    """The tables of version 2: nobody comes or goes; of version 1: no digests either."""
    for table in (schema.moved, schema.late, schema.places):
        table.drop(connection)
        connection.execute(delete(schema.seals).where(schema.seals.c.name == table.name))
    for column in ("state", "nameless"):
        connection.exec_driver_sql(f"ALTER TABLE actors DROP COLUMN {column}")
    if version == 1:
        for table in (schema.chains, schema.seals):
            table.drop(connection)
        connection.exec_driver_sql("ALTER TABLE events DROP COLUMN digest")
    change = update(schema.facts).where(schema.facts.c.name == VERSION)
    connection.execute(change.values(value=version))


@pytest.mark.parametrize("version", [1, 2])
def test_an_older_campaign_is_sealed_and_goes_on(
    opened_store: Store, place: str, version: int
) -> None:
    before = list(opened_store.events())
    opened_store.database.write(lambda connection: make_older(connection, version))
    opened_store.database.close()
    later = Store(open_database(place, new=False))
    assert list(later.events()) == before
    assert faults(later) == []
    task = later.tasks_of()[0]
    given = Submission("another", task.id, "line:0/A", 1, {"note": "new"}, 2)
    assert later.save(task.actor, [given]) == [Saved("another", 2)]
    assert faults(later) == []
    later.database.close()


def test_what_an_older_opening_left_behind_is_removed(place: str) -> None:
    memory = Store(open_database(place))
    opened(PLAN, TEXTS, "", memory)

    def fail(connection: Connection) -> None:
        make_older(connection)
        connection.execute(delete(schema.facts).where(schema.facts.c.name == schema.OPENED))

    memory.database.write(fail)
    memory.database.close()
    again = Store(open_database(place))
    opened(PLAN, TEXTS, "", again)
    assert len(again.actors()) == 3
    assert faults(again) == []
    again.database.close()


@pytest.mark.parametrize("version", [0, -1, "2", True, None, 99])
def test_versions_that_cannot_be_are_refused(place: str, version: object) -> None:
    database = open_database(place)
    change = update(schema.facts).where(schema.facts.c.name == VERSION).values(value=version)
    database.write(lambda connection: connection.execute(change))
    database.close()
    with pytest.raises(InputError, match=r"damaged|newer isogloss"):
        open_database(place)


# --- databases that are no campaign's ------------------------------------------------------------


def test_nothing_but_serving_makes_a_database(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such database"):
        open_database(tmp_path / "missing.db", new=False)
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "empty.db").touch()
    with pytest.raises(InputError, match="is empty"):
        open_database(tmp_path / "empty.db", new=False)


@pytest.mark.parametrize("new", [True, False])
def test_somebody_elses_database_is_left_alone(tmp_path: Path, *, new: bool) -> None:
    path = tmp_path / "bookmarks.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE facts (name TEXT, value TEXT)")
    connection.close()
    with pytest.raises(InputError, match="no campaign's database"):
        open_database(path, new=new)
    with sqlite3.connect(path) as connection:
        tables = connection.execute("SELECT name FROM sqlite_master").fetchall()
    connection.close()
    assert tables == [("facts",)]


def test_an_empty_server_has_no_campaign(empty_postgresql: str) -> None:
    with pytest.raises(InputError, match="is empty"):
        open_database(empty_postgresql, new=False)


def test_a_campaign_that_was_never_opened_is_not_fine(place: str) -> None:
    memory = Store(open_database(place))
    with pytest.raises(InputError, match="not open yet"):
        verified_campaign(memory)
    memory.database.close()


# --- damage --------------------------------------------------------------------------------------


def last_event() -> object:
    return select(schema.events.c.id).order_by(schema.events.c.id.desc()).limit(1)


DAMAGES = {
    "text": update(schema.texts).values(position=schema.texts.c.position + 1),
    "no text": delete(schema.texts).where(schema.texts.c.document == "d0"),
    "task": update(schema.tasks).values(kind="da"),
    "name": update(schema.actors).where(schema.actors.c.name == "ann").values(name="amn"),
    "link": update(schema.actors).where(schema.actors.c.name == "ann").values({"token_hash": "0"}),
    "fact": update(schema.facts).where(schema.facts.c.name == "guidelines").values(value="Be."),
    "new fact": insert(schema.facts).values(name="another", value=1),
    "said": update(schema.events).values(value={"note": "other"}),
    "when": update(schema.events).values(at=7),
    "received": update(schema.events).values(received=7),
    "key": update(schema.events).where(schema.events.c.id == 1).values(key="other"),
    "answer": update(schema.answers).values(value={"note": "other"}),
    "answered when": update(schema.answers).values(at=7),
    "no answer": delete(schema.answers),
    "seal": update(schema.seals).values(digest="0"),
    "no seal": delete(schema.seals),
    "chain": update(schema.chains).values(digest="0"),
    "no chain": delete(schema.chains),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_anywhere_is_found(opened_store: Store, damage: str) -> None:
    assert faults(opened_store) == []
    opened_store.database.write(lambda connection: connection.execute(DAMAGES[damage]))
    found = verified_campaign(opened_store)
    assert found.faults != []
    assert found.digest == ""


def test_events_that_vanish_with_their_answers_are_missed(opened_store: Store) -> None:
    last = max(event.id for event in opened_store.events())

    def forget(connection: Connection) -> None:
        connection.execute(delete(schema.answers).where(schema.answers.c.event == last))
        connection.execute(delete(schema.events).where(schema.events.c.id == last))

    opened_store.database.write(forget)
    (fault,) = faults(opened_store)
    assert "the chain that was kept ends after" in fault


def test_the_digest_of_a_campaign_changes_with_what_is_said(opened_store: Store) -> None:
    before = verified_campaign(opened_store)
    assert before == verified_campaign(opened_store)
    task = opened_store.tasks_of()[0]
    opened_store.save(task.actor, [Submission("new-one", task.id, "line:1/B", 0, {"a": 1}, 1)])
    after = verified_campaign(opened_store)
    assert after.events == before.events + 1
    assert after.digest != before.digest


def test_no_damage_ends_in_a_traceback(tmp_path: Path) -> None:
    """Rows that no program of ours could have written."""
    path = tmp_path / "campaign.db"
    memory = Store(open_database(path))
    opened(PLAN, TEXTS, "", memory)
    for change in (
        "UPDATE texts SET content = '{' WHERE document = 'd0'",
        "UPDATE tasks SET content = x'ff'",
        "UPDATE actors SET name = CAST(x'ff' AS TEXT) WHERE name = 'ann'",
        "UPDATE facts SET value = 'nonsense' WHERE name = 'secret'",
        "UPDATE chains SET events = 'many'",
        "DROP TABLE answers",
    ):
        with sqlite3.connect(path) as connection:
            connection.execute(change)
        connection.close()
        found = verified_campaign(memory).faults
        assert found != []
        assert not any("Error" in fault for fault in found)  # that is for programmers
    memory.database.close()
