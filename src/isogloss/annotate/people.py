"""Who takes part while a campaign goes on: people come, leave, and take over from each other.

Nothing is lost: what somebody answered stays theirs, and what comes after their link was withdrawn
is kept beside it until the organiser takes it in. The same holds for a campaign that was closed.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from isogloss.annotate.campaign import check_name
from isogloss.annotate.enrolment import ENROLMENT
from isogloss.annotate.items import DocumentText, chain_contents
from isogloss.annotate.launch import CHAINS, PREFILLED
from isogloss.annotate.prefilling import Proposals, proposal_rows
from isogloss.annotate.storage.desk import Desk
from isogloss.annotate.storage.rows import Texts
from isogloss.annotate.storage.schema import (
    CLOSED,
    Actor,
    ActorState,
    LateAnswer,
    Role,
    Saved,
    Submission,
)
from isogloss.annotate.storage.store import Store
from isogloss.annotate.work import REDUNDANCY, Allocation, HandedOver, is_at_work
from isogloss.errors import InputError
from isogloss.metrics.consistency import Chain


@dataclass(frozen=True, slots=True)
class Member:
    """Somebody who takes part, and how their work stands."""

    name: str
    role: Role
    state: ActorState
    done: int
    total: int
    late: int


@dataclass(frozen=True, slots=True)
class Welcome:
    """The token of somebody who has come, told once, and the work that they begin with."""

    token: str
    work: HandedOver


def members(store: Store) -> list[Member]:
    """Everybody, in the order in which they came."""

    def job(desk: Desk) -> list[Member]:
        allocation = Allocation(desk)
        late = [each.actor for each in desk.late()]
        return [_member(allocation, each, late) for each in allocation.people.values()]

    return store.looking(job)


def _member(allocation: Allocation, actor: Actor, late: Sequence[str]) -> Member:
    own = allocation.of(actor)
    total = sum(len(task.content["items"]) for task in own)
    done = total - allocation.loads[actor.id]
    return Member(actor.name, actor.role, actor.state, done, total, late.count(actor.name))


def add_person(
    store: Store, name: str, role: Role = "annotator", *, nameless: bool = False, share: bool = True
) -> Welcome:
    """Let somebody take part; an annotator takes a share of what others have not begun.

    A `nameless` observer sees no names of others.
    """
    check_name(name)

    def job(desk: Desk) -> Welcome:
        actor, token = desk.admit(name, role, nameless=nameless)
        if role != "annotator" or not share:
            return Welcome(token, HandedOver())
        return Welcome(token, Allocation(desk).level(actor))

    return store.at_desk(job)


def withdraw(
    store: Store, name: str, to: Sequence[str] | None = None, *, keep: bool = False
) -> HandedOver:
    """Let somebody's link open nothing any more, at once; their open work goes to others.

    Args:
        store: the campaign's memory.
        name: who leaves. What they answered stays theirs.
        to: who takes over; default: all other annotators, whoever has least to do.
        keep: leave their work with them, for `reassign` or for their return.
    """

    def job(desk: Desk) -> HandedOver:
        actor = desk.actor(name)
        _check_not_last(desk, actor)
        desk.set_state(actor, "withdrawn")
        return HandedOver() if keep else _hand_over(desk, actor, to)

    return store.at_desk(job)


def _check_not_last(desk: Desk, actor: Actor) -> None:
    others = [each for each in desk.actors() if each.role == "organiser" and each.state == "active"]
    if others == [actor]:
        raise InputError(f"{actor.name} is the only organiser; add another one first")


def reassign(
    store: Store, name: str, to: Sequence[str] | None = None, documents: Sequence[str] | None = None
) -> HandedOver:
    """Give somebody's open work, or that on some documents, to others; answers stay theirs."""
    return store.at_desk(lambda desk: _hand_over(desk, desk.actor(name), to, documents))


def _hand_over(
    desk: Desk, actor: Actor, to: Sequence[str] | None, documents: Sequence[str] | None = None
) -> HandedOver:
    allocation = Allocation(desk)
    if unknown := set(documents or ()) - set(allocation.texts):
        raise InputError(f"the campaign has no document {sorted(unknown)[0]!r}")
    takers = [each for each in allocation.annotators if each.id != actor.id]
    if to is not None:
        takers = [_taker(desk, name, actor) for name in to]
    done = HandedOver()
    for task in allocation.of(actor):
        if documents is None or task.document in documents:
            done += allocation.hand_over(task, takers)
    return done


