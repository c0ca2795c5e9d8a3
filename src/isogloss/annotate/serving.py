"""Listening: a socket that is bound before anybody is told, and a server on it."""

import socket

import uvicorn
from fastapi import FastAPI

from isogloss.errors import InputError

_BACKLOG = 2048
_KEEP_ALIVE = 75  # seconds: annotators think longer than the usual five


def bound_socket(host: str, port: int) -> socket.socket:
    """A socket that listens at the address, or why there can be none.

    Whoever comes from now on waits until the server runs.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(_BACKLOG)  # not before this does the address belong to us alone
    except OSError as error:
        listening.close()
        raise InputError(
            f"cannot listen at {host}:{port} ({error.strerror}); choose another --port"
        ) from error
    return listening


def run(app: FastAPI, listening: socket.socket) -> None:
    """Serve until somebody interrupts."""
    config = uvicorn.Config(
        app,
        log_level="warning",
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=_KEEP_ALIVE,
    )
    uvicorn.Server(config).run(sockets=[listening])
