"""A server on this machine that speaks the protocol of chat completions, as a test tells it to."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Reply = tuple[int, dict[str, str], bytes]
Behaviour = Callable[[int, dict[str, Any]], Reply]


class Server(ThreadingHTTPServer):
    """What it was asked, and how it answers the n-th request."""

    daemon_threads = True
    behaviour: Behaviour

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.busy = self.busiest = 0
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class Handler(BaseHTTPRequestHandler):
    """One request."""

    server: Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.lock:
            number = len(self.server.asked)
            self.server.asked.append({"path": self.path, **body})
            self.server.headers.append(dict(self.headers))
            self.server.busy += 1
            self.server.busiest = max(self.server.busiest, self.server.busy)
        status, headers, data = self.server.behaviour(number, body)
        with self.server.lock:
            self.server.busy -= 1
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Silent."""


def said(text: str, finish: str = "stop") -> Reply:
    choice = {"message": {"role": "assistant", "content": text}, "finish_reason": finish}
    return 200, {}, json.dumps({"choices": [choice]}).encode()


@contextmanager
def serving(behaviour: Behaviour) -> Iterator[Server]:
    """A server that answers like this, as long as it is needed."""
    server = Server()
    server.behaviour = behaviour
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
