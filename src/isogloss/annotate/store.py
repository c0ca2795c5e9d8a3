"""What a campaign remembers: people, texts, tasks, and every answer anyone ever gave.

An answer is saved with an idempotency key and the revision it is based on. The same key again
gives the same result, so that a browser may send an answer as often as it likes; an answer that is
based on an old revision changes nothing and comes back with the one that stands.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from sqlalchemy import Connection, Row, insert, select, update

from isogloss.annotate import schema
from isogloss.annotate.database import Database
from isogloss.annotate.secrets_kept import hashed, new_token, same

Role = Literal["organiser", "annotator"]
Value = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Actor:
    """Somebody who takes part."""

    id: int
    name: str
    role: Role


@dataclass(frozen=True, slots=True)
class Task:
    """A unit of work of one annotator; `content` says what it asks about."""

    id: str
    actor: int
    kind: str
    document: str
    position: int
    content: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Submission:
    """An answer as it comes in: based on a revision (0: nobody has answered yet)."""

    key: str
    task: str
    item: str
    revision: int
    value: Value
    at: int


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer that stands."""

    item: str
    revision: int
    value: Value
    at: int


@dataclass(frozen=True, slots=True)
class Saved:
    """The answer has become this revision."""

    key: str
    revision: int


@dataclass(frozen=True, slots=True)
class Conflict:
    """The answer was based on an old revision; this one stands (`None`: there is none at all)."""

    key: str
    stands: Answer | None


@dataclass(frozen=True, slots=True)
class Event:
    """One answer that was given, whether it still stands or not."""

    id: int
    key: str
    actor: str
    task: str
    item: str
    revision: int
    value: Value
    at: int
    received: int


