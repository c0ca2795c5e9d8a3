"""How many batches run at once, and how many threads each gets.

Measured on two cores: two workers with one thread each score 1.1 to 1.45 times as fast as one
worker with two, because small matrices do not fill several threads. So every core gets its own
worker; beyond 16 workers, whose batches would crowd memory and caches, threads are added instead.
`measure_threads` asks the machine at hand.
"""

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from isogloss.errors import InputError

_MOST_WORKERS = 16
CORES = "ISOGLOSS_CORES"
"""The variable that says how many cores a process may keep busy, where it shares its machine."""


@dataclass(frozen=True, slots=True)
class Threads:
    """A number of workers and the threads of each."""

    workers: int
    per_worker: int = 1

    def __post_init__(self) -> None:
        if self.workers < 1 or self.per_worker < 1:
            raise InputError("at least one worker with one thread is needed")


def usable_cores() -> int:
    """The cores that this process may use, which a container may have fewer of than the machine.

    ``$ISOGLOSS_CORES`` says how many where several processes share them.
    """
    given = os.environ.get(CORES, "")
    if given:
        if not given.isascii() or not given.isdecimal() or not 0 < int(given) < 10_000:
            raise InputError(f"{CORES} is a number of cores, not {given!r:.60}")
        return int(given)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def default_threads(cores: int | None = None) -> Threads:
    """What is best on most machines."""
    cores = cores or usable_cores()
    per_worker = -(-cores // _MOST_WORKERS)
    return Threads(max(1, cores // per_worker), per_worker)


def candidates(cores: int) -> tuple[Threads, ...]:
    """Every way of sharing the cores out evenly, most workers first."""
    return tuple(
        Threads(cores // per_worker, per_worker)
        for per_worker in range(1, cores + 1)
        if cores % per_worker == 0
    )


def measure_threads(
    work: Callable[[Threads], object], choices: Sequence[Threads] | None = None, rounds: int = 3
) -> Threads:
    """The fastest of the choices for this work.

    `work` loads a model with the given threads and returns nothing of interest; rounds are
    interleaved, so that a noisy neighbour disturbs all choices alike, and the best time counts.
    """
    choices = choices or candidates(usable_cores())
    best = dict.fromkeys(choices, float("inf"))
    for _ in range(rounds):
        for choice in choices:
            begun = time.perf_counter()
            work(choice)
            best[choice] = min(best[choice], time.perf_counter() - begun)
    return min(choices, key=best.__getitem__)
