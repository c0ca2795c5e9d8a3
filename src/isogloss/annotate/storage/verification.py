"""Whether a campaign's database is what was written into it: every row of every table is looked at.

A damaged database can fail in any way while it is read. Each check therefore reports whatever stops
it as a fault of its own, and the others go on.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, String, Table, cast, select, type_coerce, update
from sqlalchemy.exc import DBAPIError

from isogloss.annotate.storage import schema
from isogloss.annotate.storage.database import SCHEMA, database_trouble, schema_seal
from isogloss.annotate.storage.integrity import (
    SEALED,
    ChainLink,
    Seal,
    canonical,
    next_link,
    rows_seal,
    seal_of,
)
from isogloss.annotate.storage.store import Store
from isogloss.errors import InputError

_SHOWN = 20  # faults of one kind; a damaged page can make thousands
_REMEDY = "restore a backup"


@dataclass(frozen=True, slots=True)
class Verification:
    """What was found: the number of events, what is wrong, and what the whole campaign comes to.

    Whoever writes the digest down can tell later whether it is still the same campaign; it is empty
    where the database cannot be read.
    """

    events: int
    faults: list[str]
    digest: str


def verified_campaign(store: Store) -> Verification:
    """Look at everything that is kept of an open campaign."""
    found = faults(store)
    if found:
        return Verification(0, found, "")
    if store.fact(schema.OPENED) is None:
        raise InputError("the campaign is not open yet; 'isogloss annotate serve' opens it")
    return Verification(*_summary(store))


def faults(store: Store) -> list[str]:
    """What is wrong with what is kept; there should be nothing, ever."""
    found = []
    for what, check in _CHECKS.items():
        found += _shortened(store.database.read, what, check)
    return [*found, *_shortened(store.database.rehearse, "writing", _writable)]


Check = Callable[[Connection], Iterable[str]]
Reading = Callable[[Callable[[Connection], list[str]]], list[str]]


def _shortened(read: Reading, what: str, check: Check) -> list[str]:
    try:
        found = read(lambda connection: list(check(connection)))
    except Exception as error:  # damage has no limits, and each kind of it has its own exception
        known = isinstance(error, DBAPIError)
        said = database_trouble(error)[:200] if known else "its values are not what they were"
        return [f"{what}: cannot be read ({said})"]
    more = len(found) - _SHOWN
    return [*found[:_SHOWN], *([f"{what}: {more:,} more faults"] if more > 0 else [])]


def _summary(store: Store) -> tuple[int, list[str], str]:
    seals, chains = (
        store.database.read(lambda c, t=table: c.execute(select(t)).all())  # type: ignore[misc]
        for table in (schema.seals, schema.chains)
    )
    said = sorted(canonical(list(row)) for row in (*seals, *chains))
    return sum(row.events for row in chains), [], rows_seal([[each] for each in said]).digest


# --- the file ------------------------------------------------------------------------------------


def _file(connection: Connection) -> Iterator[str]:
    """What SQLite itself finds in its pages and indexes."""
    if connection.dialect.name != "sqlite":
        return
    for (said,) in connection.exec_driver_sql("PRAGMA integrity_check").all():
        if said != "ok":
            yield f"the file is damaged: {' '.join(str(said).split())}; {_REMEDY}"
    for row in connection.exec_driver_sql("PRAGMA foreign_key_check").all():
        yield f"the file is damaged: a row of {row[0]} refers to no row of {row[2]}; {_REMEDY}"
    kept, found = _seals(connection).get(SCHEMA), schema_seal(connection)
    if kept != found:
        yield f"the definitions of the tables are not those that were made; {_REMEDY}"


def _writable(connection: Connection) -> list[str]:
    """A damaged header can make a database read-only without a word."""
    change = update(schema.seals).values(rows=schema.seals.c.rows)
    connection.execute(change)
    return []


# --- what seldom changes -------------------------------------------------------------------------


def _sealed(table: Table) -> Check:
    def check(connection: Connection) -> Iterator[str]:
        kept, found = _seals(connection).get(table.name), seal_of(connection, table)
        if kept is None:
            yield f"{table.name}: there is no digest to compare with; {_REMEDY}"
        elif kept.rows != found.rows:
            yield f"{table.name}: {found.rows:,} rows where {kept.rows:,} were written; {_REMEDY}"
        elif kept.digest != found.digest:
            yield f"{table.name}: not what was written (its digest differs); {_REMEDY}"

    return check


def _seals(connection: Connection) -> dict[str, Seal]:
    rows = connection.execute(select(schema.seals)).all()
    return {row.name: Seal(row.rows, row.digest) for row in rows}


# --- events and answers --------------------------------------------------------------------------


def _events(connection: Connection) -> list[Row[Any]]:
    return list(connection.execute(select(schema.events).order_by(schema.events.c.id)).all())


def _chained(connection: Connection) -> Iterator[str]:
    """Whether every event is the one that its chain says."""
    ends: dict[int, ChainLink] = defaultdict(ChainLink)
    for event in _events(connection):
        link = next_link(ends[event.actor], event.id, event._mapping)
        if link.digest != event.digest:
            yield f"event {event.id}: it or the one before it is not what was saved; {_REMEDY}"
        ends[event.actor] = ChainLink(link.events, link.last, event.digest)
    names = {row.id: row.name for row in connection.execute(select(schema.actors)).all()}
    rows = connection.execute(select(schema.chains)).all()
    kept = {row.actor: ChainLink(row.events, row.last, row.digest) for row in rows}
    for actor in sorted(names.keys() | ends.keys() | kept.keys()):
        if _link(kept.get(actor)) != _link(ends[actor]):
            there = kept[actor].events if actor in kept else 0
            yield (
                f"{names.get(actor, actor)}: {ends[actor].events:,} events, and the chain that was "
                f"kept ends after {there:,}; {_REMEDY}"
            )


def _link(link: ChainLink | None) -> str:
    return canonical(link and [link.events, link.last, link.digest])


Place = tuple[str, str]


def _derived(connection: Connection) -> Iterator[str]:
    """Whether answers are what the events come to."""
    last: dict[Place, Mapping[Any, Any]] = {}
    for event in _events(connection):
        place = (event.task, event.item)
        expected = last[place]["revision"] + 1 if place in last else 1
        if event.revision != expected:
            yield f"{event.task} {event.item}: revision {event.revision} of {expected}"
        last[place] = event._mapping
    rows = connection.execute(select(schema.answers)).all()
    standing = {(row.task, row.item): _said(row.event, row._mapping) for row in rows}
    derived = {place: _said(event["id"], event) for place, event in last.items()}
    for task, item in sorted(standing.keys() | derived.keys()):
        if standing.get((task, item)) != derived.get((task, item)):
            yield f"{task} {item}: the answer is not that of its last event"


def _said(event: int, row: Mapping[Any, Any]) -> str:
    return canonical([event, row["revision"], row["value"], row["at"]])


# --- spelling ------------------------------------------------------------------------------------


def _spelt(connection: Connection) -> Iterator[str]:
    """Whether values are spelt as they are written: a flipped bit may leave what they mean."""
    for column in (table.c[name] for table, name in _SPELT.items()):
        text = cast(column, String) if connection.dialect.name != "sqlite" else column
        for spelling in connection.execute(select(type_coerce(text, _AS_IT_IS))).scalars():
            if not _is_as_written(spelling):
                yield f"{column.table.name}: a value is not spelt as it was written; {_REMEDY}"


def _is_as_written(spelling: object) -> bool:
    # SQLite makes a number of a text that is one, as the version of the tables.
    if isinstance(spelling, int):
        return True
    return isinstance(spelling, str) and json.dumps(json.loads(spelling)) == spelling


_AS_IT_IS = String()
_SPELT: Mapping[Table, str] = {
    schema.late: "value",
    schema.facts: "value",
    schema.texts: "content",
    schema.tasks: "content",
    schema.events: "value",
    schema.answers: "value",
}


_CHECKS: Mapping[str, Check] = {
    "the file": _file,
    **{table.name: _sealed(table) for table in SEALED},
    "events": _chained,
    "answers": _derived,
    "values": _spelt,
}
