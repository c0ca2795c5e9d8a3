"""How a campaign's server stands being killed, and how many annotators it keeps up with.

    python benchmarks/campaigns.py durability [--trials 1000] [--database URL]
    python benchmarks/campaigns.py load [--annotators 200] [--every 5] [--seconds 30]

durability: the real server runs in a process of its own and is killed (SIGKILL) at a random moment
while annotators save; then the database is opened again. Every answer that was acknowledged must be
there, once. load: annotators save at the pace given, each on a connection of its own; prints the
waiting times, and whether anything was lost or doubled.
"""

import argparse
import http.client
import json
import multiprocessing
import os
import random
import signal
import socket
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from isogloss.annotate.campaign import Campaign
from isogloss.annotate.database import open_database
from isogloss.annotate.material import DocumentText
from isogloss.annotate.opening import Links, opened
from isogloss.annotate.server import create_app
from isogloss.annotate.serving import bound_socket, run
from isogloss.annotate.store import Store
from isogloss.annotate.verification import faults

SEGMENTS = 50
PROCESSES = multiprocessing.get_context("fork")  # a server that starts in milliseconds


def serve(database: str, listening: socket.socket) -> None:
    """What the server's process does until it is killed."""
    run(create_app(Store(open_database(database))), listening)


def open_for(annotators: int, database: str) -> Links:
    """A campaign in which everybody scores the same document."""
    names = tuple(f"annotator-{number}" for number in range(annotators))
    text = DocumentText("doc", ["Zdroj."] * SEGMENTS, {"system": ["Source."] * SEGMENTS})
    store = Store(open_database(database))
    links = opened(Campaign("load", "", names, ("da",), redundancy=annotators), [text], "", store)
    store.database.close()
    return links


class Annotator:
    """Somebody at a browser: saves answers and remembers which were acknowledged."""

    def __init__(self, port: int, token: str) -> None:
        self.port, self.token = port, token
        self.acknowledged: dict[str, int] = {}
        self.sent = 0
        self.revisions = [0] * SEGMENTS
        self.waits: list[float] = []
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)

    def enter(self) -> None:
        """Open one's link; the server may still be starting."""
        for _ in range(200):
            try:
                status, headers, _ = self._ask("GET", f"/a/{self.token}")
                break
            except OSError:
                time.sleep(0.02)
                self.connection.close()
        assert status == 200, status
        self.cookie = headers["set-cookie"].split(";")[0]
        tasks = json.loads(self._ask("GET", "/api/me")[2])["tasks"]
        self.task = tasks[0]["id"]

    def _ask(self, method: str, path: str, body: Any = None) -> tuple[int, Any, bytes]:
        headers = {"Origin": f"http://127.0.0.1:{self.port}", "Content-Type": "application/json"}
        if hasattr(self, "cookie"):
            headers["Cookie"] = self.cookie
        self.connection.request(method, path, json.dumps(body) if body else None, headers)
        response = self.connection.getresponse()
        return response.status, response.headers, response.read()

    def _sent(self, answers: Any) -> tuple[int, Any, bytes]:
        """Send answers; once more, as the page does, where the server had hung up meanwhile."""
        try:
            return self._ask("POST", "/api/answers", answers)
        except (OSError, http.client.HTTPException):
            self.connection.close()
            return self._ask("POST", "/api/answers", answers)

    def save(self) -> None:
        """Answer the next item; counts only once the server said so."""
        segment = self.sent % SEGMENTS
        key = f"{self.task}-{self.sent}"
        answer = {
            "key": key,
            "task": self.task,
            "item": f"seg:{segment}/A",
            "revision": self.revisions[segment],
            "value": {"score": self.sent % 101},
            "at": time.time_ns() // 1_000_000,
        }
        self.sent += 1
        started = time.perf_counter()
        status, _, body = self._sent({"answers": [answer]})
        self.waits.append(time.perf_counter() - started)
        assert status == 200, body
        self.revisions[segment] = self.acknowledged[key] = json.loads(body)["receipts"][0][
            "revision"
        ]


