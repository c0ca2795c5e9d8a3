"""A network that breaks: it passes bytes on, and hangs up in the middle of a message."""

import random
import socket
import struct
import threading
from contextlib import suppress

_BETWEEN = 1500  # bytes until a connection breaks, on average: some three answers


class CuttingProxy:
    """Listens at `port`; while `cutting`, connections break after a random number of bytes."""

    def __init__(self, to: int, rng: random.Random) -> None:
        self.to, self.rng = to, rng
        self.cutting = False
        self.cuts = 0
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self) -> "CuttingProxy":
        return self

    def __exit__(self, *_: object) -> None:
        self._listening.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                server = socket.create_connection(("127.0.0.1", self.to))
                for one, other in ((client, server), (server, client)):
                    threading.Thread(target=self._pass, args=(one, other), daemon=True).start()

    def _pass(self, source: socket.socket, target: socket.socket) -> None:
        """Pass on what comes, until the connection breaks."""
        left = self.rng.expovariate(1 / _BETWEEN)
        with suppress(OSError):
            while data := source.recv(4096):
                if self.cutting and len(data) > left:
                    target.sendall(data[: int(left)])
                    self.cuts += 1
                    break
                left -= len(data) if self.cutting else 0
                target.sendall(data)
        for end in (source, target):
            _hang_up(end)


def _hang_up(end: socket.socket) -> None:
    """At once and without a word, as a network does."""
    with suppress(OSError):
        end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        end.shutdown(socket.SHUT_RDWR)
        end.close()
