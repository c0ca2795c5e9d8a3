"""Runs the program on one case after another, each in a process that is bounded in time and memory.

The program is loaded once; a case is a fork of the process that has it, which costs milliseconds
where starting Python costs a second.
"""

import gc
import importlib
import os
import pkgutil
import resource
import select
import signal
import sys
import tempfile
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from typer.main import get_command

from isogloss.cli import main as program

GIGABYTE = 1 << 30


@dataclass(frozen=True)
class Outcome:
    """How the program ended; `code` is `None` where it had to be killed."""

    code: int | None
    output: str
    told: str
    seconds: float
    memory: int


class Arena:
    """The loaded program."""

    def __init__(self, seconds: float, memory: int = GIGABYTE) -> None:
        self.seconds, self.memory = seconds, memory
        _load_all()
        # Typer makes its commands anew at each call, which takes longer than most cases do.
        program.app = get_command(program.app)  # type: ignore[assignment]
        self._printed, self._told = tempfile.TemporaryFile(), tempfile.TemporaryFile()
        gc.collect()
        gc.freeze()  # children then share these objects, and do not copy them

    def run(self, arguments: Sequence[str], folder: Path) -> Outcome:
        """Run the program with these arguments in the folder."""
        for file in (self._printed, self._told):
            file.seek(0)
            file.truncate()
        child = os.fork()
        if child == 0:
            self._become(arguments, folder)
        watch = os.pidfd_open(child)
        ended, _, _ = select.select([watch], [], [], self.seconds)
        os.close(watch)
        if not ended:
            os.kill(child, signal.SIGKILL)
        _, status, usage = os.wait4(child, 0)
        printed, told = (self._text(file) for file in (self._printed, self._told))
        code = os.waitstatus_to_exitcode(status) if ended else None
        time = usage.ru_utime + usage.ru_stime
        return Outcome(code, printed, told, time, usage.ru_maxrss * 1024)

    @staticmethod
    def _text(file: "tempfile._TemporaryFileWrapper[bytes]") -> str:
        file.seek(0)
        return file.read().decode("utf-8", "replace")

    def _become(self, arguments: Sequence[str], folder: Path) -> NoReturn:
        code = 70
        try:
            os.chdir(folder)
            os.dup2(self._printed.fileno(), 1)
            os.dup2(self._told.fileno(), 2)
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            # Twice the bound, so that who needs more than it is measured, and not helped.
            resource.setrlimit(resource.RLIMIT_DATA, (2 * self.memory, 2 * self.memory))
            sys.argv = ["isogloss", *arguments]
            sys.stdout = open(1, "w", encoding="utf-8", closefd=False)
            sys.stderr = open(2, "w", encoding="utf-8", closefd=False, errors="backslashreplace")
            code = _ended()
            sys.stdout.flush()
            sys.stderr.flush()
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)


def _ended() -> int:
    try:
        program.main()
    except SystemExit as ending:
        return ending.code if isinstance(ending.code, int) else 1
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
        return 1
    return 0


_NOT_LOADED = ("isogloss.training", "isogloss.paraphraser.convert", "isogloss.__main__")


def _load_all() -> None:
    """Import the whole program, so that no child has to."""
    import isogloss

    for module in pkgutil.walk_packages(isogloss.__path__, "isogloss."):
        if not module.name.startswith(_NOT_LOADED):
            importlib.import_module(module.name)
    import matplotlib.backends.backend_agg
    import sacrebleu  # noqa: F401