class Store:
    """A campaign's memory over a database."""

    def __init__(self, database: Database) -> None:
        self.database = database

    # --- people ----------------------------------------------------------------------------------

    def admit(self, name: str, role: Role) -> str:
        """Let somebody take part; the token is told once and cannot be had again."""
        token = new_token()
        row = {"name": name, "role": role, "token_hash": hashed(token)}
        self.database.write(lambda c: c.execute(insert(schema.actors), row))
        return token

    def renew(self, name: str) -> str:
        """A new token for somebody; the old one no longer works."""
        token = new_token()
        change = update(schema.actors).where(schema.actors.c.name == name)
        self.database.write(lambda c: c.execute(change.values(token_hash=hashed(token))))
        return token

    def actor_with(self, token: str) -> Actor | None:
        """Whoever was given this token."""
        wanted = hashed(token)
        query = select(schema.actors).where(schema.actors.c.token_hash == wanted)
        row = self.database.read(lambda c: c.execute(query).one_or_none())
        if row is None or not same(row.token_hash, wanted):
            return None
        return Actor(row.id, row.name, row.role)

    def actors(self) -> list[Actor]:
        """Everybody, in the order in which they were admitted."""
        query = select(schema.actors).order_by(schema.actors.c.id)
        rows = self.database.read(lambda c: c.execute(query).all())
        return [Actor(row.id, row.name, row.role) for row in rows]

    # --- texts and facts -------------------------------------------------------------------------

    def set_fact(self, name: str, value: Any) -> None:
        """Remember something about the whole campaign, once and for all."""
        row = {"name": name, "value": value}
        self.database.write(lambda c: c.execute(insert(schema.facts), row))

    def fact(self, name: str) -> Any:
        """What was remembered; `None` where nothing was."""
        query = select(schema.facts.c.value).where(schema.facts.c.name == name)
        return self.database.read(lambda c: c.execute(query).scalar_one_or_none())

    def add_texts(self, documents: Mapping[str, Mapping[str, Any]]) -> None:
        """Freeze the texts that are judged: later changes of files must not shift offsets."""
        rows = [
            {"document": id, "position": position, "content": dict(content)}
            for position, (id, content) in enumerate(documents.items())
        ]
        self.database.write(lambda c: c.execute(insert(schema.texts), rows))

    def text(self, document: str) -> Mapping[str, Any]:
        """The frozen texts of a document."""
        query = select(schema.texts.c.content).where(schema.texts.c.document == document)
        content: Mapping[str, Any] = self.database.read(lambda c: c.execute(query).scalar_one())
        return content

    def documents(self) -> list[str]:
        """The documents, in their order."""
        query = select(schema.texts.c.document).order_by(schema.texts.c.position)
        return list(self.database.read(lambda c: c.execute(query).scalars().all()))

    # --- tasks -----------------------------------------------------------------------------------

    def add_tasks(self, tasks: Sequence[Task]) -> None:
        """Give out work."""
        rows = [
            {
                "id": task.id,
                "actor": task.actor,
                "kind": task.kind,
                "document": task.document,
                "position": task.position,
                "content": dict(task.content),
            }
            for task in tasks
        ]
        if rows:
            self.database.write(lambda c: c.execute(insert(schema.tasks), rows))

    def tasks_of(self, actor: int | None = None) -> list[Task]:
        """The tasks of somebody, or of everybody, in their order."""
        query = select(schema.tasks).order_by(schema.tasks.c.actor, schema.tasks.c.position)
        if actor is not None:
            query = query.where(schema.tasks.c.actor == actor)
        rows = self.database.read(lambda c: c.execute(query).all())
        return [_task(row) for row in rows]

    def task(self, id: str, actor: int | None = None) -> Task | None:
        """The task of that id, if it is this actor's."""
        query = select(schema.tasks).where(schema.tasks.c.id == id)
        if actor is not None:
            query = query.where(schema.tasks.c.actor == actor)
        row = self.database.read(lambda c: c.execute(query).one_or_none())
        return None if row is None else _task(row)

    # --- answers ---------------------------------------------------------------------------------

    def save(self, actor: int, submissions: Sequence[Submission]) -> list[Saved | Conflict]:
        """Save answers, all in one transaction; each is saved, or in conflict and changes nothing.

        When this returns, what it calls saved is on the disk.
        """
        return self.database.write(lambda c: [_saved(c, actor, each) for each in submissions])

    def answers(self, task: str) -> dict[str, Answer]:
        """The answers of a task that stand, by item, in the order in which they were given."""
        answers = schema.answers
        query = select(answers).where(answers.c.task == task).order_by(answers.c.event)
        rows = self.database.read(lambda c: c.execute(query).all())
        return {row.item: _answer(row) for row in rows}

    def answers_of(self, actor: int) -> dict[str, list[Answer]]:
        """The answers of somebody that stand, by task."""
        answers, tasks = schema.answers, schema.tasks
        query = select(answers).join(tasks, tasks.c.id == answers.c.task)
        rows = self.database.read(lambda c: c.execute(query.where(tasks.c.actor == actor)).all())
        found: dict[str, list[Answer]] = {}
        for row in rows:
            found.setdefault(row.task, []).append(_answer(row))
        return found

    def events(self, after: int = 0) -> Iterator[Event]:
        """Everything that was answered, in the order in which it came in."""
        query = (
            select(schema.events, schema.actors.c.name.label("actor_name"))
            .join(schema.actors, schema.actors.c.id == schema.events.c.actor)
            .where(schema.events.c.id > after)
            .order_by(schema.events.c.id)
        )
        for row in self.database.read(lambda c: c.execute(query).all()):
            yield Event(
                row.id,
                row.key,
                row.actor_name,
                row.task,
                row.item,
                row.revision,
                row.value,
                row.at,
                row.received,
            )

    def faults(self) -> list[str]:
        """Where answers are not what the events come to; there should be none, ever."""
        last: dict[tuple[str, str], Event] = {}
        found = []
        for event in self.events():
            place = (event.task, event.item)
            expected = last[place].revision + 1 if place in last else 1
            if event.revision != expected:
                found.append(f"{event.task} {event.item}: revision {event.revision} of {expected}")
            last[place] = event
        rows = self.database.read(lambda c: c.execute(select(schema.answers)).all())
        standing = {(row.task, row.item): (row.event, row.value) for row in rows}
        derived = {place: (event.id, event.value) for place, event in last.items()}
        found += [
            f"{task} {item}: the answer is not that of its last event"
            for task, item in sorted(standing.keys() | derived.keys())
            if standing.get((task, item)) != derived.get((task, item))
        ]
        return found


def _task(row: Row[Any]) -> Task:
    return Task(row.id, row.actor, row.kind, row.document, row.position, row.content)


def _answer(row: Row[Any]) -> Answer:
    return Answer(row.item, row.revision, row.value, row.at)


def _saved(connection: Connection, actor: int, given: Submission) -> Saved | Conflict:
    earlier = connection.execute(
        select(schema.events.c.revision).where(schema.events.c.key == given.key)
    ).scalar_one_or_none()
    if earlier is not None:
        return Saved(given.key, earlier)
    answers = schema.answers
    place = (answers.c.task == given.task) & (answers.c.item == given.item)
    stands = connection.execute(select(answers).where(place).with_for_update()).one_or_none()
    if (stands.revision if stands else 0) != given.revision:
        return Conflict(given.key, None if stands is None else _answer(stands))
    revision = given.revision + 1
    number = connection.execute(
        insert(schema.events)
        .returning(schema.events.c.id)
        .values(
            key=given.key,
            actor=actor,
            task=given.task,
            item=given.item,
            revision=revision,
            value=dict(given.value),
            at=given.at,
            received=time.time_ns() // 1_000_000,
        )
    ).scalar_one()
    row = {"revision": revision, "event": number, "value": dict(given.value), "at": given.at}
    if stands is None:
        connection.execute(insert(answers).values(task=given.task, item=given.item, **row))
    else:
        connection.execute(update(answers).where(place).values(**row))
    return Saved(given.key, revision)
