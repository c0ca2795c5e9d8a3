"""The campaign's server: who may ask, what they are told, and how answers come in."""

from typing import cast

from fastapi import APIRouter, FastAPI, HTTPException, Request
from fastapi.exception_handlers import http_exception_handler
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, Response
from sqlalchemy.exc import SQLAlchemyError
from starlette.exceptions import HTTPException as StarletteHTTPException

from isogloss.annotate.answers import checked_value
from isogloss.annotate.campaign import Phase
from isogloss.annotate.items import ItemName, check_flexible, check_pair
from isogloss.annotate.launch import cookie_name
from isogloss.annotate.storage.database import NotKeptError
from isogloss.annotate.storage.schema import OPENED, Actor, Submission, Task
from isogloss.annotate.storage.store import Store
from isogloss.annotate.tutoring import locked, standings
from isogloss.annotate.web.enrolment import enrolling
from isogloss.annotate.web.entry import (
    TYPES,
    asset,
    entered,
    frame,
    reads_pages,
    trouble_page,
)
from isogloss.annotate.web.guards import (
    CUT,
    LINK,
    Annotator,
    FormerOrNot,
    Guard,
    Known,
    Limit,
    Memory,
    Refused,
    receipts_for,
    refusal,
    somebody,
    told,
    unavailable,
)
from isogloss.annotate.web.organiser import MakesResults, organising, viewing
from isogloss.annotate.web.people import managing
from isogloss.annotate.web.tutoring import tutoring
from isogloss.annotate.wire import Me, Receipts, SentAnswer, SentAnswers, TaskView, me, task_view
from isogloss.errors import InputError, IsoglossError

pages = APIRouter()


@pages.get("/")
def get_frame(request: Request) -> HTMLResponse:
    """The page for everybody; it asks who has come."""
    return frame(request)


@pages.get("/app/{name}")
def get_part(request: Request, name: str) -> Response:
    """A part of the program; a browser that has it already is told so."""
    if name not in TYPES:
        raise HTTPException(404, "there is no such page")
    content, tag = asset(name)
    headers = {"Cache-Control": "no-cache", "ETag": tag}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(content, media_type=TYPES[name], headers=headers)


@pages.get("/worker.js")
def get_worker(request: Request) -> Response:
    """What keeps the program at hand without a network: for all that lies beside it."""
    return get_part(request, "worker.js")


def create_app(
    store: Store,
    origin: str | None = None,
    results: MakesResults | None = None,
    *,
    preview: bool = False,
) -> FastAPI:
    """The server of an open campaign.

    `origin` is where people find it (``https://campaign.example.org``), if that is not where it is
    asked: behind a proxy that speaks TLS the server itself sees plain HTTP. `results` makes the
    page of results. A `preview` tells everybody that nothing is kept.
    """
    campaign = store.fact(OPENED)
    if campaign is None:
        raise InputError("this campaign is not open yet; open it with 'isogloss annotate serve'")
    app = FastAPI(title=campaign["name"], docs_url=None, redoc_url=None, openapi_url=None)
    app.state.store = store
    app.state.cookie = cookie_name(store)
    app.state.entering = Limit(burst=20, per_second=0.2)
    app.state.asking = Limit(burst=200, per_second=20)
    app.state.enrolling = Limit(burst=10, per_second=1 / 30)
    app.state.crowding = Limit(burst=60, per_second=2)
    app.state.origin = origin
    app.state.results = results
    app.state.preview = preview
    app.state.passed = set()
    app.state.batch = campaign.get("batch", 0)
    app.add_middleware(Guard, known=somebody, origin=origin)
    handle_trouble(app)
    app.include_router(annotating)
    app.include_router(organising)
    app.include_router(viewing)
    app.include_router(managing)
    app.include_router(enrolling)
    app.include_router(tutoring)
    app.include_router(pages)
    return app


