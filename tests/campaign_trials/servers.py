"""Campaigns to try, and servers for them in processes of their own, which can be killed."""

import multiprocessing
import os
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from ctypes import c_int64
from pathlib import Path
from typing import Any

from campaign_trials.works import SEGMENTS, WORKS, Work
from isogloss.annotate import AccessLinks, Campaign, Store, bound_socket, create_app, run_server
from isogloss.annotate.items import DocumentText
from isogloss.annotate.launch import opened
from isogloss.annotate.storage.database import open_database

_PROCESSES = multiprocessing.get_context("fork")  # a server that starts in milliseconds


def open_for(annotators: int, database: str, work: Work = WORKS["da"]) -> AccessLinks:
    """A campaign in which everybody judges the same document."""
    names = tuple(f"annotator-{number}" for number in range(annotators))
    outputs = {f"system {n}": [f"Source {n}."] * SEGMENTS for n in range(work.systems)}
    text = DocumentText("doc", ["Zdroj."] * SEGMENTS, outputs)
    store = Store(open_database(database))
    plan = Campaign("trial", "", names, (work.phase,), redundancy=annotators)
    links = opened(plan, [text], "", store)
    store.database.close()
    return links


def emptied(database: str) -> None:
    """Remove all tables, so that the next trial begins anew."""
    if "://" not in database:
        for path in Path(database).parent.glob(f"{Path(database).name}*"):
            path.unlink()
        return
    from sqlalchemy import create_engine

    engine = create_engine(database)
    with engine.begin() as connection:
        connection.exec_driver_sql("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
    engine.dispose()


class Server:
    """A server in a process of its own; its clock can be set."""

    def __init__(self, database: str) -> None:
        listening = bound_socket("127.0.0.1", 0)
        self.port: int = listening.getsockname()[1]
        self._ahead = _PROCESSES.Value(c_int64, 0)
        serving = (database, listening, self._ahead)
        self.process = _PROCESSES.Process(target=_serve, args=serving, daemon=True)
        self.process.start()
        listening.close()

    def set_clock(self, seconds: int) -> None:
        """Let the server's clock be so far ahead of the true one (negative: behind)."""
        self._ahead.value = seconds * 1_000_000_000

    def end(self, how: signal.Signals = signal.SIGTERM) -> None:
        """End the process."""
        with suppress(ProcessLookupError):
            os.kill(self.process.pid or 0, how)
        self.process.join()


@contextmanager
def serving(database: str) -> Iterator[Server]:
    """A server until the end of the block."""
    server = Server(database)
    try:
        yield server
    finally:
        server.end(signal.SIGKILL)


def _serve(database: str, listening: socket.socket, ahead: Any) -> None:
    true_time = time.time_ns
    time.time_ns = lambda: true_time() + ahead.value
    run_server(create_app(Store(open_database(database, new=False))), listening)
