"""Workers that are processes of this machine.

Each has an executor of its own, so that a process that dies takes no other's work with it.
"""

import os
import signal
from collections.abc import Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import connection, get_context, parent_process
from threading import Thread
from typing import Any

from isogloss.model import CORES
from isogloss.scale.crew import Crew, Task
from isogloss.scale.life import sign_of
from isogloss.scale.watch import Patience, Tell


def pool(
    processes: int, cores_each: int = 1, patience: Patience | None = None, tell: Tell | None = None
) -> Crew:
    """So many processes, each of which may keep some cores busy."""
    return Crew(_Processes(processes, cores_each), patience, tell)


@dataclass(frozen=True, slots=True)
class _Processes:
    """Room for processes of this machine."""

    number: int
    cores_each: int

    def count(self) -> int:
        """As many as were asked for, always."""
        return self.number

    def worker(self) -> "PoolWorker":
        """A process that is not started yet."""
        return PoolWorker(self.cores_each)


class PoolWorker:
    """A process that is started again when it died."""

    def __init__(self, cores: int) -> None:
        self._cores = cores
        self._executor: ProcessPoolExecutor | None = None
        self._process: Future[int] = Future()

    def begin(self) -> "Future[Any]":
        """Start a process; a dead one's executor is of no more use."""
        if self._executor is not None:
            self._executor.shutdown(wait=False, cancel_futures=True)
        # Spawned, not forked: the caller may run threads, whose locks a fork would copy.
        self._executor = ProcessPoolExecutor(
            1, mp_context=get_context("spawn"), initializer=_settle_in, initargs=(self._cores,)
        )
        self._process = self._executor.submit(os.getpid)
        return self._process

    def submit(self, task: Task[Any, Any], items: Sequence[Any]) -> "Future[Any]":
        """Run a task on the items of a shard."""
        assert self._executor is not None  # noqa: S101 - a crew begins with `begin`
        try:
            return self._executor.submit(task, items)
        except BrokenProcessPool as error:  # it died while it had nothing to do
            ended: Future[Any] = Future()
            ended.set_exception(error)
            return ended

    def died(self, error: BaseException) -> bool:
        """Whether this is the error of a process that is no more."""
        return isinstance(error, BrokenProcessPool)

    def sign(self) -> object:
        """The processor time that it has used, where the system tells."""
        return sign_of(self._process.result()) if self._known else None

    def end(self) -> None:
        """Kill the process, also one that is stopped."""
        self._send("SIGKILL")

    def dismiss(self) -> None:
        """Stop the process, whatever it is doing."""
        if self._executor is None:
            return
        self._executor.shutdown(wait=False, cancel_futures=True)
        self._executor = None
        self._send("SIGTERM")
        self._send("SIGCONT")  # one that is stopped could not end

    @property
    def _known(self) -> bool:
        process = self._process
        return process.done() and not process.cancelled() and process.exception() is None

    def _send(self, name: str) -> None:
        number = getattr(signal, name, signal.SIGTERM)  # Windows has but that one
        if self._known:
            with suppress(ProcessLookupError):
                os.kill(self._process.result(), number)


def _settle_in(cores: int) -> None:
    # Ctrl-C reaches every process of a terminal; the one that started this one sees to the rest.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ[CORES] = str(cores)
    Thread(target=_leave_with_parent, daemon=True).start()


def _leave_with_parent() -> None:
    """End when the process that started this one is gone, even if it was killed."""
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(0)
