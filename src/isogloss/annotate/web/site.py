"""Several campaigns on one server: each under ``/c/NAME/``, and a page that lists them.

The list shows what this browser has come to by links: an organiser, who has come to all of them,
finds all of them there. Links of a campaign that was served alone keep working.
"""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from fastapi import APIRouter, FastAPI, HTTPException, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from isogloss.annotate.campaign import CAMPAIGN_FILE
from isogloss.annotate.enrolment import enrolment_plan
from isogloss.annotate.launch import cookie_name
from isogloss.annotate.people import members
from isogloss.annotate.storage.schema import CLOSED, OPENED, Actor
from isogloss.annotate.storage.store import Store
from isogloss.annotate.web.entry import frame
from isogloss.annotate.web.guards import CUT, Limit, Refused, with_headers
from isogloss.annotate.web.organiser import MakesResults
from isogloss.annotate.web.server import create_app, get_part, handle_trouble
from isogloss.annotate.wire_people import CampaignEntry
from isogloss.errors import InputError

_UNFIT = re.compile(r"[^A-Za-z0-9._-]+")

start = APIRouter()
start.get("/app/{name}")(get_part)


def campaign_folders(given: Iterable[Path]) -> dict[str, Path]:
    """The campaigns in these folders, or in folders within them, by their names in addresses."""
    found: dict[str, Path] = {}
    for folder in given:
        for each in _campaigns_at(folder):
            name = _UNFIT.sub("-", each.resolve().name).strip("-.") or "campaign"
            if name in found:
                raise InputError(
                    f"{each} and {found[name]} would both be at /c/{name}/; rename one"
                )
            found[name] = each
    return found


def _campaigns_at(folder: Path) -> list[Path]:
    if (folder / CAMPAIGN_FILE).exists() or not folder.is_dir():
        return [folder]  # one that is not there is complained about where it is read
    within = sorted(each.parent for each in folder.glob(f"*/{CAMPAIGN_FILE}"))
    return within or [folder]


def create_site(
    stores: Mapping[str, Store],
    origin: str | None = None,
    results: Mapping[str, MakesResults] | None = None,
) -> FastAPI:
    """The server of several open campaigns; `origin` as in `create_app`, `results` by name."""
    site = FastAPI(title="isogloss", docs_url=None, redoc_url=None, openapi_url=None)
    site.state.stores = dict(stores)
    site.state.entering = Limit(burst=20, per_second=0.2)
    site.add_middleware(_Headed)
    handle_trouble(site)
    site.include_router(start)
    for name, store in stores.items():
        site.mount(f"/c/{name}", create_app(store, origin, (results or {}).get(name)))
    return site


class _Headed:
    """Puts the headers on what goes out; campaigns guard themselves."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            send = with_headers(Request(scope), send)
        await self.app(scope, receive, send)


@start.get("/")
def get_start(request: Request) -> HTMLResponse:
    """The page that lists campaigns."""
    return frame(request, start=True)


@start.get("/api/campaigns")
def get_campaigns(request: Request) -> list[CampaignEntry]:
    """The campaigns of whoever uses this browser."""
    found = []
    for name, store in _stores(request).items():
        token = request.cookies.get(cookie_name(store), "")
        actor = store.actor_with(token) if token else None
        if actor is not None and actor.state == "active":
            found.append(_entry(name, store, actor))
    return found


def _stores(request: Request) -> dict[str, Store]:
    stores: dict[str, Store] = request.app.state.stores
    return stores


def _entry(name: str, store: Store, actor: Actor) -> CampaignEntry:
    people = [each for each in members(store) if each.role == "annotator"]
    if actor.role == "annotator":
        people = [each for each in people if each.name == actor.name]
    return CampaignEntry(
        path=f"/c/{name}/",
        campaign=store.fact(OPENED)["name"],
        role=actor.role,
        closed=store.fact(CLOSED) is not None,
        people=len(people),
        done=sum(each.done for each in people),
        total=sum(each.total for each in people),
    )


@start.get("/a/{token}")
def get_old_link(request: Request, token: str) -> Response:
    """A link from when the campaign was served alone."""
    for name, store in _stores(request).items():
        if store.actor_with(token) is not None:
            return RedirectResponse(f"/c/{name}/a/{token}")
    raise _nothing(request)


@start.get("/e/{token}")
def get_old_invitation(request: Request, token: str) -> Response:
    """The same of a link for many, with what a platform added to it."""
    for name, store in _stores(request).items():
        plan = enrolment_plan(store)
        if plan is not None and plan.token == token:
            query = f"?{request.url.query}" if request.url.query else ""
            return RedirectResponse(f"/c/{name}/e/{token}{query}")
    raise _nothing(request)


def _nothing(request: Request) -> HTTPException:
    caller = request.client.host if request.client else ""
    if not request.app.state.entering.allows(caller):
        return Refused(429, "too many wrong links", "wait a minute")
    return Refused(404, "this link opens nothing", CUT)
