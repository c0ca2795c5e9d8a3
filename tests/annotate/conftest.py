"""Campaigns on both kinds of database; PostgreSQL is a real server, started for the tests."""

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import create_engine

from isogloss.annotate.database import open_database
from isogloss.annotate.store import Store

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from annotate.browsing import Computer


def _programs() -> Path:
    """Where PostgreSQL's server programs are; Debian keeps them out of the path."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    found += [Path(path) for path in [shutil.which("initdb")] if path]
    assert found, "PostgreSQL is not installed; 'make test' installs it"
    return found[-1].parent


def _run(*command: object) -> None:
    """Run a server program, never as root: PostgreSQL refuses that."""
    words = [str(word) for word in command]
    if os.geteuid() == 0:
        words = ["runuser", "-u", "postgres", "--", *words]
    subprocess.run(words, check=True, capture_output=True, cwd="/")


@pytest.fixture(scope="session")
def postgresql(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a server that lives as long as the tests."""
    folder = Path("/tmp") / f"isogloss-pg-{os.getpid()}"  # noqa: S108  (short: a socket lies in it)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700)
    if os.geteuid() == 0:
        shutil.chown(folder, "postgres")
    programs = _programs()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    _run(programs / "initdb", "-D", folder / "data", "-U", "tester", "--auth=trust", "-E", "UTF8")
    settings = f"-p {port} -k {folder} -c listen_addresses=127.0.0.1"
    log = folder / "log"
    _run(programs / "pg_ctl", "-D", folder / "data", "-l", log, "-o", settings, "-w", "start")
    yield f"postgresql+psycopg://tester@127.0.0.1:{port}/postgres"
    _run(programs / "pg_ctl", "-D", folder / "data", "-m", "immediate", "stop")
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a campaign can be kept: an empty database of each kind."""
    if request.param == "sqlite":
        return str(tmp_path / "campaign.db")
    url: str = request.getfixturevalue("empty_postgresql")
    return url


@pytest.fixture
def empty_postgresql(postgresql: str) -> Iterator[str]:
    """The URL of a database that is emptied again for the next test."""
    yield postgresql
    engine = create_engine(postgresql)
    with engine.begin() as connection:
        connection.exec_driver_sql("DROP SCHEMA public CASCADE")
        connection.exec_driver_sql("CREATE SCHEMA public")
    engine.dispose()


@pytest.fixture
def store(place: str) -> Iterator[Store]:
    """A campaign's memory on each kind of database."""
    database = open_database(place)
    yield Store(database)
    database.close()


@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    """A browser without a window, which starts slowly and is shared."""
    from chromium import running_browser

    with running_browser() as browser:
        yield browser


@pytest.fixture
def computer(browser: "Browser") -> Iterator["Computer"]:
    """New computers for people to sit at."""
    from annotate.browsing import computers

    with computers(browser) as start:
        yield start
