"""What a Ray cluster costs beside a plain pool of processes, by the processor time of both.

    python benchmarks/scale_overhead.py [--rows N] [--turns N]

Rows are scored with chrF, so light that whatever else costs time shows, by two processes and by two
nodes of one core, in turns; medians of the ratios come with the interval of a bootstrap.
"""

import argparse
import os
import random
import statistics
import tempfile
import time
from collections.abc import Collection, Sequence
from pathlib import Path

from isogloss.scale import CorpusJob
from isogloss.scale.cluster import ray_crew
from isogloss.scale.crew import Crew
from isogloss.scale.pool import pool
from scale import cluster, job_of, write_corpus


def overhead(rows: int, rounds: int) -> None:
    """The same rows on a pool and on Ray, in turns, by the processor time of all that takes part.

    Workers are there before the first turn: what they do for their start is not in it.
    """
    with tempfile.TemporaryDirectory() as folder, cluster(2):
        job = job_of(write_corpus(Path(folder) / "rows.jsonl", rows))
        rays = processes()
        with ray_crew("auto") as on_ray, pool(2) as here:
            for crew in (on_ray, here):
                spent(crew, job)  # loads what workers need
            pooled = _workers_of_pool()
            turns = [_turn(on_ray, here, job, pooled, number) for number in range(rounds)]
            idle = standing_still(pooled)
    print(f"{rows:,} rows of chrF a turn, {rounds} turns each; beside workers {len(rays)} of Ray")
    print(f"Ray's processes standing still: {idle * 1000:.0f} ms of processor a second")
    _compared("processor", [(a[0], b[0]) for a, b in turns])
    _compared("processor without that", [(a[0] - idle * a[1], b[0]) for a, b in turns])
    _compared("wall", [(a[1], b[1]) for a, b in turns])


def _compared(name: str, pairs: Sequence[tuple[float, float]]) -> None:
    """Seconds on Ray and in the pool, and their ratio with its interval."""
    ratios = [ray / pooled for ray, pooled in pairs]
    low, high = interval(ratios)
    on_ray, here = (statistics.median(pair[n] for pair in pairs) for n in (0, 1))
    print(
        f"{name}: pool {here:.2f} s, Ray {on_ray:.2f} s; Ray takes "
        f"{statistics.median(ratios):.3f} times as much (median; 95 %: {low:.3f} to {high:.3f})"
    )


def standing_still(pooled: Collection[int], seconds: float = 15.0) -> float:
    """What Ray's processes use of a processor while nothing is asked of them."""

    def used() -> float:
        return sum(processor_seconds(p) for p in processes() if p not in pooled)

    before, begun = used(), time.monotonic()
    time.sleep(seconds)
    return (used() - before) / (time.monotonic() - begun)


Spent = tuple[float, float]
"""Seconds of the processor, and of the clock."""


def _turn(
    on_ray: Crew, here: Crew, job: CorpusJob, pooled: set[int], number: int
) -> tuple[Spent, Spent]:
    """What the rows cost on Ray and in the pool; who comes first changes."""
    kinds: list[tuple[Crew, bool]] = [(on_ray, False), (here, True)]
    if number % 2:
        kinds.reverse()
    found = {own: spent(crew, job, pooled, own) for crew, own in kinds}
    return found[False], found[True]


def spent(crew: Crew, job: CorpusJob, pooled: Collection[int] = (), own: bool = True) -> Spent:
    """Run the rows through a crew: processor time of this process and of the crew's own."""

    def used() -> float:
        others = [p for p in processes() if (p in pooled) == own]
        return time.process_time() + sum(map(processor_seconds, others))

    before, begun = used(), time.monotonic()
    for _ in crew.run(job.task, job.blocks(), ordered=False):
        pass
    return used() - before, time.monotonic() - begun


def interval(values: Sequence[float], draws: int = 10_000) -> tuple[float, float]:
    """The middle 95 % of the medians of resampled values."""
    chance = random.Random(1)
    medians = sorted(statistics.median(chance.choices(values, k=len(values))) for _ in range(draws))
    return medians[draws // 40], medians[-draws // 40]


def processes(above: int | None = None) -> list[int]:
    """All processes below one, or below this one."""
    below, waiting = [], [above or os.getpid()]
    parents = {
        int(p.name): _parent(int(p.name)) for p in Path("/proc").iterdir() if p.name.isdecimal()
    }
    while waiting:
        parent = waiting.pop()
        found = [process for process, its in parents.items() if its == parent]
        below += found
        waiting += found
    return below


def _workers_of_pool() -> set[int]:
    return {process for process in processes() if "spawn_main" in command_of(process)}


def command_of(process: int) -> str:
    """How it was started, or what it calls itself; nothing once it has ended."""
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes().decode(errors="replace")
    except OSError:
        return ""


def processor_seconds(process: int) -> float:
    """Of a process, and of those of its children that have ended."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def _parent(process: int) -> int:
    try:
        return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def main() -> None:
    """Compare them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=16_000, help="rows of a turn")
    parser.add_argument("--turns", type=int, default=24)
    given = parser.parse_args()
    overhead(given.rows, given.turns)


if __name__ == "__main__":
    main()
