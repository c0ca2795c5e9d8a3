"""The tables of a campaign, the same on SQLite and PostgreSQL, and how older ones are brought up.

`events` is the truth: rows are only ever added. `answers` is what they come to, kept in the same
transaction so that reading is quick, and can be worked out again from the events at any time.
"""

from collections.abc import Callable, Sequence

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    ForeignKey,
    Integer,
    MetaData,
    String,
    Table,
    UniqueConstraint,
    insert,
    inspect,
    select,
    update,
)
from sqlalchemy.types import JSON

from isogloss.errors import InputError

_VERSION = "version"
_LONGEST_DOCUMENT = 500
LONGEST_TASK = _LONGEST_DOCUMENT + 64
"""Characters: what an organiser decides about a document is filed under the document's name."""

metadata = MetaData()
_Id = BigInteger().with_variant(Integer, "sqlite")  # SQLite numbers only an INTEGER by itself

facts = Table(
    "facts",
    metadata,
    Column("name", String(64), primary_key=True),
    Column("value", JSON, nullable=False),
)
actors = Table(
    "actors",
    metadata,
    Column("id", _Id, primary_key=True, autoincrement=True),
    Column("name", String(200), nullable=False, unique=True),
    Column("role", String(20), nullable=False),
    Column("token_hash", String(64), nullable=False, unique=True),
)
texts = Table(
    "texts",
    metadata,
    Column("document", String(_LONGEST_DOCUMENT), primary_key=True),
    Column("position", Integer, nullable=False),
    Column("content", JSON, nullable=False),
)
tasks = Table(
    "tasks",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("actor", _Id, ForeignKey("actors.id"), nullable=False, index=True),
    Column("kind", String(20), nullable=False),
    Column("document", String(_LONGEST_DOCUMENT), nullable=False),
    Column("position", Integer, nullable=False),
    Column("content", JSON, nullable=False),
)
events = Table(
    "events",
    metadata,
    Column("id", _Id, primary_key=True, autoincrement=True),
    Column("key", String(64), nullable=False, unique=True),
    Column("actor", _Id, ForeignKey("actors.id"), nullable=False),
    Column("task", String(LONGEST_TASK), nullable=False),
    Column("item", String(200), nullable=False),
    Column("revision", Integer, nullable=False),
    Column("value", JSON, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("received", BigInteger, nullable=False),
    UniqueConstraint("task", "item", "revision", name="one_event_per_revision"),
)
answers = Table(
    "answers",
    metadata,
    Column("task", String(LONGEST_TASK), primary_key=True),
    Column("item", String(200), primary_key=True),
    Column("revision", Integer, nullable=False),
    Column("event", _Id, ForeignKey("events.id"), nullable=False),
    Column("value", JSON, nullable=False),
    Column("at", BigInteger, nullable=False),
)
Migration = Callable[[Connection], None]

MIGRATIONS: tuple[Migration, ...] = ()
"""Step n (from 0) turns the tables of version n + 1 into those of version n + 2."""


def prepare(connection: Connection, migrations: Sequence[Migration] = MIGRATIONS) -> None:
    """Make the tables where there are none, or bring older ones up to date."""
    newest = 1 + len(migrations)
    if not inspect(connection).has_table(facts.name):
        metadata.create_all(connection)
        connection.execute(insert(facts).values(name=_VERSION, value=newest))
        return
    found = connection.execute(select(facts.c.value).where(facts.c.name == _VERSION)).scalar_one()
    if found > newest:
        raise InputError(
            f"this campaign was made by a newer isogloss (tables of version {found}, "
            f"known up to {newest}); update isogloss to open it"
        )
    for step in migrations[found - 1 :]:
        step(connection)
    connection.execute(update(facts).where(facts.c.name == _VERSION).values(value=newest))
