"""Campaigns on both kinds of database; PostgreSQL is a real server, started for the tests."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import create_engine

from campaign_trials.disks import Disk, small_disk, why_no_disk
from campaign_trials.postgresql import PostgreSQL, running_postgresql
from campaign_trials.trials import ROOM
from isogloss.annotate import Store
from isogloss.annotate.storage.database import open_database

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from annotate.browsing import Computer


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[PostgreSQL]:
    """A server that lives as long as the tests."""
    with running_postgresql() as server:
        yield server


@pytest.fixture(scope="session")
def postgresql(postgresql_server: PostgreSQL) -> str:
    """Its URL."""
    return postgresql_server.url


@pytest.fixture
def disk() -> Iterator[Disk]:
    """A small disk, where one can be had."""
    if reason := why_no_disk():
        pytest.skip(reason)
    with small_disk(ROOM) as disk:
        yield disk


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