def lost_or_doubled(database: str, annotators: list[Annotator]) -> list[str]:
    """What is wrong with the database, given what was acknowledged."""
    store = Store(open_database(database))
    events = [event.key for event in store.events()]
    wrong = faults(store)
    store.database.close()
    kept = set(events)
    lost = [key for each in annotators for key in each.acknowledged if key not in kept]
    doubled = len(events) - len(kept)
    return [*wrong, *(f"lost: {key}" for key in lost), *(["doubled"] * doubled)]


def emptied(database: str) -> None:
    """Remove all tables, so that the next trial begins anew."""
    if "://" not in database:
        for path in Path(database).parent.glob("*"):
            path.unlink()
        return
    from sqlalchemy import create_engine

    engine = create_engine(database)
    with engine.begin() as connection:
        connection.exec_driver_sql("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
    engine.dispose()


def killed_once(database: str, rng: random.Random) -> tuple[int, list[str]]:
    """One trial: how many answers were acknowledged before the kill, and what is wrong."""
    emptied(database)
    links = open_for(4, database)
    listening = bound_socket("127.0.0.1", 0)
    server = PROCESSES.Process(target=serve, args=(database, listening), daemon=True)
    server.start()
    annotators = [Annotator(listening.getsockname()[1], t) for t in links.annotators.values()]
    listening.close()
    for annotator in annotators:
        annotator.enter()

    def work(annotator: Annotator) -> None:
        try:
            while True:
                annotator.save()
        except (OSError, http.client.HTTPException):
            return  # the server is gone

    threads = [threading.Thread(target=work, args=(each,)) for each in annotators]
    for thread in threads:
        thread.start()
    time.sleep(rng.uniform(0.0, 0.15))
    os.kill(server.pid or 0, signal.SIGKILL)
    server.join()
    for thread in threads:
        thread.join()
    saved = sum(len(each.acknowledged) for each in annotators)
    return saved, lost_or_doubled(database, annotators)


def durability(database: str, trials: int) -> bool:
    """Kill the server again and again."""
    rng = random.Random(1)
    saved, wrong = 0, []
    for trial in range(trials):
        acknowledged, found = killed_once(database, rng)
        saved += acknowledged
        wrong += found
        if sys.stderr.isatty():
            print(f"\r{trial + 1} of {trials}", end="", file=sys.stderr)
    print(f"{trials} kills, {saved:,} acknowledged answers, {len(wrong)} lost or wrong")
    for line in wrong[:10]:
        print(f"  {line}")
    return not wrong


def load(database: str, annotators: int, every: float, seconds: float) -> bool:
    """Everybody saves at the pace given."""
    emptied(database)
    links = open_for(annotators, database)
    listening = bound_socket("127.0.0.1", 0)
    server = PROCESSES.Process(target=serve, args=(database, listening), daemon=True)
    server.start()
    people = [Annotator(listening.getsockname()[1], t) for t in links.annotators.values()]
    for person in people:
        person.enter()
    end = time.perf_counter() + seconds
    rng = random.Random(2)

    def work(person: Annotator, begin: float) -> None:
        due = begin
        while due < end:
            time.sleep(max(0.0, due - time.perf_counter()))
            person.save()
            due += every

    now = time.perf_counter()
    threads = [
        threading.Thread(target=work, args=(person, now + rng.uniform(0, every)))
        for person in people
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    os.kill(server.pid or 0, signal.SIGTERM)
    server.join()
    waits = sorted(wait for person in people for wait in person.waits)
    wrong = lost_or_doubled(database, people)
    p50, p99 = (1000 * waits[int(len(waits) * share)] for share in (0.5, 0.99))
    print(
        f"{annotators} annotators, a save every {every:g} s each: {len(waits):,} saves "
        f"({len(waits) / seconds:.0f}/s), median {p50:.1f} ms, p99 {p99:.1f} ms, "
        f"slowest {1000 * waits[-1]:.0f} ms, {len(wrong)} lost or doubled",
        flush=True,
    )
    return not wrong


def main() -> None:
    """Run one of the two."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", choices=["durability", "load"])
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--annotators", type=int, default=200)
    parser.add_argument("--every", type=float, default=5.0)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--database", help="the URL of an empty PostgreSQL database")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        database = arguments.database or f"{folder}/campaign.db"
        if arguments.what == "durability":
            fine = durability(database, arguments.trials)
        else:
            fine = load(database, arguments.annotators, arguments.every, arguments.seconds)
    sys.exit(not fine)


if __name__ == "__main__":
    main()
