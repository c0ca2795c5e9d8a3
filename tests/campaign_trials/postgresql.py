"""A PostgreSQL server of one's own, that can be restarted and whose disk can be small."""

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import create_engine


def programs() -> Path:
    """Where PostgreSQL's server programs are; Debian keeps them out of the path."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    found += [Path(path) for path in [shutil.which("initdb")] if path]
    assert found, "PostgreSQL is not installed; 'make test' installs it"
    return found[-1].parent


def own(folder: Path) -> None:
    """Give a folder to the user as whom the server runs."""
    if os.geteuid() == 0:
        shutil.chown(folder, "postgres")


def _run(*command: object) -> None:
    """Run a server program, never as root: PostgreSQL refuses that."""
    words = [str(word) for word in command]
    if os.geteuid() == 0:
        words = ["runuser", "-u", "postgres", "--", *words]
    subprocess.run(words, check=True, capture_output=True, cwd="/")


@dataclass(frozen=True)
class PostgreSQL:
    """A running server."""

    folder: Path
    port: int

    @property
    def url(self) -> str:
        return f"postgresql+psycopg://tester@127.0.0.1:{self.port}/postgres"

    def execute(self, *statements: str) -> None:
        """Run statements outside of transactions."""
        engine = create_engine(self.url, isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            for statement in statements:
                connection.exec_driver_sql(statement)
        engine.dispose()

    @contextmanager
    def keeping_tables_in(self, folder: Path) -> Iterator[None]:
        """New tables lie in another folder until the end of the block, and go with it."""
        own(folder)
        self.execute(
            f"CREATE TABLESPACE elsewhere LOCATION '{folder}'",
            "ALTER DATABASE postgres SET default_tablespace = elsewhere",
        )
        try:
            yield
        finally:
            self.execute(
                "ALTER DATABASE postgres RESET default_tablespace",
                "DROP SCHEMA public CASCADE",
                "CREATE SCHEMA public",
                "DROP TABLESPACE elsewhere",
            )

    def start(self) -> None:
        settings = f"-p {self.port} -k {self.folder} -c listen_addresses=127.0.0.1"
        log = self.folder / "log"
        self._control("-l", log, "-o", settings, "-w", "start")

    def stop(self, mode: str) -> None:
        self._control("-m", mode, "-w", "stop")

    def _control(self, *words: object) -> None:
        _run(programs() / "pg_ctl", "-D", self.folder / "data", *words)


@contextmanager
def running_postgresql() -> Iterator[PostgreSQL]:
    """A server that lives until the end of the block."""
    folder = Path(tempfile.mkdtemp(prefix="isogloss-pg-", dir="/tmp"))
    own(folder)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    data = ("-D", folder / "data", "-U", "tester", "--auth=trust", "-E", "UTF8")
    _run(programs() / "initdb", *data)
    server = PostgreSQL(folder, port)
    server.start()
    try:
        yield server
    finally:
        server.stop("immediate")
        shutil.rmtree(folder, ignore_errors=True)
