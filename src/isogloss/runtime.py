"""How work is run: on which device, in how many processes, what is remembered, and who is told.

Nothing of it may change a score, so nothing of it belongs into a signature.
"""

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

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

HUNG_AFTER = 900.0
"""Seconds without a sign of life after which a worker hangs; retries of a network take less."""


class Elsewhere(Protocol):
    """Other machines, as `isogloss.scale` has connected them."""

    def __hash__(self) -> int:
        """A connection is itself and no other."""

    def scorer(self, model: Any) -> Any:
        """What scores with a model there (`DistantScorer` of `isogloss.model`)."""


@dataclass(frozen=True, slots=True)
class Runtime:
    """How an evaluation is run; the numbers are the same however it is.

    `device` is where models compute. `cache` is the folder in which scores and word links are kept
    for the next time; `None` keeps none. `jobs` processes share the work of metrics without a model
    (they start by importing the main module, so a script that asks for several needs the usual
    ``if __name__ == "__main__":``). `progress` is called now and again, from this process.
    `cluster` is the address of a Ray cluster that does the work, or ``local`` for one of this
    machine's cores; its workers have `worker_cores` cores each. A worker of a cluster or a corpus
    that gives no sign of life for `hung_after` seconds, or has not done its share of the work after
    `shard_limit` seconds (`None`: however long it takes), is started again. `notice` is called with
    a sentence about workers that are waited for. `network` is the consent to send texts elsewhere
    and to download models, for metrics that do.
    """

    device: Device = "cpu"
    cache: Path | None = None
    jobs: int = 1
    progress: Progress | None = None
    cluster: str | Elsewhere | None = None
    worker_cores: int = 1
    network: bool = False
    hung_after: float = HUNG_AFTER
    shard_limit: float | None = None
    notice: Callable[[str], None] | None = None

    def __post_init__(self) -> None:
        for name in ("jobs", "worker_cores"):
            if getattr(self, name) < 1:
                raise InputError(f"{name} must be at least 1, not {getattr(self, name)}")
        for name in ("hung_after", "shard_limit"):
            seconds = getattr(self, name)
            if seconds is not None and not seconds > 0:
                raise InputError(f"{name} must be more than 0 seconds, not {seconds:g}")
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
