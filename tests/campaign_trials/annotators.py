"""Annotators who save answers over HTTP and remember which of them were acknowledged."""

import http.client
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from campaign_trials.works import WORKS, Value
from campaign_trials.works import Work as Asked
from isogloss.annotate import Store
from isogloss.annotate.storage.database import open_database
from isogloss.annotate.storage.verification import faults

_LOST = (OSError, http.client.HTTPException)


class NotSavedError(Exception):
    """The server said that the answer is not saved."""


@dataclass(frozen=True)
class Answer:
    """One answer on its way; sending it again sends the same key."""

    key: str
    item: int
    revision: int
    value: Value


class Annotator:
    """Somebody at a browser. `ports` are where the campaign is served: one after the other."""

    def __init__(self, ports: Sequence[int], token: str, items: Sequence[str]) -> None:
        self.ports, self.token, self.items = ports, token, items
        self.acknowledged: dict[str, tuple[int, Value]] = {}
        self.waits: list[float] = []
        self.revisions = [0] * len(items)
        self.sent = 0
        self._turn = 0
        self._connections: dict[int, http.client.HTTPConnection] = {}

    def enter(self) -> None:
        """Open one's link; the server may still be starting."""
        for _ in range(500):
            try:
                status, headers, _ = self._ask("GET", f"/a/{self.token}")
                break
            except _LOST:
                time.sleep(0.02)
        assert status == 200, status
        self.cookie = headers["set-cookie"].split(";")[0]
        tasks = json.loads(self._ask("GET", "/api/me")[2])["tasks"]
        self.task = tasks[0]["id"]

    def leave(self) -> None:
        """Close the browser."""
        for connection in self._connections.values():
            connection.close()

    def new_answer(self, value: Value) -> Answer:
        """The answer to the next item."""
        item = self.sent % len(self.items)
        self.sent += 1
        return Answer(f"{self.task}-{self.sent}", item, self.revisions[item], value)

    def send(self, answer: Answer) -> None:
        """Send an answer; it counts once the server says so."""
        wire = {
            "key": answer.key,
            "task": self.task,
            "item": self.items[answer.item],
            "revision": answer.revision,
            "value": answer.value,
            "at": time.time_ns() // 1_000_000,
        }
        started = time.perf_counter()
        status, _, body = self._ask("POST", "/api/answers", {"answers": [wire]})
        self.waits.append(time.perf_counter() - started)
        if status >= 500 or status == 429:
            raise NotSavedError(body)
        assert status == 200, body
        revision = _told(body)["receipts"][0]["revision"]
        assert revision == answer.revision + 1, body
        self.revisions[answer.item] = revision
        self.acknowledged[answer.key] = (revision, answer.value)

    def persist(self, answer: Answer, seconds: float = 60) -> None:
        """Send an answer until it is saved, as the page does."""
        end = time.monotonic() + seconds
        while True:
            try:
                self.send(answer)
            except (NotSavedError, *_LOST):
                if time.monotonic() > end:
                    raise
                time.sleep(0.05)
            else:
                return

    def _ask(self, method: str, path: str, body: Any = None) -> tuple[int, Any, bytes]:
        port = self.ports[self._turn % len(self.ports)]
        self._turn += 1
        if port not in self._connections:
            self._connections[port] = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        headers = {"Origin": f"http://127.0.0.1:{port}", "Content-Type": "application/json"}
        if hasattr(self, "cookie"):
            headers["Cookie"] = self.cookie
        connection = self._connections[port]
        try:
            connection.request(method, path, json.dumps(body) if body else None, headers)
            response = connection.getresponse()
            return response.status, response.headers, response.read()
        except _LOST:
            connection.close()
            raise


def _told(body: bytes) -> Any:
    """What a reply says; headers that were cut off in the middle leave less than a reply."""
    try:
        return json.loads(body)
    except ValueError:
        raise http.client.HTTPException("a reply was cut off") from None


def entered(
    ports: Sequence[int], tokens: Sequence[str], work: Asked = WORKS["da"]
) -> list[Annotator]:
    """Annotators who have come in."""
    annotators = [Annotator(ports, token, work.items) for token in tokens]
    for annotator in annotators:
        annotator.enter()
    return annotators


def lost_or_wrong(database: str, annotators: Sequence[Annotator]) -> list[str]:
    """What is wrong with the database, given what was acknowledged."""
    store = Store(open_database(database, new=False))
    events = list(store.events())
    wrong = faults(store)
    store.database.close()
    kept = {event.key: (event.revision, dict(event.value)) for event in events}
    for annotator in annotators:
        for key, (revision, value) in annotator.acknowledged.items():
            if key not in kept:
                wrong.append(f"lost: {key}")
            elif kept[key][0] != revision or not _says(kept[key][1], value):
                wrong.append(f"not what was sent: {key}")
    return [*wrong, *(["doubled"] * (len(events) - len(kept)))]


def _says(kept: Value, sent: Value) -> bool:
    """Whether what is kept is what was sent; the server adds what was left out."""
    return all(kept[name] == value for name, value in sent.items())


Work = Callable[[Annotator], None]
