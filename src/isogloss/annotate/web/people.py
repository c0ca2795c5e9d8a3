"""What the organiser may change while a campaign goes on: people, their work, and its end."""

from dataclasses import asdict

from fastapi import APIRouter, Request

from isogloss.annotate.people import (
    add_person,
    close,
    extend_redundancy,
    members,
    new_link,
    reassign,
    reopen,
    take_late,
    withdraw,
)
from isogloss.annotate.storage.schema import CLOSED, OPENED
from isogloss.annotate.storage.store import Store
from isogloss.annotate.web.entry import address_here
from isogloss.annotate.web.guards import Memory, Organiser
from isogloss.annotate.wire_people import (
    Extension,
    Handing,
    LateTaken,
    Leaving,
    MemberView,
    Named,
    NewLink,
    NewPerson,
    PeopleView,
    WorkView,
)
from isogloss.annotate.work import REDUNDANCY, HandedOver, wanted_redundancy

managing = APIRouter(prefix="/api/people")


@managing.get("")
def get_people(store: Memory, _: Organiser) -> PeopleView:
    """Who takes part, and whether answers are taken."""
    return _people(store)


def _people(store: Store) -> PeopleView:
    return PeopleView(
        people=[MemberView(**asdict(each)) for each in members(store)],
        closed=store.fact(CLOSED) is not None,
        redundancy=wanted_redundancy(store.fact(OPENED), store.fact(REDUNDANCY)),
    )


@managing.post("")
def post_person(request: Request, store: Memory, _: Organiser, new: NewPerson) -> NewLink:
    """Let somebody take part; their link is told once."""
    welcome = add_person(store, new.name, new.role, nameless=new.nameless, share=new.share)
    return NewLink(link=_link(request, welcome.token), work=_work(welcome.work))


@managing.post("/link")
def post_link(request: Request, store: Memory, _: Organiser, who: Named) -> NewLink:
    """A new link for somebody, or for one who had left; the old one opens nothing any more."""
    return NewLink(link=_link(request, new_link(store, who.name)), work=_work(HandedOver()))


def _link(request: Request, token: str) -> str:
    return f"{address_here(request)}/a/{token}"


@managing.post("/withdraw")
def post_withdraw(store: Memory, _: Organiser, leaving: Leaving) -> WorkView:
    """Somebody leaves: their link opens nothing any more."""
    return _work(withdraw(store, leaving.name, leaving.to, keep=leaving.keep))


@managing.post("/reassign")
def post_reassign(store: Memory, _: Organiser, handing: Handing) -> WorkView:
    """Give somebody's open work to others."""
    return _work(reassign(store, handing.name, handing.to))


@managing.post("/extend")
def post_extend(store: Memory, _: Organiser, extension: Extension) -> WorkView:
    """Let more people judge each document."""
    return _work(extend_redundancy(store, extension.redundancy))


def _work(done: HandedOver) -> WorkView:
    return WorkView(tasks=done.tasks, items=done.items, left=done.left)


@managing.post("/close")
def post_close(store: Memory, _: Organiser, body: dict[str, str]) -> PeopleView:  # noqa: ARG001
    """Take no more answers."""
    close(store)
    return _people(store)


@managing.post("/reopen")
def post_reopen(store: Memory, _: Organiser, body: dict[str, str]) -> PeopleView:  # noqa: ARG001
    """Take answers again."""
    reopen(store)
    return _people(store)


@managing.post("/late")
def post_late(store: Memory, _: Organiser, body: dict[str, str]) -> LateTaken:  # noqa: ARG001
    """Take in what came too late."""
    taken, left = take_late(store)
    return LateTaken(taken=taken, left=left)