def handle_trouble(app: FastAPI) -> None:
    """Whatever goes wrong is told in the way that all pages understand."""
    app.exception_handler(StarletteHTTPException)(_told)
    app.exception_handler(SQLAlchemyError)(_unavailable)
    app.exception_handler(NotKeptError)(_unavailable)
    app.exception_handler(RequestValidationError)(_misunderstood)
    app.exception_handler(IsoglossError)(_impossible)


async def _told(request: Request, error: Exception) -> Response:
    known = cast(StarletteHTTPException, error)
    ours = isinstance(known, HTTPException)
    if reads_pages(request):
        remedy = known.remedy if isinstance(known, Refused) else ""
        what = known.detail if ours else "there is nothing at this address"
        return trouble_page(request, known.status_code, what, remedy if ours else LINK)
    if not ours:  # answers that were sent to no campaign must not hear a campaign's no
        return await http_exception_handler(request, known)
    return told(cast(HTTPException, known), closing=known.status_code in _HALF_READ)


async def _unavailable(_: Request, error: Exception) -> Response:
    return unavailable(error)


async def _misunderstood(_: Request, error: Exception) -> Response:
    first = cast(RequestValidationError, error).errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    return refusal(422, f"{where}: {first['msg']}")


async def _impossible(request: Request, error: Exception) -> Response:
    if reads_pages(request):
        return trouble_page(request, 422, str(error), "")
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
        raise Refused(404, "this link opens nothing", CUT)
    return entered(request, token)


# --- annotating ----------------------------------------------------------------------------------


@annotating.get("/api/me")
def get_me(request: Request, store: Memory, actor: Known) -> Me:
    """Who is asking and what they have to do."""
    told = me(store, actor)
    learning = standings(store, actor) if actor.role == "annotator" else []
    state = request.app.state
    more = {"tutorials": learning, "batch": state.batch, "preview": state.preview}
    return told.model_copy(update=more)


@annotating.get("/api/tasks/{id}")
def get_task(request: Request, store: Memory, actor: Annotator, id: str) -> TaskView:
    """One's own task; somebody else's does not exist."""
    task = _own_task(store, actor, id)
    _check_learned(request, store, actor, task)
    return task_view(store, actor, task)


def _own_task(store: Store, actor: Actor, id: str) -> Task:
    task = store.task(id, actor.id)
    if task is None:
        raise HTTPException(404, "there is no such task")
    return task


def _check_learned(request: Request, store: Store, actor: Actor, task: Task) -> None:
    """Who has passed a tutorial has passed it for good, and is not looked up again."""
    passed: set[tuple[int, str]] = request.app.state.passed
    if (actor.id, task.kind) in passed:
        return
    if locked(store, actor, task.kind):
        raise Refused(
            403, "this work begins when its tutorial is passed", "begin with the tutorial"
        )
    passed.add((actor.id, task.kind))


@annotating.post("/api/answers")
def post_answers(
    request: Request, store: Memory, actor: FormerOrNot, sent: SentAnswers, response: Response
) -> Receipts:
    """Save answers; of those that come too late, each is told why, and kept."""
    tasks = {id: _own_task(store, actor, id) for id in {answer.task for answer in sent.answers}}
    for task in tasks.values():
        _check_learned(request, store, actor, task)

    def submission(answer: SentAnswer) -> Submission:
        return _submission(tasks[answer.task], answer)

    return receipts_for(store, actor, sent, response, submission)


def _submission(task: Task, answer: SentAnswer) -> Submission:
    if answer.item not in task.content.get("asked", task.content["items"]):
        raise InputError(f"the task has no item {answer.item!r}")
    value = checked_value(cast(Phase, task.kind), answer.value)
    if task.kind == "consistency":
        check_flexible(task.content, answer.item, value)
    if task.kind == "preference":
        check_pair(task.content, answer.item, value)
    if value.get("errors") and ItemName.parse(answer.item).kind == "doc":
        raise InputError("errors are marked in segments; a whole document has a score")
    return Submission(answer.key, task.id, answer.item, answer.revision, value, answer.at)
