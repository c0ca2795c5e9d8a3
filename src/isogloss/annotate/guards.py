"""What stands between the campaign and everybody else: headers, origins, limits on what is sent."""

import asyncio
import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from fastapi import HTTPException, Request, Response
from fastapi.responses import JSONResponse
from sqlalchemy.exc import DataError, SQLAlchemyError
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from isogloss.annotate.database import NotKeptError, is_full, reason

_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "manifest-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}
MAX_BODY = 4 * 1024 * 1024
BODY_PATIENCE = 20.0
"""Seconds until more of a body must have come."""
WHOLE_BODY_PATIENCE = 120.0
_SAFE = ("GET", "HEAD")
_KEPT = "answers wait in the browser until they are saved; tell the organiser if this lasts"

logger = logging.getLogger(__name__)


def printable(text: str) -> str:
    """The text as it can be sent: what was sent to us need not be proper Unicode."""
    return text.encode("utf-8", "replace").decode("utf-8")


def refusal(status: int, what: str, remedy: str = "", *, closing: bool = False) -> JSONResponse:
    """An error as every page understands it; `closing` where more may come that nobody wants."""
    headers = {"Connection": "close"} if closing else None
    return JSONResponse({"error": printable(what), "remedy": remedy}, status, headers)


def told(error: HTTPException, *, closing: bool = False) -> JSONResponse:
    """The same for one that was raised: what is wrong, a bar, and what to do."""
    what, _bar, remedy = str(error.detail).partition(" | ")
    return refusal(error.status_code, what, remedy, closing=closing)


# --- the guard -----------------------------------------------------------------------------------


class Guard:
    """Refuses what no page of ours sends, before it is read; puts the headers on what goes out.

    `known` is whoever asks, or raises; `origin` is where the pages are, if not where they are asked
    for: a proxy may stand in between.
    """

    def __init__(self, app: ASGIApp, known: Callable[[Request], Any], origin: str | None) -> None:
        self.app, self.known, self.origin = app, known, origin

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request = Request(scope)
        sending = _with_headers(request, send)
        refused = self._refused(request) or await self._stranger(request)
        if refused is not None:
            await refused(scope, receive, sending)
        else:
            await self.app(scope, _Body(receive), sending)

    def _refused(self, request: Request) -> Response | None:
        """Why this is refused by its headers alone."""
        length = request.headers.get("content-length")
        coded = "transfer-encoding" in request.headers
        if coded and length is not None:  # two lengths: what reads either may be led astray
            return refusal(400, "a request has one length, not two", closing=True)
        if request.method in _SAFE:
            sends = coded or length not in (None, "0")
            return refusal(400, "nothing can be sent here", closing=True) if sends else None
        if not self._same_origin(request):
            return refusal(403, "this came from another site", closing=True)
        if not request.headers.get("content-type", "").startswith("application/json"):
            return refusal(415, "only JSON is taken here", closing=True)
        if length is None or not length.isdecimal():
            return refusal(411, "the length of the request must be known", closing=True)
        return _too_large() if len(length) > 12 or int(length) > MAX_BODY else None

    def _same_origin(self, request: Request) -> bool:
        """A page of this very site, as its browser tells; without a word from it, no."""
        site = request.headers.get("sec-fetch-site")
        if site is not None and site != "same-origin":
            return False
        here = self.origin or f"{request.url.scheme}://{request.url.netloc}"
        return request.headers.get("origin") == here

    async def _stranger(self, request: Request) -> Response | None:
        """Nothing is read of what strangers send."""
        if request.method in _SAFE:
            return None
        try:
            request.state.actor = await run_in_threadpool(self.known, request)
        except HTTPException as error:
            return told(error, closing=True)
        except (SQLAlchemyError, NotKeptError) as error:
            return unavailable(error)
        return None


def _too_large() -> Response:
    remedy = f"send at most {MAX_BODY:,} bytes at a time"
    return refusal(413, "this is too large", remedy, closing=True)


def _with_headers(request: Request, send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
            if request.url.path.startswith("/api/"):
                headers["Cache-Control"] = "no-store"
        await send(message)

    return sending


class _Body:
    """A body as it comes in: neither longer nor slower than it may be."""

    def __init__(self, receive: Receive) -> None:
        self.receive = receive
        self.length = 0
        self.ended = False
        self.deadline = time.monotonic() + WHOLE_BODY_PATIENCE

    async def __call__(self) -> Message:
        if self.ended:  # what is awaited now is the end of the connection
            return await self.receive()
        left = min(BODY_PATIENCE, self.deadline - time.monotonic())
        try:
            message = await asyncio.wait_for(self.receive(), left)
        except TimeoutError:
            raise HTTPException(408, "this came too slowly | check the network") from None
        self.length += len(message.get("body", b""))
        if self.length > MAX_BODY:
            raise HTTPException(413, "this is too large")
        self.ended = not message.get("more_body", False)
        return message


# --- trouble with the database -------------------------------------------------------------------


def unavailable(error: Exception) -> Response:
    """What is told where the database fails: nothing that was sent is saved."""
    if isinstance(error, DataError):  # not its fault: it was asked for what nothing can be called
        return refusal(422, "this cannot be kept")
    what = (
        "the campaign's disk is full" if is_full(error) else "the campaign's database is not there"
    )
    if _complaining.allows(what):
        logger.error("%s, nothing is saved: %s", what, reason(error))
    return refusal(503, what, _KEPT)


class Limit:
    """So many tries at once and so many a second afterwards, for each of many callers."""

    def __init__(self, burst: int, per_second: float, callers: int = 10_000) -> None:
        self.burst, self.per_second, self.callers = burst, per_second, callers
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def allows(self, caller: str) -> bool:
        """Whether the caller may go on; a try that is allowed is counted."""
        now = time.monotonic()
        with self._lock:
            left, since = self._left.pop(caller, (float(self.burst), now))
            left = min(self.burst, left + (now - since) * self.per_second)
            allowed = left >= 1
            self._left[caller] = (left - 1 if allowed else left, now)
            while len(self._left) > self.callers:  # the longest idle one is forgotten
                self._left.popitem(last=False)
        return allowed


_complaining = Limit(burst=1, per_second=1 / 60)
"""A full disk is told to the organiser's terminal, but not with every answer."""
