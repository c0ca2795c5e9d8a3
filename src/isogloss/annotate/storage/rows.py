"""Rows of a campaign's sealed tables, as they are written and read."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Row, insert

from isogloss.annotate.storage import schema
from isogloss.annotate.storage.integrity import link_of, seal
from isogloss.annotate.storage.schema import Actor, Role, Task, hashed

Facts = Mapping[str, Any]
Texts = Mapping[str, Mapping[str, Any]]


def insert_facts(connection: Connection, facts: Facts) -> None:
    """Remember facts."""
    rows = [{"name": name, "value": value} for name, value in facts.items()]
    connection.execute(insert(schema.facts), rows)
    seal(connection, schema.facts)


def insert_texts(connection: Connection, texts: Texts, first: int = 0) -> None:
    """Freeze texts, after those that are there."""
    rows = [
        {"document": id, "position": position, "content": dict(content)}
        for position, (id, content) in enumerate(texts.items(), first)
    ]
    connection.execute(insert(schema.texts), rows)
    seal(connection, schema.texts)


def insert_actors(
    connection: Connection, people: Mapping[str, Role], tokens: Mapping[str, str]
) -> list[Actor]:
    """Let people take part."""
    admitted = []
    for name, role in people.items():
        row = {"name": name, "role": role, "token_hash": hashed(tokens[name])}
        id = connection.execute(
            insert(schema.actors).returning(schema.actors.c.id).values(row)
        ).scalar_one()
        link_of(connection, id)  # begins a chain
        admitted.append(Actor(id, name, role))
    seal(connection, schema.actors)
    return admitted


def insert_tasks(connection: Connection, tasks: Sequence[Task]) -> None:
    """Give out work."""
    rows = [*map(task_row, tasks)]
    if rows:
        connection.execute(insert(schema.tasks), rows)
    seal(connection, schema.tasks)


def task_row(task: Task) -> dict[str, Any]:
    """A task as it is kept."""
    return {
        "id": task.id,
        "actor": task.actor,
        "kind": task.kind,
        "document": task.document,
        "position": task.position,
        "content": dict(task.content),
    }


def task_of(row: Row[Any]) -> Task:
    """A row of the tasks."""
    return Task(row.id, row.actor, row.kind, row.document, row.position, row.content)


def actor_of(row: Row[Any]) -> Actor:
    """A row of the people."""
    return Actor(row.id, row.name, row.role, row.state, row.nameless)
