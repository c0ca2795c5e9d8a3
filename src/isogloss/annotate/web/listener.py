"""Listening: a socket that is bound before anybody is told, and a server on it that is patient."""

import asyncio
import socket
from collections.abc import Sequence
from ipaddress import ip_network
from urllib.parse import urlsplit

import h11
import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

from isogloss.errors import InputError

_BACKLOG = 2048
_PORTS = {"http": 80, "https": 443}
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
            f"cannot listen at {host}:{port} ({error.strerror}); choose another", lacking=["port"]
        ) from error
    return listening


def server_address(host: str, listening: socket.socket) -> str:
    """Where the socket is reached."""
    return f"http://{_bracketed(host)}:{listening.getsockname()[1]}"


def public_origin(url: str) -> str:
    """The origin of the address at which people find the campaign."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise InputError(f"{url} is no public address: {error}") from None
    if parts.scheme not in _PORTS or not host:
        raise InputError(f"{url} is no public address; they look like https://campaign.example.org")
    if parts.path not in ("", "/") or parts.query or parts.fragment or parts.username:
        raise InputError(f"{url}: a campaign needs a host name of its own, without a path")
    shown = "" if port in (None, _PORTS[parts.scheme]) else f":{port}"
    return f"{parts.scheme}://{_bracketed(host)}{shown}"


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def trusted_addresses(named: Sequence[str]) -> list[str]:
    """The addresses of proxies that may say for whom they ask."""
    for each in named:
        try:
            ip_network(each)
        except ValueError:
            raise InputError(f"{each}: a proxy is named by its IP address or network") from None
    return list(named)


class TimedProtocol(H11Protocol):
    """HTTP that hangs up on those who begin a request and do not go on, or read no reply."""

    patience = 20.0
    """Seconds for the head of a request, and for taking the next part of a reply."""

    _awaiting: asyncio.TimerHandle | None = None
    _sending: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Somebody has come: they are to say what they want."""
        super().connection_made(transport)
        self._await_head()

    def data_received(self, data: bytes) -> None:
        """Time runs from the first byte of a head to its last."""
        super().data_received(data)
        if self.conn.their_state is h11.IDLE:
            self._await_head()
        elif self._awaiting is not None:
            self._awaiting.cancel()
            self._awaiting = None

    def pause_writing(self) -> None:
        """The other side does not take any more."""
        super().pause_writing()
        self._sending = self.loop.call_later(self.patience, self.transport.abort)

    def resume_writing(self) -> None:
        """It does again."""
        super().resume_writing()
        if self._sending is not None:
            self._sending.cancel()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing is awaited any more."""
        for timer in (self._awaiting, self._sending):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    def _await_head(self) -> None:
        if self._awaiting is None:
            self._awaiting = self.loop.call_later(self.patience, self.transport.close)


def server(app: FastAPI, trusted: Sequence[str] = ()) -> uvicorn.Server:
    """A server for the campaign; what proxies say is believed of those at trusted addresses."""
    config = uvicorn.Config(
        app,
        http=TimedProtocol,
        ws="none",
        log_level="warning",
        server_header=False,
        proxy_headers=bool(trusted),
        forwarded_allow_ips=list(trusted),
        timeout_keep_alive=_KEEP_ALIVE,
    )
    return uvicorn.Server(config)


def run_server(app: FastAPI, listening: socket.socket, trusted: Sequence[str] = ()) -> None:
    """Serve until somebody interrupts."""
    server(app, trusted).run(sockets=[listening])
