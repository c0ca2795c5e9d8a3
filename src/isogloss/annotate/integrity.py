"""What a campaign's tables come to: seals over those that rarely change, a chain over the events.

A seal is the number of rows of a table and a digest over all of them. The events of a person are a
chain: the digest of each covers what it says, the event before it and the digest of that one, and
the chain's end is kept with the number of its links. So a row that is changed, lost, added or put
elsewhere no longer fits. A chain for each person, not one for all: people need not wait for each
other.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, Table, delete, func, insert, select, update

from isogloss.annotate import schema

SEALED: tuple[Table, ...] = (schema.facts, schema.actors, schema.texts, schema.tasks)
_ONE_AT_A_TIME = 0x150610  # any number that is the same for all of us
_CHAINED = ("key", "actor", "task", "item", "revision", "value", "at", "received")
"""What a link covers of its own event; its id is covered by the link that follows."""


@dataclass(frozen=True, slots=True)
class Link:
    """The end of a chain: how many events it has, and the last of them."""

    events: int = 0
    last: int = 0
    digest: str = ""


@dataclass(frozen=True, slots=True)
class Seal:
    """What a table comes to."""

    rows: int
    digest: str


def canonical(value: Any) -> str:
    """The same text for the same value, whatever it was read from."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def next_link(before: Link, id: int, event: Mapping[Any, Any]) -> Link:
    """The chain with one more event."""
    said = [before.digest, before.last, *(event[name] for name in _CHAINED)]
    return Link(before.events + 1, id, _digest(canonical(said)))


def link_of(connection: Connection, actor: int) -> Link:
    """The end of somebody's chain; nobody else adds to it before this transaction ends."""
    query = select(schema.chains).where(schema.chains.c.actor == actor).with_for_update()
    row = connection.execute(query).one_or_none()
    if row is None:
        connection.execute(insert(schema.chains).values(actor=actor, events=0, last=0, digest=""))
        return Link()
    return Link(row.events, row.last, row.digest)


def keep_link(connection: Connection, actor: int, link: Link) -> None:
    """Remember the new end of somebody's chain."""
    change = update(schema.chains).where(schema.chains.c.actor == actor)
    connection.execute(change.values(events=link.events, last=link.last, digest=link.digest))


def take_turn(connection: Connection) -> None:
    """Wait for others who change sealed tables; a seal must cover what they wrote.

    Those who save answers need not wait. SQLite lets only one write at a time anyway.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_advisory_xact_lock(_ONE_AT_A_TIME)))


def seal(connection: Connection, *tables: Table) -> None:
    """Write down what the tables come to, after a change of them."""
    for table in tables:
        write_seal(connection, table.name, seal_of(connection, table))


def write_seal(connection: Connection, name: str, found: Seal) -> None:
    """Write down what something comes to."""
    connection.execute(delete(schema.seals).where(schema.seals.c.name == name))
    row = {"name": name, "rows": found.rows, "digest": found.digest}
    connection.execute(insert(schema.seals).values(row))


def seal_of(connection: Connection, table: Table) -> Seal:
    """What a table comes to now."""
    return rows_seal(connection.execute(select(table)).all())


def rows_seal(rows: Sequence[Row[Any]] | Sequence[Sequence[Any]]) -> Seal:
    """What rows come to, in whatever order a database sorts them."""
    # Databases disagree on how letters are sorted, and a campaign may be moved from one to another.
    return Seal(len(rows), _digest("\n".join(sorted(canonical(list(row)) for row in rows))))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("ascii")).hexdigest()
