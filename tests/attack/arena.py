"""Runs the program on one case after another, in processes that are bounded in time and memory.

The program is loaded once. A worker is a fork of the process that has it; it does some dozens of
cases one after another and is then replaced by a new one, or at once where a case killed it. So a
case costs milliseconds, where starting Python costs a second.
"""

import gc
import importlib
import json
import os
import pkgutil
import resource
import select
import signal
import sys
import tempfile
import traceback
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import NoReturn

from typer.main import get_command

from isogloss.cli import main as program

GIGABYTE = 1 << 30
_CASES_OF_A_WORKER = 50


@dataclass(frozen=True)
class Outcome:
    """How the program ended; `code` is `None` where it had to be killed."""

    code: int | None
    output: str
    told: str
    seconds: float
    memory: int


@dataclass
class _Worker:
    """A process that does cases, and the two ends of the pipes to it."""

    process: int
    tasks: int
    answers: int
    done: int = 0

    def ended(self) -> int:
        """Wait for it; its exit code, negative for a signal."""
        os.close(self.tasks)
        os.close(self.answers)
        return os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])


class Arena:
    """The loaded program, and the worker that runs it now."""

    def __init__(self, seconds: float, memory: int = GIGABYTE) -> None:
        self.seconds, self.memory = seconds, memory
        _load_all()
        # Typer makes its commands anew at each call, which takes longer than most cases do.
        program.app = get_command(program.app)  # type: ignore[assignment]
        self._printed, self._told = tempfile.TemporaryFile(), tempfile.TemporaryFile()
        self._worker: _Worker | None = None
        gc.collect()
        gc.freeze()  # workers then share these objects, and do not copy them

    def run(self, arguments: Sequence[str], folder: Path) -> Outcome:
        """Run the program with these arguments in the folder."""
        for file in (self._printed, self._told):
            file.seek(0)
            file.truncate()
        worker = self._worker or self._new_worker()
        os.write(worker.tasks, json.dumps([list(arguments), str(folder)]).encode() + b"\n")
        ready, _, _ = select.select([worker.answers], [], [], self.seconds)
        if not ready:
            os.kill(worker.process, signal.SIGKILL)
        answer = os.read(worker.answers, 4096) if ready else b""
        worker.done += 1
        code, seconds, memory = json.loads(answer) if answer else (None, self.seconds, 0)
        if not answer:
            ended, self._worker = worker.ended(), None
            code = ended if ready else None
        elif worker.done == _CASES_OF_A_WORKER or memory > self.memory // 2:
            self.close()
        return Outcome(code, self._text(self._printed), self._text(self._told), seconds, memory)

    def close(self) -> None:
        """End the worker."""
        if self._worker:
            self._worker.ended()
            self._worker = None

    @staticmethod
    def _text(file: "tempfile._TemporaryFileWrapper[bytes]") -> str:
        file.seek(0)
        return file.read().decode("utf-8", "replace")

    def _new_worker(self) -> _Worker:
        theirs, ours = os.pipe()
        mine, yours = os.pipe()
        process = os.fork()
        if process == 0:
            os.close(ours)
            os.close(mine)
            self._work(theirs, yours)
        os.close(theirs)
        os.close(yours)
        self._worker = _Worker(process, ours, mine)
        return self._worker

    def _work(self, tasks: int, answers: int) -> NoReturn:
        try:
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            # Twice the bound, so that who needs more than it is measured, and not helped.
            resource.setrlimit(resource.RLIMIT_DATA, (2 * self.memory, 2 * self.memory))
            with open(tasks, encoding="utf-8") as lines:
                for line in lines:
                    arguments, folder = json.loads(line)
                    begin = process_time()
                    code = self._case(arguments, folder)
                    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
                    os.write(answers, json.dumps([code, process_time() - begin, memory]).encode())
        finally:
            os._exit(70)

    def _case(self, arguments: Sequence[str], folder: str) -> int:
        os.chdir(folder)
        os.dup2(self._printed.fileno(), 1)
        os.dup2(self._told.fileno(), 2)
        sys.argv = ["isogloss", *arguments]
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False, errors="backslashreplace")
        warnings.resetwarnings()  # each case may see each warning
        try:
            program.main()
        except SystemExit as ending:
            return ending.code if isinstance(ending.code, int) else 1
        except BaseException:
            traceback.print_exc()
            return 1
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os.chdir("/")
        return 0


_NOT_LOADED = ("isogloss.training", "isogloss.model.convert", "isogloss.__main__")


def _load_all() -> None:
    """Import the whole program, so that no worker has to."""
    import isogloss

    for module in pkgutil.walk_packages(isogloss.__path__, "isogloss."):
        if not module.name.startswith(_NOT_LOADED):
            importlib.import_module(module.name)
    import sacrebleu  # noqa: F401
