"""How campaigns stand what can happen to them, and how many annotators a server keeps up with.

    python benchmarks/campaigns.py durability [--kills 1000] [--full-disks 200] [--minutes 600]
                                              [--seconds 10] [--kind KIND]
                                              [--postgresql | --database URL]
    python benchmarks/campaigns.py flips [--flips 10000]
    python benchmarks/campaigns.py load [--annotators 200] [--every 5] [--seconds 30]

`--kind contrastive` (document, preference, da, phase1) lets people answer what is asked there;
without it scores of segments are saved, and lines of any size where the disk fills.

durability: the real server runs in a process of its own while annotators save. It is killed
(SIGKILL) at random moments, its disk fills and has room again, a second server writes to the same
database, its clock is set back, PostgreSQL is restarted, the network is cut. Every answer that was
acknowledged must be in the database, once and as it was sent. --postgresql starts a PostgreSQL of
its own; without it, it is SQLite. flips: single bits of a database are turned over; every one that
does harm must be reported. load: annotators save at the pace given, each on a connection of its
own; prints the waiting times, and whether anything was lost or doubled.
"""

import argparse
import random
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

sys.path[0] = str(Path(__file__).parents[1] / "tests")  # where its parts are

from campaign_trials.annotators import entered, lost_or_wrong  # noqa: E402
from campaign_trials.disks import Disk, small_disk, why_no_disk  # noqa: E402
from campaign_trials.flips import try_flips  # noqa: E402
from campaign_trials.postgresql import PostgreSQL, running_postgresql  # noqa: E402
from campaign_trials.servers import open_for, serving  # noqa: E402
from campaign_trials.trials import (  # noqa: E402
    ROOM,
    Outcome,
    clock_set_back,
    cut,
    full,
    killed,
    restarted,
    two_servers,
)
from campaign_trials.works import WORKS  # noqa: E402


def repeated(times: int, minutes: float, trial: Callable[[], Outcome]) -> Outcome:
    """The trial so many times, or as often as the time allows."""
    outcome = Outcome()
    end = time.monotonic() + 60 * minutes
    for number in range(times):
        if time.monotonic() > end:
            break
        outcome += trial()
        if sys.stderr.isatty():
            print(f"\r{number + 1} of {times}", end="", file=sys.stderr)
    return outcome


def told(what: str, outcome: Outcome) -> bool:
    """Print what came of it."""
    print(
        f"{outcome.times:,} {what}: {outcome.saved:,} acknowledged answers, "
        f"{len(outcome.wrong)} lost, doubled or wrong",
        flush=True,
    )
    for line in outcome.wrong[:10]:
        print(f"  {line}")
    return not outcome.wrong


@contextmanager
def small_place(postgresql: PostgreSQL | None) -> Iterator[tuple[str, Disk]]:
    """A database on a small disk."""
    with small_disk(ROOM) as disk:
        if postgresql is None:
            yield str(disk.folder / "campaign.db"), disk
            return
        with postgresql.keeping_tables_in(disk.folder):
            yield postgresql.url, disk


def durability(arguments: argparse.Namespace, database: str, server: PostgreSQL | None) -> bool:
    """Everything that can happen."""
    rng = random.Random(1)
    seconds = arguments.seconds
    minutes = arguments.minutes
    small = WORKS[arguments.kind or "da"]
    fine = told("kills", repeated(arguments.kills, minutes, lambda: killed(database, rng, small)))
    fine &= told("pair of servers on one database", two_servers(database, seconds))
    fine &= told("times the clock was set back", clock_set_back(database, seconds))
    fine &= told("connections cut in the middle", cut(database, seconds, rng))
    if server is not None:
        fine &= told("restarts of PostgreSQL", restarted(server, max(1, int(seconds))))
    if server is None and "://" in database:
        print("no full disks: start with --postgresql, so that it can have a small one")
    elif reason := why_no_disk():
        print(f"no full disks: {reason}")
    else:
        large = WORKS[arguments.kind or "phase1"]
        with small_place(server) as (place, disk):
            filled = repeated(arguments.full_disks, minutes, lambda: full(place, disk, rng, large))
        fine &= told("times the disk was full", filled)
    return fine


def flips(folder: Path, number: int) -> bool:
    """Bits are turned over."""
    found = try_flips(folder, number)
    print(
        f"{found.flips:,} bits turned over: {found.harmful:,} did harm, {found.unseen} of them "
        f"unseen by verify; {found.harmless_reported:,} did none and were reported; "
        f"{found.tracebacks} tracebacks"
    )
    for note in found.notes[:10]:
        print(f"  {note}")
    return not found.notes


def load(database: str, annotators: int, every: float, seconds: float, kind: str) -> bool:
    """Everybody saves at the pace given."""
    links = open_for(annotators, database, WORKS[kind])
    rng = random.Random(2)
    with serving(database) as server:
        people = entered([server.port], list(links.annotators.values()), WORKS[kind])
        begin = time.perf_counter()
        starts = [begin + rng.uniform(0, every) for _ in people]

        def work(number: int) -> None:
            due = starts[number]
            while due < begin + seconds:
                time.sleep(max(0.0, due - time.perf_counter()))
                person = people[number]
                person.persist(person.new_answer(WORKS[kind].small(random.Random(number))))
                due += every

        threads = [threading.Thread(target=work, args=(n,)) for n in range(len(people))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    waits = sorted(wait for person in people for wait in person.waits)
    wrong = lost_or_wrong(database, people)
    p50, p99 = (1000 * waits[int(len(waits) * share)] for share in (0.5, 0.99))
    print(
        f"{annotators} annotators, a save every {every:g} s each: {len(waits):,} saves "
        f"({len(waits) / seconds:.0f}/s), median {p50:.1f} ms, p99 {p99:.1f} ms, "
        f"slowest {1000 * waits[-1]:.0f} ms, {len(wrong)} lost or doubled",
        flush=True,
    )
    return not wrong


def main() -> None:
    """Run one of the three."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", choices=["durability", "flips", "load"])
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--full-disks", type=int, default=200)
    parser.add_argument("--minutes", type=float, default=600, help="at most, for kills; for disks")
    parser.add_argument("--flips", type=int, default=10_000)
    parser.add_argument("--annotators", type=int, default=200)
    parser.add_argument("--every", type=float, default=5.0)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--kind", choices=list(WORKS), help="of work: answers of that kind alone")
    parser.add_argument("--database", help="the URL of an empty PostgreSQL database")
    parser.add_argument("--postgresql", action="store_true", help="start a PostgreSQL for this")
    arguments = parser.parse_args()
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        server = stack.enter_context(running_postgresql()) if arguments.postgresql else None
        database = server.url if server else arguments.database or f"{folder}/campaign.db"
        if arguments.what == "durability":
            fine = durability(arguments, database, server)
        elif arguments.what == "flips":
            fine = flips(Path(folder), arguments.flips)
        else:
            kind = arguments.kind or "da"
            fine = load(database, arguments.annotators, arguments.every, arguments.seconds, kind)
    sys.exit(not fine)


if __name__ == "__main__":
    main()
