"""A campaign on its organiser's desk: people come and go, work is given out anew.

Whoever sits there sees one state of the campaign and is alone with it: nobody else gives out work,
and no answer is saved, until all is written.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection, Executable, Table, delete, insert, select, update

from isogloss.annotate.storage import schema
from isogloss.annotate.storage.integrity import Outcome, answer_of, saved, seal
from isogloss.annotate.storage.lateness import late_answers
from isogloss.annotate.storage.rows import (
    Texts,
    actor_of,
    insert_actors,
    insert_facts,
    insert_texts,
    task_of,
    task_row,
)
from isogloss.annotate.storage.schema import (
    Actor,
    ActorState,
    Answer,
    LateAnswer,
    Role,
    Submission,
    Task,
    Value,
    hashed,
    new_token,
)
from isogloss.errors import InputError


@dataclass(frozen=True, slots=True)
class TakenPlace:
    """A place of somebody who enrolled; until when they sat there, if they do not any more."""

    number: int
    actor: int
    platform: str | None
    taken: int
    finished: int | None
    given_up: int | None


def _now() -> int:
    return time.time_ns() // 1_000_000


class Desk:
    """What can be looked up and changed in one go."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self._touched: dict[str, Table] = {}

    def leave(self) -> None:
        """Seal what was changed."""
        seal(self.connection, *self._touched.values())

    def _run(self, table: Table, change: Executable) -> None:
        self.connection.execute(change)
        self._touched[table.name] = table

    # --- people ----------------------------------------------------------------------------------

    def actors(self) -> list[Actor]:
        """Everybody, in the order in which they were admitted."""
        query = select(schema.actors).order_by(schema.actors.c.id)
        return [actor_of(row) for row in self.connection.execute(query)]

    def actor(self, name: str) -> Actor:
        """Somebody by their name."""
        people = self.actors()
        for each in people:
            if each.name == name:
                return each
        raise InputError(
            f"nobody here is called {name!r}; there are: {', '.join(each.name for each in people)}"
        )

    def admit(self, name: str, role: Role, *, nameless: bool = False) -> tuple[Actor, str]:
        """Let somebody take part; the token is told once and cannot be had again."""
        if any(each.name == name for each in self.actors()):
            raise InputError(f"there is somebody called {name!r} already; choose another name")
        token = new_token()
        (actor,) = insert_actors(self.connection, {name: role}, {name: token})
        if nameless:
            self._change_actor(actor, nameless=True)
        return replace(actor, nameless=nameless), token

    def set_state(self, actor: Actor, state: ActorState) -> None:
        """Let somebody's link open the campaign, or no longer."""
        self._change_actor(actor, state=state)

    def renew(self, actor: Actor) -> str:
        """A new token for somebody; the old one no longer opens anything."""
        token = new_token()
        self._change_actor(actor, token_hash=hashed(token))
        return token

    def _change_actor(self, actor: Actor, **values: Any) -> None:
        change = update(schema.actors).where(schema.actors.c.id == actor.id)
        self._run(schema.actors, change.values(**values))

    def actor_by_id(self, id: int) -> Actor:
        """Somebody who is known to be there."""
        return next(each for each in self.actors() if each.id == id)

    # --- places ----------------------------------------------------------------------------------

    def places(self) -> list[TakenPlace]:
        """The places of those who enrolled, in their order."""
        query = select(schema.places).order_by(schema.places.c.number)
        return [TakenPlace(**row._mapping) for row in self.connection.execute(query)]

    def take_place(self, number: int, actor: Actor, platform: str | None) -> None:
        """Somebody takes a place that nobody had."""
        row = {"number": number, "actor": actor.id, "platform": platform, "taken": _now()}
        self._run(schema.places, insert(schema.places).values(row))

    def last_seen(self, place: TakenPlace) -> int:
        """When somebody came, or answered last."""
        events, chains = schema.events, schema.chains
        last = select(chains.c.last).where(chains.c.actor == place.actor).scalar_subquery()
        query = select(events.c.received).where(events.c.id == last)
        return max(place.taken, self.connection.execute(query).scalar_one_or_none() or 0)

    def finish_place(self, place: TakenPlace) -> None:
        """Somebody has done all they were asked."""
        self._change_place(place, finished=_now())

    def give_up_place(self, place: TakenPlace) -> None:
        """Nobody sits there any more."""
        self._change_place(place, given_up=_now())

    def _change_place(self, place: TakenPlace, **values: Any) -> None:
        change = update(schema.places).where(schema.places.c.number == place.number)
        self._run(schema.places, change.values(**values))

    # --- facts and texts -------------------------------------------------------------------------

    def fact(self, name: str) -> Any:
        """What was remembered; `None` where nothing was."""
        query = select(schema.facts.c.value).where(schema.facts.c.name == name)
        return self.connection.execute(query).scalar_one_or_none()

    def set_fact(self, name: str, value: Any) -> None:
        """Remember something, or (`None`) forget it."""
        self._run(schema.facts, delete(schema.facts).where(schema.facts.c.name == name))
        if value is not None:
            insert_facts(self.connection, {name: value})

    def texts(self) -> dict[str, Mapping[str, Any]]:
        """The frozen documents, in their order."""
        query = select(schema.texts).order_by(schema.texts.c.position)
        return {row.document: row.content for row in self.connection.execute(query)}

    def add_texts(self, texts: Texts) -> None:
        """Freeze more documents."""
        insert_texts(self.connection, texts, len(self.texts()))

    # --- work ------------------------------------------------------------------------------------

    def tasks(self) -> list[Task]:
        """All work, as it is given out, in everybody's order."""
        query = select(schema.tasks).order_by(schema.tasks.c.actor, schema.tasks.c.position)
        return [task_of(row) for row in self.connection.execute(query)]

    def answers(self) -> dict[str, dict[str, Value]]:
        """What stands, by task and item."""
        found: dict[str, dict[str, Value]] = {}
        for row in self.connection.execute(select(schema.answers)):
            found.setdefault(row.task, {})[row.item] = row.value
        return found

    def standing(self, task: str, item: str) -> Answer | None:
        """The answer that stands."""
        answers = schema.answers
        place = (answers.c.task == task) & (answers.c.item == item)
        row = self.connection.execute(select(answers).where(place)).one_or_none()
        return None if row is None else answer_of(row)

    def give(self, tasks: Sequence[Task]) -> None:
        """Give out work."""
        self._run(schema.tasks, insert(schema.tasks).values([*map(task_row, tasks)]))

    def take(self, task: Task, items: Sequence[str], to: Actor) -> None:
        """Take items away from a task, for somebody else."""
        gone = set(items)
        left = [item for item in task.content["items"] if item not in gone]
        self._set_content(task, {"asked": task.content["items"], **task.content, "items": left})
        rows = [{"task": task.id, "item": item, "actor": to.id, "at": _now()} for item in items]
        if rows:
            self._run(schema.moved, insert(schema.moved).values(rows))

    def put_back(self, task: Task, item: str) -> None:
        """Ask somebody again about an item that was taken away from their task."""
        moved = schema.moved
        place = (moved.c.task == task.id) & (moved.c.item == item)
        self._run(moved, delete(moved).where(place))
        there = {*task.content["items"], item}
        order = task.content.get("asked", task.content["items"])
        self._set_content(
            task, {**task.content, "items": [item for item in order if item in there]}
        )

    def _set_content(self, task: Task, content: Mapping[str, Any]) -> None:
        change = update(schema.tasks).where(schema.tasks.c.id == task.id)
        self._run(schema.tasks, change.values(content=dict(content)))

    # --- what came too late ----------------------------------------------------------------------

    def late(self) -> list[LateAnswer]:
        """What came too late."""
        return late_answers(self.connection)

    def save(self, actor: Actor, given: Submission) -> Outcome:
        """Save an answer that came too late, all the same."""
        return saved(self.connection, actor.id, [given])[0]

    def forget_late(self, answer: LateAnswer) -> None:
        """It was taken in, or is not wanted."""
        late = schema.late
        place = (late.c.task == answer.task) & (late.c.item == answer.item)
        self._run(late, delete(late).where(place))
