"""Connections to a campaign's database: SQLite that is safe by default, or PostgreSQL by its URL.

A job is a function of a connection that reads and writes in one transaction. SQLite gets a single
writer: jobs that wait for it are committed together, so that many annotators cost one write to
disk instead of many, and nobody runs into a locked database. PostgreSQL orders its writers itself.
"""

import queue
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError, OperationalError

from isogloss.annotate.schema import prepare
from isogloss.errors import InputError

Result = TypeVar("Result")
Job = Callable[[Connection], Result]

_TOGETHER = 64  # jobs of one commit
_TRIES = 5


class Database(ABC):
    """Where the events of a campaign are kept."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        try:
            with engine.begin() as connection:
                prepare(connection)
        except Exception:
            engine.dispose()
            raise

    @abstractmethod
    def write(self, job: Job[Result]) -> Result:
        """Run the job in a transaction; what it wrote is on the disk when this returns."""

    def read(self, job: Job[Result]) -> Result:
        """Run a job that only reads."""
        with self.engine.connect() as connection:
            return job(connection)

    def close(self) -> None:
        """Finish what is under way and let go of the database."""
        self.engine.dispose()


def open_database(where: str | Path) -> Database:
    """A SQLite file by its path, or a database by its URL (``postgresql+psycopg://...``)."""
    if isinstance(where, Path) or "://" not in where:
        return SqliteDatabase(Path(where))
    try:
        url = make_url(where)
        if url.get_backend_name() == "sqlite":
            return SqliteDatabase(Path(url.database or ""))
        return ServerDatabase(create_engine(url, pool_size=10, pool_pre_ping=True))
    except (ArgumentError, ModuleNotFoundError) as error:
        raise InputError(f"no database at {where!r}: {error}") from error
    except OperationalError as error:
        raise InputError(f"the database does not answer: {error.orig}") from error


class ServerDatabase(Database):
    """A database server, which lets many write at once."""

    def write(self, job: Job[Result]) -> Result:
        """Run the job in a transaction of its own; again where another one was quicker."""
        for _ in range(_TRIES - 1):
            with suppress(IntegrityError), self.engine.begin() as connection:
                return job(connection)
        with self.engine.begin() as connection:
            return job(connection)


class SqliteDatabase(Database):
    """A SQLite file with a single writer."""

    def __init__(self, path: Path) -> None:
        engine = create_engine(f"sqlite:///{path}")
        event.listen(engine, "connect", _settle)
        event.listen(engine, "begin", _begin)
        self._waiting: queue.SimpleQueue[tuple[Job[Any], Future[Any]] | None] = queue.SimpleQueue()
        try:
            super().__init__(engine)
        except DBAPIError as error:
            raise InputError(f"{path}: no campaign can be kept here ({error.orig})") from error
        self._writer = threading.Thread(target=self._work, name="campaign-writer", daemon=True)
        self._writer.start()

    def write(self, job: Job[Result]) -> Result:
        """Hand the job to the writer and wait until it is on the disk."""
        done: Future[Result] = Future()
        self._waiting.put((job, done))
        return done.result()

    def close(self) -> None:
        self._waiting.put(None)
        self._writer.join()
        super().close()

    def _work(self) -> None:
        while (first := self._waiting.get()) is not None:
            jobs = [first, *self._more()]
            ending = None in jobs
            self._commit([job for job in jobs if job is not None])
            if ending:
                return

    def _more(self) -> list[tuple[Job[Any], Future[Any]] | None]:
        """What has come in meanwhile."""
        more: list[tuple[Job[Any], Future[Any]] | None] = []
        with suppress(queue.Empty):
            while len(more) < _TOGETHER - 1 and None not in more:
                more.append(self._waiting.get_nowait())
        return more

    def _commit(self, jobs: list[tuple[Job[Any], Future[Any]]]) -> None:
        """All jobs in one transaction; one that fails undoes nothing but itself."""
        results: list[tuple[Future[Any], Any]] = []
        try:
            with self.engine.begin() as connection:
                for job, done in jobs:
                    try:
                        with connection.begin_nested():
                            result = job(connection)
                    except Exception as error:  # whoever asked is told, the others go on
                        done.set_exception(error)
                    else:
                        results.append((done, result))
        except DBAPIError as error:  # the disk is full, say: nobody may believe it was saved
            for done, _ in results:
                done.set_exception(error)
            return
        for done, result in results:
            done.set_result(result)


def _settle(connection: Any, _: Any) -> None:
    """Durable to the last commit, and readers beside the writer."""
    connection.isolation_level = None  # SQLAlchemy begins transactions, not the driver
    for setting in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "busy_timeout=5000"):
        connection.execute(f"PRAGMA {setting}")


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN")
