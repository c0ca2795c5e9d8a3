"""The program as a person meets it, a process for each call; what is shared is only its start.

A fresh interpreter takes half a second to import what most commands need, and the tests call
commands hundreds of times. So one process imports it all and forks for every call
(`program_server`). Whether commands start at all, soon and from nothing is tested elsewhere, with
interpreters of their own: `cli/test_program.py`, `cli/test_terminal.py`, `test_package.py`.
"""

import atexit
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import IO

_SERVER = Path(__file__).with_name("program_server.py")


class Program:
    """A running command; what it prints goes to the files that were given."""

    def __init__(
        self,
        arguments: tuple[object, ...],
        files: tuple[int, int, int],
        environment: Mapping[str, str],
        folder: Path | None,
    ) -> None:
        request = {
            "arguments": list(map(str, arguments)),
            "environment": {**os.environ, **environment},
            "folder": str(folder or Path.cwd()),
        }
        self.pid = _reply(request, list(files))

    def terminate(self) -> None:
        """Ask it to end."""
        os.kill(self.pid, signal.SIGTERM)

    def wait(self) -> int:
        """Its exit code, once it has ended."""
        return _reply({"wait": self.pid})


def run_program(
    *arguments: object, given: str = "", folder: Path | None = None, **environment: str
) -> "subprocess.CompletedProcess[str]":
    """What a command prints, and how it ends."""
    with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as told:
        with tempfile.TemporaryFile() as read:
            read.write(given.encode())
            read.seek(0)
            files = (read.fileno(), said.fileno(), told.fileno())
            code = Program(arguments, files, environment, folder).wait()
        words = ["isogloss", *map(str, arguments)]
        return subprocess.CompletedProcess(words, code, _text(said), _text(told))


@contextmanager
def started_program(*arguments: object) -> Iterator[tuple[Program, IO[str]]]:
    """A command that goes on, and what it prints meanwhile; leaving waits for its end."""
    reading, writing = os.pipe()
    with open(reading, encoding="utf-8") as lines:
        with open(os.devnull) as nothing, open(writing, "wb") as said:
            files = (nothing.fileno(), said.fileno(), said.fileno())
            program = Program(arguments, files, {}, None)
        try:
            yield program, lines
        finally:
            program.wait()


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode()


def _reply(request: Mapping[str, object], files: list[int] | None = None) -> int:
    connection = _server(os.getpid())
    socket.send_fds(connection, [json.dumps(request).encode()], files or [])
    answer = connection.recv(100)
    assert answer, "the server of programs has ended"
    return int(answer)


@cache
def _server(_: int) -> socket.socket:
    """The server of this process; it ends when its socket is closed."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    command = [sys.executable, str(_SERVER), str(theirs.fileno())]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, pass_fds=[theirs.fileno()])
    theirs.close()

    @atexit.register
    def end() -> None:
        ours.close()
        process.wait()

    return ours
