"""Tasks that workers run in the tests of `isogloss.scale`."""

import os
import signal
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep

POISON = -1
DROP = -2
"""A number that kills the first worker that meets it, and no other."""
SLEEP = -3
STOP = -4
"""A number at which the first worker that meets it is stopped, and no other."""


@dataclass(frozen=True)
class Double:
    """Doubles numbers; what it does is written down in a folder, a file for each attempt."""

    folder: Path | None = None
    seconds: float = 0.0

    def __call__(self, items: Sequence[int]) -> list[int]:
        if POISON in items:
            os.kill(os.getpid(), signal.SIGKILL)
        if DROP in items and self.folder is not None and not (self.folder / "dropped").exists():
            (self.folder / "dropped").touch()
            os.kill(os.getpid(), signal.SIGKILL)
        if SLEEP in items:
            sleep(3600)
        if STOP in items and self.folder is not None and not (self.folder / "stopped").exists():
            (self.folder / "stopped").touch()
            os.kill(os.getpid(), signal.SIGSTOP)
        sleep(self.seconds)
        return [2 * item for item in items]


@dataclass(frozen=True)
class Complain:
    """Raises an error of the task's own."""

    def __call__(self, items: Sequence[int]) -> None:
        raise ValueError(f"{items[0]} is wrong")


@dataclass(frozen=True)
class WhichProcess:
    """Says which process it runs in."""

    def __call__(self, items: Sequence[int]) -> int:
        sleep(0.05)
        return os.getpid()


@dataclass(frozen=True)
class Compute:
    """Computes for so many seconds of the clock."""

    seconds: float

    def __call__(self, items: Sequence[int]) -> list[int]:
        end = monotonic() + self.seconds
        while monotonic() < end:
            sum(range(100_000))
        return list(items)


@dataclass(frozen=True)
class Touch:
    """Makes a file."""

    path: Path

    def __call__(self, items: Sequence[int]) -> list[int]:
        self.path.touch()
        return list(items)


@dataclass(frozen=True)
class WaitFor:
    """Is not done before a file is there."""

    path: Path

    def __call__(self, items: Sequence[int]) -> list[int]:
        give_up = monotonic() + 60
        while not self.path.exists() and monotonic() < give_up:
            sleep(0.01)
        return list(items) if self.path.exists() else []
