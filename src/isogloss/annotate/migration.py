"""A campaign's tables: made where there are none, brought up to date where they are older."""

from collections.abc import Callable, Sequence

from sqlalchemy import Connection, delete, insert, inspect, select, update

from isogloss.annotate import schema
from isogloss.annotate.integrity import (
    SEALED,
    Seal,
    keep_link,
    link_of,
    next_link,
    rows_seal,
    seal,
    take_turn,
    write_seal,
)
from isogloss.errors import InputError

VERSION = "version"
SCHEMA = "schema"

Migration = Callable[[Connection], None]


def prepare(
    connection: Connection, migrations: Sequence[Migration] | None = None, *, new: bool = True
) -> None:
    """Make the tables where there are none (if `new`), or bring older ones up to date."""
    steps = MIGRATIONS if migrations is None else migrations
    newest = 1 + len(steps)
    take_turn(connection)
    tables = inspect(connection).get_table_names()
    if not tables:
        _make(connection, newest, new=new)
        return
    found = _version(connection, tables)
    if found > newest:
        raise InputError(
            f"this campaign was made by a newer isogloss (tables of version {found}, "
            f"known up to {newest}); update isogloss to open it"
        )
    if found < newest:
        for step in steps[found - 1 :]:
            step(connection)
        change = update(schema.facts).where(schema.facts.c.name == VERSION)
        connection.execute(change.values(value=newest))
        _seal_all(connection)


def _make(connection: Connection, newest: int, *, new: bool) -> None:
    if not new:
        raise InputError("the database is empty; 'annotate serve' opens a campaign in it")
    schema.metadata.create_all(connection)
    connection.execute(insert(schema.facts).values(name=VERSION, value=newest))
    _seal_all(connection)


def _seal_all(connection: Connection) -> None:
    seal(connection, *SEALED)
    if (found := schema_seal(connection)) is not None:
        write_seal(connection, SCHEMA, found)


def _version(connection: Connection, tables: Sequence[str]) -> int:
    """Which tables these are, if they are a campaign's at all."""
    if not {"facts", "actors", "texts", "tasks", "events", "answers"} <= set(tables):
        raise InputError("this is no campaign's database; give the campaign an empty one")
    query = select(schema.facts.c.value).where(schema.facts.c.name == VERSION)
    try:
        found = connection.execute(query).scalar_one_or_none()
    except (ValueError, TypeError) as error:  # no JSON
        raise InputError("the version of the tables cannot be read: it is damaged") from error
    if not isinstance(found, int) or isinstance(found, bool) or found < 1:
        raise InputError(f"the version of the tables is {found!r}: the database is damaged")
    return found


def schema_seal(connection: Connection) -> Seal | None:
    """What the definitions of the tables come to, where they lie in a file that can be damaged."""
    if connection.dialect.name != "sqlite":
        return None
    definitions = "SELECT type, name, tbl_name, sql FROM sqlite_master"
    return rows_seal(connection.exec_driver_sql(definitions).all())


# --- steps ---------------------------------------------------------------------------------------


def _add_digests(connection: Connection) -> None:
    """From version 1: digests over everything; what a failed opening left behind is removed."""
    connection.exec_driver_sql(
        "ALTER TABLE events ADD COLUMN digest VARCHAR(64) DEFAULT '' NOT NULL"
    )
    schema.metadata.create_all(connection, [schema.seals, schema.chains])
    facts = schema.facts
    opened = connection.execute(select(facts.c.name).where(facts.c.name == schema.OPENED)).first()
    if opened is None:
        _remove_remains(connection)
    for actor in connection.execute(select(schema.actors.c.id)).scalars().all():
        _chain_events(connection, actor)


def _remove_remains(connection: Connection) -> None:
    """Opening was no single step: where it failed, nobody was told a link and nothing was said."""
    if connection.execute(select(schema.events.c.id)).first() is not None:
        return
    for table in (schema.tasks, schema.texts, schema.actors):
        connection.execute(delete(table))
    connection.execute(delete(schema.facts).where(schema.facts.c.name != VERSION))


def _chain_events(connection: Connection, actor: int) -> None:
    events = schema.events
    link = link_of(connection, actor)
    query = select(events).where(events.c.actor == actor).order_by(events.c.id)
    for event in connection.execute(query).mappings().all():
        link = next_link(link, event["id"], event)
        change = update(events).where(events.c.id == event["id"])
        connection.execute(change.values(digest=link.digest))
    keep_link(connection, actor, link)


MIGRATIONS: tuple[Migration, ...] = (_add_digests,)
"""Step n (from 0) turns the tables of version n + 1 into those of version n + 2."""
