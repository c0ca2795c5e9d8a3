"""The link for many: newcomers see what it is about, take a place, and get a code at the end."""

from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse

from isogloss.annotate.enrolment import (
    EnrolmentPlan,
    begin_enrolment,
    end_enrolment,
    enrol,
    enrolment_plan,
    finish,
    participants,
)
from isogloss.annotate.launch import GUIDELINES
from isogloss.annotate.storage.schema import CLOSED, OPENED, same
from isogloss.annotate.storage.store import Store
from isogloss.annotate.web.entry import address_here, admitted, frame, known_here
from isogloss.annotate.web.guards import CUT, Annotator, Memory, Organiser, Refused
from isogloss.annotate.wire_people import (
    CompletionView,
    EnrolmentSettings,
    EnrolmentState,
    Invitation,
    NewcomerSent,
)
from isogloss.errors import InputError

enrolling = APIRouter()


@enrolling.get("/e/{token}")
def get_invitation_page(request: Request, store: Memory, token: str) -> HTMLResponse:
    """The page behind the link. Looking at it takes no place: mail programs look at links, too."""
    _invited(request, store, token)
    return frame(request)


@enrolling.get("/api/invitation/{token}")
def get_invitation(request: Request, store: Memory, token: str) -> Invitation:
    """What newcomers are told before they take a place."""
    plan = _invited(request, store, token)
    known = known_here(request, store)
    return Invitation(
        campaign=store.fact(OPENED)["name"],
        guidelines=store.fact(GUIDELINES),
        parameter=plan.parameter,
        known=known.name if known else None,
        closed=store.fact(CLOSED) is not None,
        items=plan.items,
    )


def _invited(request: Request, store: Store, token: str) -> EnrolmentPlan:
    plan = enrolment_plan(store)
    if plan is not None and same(plan.token, token):
        return plan
    caller = request.client.host if request.client else ""
    if not request.app.state.entering.allows(caller):
        raise Refused(429, "too many wrong links", "wait a minute")
    raise Refused(404, "nobody can enrol with this link", CUT)


@enrolling.post("/api/enrol")
def post_enrol(request: Request, store: Memory, sent: NewcomerSent, response: Response) -> None:
    """Take a place; whoever has come already stays who they are."""
    if known_here(request, store) is not None:
        return
    try:
        admitted(request, response, enrol(store, sent.token, sent.platform))
    except InputError as error:
        raise Refused(409, str(error)) from None


@enrolling.post("/api/finish")
def post_finish(store: Memory, actor: Annotator, body: dict[str, Any]) -> CompletionView:  # noqa: ARG001
    """The code of somebody who has answered everything."""
    found = finish(store, actor)
    return CompletionView(code=found.code, url=found.url)


# --- the organiser's side ------------------------------------------------------------------------


@enrolling.get("/api/enrolment")
def get_enrolment(request: Request, store: Memory, _: Organiser) -> EnrolmentState:
    """How people enrol, and how many have."""
    return _state(request, store)


@enrolling.post("/api/enrolment")
def post_enrolment(
    request: Request, store: Memory, _: Organiser, settings: EnrolmentSettings
) -> EnrolmentState:
    """Let people enrol, or let them enrol in another way; the link stays."""
    begin_enrolment(store, EnrolmentPlan(**settings.model_dump()))
    return _state(request, store)


@enrolling.post("/api/enrolment/end")
def post_end(
    request: Request,
    store: Memory,
    _: Organiser,
    body: dict[str, Any],  # noqa: ARG001
) -> EnrolmentState:
    """Let nobody else enrol."""
    end_enrolment(store)
    return _state(request, store)


def _state(request: Request, store: Store) -> EnrolmentState:
    plan = enrolment_plan(store)
    people = participants(store)
    settings = None
    if plan is not None:
        kept = {name: getattr(plan, name) for name in EnrolmentSettings.model_fields}
        settings = EnrolmentSettings(**kept)
    return EnrolmentState(
        settings=settings,
        link=f"{address_here(request)}/e/{plan.token}{plan.query}" if plan else None,
        at_work=sum(each.state == "at work" for each in people),
        finished=sum(each.state == "finished" for each in people),
        gave_up=sum(each.state == "gave up" for each in people),
    )
