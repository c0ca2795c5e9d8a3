"""How work is run: on which device, in how many processes, what is remembered, and who is told.

Nothing of it may change a score, so nothing of it belongs into a signature.
"""

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from isogloss.errors import InputError

Device = Literal["cpu", "cuda", "auto"]


@dataclass(frozen=True, slots=True)
class Step:
    """How far an evaluation has come: `done` of `total` segments under one metric.

    The last step of a metric has the `scores` of its systems.
    """

    metric: str
    done: int
    total: int
    scores: Mapping[str, float | None] | None = None


Progress = Callable[[Step], None]


@dataclass(frozen=True, slots=True)
class Runtime:
    """How an evaluation is run; the numbers are the same however it is.

    `device` is where models compute. `cache` is the folder in which scores and word links are kept
    for the next time; `None` keeps none. `jobs` processes share the work of metrics without a model
    (they start by importing the main module, so a script that asks for several needs the usual
    ``if __name__ == "__main__":``). `progress` is called now and again, from this process.
    """

    device: Device = "cpu"
    cache: Path | None = None
    jobs: int = 1
    progress: Progress | None = None

    def __post_init__(self) -> None:
        if self.jobs < 1:
            raise InputError(f"jobs must be at least 1, not {self.jobs}")
        if self.cache is not None:
            object.__setattr__(self, "cache", Path(self.cache))


def default_cache_folder() -> Path:
    """``$ISOGLOSS_CACHE``, or the platform's place for caches."""
    chosen = os.environ.get("ISOGLOSS_CACHE")
    if chosen:
        return Path(chosen)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "isogloss"
    variable = "LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME"
    base = os.environ.get(variable)
    return (Path(base) if base else Path.home() / ".cache") / "isogloss"
