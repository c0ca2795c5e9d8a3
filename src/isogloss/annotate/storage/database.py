"""Connections to a campaign's database: SQLite that is safe by default, or PostgreSQL by its URL.

A job is a function of a connection that reads and writes in one transaction. SQLite gets a single
writer: jobs that wait for it are committed together, so that many annotators cost one write to
disk instead of many, and nobody runs into a locked database. PostgreSQL orders its writers itself.

A campaign's tables: made where there are none, brought up to date where they are older.
"""

import queue
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import (
    Connection,
    Engine,
    create_engine,
    delete,
    event,
    insert,
    inspect,
    select,
    update,
)
from sqlalchemy.engine import make_url
from sqlalchemy.exc import (
    ArgumentError,
    DBAPIError,
    IntegrityError,
    OperationalError,
    SQLAlchemyError,
)

from isogloss.annotate.storage import schema
from isogloss.annotate.storage.integrity import (
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
    for row in connection.execute(query).mappings().all():
        link = next_link(link, row["id"], row)
        change = update(events).where(events.c.id == row["id"])
        connection.execute(change.values(digest=link.digest))
    keep_link(connection, actor, link)


def _add_leaving(connection: Connection) -> None:
    """From version 2: people may leave, work may go to others, and answers may come too late."""
    new = ("state VARCHAR(20) DEFAULT 'active' NOT NULL", "nameless BOOLEAN DEFAULT FALSE NOT NULL")
    for column in new:
        connection.exec_driver_sql(f"ALTER TABLE actors ADD COLUMN {column}")
    schema.metadata.create_all(connection, [schema.moved, schema.late, schema.places])


MIGRATIONS: tuple[Migration, ...] = (_add_digests, _add_leaving)
"""Step n (from 0) turns the tables of version n + 1 into those of version n + 2."""


Result = TypeVar("Result")
Job = Callable[[Connection], Result]
Waiting = tuple[Job[Any], "Future[Any]"]
Outcomes = list[tuple[Any, Exception | None]]
"""What each job returned, or why it failed."""

_TOGETHER = 64  # jobs of one commit
_TRIES = 5
_WRITING = "isogloss_writing"
_PG_DISK_FULL = "53100"


class NotKeptError(Exception):
    """The database took back what was written, or takes nothing any more."""


def is_full(error: Exception) -> bool:
    """Whether there is no room any more."""
    code = getattr(getattr(error, "orig", None), "sqlstate", None)
    return code == _PG_DISK_FULL or "disk is full" in str(error)


class Database(ABC):
    """Where the events of a campaign are kept."""

    def __init__(self, engine: Engine, *, new: bool) -> None:
        self.engine = engine
        try:
            with engine.execution_options(**{_WRITING: True}).begin() as connection:
                prepare(connection, new=new)
        except Exception:
            engine.dispose()
            raise

    @abstractmethod
    def write(self, job: Job[Result]) -> Result:
        """Run the job in a transaction; what it wrote is on the disk when this returns."""

    def read(self, job: Job[Result]) -> Result:
        """Run a job that only reads; it sees one state of the database, whoever writes."""
        with self.engine.connect() as connection:
            return job(connection)

    def rehearse(self, job: Job[Result]) -> Result:
        """Run a job that writes, and take back what it wrote."""
        with self.engine.execution_options(**{_WRITING: True}).connect() as connection:
            result = job(connection)
            connection.rollback()
            return result

    def close(self) -> None:
        """Finish what is under way and let go of the database."""
        self.engine.dispose()


def open_database(where: str | Path, *, new: bool = True) -> Database:
    """A SQLite file by its path, or a database by its URL (``postgresql+psycopg://...``).

    With `new` an empty one becomes that of a campaign; without it only a campaign's is opened.
    """
    if isinstance(where, Path) or "://" not in where:
        return SqliteDatabase(Path(where), new=new)
    try:
        url = make_url(where)
        if url.get_backend_name() == "sqlite":
            return SqliteDatabase(Path(url.database or ""), new=new)
        return ServerDatabase(create_engine(url, pool_size=10, pool_pre_ping=True), new=new)
    except (ArgumentError, ModuleNotFoundError) as error:
        raise InputError(f"no database at {where!r}: {error}") from error
    except OperationalError as error:
        raise InputError(f"the database does not answer: {error.orig}") from error
    except SQLAlchemyError as error:
        raise InputError(f"no campaign can be kept there ({database_trouble(error)})") from error


def database_trouble(error: Exception) -> str:
    """What the database said, in one line."""
    if isinstance(error, UnicodeError):
        return "it holds text that is not UTF-8"
    said = error.orig if isinstance(error, DBAPIError) and error.orig else error
    return " ".join(str(said).split())


class ServerDatabase(Database):
    """A database server, which lets many write at once."""

    def __init__(self, engine: Engine, *, new: bool) -> None:
        event.listen(engine, "connect", _durable)
        super().__init__(engine, new=new)

    def read(self, job: Job[Result]) -> Result:
        with self.engine.connect().execution_options(isolation_level="REPEATABLE READ") as one:
            return job(one)

    def write(self, job: Job[Result]) -> Result:
        """Run the job in a transaction of its own; again where another one was quicker."""
        for _ in range(_TRIES - 1):
            with suppress(IntegrityError), self.engine.begin() as connection:
                return job(connection)
        with self.engine.begin() as connection:
            return job(connection)


class SqliteDatabase(Database):
    """A SQLite file with a single writer."""

    def __init__(self, path: Path, *, new: bool) -> None:
        if not new and not path.is_file():
            raise InputError(f"{path}: there is no such database; 'annotate serve' makes it")
        engine = create_engine(f"sqlite:///{path}")
        event.listen(engine, "connect", _settle)
        event.listen(engine, "begin", _begin)
        self._waiting: queue.SimpleQueue[Waiting | None] = queue.SimpleQueue()
        self._closed = False
        try:
            super().__init__(engine, new=new)
        except (SQLAlchemyError, UnicodeDecodeError) as error:  # the latter: damaged definitions
            raise InputError(
                f"{path}: no campaign can be kept here ({database_trouble(error)})"
            ) from error
        except InputError as error:
            raise InputError(f"{path}: {error}") from error
        self._writing = engine.execution_options(**{_WRITING: True})
        self._writer = threading.Thread(target=self._work, name="campaign-writer", daemon=True)
        self._writer.start()

    def write(self, job: Job[Result]) -> Result:
        """Hand the job to the writer and wait until it is on the disk."""
        if self._closed:
            raise NotKeptError("the campaign is closed")
        done: Future[Result] = Future()
        self._waiting.put((job, done))
        return done.result()

    def close(self) -> None:
        self._closed = True
        self._waiting.put(None)
        self._writer.join()
        for waiting in self._more():  # whoever came between the two is told, not left waiting
            if waiting is not None:
                waiting[1].set_exception(NotKeptError("the campaign is closed"))
        super().close()

    def _work(self) -> None:
        while (first := self._waiting.get()) is not None:
            jobs = [first, *self._more()]
            ending = None in jobs
            self._commit([job for job in jobs if job is not None])
            if ending:
                return

    def _more(self) -> list[Waiting | None]:
        """What has come in meanwhile."""
        more: list[Waiting | None] = []
        with suppress(queue.Empty):
            while len(more) < _TOGETHER - 1 and None not in more:
                more.append(self._waiting.get_nowait())
        return more

    def _commit(self, jobs: list[Waiting]) -> None:
        """All jobs in one transaction; one that fails undoes nothing but itself.

        On a full disk SQLite may take back the whole transaction, whichever job was too much for
        it. Nobody has been told anything by then, so each gets a transaction of its own: what has
        room is kept, and who asked for the rest is told that it was not.
        """
        outcomes: Outcomes | None = None
        try:
            outcomes = self._committed([job for job, _ in jobs])
        except Exception as error:  # the disk is full, say: nobody may believe it was saved
            if len(jobs) == 1:
                outcomes = [(None, error)]
        if outcomes is None:
            for each in jobs:
                self._commit([each])
            return
        for (_, done), (result, failure) in zip(jobs, outcomes, strict=True):
            if failure is not None:
                done.set_exception(failure)
            else:
                done.set_result(result)

    def _committed(self, jobs: list[Job[Any]]) -> Outcomes:
        with self._writing.begin() as connection:
            outcomes = [_attempt(connection, job) for job in jobs]
            _check_under_way(connection)
        return outcomes


def _attempt(connection: Connection, job: Job[Any]) -> tuple[Any, Exception | None]:
    """What the job returns or raises; it undoes its own writes where it fails, and no others."""
    try:
        with connection.begin_nested():
            return job(connection), None
    except Exception as error:  # whoever asked is told, the others go on
        _check_under_way(connection, error)
        return None, error


def _check_under_way(connection: Connection, error: Exception | None = None) -> None:
    """Complain where SQLite has ended the transaction by itself, as it may on a full disk.

    Without one, what follows would be kept at once and what came before would be gone, while the
    commit at the end, of nothing, succeeds.
    """
    if not connection.connection.dbapi_connection.in_transaction:  # type: ignore[union-attr]
        said = database_trouble(error) if error else "no reason was given"
        raise NotKeptError(f"the database took back what was written ({said})") from error


def _settle(connection: Any, _: Any) -> None:
    """Durable to the last commit, and readers beside the writer."""
    connection.isolation_level = None  # SQLAlchemy begins transactions, not the driver
    for setting in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "busy_timeout=5000"):
        connection.execute(f"PRAGMA {setting}")


def _begin(connection: Connection) -> None:
    # A writer takes its turn at the start: another server on the same file may be writing, and one
    # that has read already could not wait for it any more.
    writing = connection.get_execution_options().get(_WRITING, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")


def _durable(connection: Any, _: Any) -> None:
    """A commit is on the disk when it returns, also where the server is set to take it easier."""
    with connection.cursor() as cursor:
        if cursor.execute("SHOW synchronous_commit").fetchone()[0] == "off":
            cursor.execute("SET synchronous_commit = on")
    connection.commit()
