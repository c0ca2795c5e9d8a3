"""The campaign's server: who may ask, what they are told, and how answers come in.

The campaign's page: an empty frame, and the program and the style that fill it.

They are built from web/ and lie beside this module. What is not among them is not served, whatever
its path.
"""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import cast

from fastapi import APIRouter, FastAPI, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, Response
from sqlalchemy.exc import SQLAlchemyError

from isogloss.annotate.answers import checked_value
from isogloss.annotate.campaign import Phase
from isogloss.annotate.items import ItemName, check_flexible, check_pair
from isogloss.annotate.launch import cookie_name
from isogloss.annotate.storage.database import NotKeptError
from isogloss.annotate.storage.schema import OPENED, Actor, Submission, Task, hashed
from isogloss.annotate.storage.store import Store
from isogloss.annotate.web.guards import (
    LINK,
    Annotator,
    Anyone,
    Guard,
    Limit,
    Memory,
    Refused,
    receipts_for,
    refusal,
    the_actor,
    told,
    unavailable,
)
from isogloss.annotate.web.organiser import MakesResults, organising, viewing
from isogloss.annotate.wire import Me, Receipts, SentAnswer, SentAnswers, TaskView, me, task_view
from isogloss.errors import InputError, IsoglossError

_TYPES: Mapping[str, str] = {
    "annotate.js": "text/javascript; charset=utf-8",
    "annotate.css": "text/css; charset=utf-8",
    "LICENSES.txt": "text/plain; charset=utf-8",
}
# The policy forbids scripts and styles inside a page, so these stand in files of their own.
_FRAME = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>isogloss</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/app/annotate.css">
<script defer src="/app/annotate.js"></script>
</head>
<body>
<div id="app"></div>
<noscript>This page needs JavaScript, which the campaign's own server sends.</noscript>
</body>
</html>
"""

pages = APIRouter()


@pages.get("/")
def get_frame() -> HTMLResponse:
    """The page for everybody; it asks who has come."""
    return HTMLResponse(_FRAME, headers={"Cache-Control": "no-cache"})


@pages.get("/app/{name}")
def get_part(request: Request, name: str) -> Response:
    """A part of the program; a browser that has it already is told so."""
    if name not in _TYPES:
        raise HTTPException(404, "there is no such page")
    content, tag = _part(name)
    headers = {"Cache-Control": "no-cache", "ETag": tag}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(content, media_type=_TYPES[name], headers=headers)


@cache
def _part(name: str) -> tuple[str, str]:
    content = files("isogloss.annotate").joinpath("app", name).read_text(encoding="utf-8")
    return content, f'"{hashed(content)[:32]}"'


# A page of our own does the redirect: a browser that came from another site (a mail, say) would
# not send a strict cookie along with a redirect by status.
_ENTERED = """<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta http-equiv="refresh" content="0; url=/"><link rel="icon" href="data:,">
<title>isogloss</title></head>
<body><p><a href="/">Go on to the campaign</a></p></body></html>"""


def create_app(
    store: Store, origin: str | None = None, results: MakesResults | None = None
) -> FastAPI:
    """The server of an open campaign.

    `origin` is where people find it (``https://campaign.example.org``), if that is not where it is
    asked: behind a proxy that speaks TLS the server itself sees plain HTTP. `results` makes the
    organiser's page of results.
    """
    campaign = store.fact(OPENED)
    if campaign is None:
        raise InputError("this campaign is not open yet; open it with 'isogloss annotate serve'")
    app = FastAPI(title=campaign["name"], docs_url=None, redoc_url=None, openapi_url=None)
    app.state.store = store
    app.state.cookie = cookie_name(store)
    app.state.entering = Limit(burst=20, per_second=0.2)
    app.state.asking = Limit(burst=200, per_second=20)
    app.state.origin = origin
    app.state.results = results
    app.add_middleware(Guard, known=the_actor, origin=origin)
    app.exception_handler(HTTPException)(_told)
    app.exception_handler(SQLAlchemyError)(_unavailable)
    app.exception_handler(NotKeptError)(_unavailable)
    app.exception_handler(RequestValidationError)(_misunderstood)
    app.exception_handler(IsoglossError)(_impossible)
    app.include_router(annotating)
    app.include_router(organising)
    app.include_router(viewing)
    app.include_router(pages)
    return app


async def _told(_: Request, error: Exception) -> Response:
    known = cast(HTTPException, error)
    return told(known, closing=known.status_code in _HALF_READ)


async def _unavailable(_: Request, error: Exception) -> Response:
    return unavailable(error)


async def _misunderstood(_: Request, error: Exception) -> Response:
    first = cast(RequestValidationError, error).errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    return refusal(422, f"{where}: {first['msg']}")


async def _impossible(_: Request, error: Exception) -> Response:
    return refusal(422, str(error))


_HALF_READ = (408, 413)
"""What is left of such a request is not read any more."""

annotating = APIRouter()


@annotating.get("/a/{token}")
def enter(request: Request, store: Memory, token: str) -> Response:
    """A secret link: the browser remembers who came, the page asks for the rest."""
    caller = request.client.host if request.client else ""
    known = store.actor_with(token)
    if known is None:
        if not request.app.state.entering.allows(caller):
            raise Refused(429, "too many wrong links", "wait a minute")
        raise Refused(404, "this link opens nothing", LINK)
    response = HTMLResponse(_ENTERED, headers={"Cache-Control": "no-store"})
    response.set_cookie(
        request.app.state.cookie,
        token,
        max_age=180 * 24 * 3600,
        httponly=True,
        samesite="strict",
        secure=(request.app.state.origin or str(request.url)).startswith("https:"),
    )
    return response


# --- annotating ----------------------------------------------------------------------------------


@annotating.get("/api/me")
def get_me(store: Memory, actor: Anyone) -> Me:
    """Who is asking and what they have to do."""
    return me(store, actor)


@annotating.get("/api/tasks/{id}")
def get_task(store: Memory, actor: Annotator, id: str) -> TaskView:
    """One's own task; somebody else's does not exist."""
    return task_view(store, actor, _own_task(store, actor, id))


def _own_task(store: Store, actor: Actor, id: str) -> Task:
    task = store.task(id, actor.id)
    if task is None:
        raise HTTPException(404, "there is no such task")
    return task


@annotating.post("/api/answers")
def post_answers(
    store: Memory, actor: Annotator, sent: SentAnswers, response: Response
) -> Receipts:
    """Save answers."""
    tasks = {id: _own_task(store, actor, id) for id in {answer.task for answer in sent.answers}}

    def submission(answer: SentAnswer) -> Submission:
        return _submission(tasks[answer.task], answer)

    return receipts_for(store, actor, sent, response, submission)


def _submission(task: Task, answer: SentAnswer) -> Submission:
    if answer.item not in task.content["items"]:
        raise InputError(f"the task has no item {answer.item!r}")
    value = checked_value(cast(Phase, task.kind), answer.value)
    if task.kind == "consistency":
        check_flexible(task.content, answer.item, value)
    if task.kind == "preference":
        check_pair(task.content, answer.item, value)
    if value.get("errors") and ItemName.parse(answer.item).kind == "doc":
        raise InputError("errors are marked in segments; a whole document has a score")
    return Submission(answer.key, task.id, answer.item, answer.revision, value, answer.at)
