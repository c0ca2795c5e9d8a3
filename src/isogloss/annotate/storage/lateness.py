"""Answers that come too late: the campaign is closed, a link was withdrawn, or work went elsewhere.

Whether one does is looked up in the transaction that would save it, so that whoever is told that
something was saved can rely on it, and nothing is saved after the organiser was told that nothing
more would be. What comes too late is not lost: the last word on each item is kept beside the
answers, and the organiser may take it in.
"""

import time
from collections.abc import Mapping, Sequence

from sqlalchemy import Connection, bindparam, delete, exists, insert, select

from isogloss.annotate.storage import schema
from isogloss.annotate.storage.integrity import Held, may_answer_stays, seal
from isogloss.annotate.storage.schema import CLOSED, Late, LateAnswer, LateReason, Submission

_STANDING = select(
    schema.actors.c.role,
    schema.actors.c.state,
    exists().where(schema.facts.c.name == CLOSED).label("closed"),
    exists().where(schema.moved.c.task.in_(bindparam("tasks", expanding=True))).label("moved"),
).where(schema.actors.c.id == bindparam("of"))
"""Put together once: it is asked with every answer that is saved."""


def held_back(connection: Connection, actor: int, given: Sequence[Submission]) -> Held:
    """Which of these answers come too late, and why; nobody changes that before they are saved.

    Those who organise or curate decide as long as they like.
    """
    may_answer_stays(connection)
    tasks = {each.task for each in given}
    row = connection.execute(_STANDING, {"of": actor, "tasks": list(tasks)}).one()
    whole: LateReason | None = "closed" if row.closed and row.role == "annotator" else None
    if row.state == "withdrawn":
        whole = "withdrawn"
    gone = _moved_items(connection, tasks) if row.moved and whole is None else frozenset()

    def held(each: Submission) -> LateReason | None:
        return whole or ("moved" if (each.task, each.item) in gone else None)

    return held


def _moved_items(connection: Connection, tasks: set[str]) -> frozenset[tuple[str, str]]:
    moved = schema.moved
    query = select(moved.c.task, moved.c.item).where(moved.c.task.in_(tasks))
    return frozenset((row.task, row.item) for row in connection.execute(query))


def keep_late(
    connection: Connection, actor: int, given: Mapping[str, Submission], found: Sequence[Late]
) -> None:
    """Keep what came too late, the last word on each item; nobody can send more than they have."""
    late = schema.late
    for each in found:
        said = given[each.key]
        place = (late.c.task == said.task) & (late.c.item == said.item)
        before = connection.execute(select(late.c.at).where(place)).scalar_one_or_none()
        if before is not None and before > said.at:
            continue
        connection.execute(delete(late).where(place))
        row = {"task": said.task, "item": said.item, "actor": actor, "key": said.key}
        row |= {"value": dict(said.value), "at": said.at, "reason": each.reason}
        connection.execute(insert(late).values(**row, received=time.time_ns() // 1_000_000))
    seal(connection, late)


def late_answers(connection: Connection) -> list[LateAnswer]:
    """What came too late, in the order in which it came."""
    late, actors = schema.late, schema.actors
    query = (
        select(late, actors.c.name)
        .join(actors, actors.c.id == late.c.actor)
        .order_by(late.c.received, late.c.task, late.c.item)
    )
    return [
        LateAnswer(
            row.name, row.task, row.item, row.key, row.value, row.at, row.received, row.reason
        )
        for row in connection.execute(query)
    ]
