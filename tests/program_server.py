"""Starts the program again and again without importing it again: a script, not a test.

It imports what commands need once, and then forks for every request at its socket (the descriptor
that it is given). The child is a process like any other: it has the arguments, environment, folder
and files that were asked for, runs `isogloss.cli.main.main`, and ends as the interpreter ends.
"""

import gc
import json
import os
import pkgutil
import socket
import sys
import warnings
from contextlib import suppress
from importlib import import_module
from typing import Any

_AT_FIRST = (
    "fastapi",
    "isogloss.annotate.results.export",
    "isogloss.annotate.web.server",
    "isogloss.metrics.registry",
    "numpy",
    "rich.progress",
    "rich.table",
    "sacrebleu.metrics",
    "scipy.special",
    "sqlalchemy",
    "uvicorn",
)
_MOST = 1 << 20  # bytes of a request


def preload() -> None:
    """Import the commands, and what they import when they run."""
    import isogloss.cli

    commands = (f"isogloss.cli.{each.name}" for each in pkgutil.iter_modules(isogloss.cli.__path__))
    for name in (*commands, *_AT_FIRST):
        with suppress(ModuleNotFoundError):  # extras may be missing
            import_module(name)
    gc.freeze()  # a child that ends would look at every object once more, for half a second


def asked(connection: socket.socket) -> None:
    """Answer requests; returns in every child, and ends the process when nobody asks any more."""
    while True:
        data, files, _, _ = socket.recv_fds(connection, _MOST, 3)
        if not data:
            os._exit(0)
        request = json.loads(data)
        if "wait" in request:
            status = os.waitpid(request["wait"], 0)[1]
            reply = os.waitstatus_to_exitcode(status)
        else:
            with warnings.catch_warnings(action="ignore"):  # BLAS has threads, and knows of forks
                reply = os.fork()
            if reply == 0:
                connection.close()
                become(request, files)
                return
            for file in files:
                os.close(file)
        connection.send(str(reply).encode())


def become(request: dict[str, Any], files: list[int]) -> None:
    """Be the process that was asked for."""
    for target, file in enumerate(files):
        os.dup2(file, target)
        os.close(file)
    sys.stdin, sys.stdout, sys.stderr = (
        open(target, mode, encoding="utf-8", errors=errors)  # noqa: SIM115
        for target, (mode, errors) in enumerate(
            [("r", "strict"), ("w", "strict"), ("w", "backslashreplace")]
        )
    )
    sys.stderr.reconfigure(line_buffering=True)
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    sys.argv = ["isogloss", *request["arguments"]]


if __name__ == "__main__":
    preload()
    asked(socket.socket(fileno=int(sys.argv[1])))
    from isogloss.cli.main import main

    main()
