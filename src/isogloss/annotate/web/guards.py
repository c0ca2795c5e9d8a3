"""What stands between the campaign and everybody else: headers, origins, limits on what is sent.

Who is asking, by their cookie, and the receipts that they get for what they send.
"""

import asyncio
import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Annotated, Any, cast

from fastapi import Depends, HTTPException, Request, Response
from fastapi.responses import JSONResponse
from sqlalchemy.exc import DataError, SQLAlchemyError
from starlette._utils import get_route_path
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from isogloss.annotate.storage.database import NotKeptError, database_trouble, is_full
from isogloss.annotate.storage.integrity import Outcome
from isogloss.annotate.storage.schema import (
    Actor,
    Late,
    LateReason,
    Reused,
    Saved,
    Submission,
    hashed,
)
from isogloss.annotate.storage.store import Store
from isogloss.annotate.wire import Receipt, Receipts, SentAnswer, SentAnswers, answer_view
from isogloss.errors import InputError

_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "worker-src 'self'",
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


class Refused(HTTPException):
    """What is wrong with a request, and what to do about it."""

    def __init__(self, status: int, what: str, remedy: str = "") -> None:
        super().__init__(status, what)
        self.remedy = remedy


def refusal(status: int, what: str, remedy: str = "", *, closing: bool = False) -> JSONResponse:
    """An error as every page understands it; `closing` where more may come that nobody wants."""
    headers = {"Connection": "close"} if closing else None
    return JSONResponse({"error": printable(what), "remedy": remedy}, status, headers)


def told(error: HTTPException, *, closing: bool = False) -> JSONResponse:
    """The same for one that was raised."""
    remedy = error.remedy if isinstance(error, Refused) else ""
    return refusal(error.status_code, str(error.detail), remedy, closing=closing)


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
        sending = with_headers(request, send)
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
        if get_route_path(request.scope) == ENROLLING:
            return _newcomer(request)
        try:
            request.state.actor = await run_in_threadpool(self.known, request)
        except HTTPException as error:
            return told(error, closing=True)
        except (SQLAlchemyError, NotKeptError) as error:
            return unavailable(error)
        return None


ENROLLING = "/api/enrol"
"""Where somebody may send something whom nobody knows: little, and seldom."""
_MAX_NEWCOMER = 2_000


def _newcomer(request: Request) -> Response | None:
    """Why a newcomer is not even heard."""
    if int(request.headers["content-length"]) > _MAX_NEWCOMER:
        return refusal(413, "this is too large", closing=True)
    caller = request.client.host if request.client else ""
    limits = request.app.state
    if limits.enrolling.allows(caller) and limits.crowding.allows("everybody"):
        return None
    return refusal(429, "too many are coming at once", "try again in a minute", closing=True)


def _too_large() -> Response:
    remedy = f"send at most {MAX_BODY:,} bytes at a time"
    return refusal(413, "this is too large", remedy, closing=True)


def is_of_pages(request: Request) -> bool:
    """Whether one of our pages asks, or a program in its place: not a person who opens a page."""
    return get_route_path(request.scope).startswith("/api/")


def with_headers(request: Request, send: Send) -> Send:
    """A way out that puts the headers on."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
            if is_of_pages(request):
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
            raise Refused(408, "this came too slowly", "check the network") from None
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
        logger.error("%s, nothing is saved: %s", what, database_trouble(error))
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


LINK = "open the link that the organiser gave you"
CUT = "it may be cut off or out of date: copy all of it, or ask the organiser for a new one"
"""About a link that is none; programs for mail and messages break long ones."""


def the_store(request: Request) -> Store:
    """The campaign's memory."""
    return cast(Store, request.app.state.store)


def somebody(request: Request) -> Actor:
    """Whoever is asking, by their cookie, even if their link was withdrawn."""
    if (known := getattr(request.state, "actor", None)) is not None:
        return cast(Actor, known)  # the guard has asked already
    token = request.cookies.get(request.app.state.cookie, "")
    caller = hashed(token)
    if not request.app.state.asking.allows(caller):
        raise Refused(429, "too many requests at once", "wait a moment")
    actor = the_store(request).actor_with(token) if token else None
    if actor is None:
        raise Refused(401, "nobody knows you here", LINK)
    return actor


