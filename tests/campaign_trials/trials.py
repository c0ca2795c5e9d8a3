"""What can happen to a campaign while people annotate: each a trial, with what was lost in it."""

import http.client
import random
import signal
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from campaign_trials.annotators import (
    Annotator,
    Answer,
    NotSavedError,
    Work,
    entered,
    lost_or_wrong,
)
from campaign_trials.cuts import CuttingProxy
from campaign_trials.disks import MEGABYTE, Disk
from campaign_trials.postgresql import PostgreSQL
from campaign_trials.servers import Server, emptied, open_for, serving
from campaign_trials.works import WORKS
from campaign_trials.works import Work as Asked

_PEOPLE = 4
_CROWD = 12  # so that answers of several people are written at once
ROOM = 48 * MEGABYTE
_SCORES, _LINES = WORKS["da"], WORKS["phase1"]


@dataclass
class Outcome:
    """What was acknowledged, what is wrong, and how often the trouble happened."""

    saved: int = 0
    wrong: list[str] = field(default_factory=list)
    times: int = 0

    def __iadd__(self, other: "Outcome") -> "Outcome":
        self.saved += other.saved
        self.wrong += other.wrong
        self.times += other.times
        return self


def together(annotators: Sequence[Annotator], work: Work) -> None:
    """Everybody at once."""
    failures: list[BaseException] = []

    def guarded(annotator: Annotator) -> None:
        try:
            work(annotator)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=guarded, args=(each,)) for each in annotators]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def until(annotators: Sequence[Annotator], seconds: float, meanwhile: Callable[[], None]) -> None:
    """Everybody saves as fast as they can while something happens."""
    over = threading.Event()

    def work(annotator: Annotator) -> None:
        rng = random.Random(annotator.token)
        while not over.is_set():
            annotator.persist(annotator.new_answer(_SCORES.small(rng)))

    def happen() -> None:
        end = time.monotonic() + seconds
        try:
            meanwhile()
            time.sleep(max(0.0, end - time.monotonic()))
        finally:
            over.set()

    happening = threading.Thread(target=happen)
    happening.start()
    together(annotators, work)
    happening.join()


def _outcome(database: str, annotators: Sequence[Annotator], times: int) -> Outcome:
    for annotator in annotators:
        annotator.leave()
    saved = sum(len(each.acknowledged) for each in annotators)
    return Outcome(saved, lost_or_wrong(database, annotators), times)


# --- the trials ----------------------------------------------------------------------------------


def killed(database: str, rng: random.Random, asked: Asked = _SCORES) -> Outcome:
    """The server is killed after a random number of answers, at any point of the next ones."""
    emptied(database)
    links = open_for(_PEOPLE, database, asked)
    server = Server(database)
    annotators = entered([server.port], list(links.annotators.values()), asked)

    def work(annotator: Annotator) -> None:
        try:
            while True:
                annotator.send(annotator.new_answer(asked.small(rng)))
        except (OSError, http.client.HTTPException):
            return  # the server is gone

    enough = rng.randrange(20)
    moment = rng.uniform(0.0, 0.02)

    def kill() -> None:
        while sum(len(each.acknowledged) for each in annotators) < enough:
            time.sleep(0.001)
        time.sleep(moment)
        server.end(signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    together(annotators, work)
    killer.join()
    return _outcome(database, annotators, 1)


def full(database: str, disk: Disk, rng: random.Random, asked: Asked = _LINES) -> Outcome:
    """The disk fills while people save large and small answers; then there is room again."""
    emptied(database)
    disk.load(ROOM - asked.room * MEGABYTE)
    links = open_for(_CROWD, database, asked)
    waiting: list[tuple[Annotator, Answer]] = []
    with serving(database) as server:
        annotators = entered([server.port], list(links.annotators.values()), asked)

        def fill(annotator: Annotator) -> None:
            own = random.Random(rng.random())
            failed = 0
            while failed < 2:
                answer = annotator.new_answer(asked.any_size(own))
                try:
                    annotator.send(answer)
                except NotSavedError:
                    failed += 1
                    waiting.append((annotator, answer))
                if annotator.sent > 2000:
                    raise AssertionError("the disk does not fill")

        together(annotators, fill)
        refused = len(waiting)
        disk.unload()
        for annotator, answer in waiting:
            annotator.persist(answer)
    outcome = _outcome(database, annotators, 1)
    missing = refused - sum(answer.key in each.acknowledged for each, answer in waiting)
    outcome.wrong += ["not saved once there was room"] * missing
    return outcome


def two_servers(database: str, seconds: float) -> Outcome:
    """Two servers on one database; each person goes to either in turn."""
    emptied(database)
    links = open_for(_PEOPLE, database)
    with serving(database) as one, serving(database) as other:
        annotators = entered([one.port, other.port], list(links.annotators.values()))
        until(annotators, seconds, lambda: None)
    return _outcome(database, annotators, 1)


def clock_set_back(database: str, seconds: float) -> Outcome:
    """The server's clock is set back again and again."""
    emptied(database)
    links = open_for(_PEOPLE, database)
    times = 5

    def meanwhile() -> None:
        for turn in range(times):
            time.sleep(seconds / (times + 1))
            server.set_clock(-3600 * (turn + 1))

    with serving(database) as server:
        annotators = entered([server.port], list(links.annotators.values()))
        until(annotators, seconds, meanwhile)
    return _outcome(database, annotators, times)


def restarted(postgresql: PostgreSQL, times: int) -> Outcome:
    """PostgreSQL is restarted, gently and by force, while people save."""
    emptied(postgresql.url)
    links = open_for(_PEOPLE, postgresql.url)

    def meanwhile() -> None:
        for turn in range(times):
            time.sleep(0.5)
            postgresql.stop(("fast", "immediate")[turn % 2])
            postgresql.start()
        time.sleep(0.5)

    with serving(postgresql.url) as server:
        annotators = entered([server.port], list(links.annotators.values()))
        until(annotators, 0, meanwhile)
    return _outcome(postgresql.url, annotators, times)


def cut(database: str, seconds: float, rng: random.Random) -> Outcome:
    """The network is cut in the middle of saves: before they arrive, and before the reply does."""
    emptied(database)
    links = open_for(_PEOPLE, database)
    with serving(database) as server, CuttingProxy(server.port, rng) as proxy:
        annotators = entered([proxy.port], list(links.annotators.values()))
        proxy.cutting = True
        until(annotators, seconds, lambda: None)
        proxy.cutting = False
    return _outcome(database, annotators, proxy.cuts)
