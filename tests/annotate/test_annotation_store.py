"""Answers are kept, never doubled, never silently overwritten; on SQLite and on PostgreSQL."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import Connection, update

from isogloss.annotate import Store
from isogloss.annotate.results.curation import curation_task
from isogloss.annotate.storage import schema
from isogloss.annotate.storage.database import MIGRATIONS, open_database, prepare
from isogloss.annotate.storage.schema import Conflict, Saved, Submission, Task
from isogloss.annotate.storage.verification import faults
from isogloss.errors import InputError


def answer(key: str, revision: int = 0, *, item: str = "line:0/A", score: int = 1) -> Submission:
    return Submission(key, "task", item, revision, {"score": score}, 1000)


@pytest.fixture
def annotator(store: Store) -> int:
    store.admit("ann", "annotator")
    return store.actors()[0].id


def test_a_token_lets_its_owner_in_and_nobody_else(store: Store) -> None:
    ann, org = store.admit("ann", "annotator"), store.admit("org", "organiser")
    found = store.actor_with(ann)
    assert found is not None
    assert (found.name, found.role) == ("ann", "annotator")
    assert store.actor_with(ann + "x") is None
    renewed = store.renew(["ann"])["ann"]
    assert store.actor_with(ann) is None
    assert store.actor_with(renewed) == found
    assert len({ann, org, renewed}) == 3


def test_answers_have_revisions(store: Store, annotator: int) -> None:
    assert store.save(annotator, [answer("a")]) == [Saved("a", 1)]
    assert store.save(annotator, [answer("b", 1, score=2)]) == [Saved("b", 2)]
    assert store.answers("task")["line:0/A"].value == {"score": 2}
    assert [event.value for event in store.events()] == [{"score": 1}, {"score": 2}]
    assert faults(store) == []


def test_the_same_key_again_changes_nothing(store: Store, annotator: int) -> None:
    store.save(annotator, [answer("a")])
    store.save(annotator, [answer("b", 1, score=2)])
    assert store.save(annotator, [answer("a")]) == [Saved("a", 1)]
    assert store.answers("task")["line:0/A"].value == {"score": 2}
    assert len(list(store.events())) == 2


def test_an_answer_to_an_old_revision_comes_back_with_the_one_that_stands(
    store: Store, annotator: int
) -> None:
    store.save(annotator, [answer("a", score=1)])
    one, other = store.save(annotator, [answer("b", score=9), answer("c", item="line:1/A")])
    assert isinstance(one, Conflict)
    assert one.stands is not None
    assert one.stands.value == {"score": 1}
    assert other == Saved("c", 1)


def test_many_at_once_lose_and_double_nothing(store: Store, annotator: int) -> None:
    def work(number: int) -> None:
        for turn in range(10):
            key = f"{number}-{turn}"
            own = answer(key, turn, item=f"line:{number}/A", score=turn)
            assert store.save(annotator, [own]) == [Saved(key, turn + 1)]

    with ThreadPoolExecutor(16) as people:
        list(people.map(work, range(16)))
    assert len(list(store.events())) == 160
    assert faults(store) == []


def test_of_two_tabs_one_wins_and_the_other_is_told(store: Store, annotator: int) -> None:
    def work(number: int) -> Saved | Conflict:
        return store.save(annotator, [answer(f"tab-{number}", score=number)])[0]

    with ThreadPoolExecutor(8) as tabs:
        results = list(tabs.map(work, range(8)))
    assert sum(isinstance(result, Saved) for result in results) == 1
    assert len(list(store.events())) == 1


def test_answers_that_do_not_follow_from_the_events_are_found(store: Store, annotator: int) -> None:
    store.save(annotator, [answer("a")])
    change = update(schema.answers).values(value={"score": 7})
    store.database.write(lambda connection: connection.execute(change))
    assert faults(store) == ["task line:0/A: the answer is not that of its last event"]


def test_decisions_are_filed_under_long_names_of_documents(store: Store, annotator: int) -> None:
    task = curation_task("d" * 500)
    sent = Submission("key-of-a-long-one", task, "markable:0", 0, {"state": "accepted"}, 0)
    (saved,) = store.save(annotator, [sent])
    assert isinstance(saved, Saved)
    assert [event.task for event in store.events()] == [task]


def test_tasks_belong_to_their_annotator(store: Store, annotator: int) -> None:
    store.admit("bob", "annotator")
    tasks = [Task(f"t{n}", annotator, "phase1", "doc", n, {"lines": n}) for n in (1, 0)]
    store.add_tasks(tasks)
    assert [task.id for task in store.tasks_of(annotator)] == ["t0", "t1"]
    assert store.task("t0", annotator) == tasks[1]
    assert store.task("t0", annotator + 1) is None


def test_two_servers_give_the_same_work_out_once(place: str) -> None:
    servers = [Store(open_database(place)) for _ in range(2)]
    servers[0].admit("ann", "annotator")
    (ann,) = servers[0].actors()

    def give_out(number: int) -> int:
        tasks = [Task(f"{number}-{n}", ann.id, "phase2", f"d{n}", n, {}) for n in range(3)]
        return servers[number % 2].add_new_tasks(tasks, lambda task: task.document)

    with ThreadPoolExecutor(4) as clicks:
        assert sorted(clicks.map(give_out, range(4))) == [0, 0, 0, 3]
    assert len(servers[1].tasks_of()) == 3
    assert faults(servers[0]) == []
    for server in servers:
        server.database.close()


def test_what_was_saved_is_there_after_reopening(place: str) -> None:
    first = open_database(place)
    store = Store(first)
    store.admit("ann", "annotator")
    store.save(store.actors()[0].id, [answer("a")])
    first.close()
    second = open_database(place)
    assert Store(second).answers("task")["line:0/A"].revision == 1
    second.close()


def test_a_job_that_fails_takes_no_other_with_it(store: Store, annotator: int) -> None:
    def broken(_: Connection) -> None:
        raise InputError("no")

    def failing() -> None:
        with pytest.raises(InputError):
            store.database.write(broken)

    with ThreadPoolExecutor(8) as people:
        failures = [people.submit(failing) for _ in range(20)]
        saves = [
            people.submit(store.save, annotator, [answer(f"k{n}", item=f"line:{n}/A")])
            for n in range(20)
        ]
        for future in (*failures, *saves):
            future.result()
    assert len(list(store.events())) == 20


def test_older_tables_are_brought_up_to_date(place: str) -> None:
    database = open_database(place)
    seen = []

    def step(_: Connection) -> None:
        seen.append("migrated")

    for _ in range(2):
        with database.engine.begin() as connection:
            prepare(connection, (*MIGRATIONS, step))
    assert seen == ["migrated"]
    with database.engine.begin() as connection, pytest.raises(InputError, match="newer isogloss"):
        prepare(connection, ())
    database.close()


def test_sqlite_is_set_to_lose_nothing(tmp_path: Path) -> None:
    database = open_database(tmp_path / "campaign.db")
    with database.engine.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
    database.close()


def test_a_place_that_cannot_hold_a_campaign_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text.db").write_text("this is no database, and long enough to be seen as none")
    for where in (tmp_path / "text.db", tmp_path / "missing" / "campaign.db"):
        with pytest.raises(InputError, match="no campaign can be kept here"):
            open_database(where)
    with pytest.raises(InputError, match="does not answer"):
        open_database("postgresql+psycopg://nobody@127.0.0.1:1/none")
    with pytest.raises(InputError, match="no database at"):
        open_database("oracle-of-delphi://x")
    assert sqlite3.sqlite_version_info > (3, 35)