def the_actor(actor: Annotated[Actor, Depends(somebody)]) -> Actor:
    """Whoever is asking, if their link still opens the campaign."""
    if actor.state == "withdrawn":
        raise Refused(403, "your link was withdrawn", "what you said until then is kept")
    return actor


def an_annotator(actor: Annotated[Actor, Depends(the_actor)]) -> Actor:
    """Whoever is asking, if they annotate."""
    if actor.role != "annotator":
        raise HTTPException(403, "this is for annotators")
    return actor


def once_an_annotator(actor: Annotated[Actor, Depends(somebody)]) -> Actor:
    """Whoever is asking, if they annotate or did before their link was withdrawn."""
    if actor.role != "annotator":
        raise HTTPException(403, "this is for annotators")
    return actor


def a_curator(actor: Annotated[Actor, Depends(the_actor)]) -> Actor:
    """Whoever is asking, if they may see all answers and decide."""
    if actor.role not in ("organiser", "curator"):
        raise HTTPException(403, "this is for the organiser and curators of the campaign")
    return actor


def an_overseer(actor: Annotated[Actor, Depends(the_actor)]) -> Actor:
    """Whoever is asking, if they may see how the campaign goes."""
    if actor.role == "annotator":
        raise HTTPException(403, "this is for those who run or watch the campaign")
    return actor


def the_organiser(actor: Annotated[Actor, Depends(the_actor)]) -> Actor:
    """Whoever is asking, if they organise the campaign."""
    if actor.role != "organiser":
        raise HTTPException(403, "this is for the organiser of the campaign")
    return actor


Memory = Annotated[Store, Depends(the_store)]
Known = Annotated[Actor, Depends(somebody)]
FormerOrNot = Annotated[Actor, Depends(once_an_annotator)]
Annotator = Annotated[Actor, Depends(an_annotator)]
Overseer = Annotated[Actor, Depends(an_overseer)]
Curator = Annotated[Actor, Depends(a_curator)]
Organiser = Annotated[Actor, Depends(the_organiser)]


def receipts_for(
    store: Store,
    actor: Actor,
    sent: SentAnswers,
    response: Response,
    submission: Callable[[SentAnswer], Submission],
) -> Receipts:
    """Save what can be saved; 409 where an answer came late or was based on an old revision.

    Whatever the status, every answer has its receipt: one that is wrong keeps no other back.
    """
    receipts: list[Receipt | None] = []
    taken = []
    for answer in sent.answers:
        try:
            taken.append(submission(answer))
            receipts.append(None)
        except InputError as error:
            receipts.append(Receipt(key=answer.key, refused=printable(str(error))))
    outcomes = store.save(actor.id, taken)
    found = iter(outcomes)
    told = [receipt or _receipt(next(found)) for receipt in receipts]
    late = any(isinstance(each, Late) for each in outcomes)
    if late or any(receipt.conflict for receipt in told):
        response.status_code = 409
    elif any(receipt.refused for receipt in told):
        response.status_code = 422
    return Receipts(receipts=told)


_KEPT_LATE = "it is not counted, but the organiser has it"
_TOO_LATE: Mapping[LateReason, str] = {
    "closed": f"it came after the campaign was closed; {_KEPT_LATE}",
    "withdrawn": f"it came after your link was withdrawn; {_KEPT_LATE}",
    "moved": f"this was given to somebody else meanwhile; {_KEPT_LATE}",
}


def _receipt(found: Outcome) -> Receipt:
    if isinstance(found, Saved):
        return Receipt(key=found.key, revision=found.revision)
    if isinstance(found, Reused):
        return Receipt(key=found.key, refused="its key was used for another answer already")
    if isinstance(found, Late):
        return Receipt(key=found.key, refused=_TOO_LATE[found.reason])
    if found.stands is None:
        return Receipt(key=found.key, refused="there is no answer yet that this could change")
    return Receipt(key=found.key, conflict=answer_view(found.stands))
