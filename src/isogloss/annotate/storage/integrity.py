"""What a campaign's tables come to: seals over those that rarely change, a chain over the events.

A seal is the number of rows of a table and a digest over all of them. The events of a person are a
chain: the digest of each covers what it says, the event before it and the digest of that one, and
the chain's end is kept with the number of its links. So a row that is changed, lost, added or put
elsewhere no longer fits. A chain for each person, not one for all: people need not wait for each
other.

How an answer is saved: once by its key, on the revision that stands, as a link of a chain.
"""

import hashlib
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, Table, delete, func, insert, select, update

from isogloss.annotate.storage import schema
from isogloss.annotate.storage.schema import (
    Answer,
    Conflict,
    Late,
    LateReason,
    Reused,
    Saved,
    Submission,
)

SEALED: tuple[Table, ...] = (
    schema.facts,
    schema.actors,
    schema.texts,
    schema.tasks,
    schema.moved,
    schema.late,
    schema.places,
)
_ONE_AT_A_TIME = 0x150610  # any number that is the same for all of us
_WHO_MAY_ANSWER = 0x150611
_CHAINED = ("key", "actor", "task", "item", "revision", "value", "at", "received")
"""What a link covers of its own event; its id is covered by the link that follows."""


@dataclass(frozen=True, slots=True)
class ChainLink:
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


def next_link(before: ChainLink, id: int, event: Mapping[Any, Any]) -> ChainLink:
    """The chain with one more event."""
    said = [before.digest, before.last, *(event[name] for name in _CHAINED)]
    return ChainLink(before.events + 1, id, _digest(canonical(said)))


def link_of(connection: Connection, actor: int) -> ChainLink:
    """The end of somebody's chain; nobody else adds to it before this transaction ends."""
    query = select(schema.chains).where(schema.chains.c.actor == actor).with_for_update()
    row = connection.execute(query).one_or_none()
    if row is None:
        connection.execute(insert(schema.chains).values(actor=actor, events=0, last=0, digest=""))
        return ChainLink()
    return ChainLink(row.events, row.last, row.digest)


def keep_link(connection: Connection, actor: int, link: ChainLink) -> None:
    """Remember the new end of somebody's chain."""
    change = update(schema.chains).where(schema.chains.c.actor == actor)
    connection.execute(change.values(events=link.events, last=link.last, digest=link.digest))


def take_turn(connection: Connection) -> None:
    """Wait for others who change sealed tables; a seal must cover what they wrote.

    Those who save answers need not wait. SQLite lets only one write at a time anyway.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_advisory_xact_lock(_ONE_AT_A_TIME)))


def may_answer_stays(connection: Connection) -> None:
    """From now on to the end of this transaction nobody loses the right to answer.

    Those who save do not wait for each other, only for one who takes such a right away.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_advisory_xact_lock_shared(_WHO_MAY_ANSWER)))


def may_answer_changes(connection: Connection) -> None:
    """Wait for answers that are being saved; those that follow see the change."""
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_advisory_xact_lock(_WHO_MAY_ANSWER)))


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


Outcome = Saved | Conflict | Reused | Late
Held = Callable[[Submission], LateReason | None]
"""Why an answer is not taken any more, if it is not."""


def _never(_: Submission) -> None:
    return None


def saved(
    connection: Connection, actor: int, given: Sequence[Submission], held: Held = _never
) -> list[Outcome]:
    """Save answers of somebody, in their order; what becomes of each."""
    before = link = link_of(connection, actor)  # nobody else writes for this person meanwhile
    outcomes = []
    for each in given:
        outcome, link = _saved(connection, actor, each, link, held)
        outcomes.append(outcome)
    if link != before:
        keep_link(connection, actor, link)
    return outcomes


def _saved(
    connection: Connection, actor: int, given: Submission, link: ChainLink, held: Held
) -> tuple[Outcome, ChainLink]:
    known = connection.execute(
        select(schema.events).where(schema.events.c.key == given.key)
    ).one_or_none()
    if known is not None:
        again = _is_same(known, actor, given)
        return (Saved(given.key, known.revision) if again else Reused(given.key)), link
    if (reason := held(given)) is not None:
        return Late(given.key, reason), link
    answers = schema.answers
    place = (answers.c.task == given.task) & (answers.c.item == given.item)
    stands = connection.execute(select(answers).where(place).with_for_update()).one_or_none()
    if (stands.revision if stands else 0) != given.revision:
        return Conflict(given.key, None if stands is None else answer_of(stands)), link
    event = _event(actor, given)
    link = _insert_event(connection, event, link)
    row = {"event": link.last, **{name: event[name] for name in ("revision", "value", "at")}}
    if stands is None:
        connection.execute(insert(answers).values(task=given.task, item=given.item, **row))
    else:
        connection.execute(update(answers).where(place).values(**row))
    return Saved(given.key, given.revision + 1), link


def _is_same(known: Row[Any], actor: int, given: Submission) -> bool:
    """Whether this very answer was saved before: one may come as often as it likes."""
    one = (known.actor, known.task, known.item, known.revision, canonical(known.value))
    return one == (actor, given.task, given.item, given.revision + 1, canonical(given.value))


def _event(actor: int, given: Submission) -> dict[str, Any]:
    return {
        "key": given.key,
        "actor": actor,
        "task": given.task,
        "item": given.item,
        "revision": given.revision + 1,
        "value": dict(given.value),
        "at": given.at,
        "received": time.time_ns() // 1_000_000,
    }


def _insert_event(connection: Connection, event: Mapping[str, Any], before: ChainLink) -> ChainLink:
    """Add the event to the end of its chain."""
    # The digest does not cover the event's own id, which is not known before: the next one does.
    digest = next_link(before, 0, event).digest
    adding = insert(schema.events).returning(schema.events.c.id)
    id = connection.execute(adding.values(**event, digest=digest)).scalar_one()
    return ChainLink(before.events + 1, id, digest)


def answer_of(row: Row[Any]) -> Answer:
    """A row of the answers that stand."""
    return Answer(row.item, row.revision, row.value, row.at)