def _taker(desk: Desk, name: str, leaving: Actor) -> Actor:
    found = desk.actor(name)
    if found.id == leaving.id or not is_at_work(found):
        raise InputError(f"{name} cannot take over: it takes another annotator who is at work")
    return found


def new_link(store: Store, name: str) -> str:
    """A new token for somebody, told once; who had left is back, with the work they still have."""

    def job(desk: Desk) -> str:
        actor = desk.actor(name)
        desk.set_state(actor, "active")
        return desk.renew(actor)

    return store.at_desk(job)


# --- more work -----------------------------------------------------------------------------------


def extend_redundancy(store: Store, redundancy: int) -> HandedOver:
    """Let more people judge each document from now on."""

    def job(desk: Desk) -> HandedOver:
        allocation = Allocation(desk)
        there = len(allocation.annotators)
        most = redundancy if desk.fact(ENROLMENT) else there
        if not allocation.redundancy < redundancy <= most:
            raise InputError(
                f"redundancy {redundancy}: every document goes to {allocation.redundancy} people "
                f"now, and there are {there} annotators; add people first, or give another number"
            )
        desk.set_fact(REDUNDANCY, redundancy)
        return _filled(desk)

    return store.at_desk(job)


def extend_documents(
    store: Store,
    texts: Sequence[DocumentText],
    chains: Sequence[Chain] = (),
    proposals: Proposals | None = None,
) -> HandedOver:
    """Ask about more documents."""
    new = {text.id: text for text in texts}
    asked = chain_contents([each for each in chains if each.document in new], texts)

    def job(desk: Desk) -> HandedOver:
        known = desk.texts()
        if again := [id for id in new if id in known]:
            raise InputError(f"document {again[0]!r} is in the campaign already")
        _check_systems(known, texts)
        desk.add_texts({id: text.record() for id, text in new.items()})
        rows = [row for row in proposal_rows(proposals or {}) if row[1] in new]
        if rows:
            desk.set_fact(PREFILLED, [*(desk.fact(PREFILLED) or []), *rows])
        if asked:
            desk.set_fact(CHAINS, {**(desk.fact(CHAINS) or {}), **asked})
        return _filled(desk, list(new))

    return store.at_desk(job)


def _check_systems(known: Texts, texts: Sequence[DocumentText]) -> None:
    wanted = {system for text in known.values() for system in text["outputs"]}
    for text in texts:
        if odd := wanted ^ set(text.outputs):
            raise InputError(
                f"document {text.id!r} must have the systems of the others; these differ: "
                f"{', '.join(sorted(odd))}"
            )


def _filled(desk: Desk, documents: Sequence[str] | None = None) -> HandedOver:
    """Give out what there is; where people enrol, newcomers get what is left."""
    done = Allocation(desk).fill(documents)
    return replace(done, left=0) if desk.fact(ENROLMENT) else done


# --- the end -------------------------------------------------------------------------------------


def close(store: Store) -> bool:
    """Take no more answers; whether any were taken until now."""

    def job(desk: Desk) -> bool:
        if desk.fact(CLOSED) is not None:
            return False
        desk.set_fact(CLOSED, {"at": time.time_ns() // 1_000_000})
        return True

    return store.at_desk(job)


def reopen(store: Store) -> bool:
    """Take answers again; whether none were taken until now."""

    def job(desk: Desk) -> bool:
        was = desk.fact(CLOSED) is not None
        desk.set_fact(CLOSED, None)
        return was

    return store.at_desk(job)


def take_late(store: Store) -> tuple[int, int]:
    """Save what came too late, as if it had come in time; how many answers, and how many are left.

    One is left where something newer stands.
    """

    def job(desk: Desk) -> tuple[int, int]:
        late = desk.late()
        taken = sum(_taken(desk, each) for each in late)
        return taken, len(late) - taken

    return store.at_desk(job)


def _taken(desk: Desk, late: LateAnswer) -> bool:
    stands = desk.standing(late.task, late.item)
    if stands is not None and stands.at > late.at:
        return False
    task = next(each for each in desk.tasks() if each.id == late.task)
    revision = 0 if stands is None else stands.revision
    given = Submission(late.key, late.task, late.item, revision, late.value, late.at)
    if not isinstance(desk.save(desk.actor(late.actor), given), Saved):
        return False
    if late.item not in task.content["items"]:
        desk.put_back(task, late.item)
    desk.forget_late(late)
    return True
