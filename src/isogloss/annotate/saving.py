"""How an answer is saved: once by its key, on the revision that stands, as a link of a chain."""

import time
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Row, insert, select, update

from isogloss.annotate import schema
from isogloss.annotate.integrity import Link, canonical, keep_link, link_of, next_link
from isogloss.annotate.records import Answer, Conflict, Reused, Saved, Submission

Outcome = Saved | Conflict | Reused


def saved(connection: Connection, actor: int, given: Sequence[Submission]) -> list[Outcome]:
    """Save answers of somebody, in their order; what becomes of each."""
    before = link = link_of(connection, actor)  # nobody else writes for this person meanwhile
    outcomes = []
    for each in given:
        outcome, link = _saved(connection, actor, each, link)
        outcomes.append(outcome)
    if link != before:
        keep_link(connection, actor, link)
    return outcomes


def _saved(
    connection: Connection, actor: int, given: Submission, link: Link
) -> tuple[Outcome, Link]:
    known = connection.execute(
        select(schema.events).where(schema.events.c.key == given.key)
    ).one_or_none()
    if known is not None:
        again = _is_same(known, actor, given)
        return (Saved(given.key, known.revision) if again else Reused(given.key)), link
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


def _insert_event(connection: Connection, event: Mapping[str, Any], before: Link) -> Link:
    """Add the event to the end of its chain."""
    # The digest does not cover the event's own id, which is not known before: the next one does.
    digest = next_link(before, 0, event).digest
    adding = insert(schema.events).returning(schema.events.c.id)
    id = connection.execute(adding.values(**event, digest=digest)).scalar_one()
    return Link(before.events + 1, id, digest)


def answer_of(row: Row[Any]) -> Answer:
    """A row of the answers that stand."""
    return Answer(row.item, row.revision, row.value, row.at)
