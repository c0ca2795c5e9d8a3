"""One link for many: newcomers enrol themselves, get a share of the work, and a code at its end.

For crowd platforms, which send people with an id of theirs in the address and want a completion
code. A place is taken and its work given out in one step, so that neither is handed out twice,
however many come at once. Who does not answer for a while gives up their place: what they said
stays, and the next newcomer gets documents that still lack judgements, theirs among them.
"""

import hashlib
import hmac
import re
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any
from urllib.parse import urlsplit

from isogloss.annotate.answers import is_finished
from isogloss.annotate.items import shuffled
from isogloss.annotate.launch import SECRET
from isogloss.annotate.storage.desk import Desk, TakenPlace
from isogloss.annotate.storage.schema import CLOSED, Actor, Task, new_token, same
from isogloss.annotate.storage.store import Store
from isogloss.annotate.work import Allocation, Piece
from isogloss.errors import InputError

ENROLMENT = "enrolment"
"""The fact that people may enrol, and how."""
_MOST_PLACES = 100_000
_PLATFORM_ID = re.compile(r"[\w.@+-]{1,200}", re.ASCII)
_PARAMETER = re.compile(r"\w{1,64}", re.ASCII)
_CODE_LENGTH = 10


@dataclass(frozen=True, slots=True)
class EnrolmentPlan:
    """How people enrol.

    Args:
        places: how many may take part, those who gave up not counted.
        items: about how many items each gets: whole documents, at least one.
        minutes: without an answer for so long, a place is free again.
        parameter: what the platform calls its participants in the address (``PROLIFIC_PID``);
            nobody comes without one, or twice with the same. `None`: anybody may come.
        code: what everybody gets at the end; default: a code for each.
        url: where everybody goes then; ``{code}`` in it becomes their code.
        checks: the share of spoilt items that must have scored lower for a code; `None`: any.
        token: what the link ends in; drawn by `begin_enrolment`.
    """

    places: int
    items: int = 100
    minutes: int = 120
    parameter: str | None = None
    code: str | None = None
    url: str | None = None
    checks: float | None = None
    token: str = ""

    def __post_init__(self) -> None:
        if fault := next(_faults(self), None):
            raise InputError(fault)

    @property
    def query(self) -> str:
        """What the platform adds to the link, for it to fill in."""
        return f"?{self.parameter}={{{{%{self.parameter}%}}}}" if self.parameter else ""


def _faults(plan: EnrolmentPlan) -> Iterator[str]:
    if not 1 <= plan.places <= _MOST_PLACES:
        yield f"places: from 1 to {_MOST_PLACES:,} people may enrol"
    if plan.items < 1 or plan.minutes < 1:
        yield "everybody gets at least 1 item, and 1 minute for it"
    if plan.checks is not None and not 0 <= plan.checks <= 1:
        yield "checks is a share from 0 to 1"
    if plan.parameter is not None and not _PARAMETER.fullmatch(plan.parameter):
        yield f"{plan.parameter!r} is no name in an address; they look like PROLIFIC_PID"
    if plan.code is not None and not (plan.code.strip() == plan.code and plan.code.isprintable()):
        yield f"{plan.code!r} is no code that people can read"
    if plan.url is not None and not _is_address(plan.url):
        yield f"{plan.url!r}: people can only be sent to http:// and https://"


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.netloc) and url.isprintable()


@dataclass(frozen=True, slots=True)
class Completion:
    """What somebody gets at the end; no code where too few checks were passed."""

    code: str | None
    url: str | None


# --- what the organiser does ---------------------------------------------------------------------


def begin_enrolment(store: Store, plan: EnrolmentPlan) -> str:
    """Let people enrol from now on; what the link ends in. It stays while the plan changes."""

    def job(desk: Desk) -> str:
        before = desk.fact(ENROLMENT)
        token = str(before["token"]) if before else new_token()
        desk.set_fact(ENROLMENT, {**asdict(plan), "token": token})
        return token

    return store.at_desk(job)


def end_enrolment(store: Store) -> bool:
    """Let nobody else enrol; those who did go on. Whether anybody could until now."""

    def job(desk: Desk) -> bool:
        was = desk.fact(ENROLMENT) is not None
        desk.set_fact(ENROLMENT, None)
        return was

    return store.at_desk(job)


def enrolment_plan(store: Store) -> EnrolmentPlan | None:
    """How people enrol, if they can."""
    kept = store.fact(ENROLMENT)
    return None if kept is None else EnrolmentPlan(**kept)


@dataclass(frozen=True, slots=True)
class Participant:
    """Somebody who enrolled; a code only once they have finished."""

    name: str
    platform: str | None
    state: str
    done: int
    total: int
    code: str | None


def participants(store: Store) -> list[Participant]:
    """Everybody who enrolled, in the order in which they came."""

    def job(desk: Desk) -> list[Participant]:
        allocation = Allocation(desk)
        plan = desk.fact(ENROLMENT)
        return [
            _participant(allocation, EnrolmentPlan(**plan) if plan else None, place)
            for place in desk.places()
        ]

    return store.looking(job)


def _participant(
    allocation: Allocation, plan: EnrolmentPlan | None, place: TakenPlace
) -> Participant:
    actor = allocation.people[place.actor]
    total = sum(len(task.content["items"]) for task in allocation.of(actor))
    state = "finished" if place.finished else "gave up" if place.given_up else "at work"
    code = _code(allocation.secret, plan, actor) if place.finished else None
    done = total - allocation.loads[actor.id]
    return Participant(actor.name, place.platform, state, done, total, code)


# --- what newcomers do ---------------------------------------------------------------------------


def enrol(store: Store, token: str, platform: str | None) -> str:
    """A place for somebody new, with their work: the token that lets them in."""

    def job(desk: Desk) -> str:
        plan = _open_plan(desk, token)
        places = desk.places()
        known = _platform_id(plan, platform)
        if known is not None and any(place.platform == known for place in places):
            raise InputError(
                "somebody takes part with this id already: go on in the browser in which you began"
            )
        busy = [place for place in places if place.given_up is None]
        busy = [place for place in busy if not _frees(desk, plan, place)]
        if len(busy) >= plan.places:
            raise InputError("all places are taken; one may come free, try again later")
        number = 1 + max((place.number for place in places), default=0)
        actor, own = desk.admit(_name(desk, number), "annotator")
        desk.take_place(number, actor, known)
        _give_share(desk, plan, actor)
        return own

    return store.at_desk(job)


def _open_plan(desk: Desk, token: str) -> EnrolmentPlan:
    kept = desk.fact(ENROLMENT)
    if kept is None or not same(str(kept["token"]), token):
        raise InputError("nobody can enrol with this link any more")
    if desk.fact(CLOSED) is not None:
        raise InputError("the campaign is closed")
    return EnrolmentPlan(**kept)


def _platform_id(plan: EnrolmentPlan, platform: str | None) -> str | None:
    if plan.parameter is None:
        return None
    if platform is None or not _PLATFORM_ID.fullmatch(platform):
        raise InputError(
            f"your id is missing in the address ({plan.parameter}=…): come by the platform's link"
        )
    return platform


def _frees(desk: Desk, plan: EnrolmentPlan, place: TakenPlace) -> bool:
    """Whether nobody sits there any more: the place is free again, and its link ends."""
    patience = plan.minutes * 60_000
    if place.finished is not None or desk.last_seen(place) + patience > _now():
        return False
    desk.give_up_place(place)
    desk.set_state(desk.actor_by_id(place.actor), "withdrawn")
    return True


def _now() -> int:
    return time.time_ns() // 1_000_000


def _name(desk: Desk, number: int) -> str:
    taken = {each.name for each in desk.actors()}
    name = f"p{number:03}"
    while name in taken:  # somebody was called so before
        name += "x"
    return name


def _give_share(desk: Desk, plan: EnrolmentPlan, actor: Actor) -> None:
    allocation = Allocation(desk)
    given = 0
    for piece in _wanted(allocation):
        before = given
        given += allocation.give_piece(piece, actor).items
        if given + (given - before) / 2 > plan.items:
            return
    if not given:
        raise InputError("all work is being done; some may come free, try again later")


def _wanted(allocation: Allocation) -> list[Piece]:
    """What lacks judgements, most of all first; by lot where it lacks as many."""
    counts = {piece: allocation.judging(piece) for piece in allocation.pieces()}
    names = {"\n".join(piece): piece for piece in counts}
    mixed = shuffled(list(names), allocation.secret, "enrolment", str(len(allocation.tasks)))
    lacking = [names[name] for name in mixed if counts[names[name]] < allocation.redundancy]
    return sorted(lacking, key=counts.__getitem__)


# --- the end -------------------------------------------------------------------------------------


def finish(store: Store, actor: Actor) -> Completion:
    """What somebody gets who has answered everything; the same as often as they ask."""

    def job(desk: Desk) -> Completion:
        kept = desk.fact(ENROLMENT)
        place = next((each for each in desk.places() if each.actor == actor.id), None)
        if place is None:
            raise InputError("a code is for those who enrolled themselves")
        tasks = [task for task in desk.tasks() if task.actor == actor.id]
        answers = desk.answers()
        if open_ := sum(_open(task, answers.get(task.id, {})) for task in tasks):
            raise InputError(f"{open_:,} of your items are not answered yet")
        plan = EnrolmentPlan(**kept) if kept else None
        if place.finished is None:
            desk.finish_place(place)
        if plan and plan.checks is not None and _seen(tasks, answers) < plan.checks:
            return Completion(None, None)
        code = _code(desk.fact(SECRET), plan, actor)
        return Completion(code, plan.url.replace("{code}", code) if plan and plan.url else None)

    return store.at_desk(job)


def _open(task: Task, said: dict[str, Any]) -> int:
    kind: Any = task.kind
    return sum(i not in said or not is_finished(kind, said[i]) for i in task.content["items"])


def _seen(tasks: list[Task], answers: dict[str, dict[str, Any]]) -> float:
    """The share of spoilt items that scored lower than the items they were made of."""
    found = [
        answers[task.id][check["item"]]["score"] < answers[task.id][check["of"]]["score"]
        for task in tasks
        for check in task.content.get("checks", ())
        if check["kind"] == "degraded"
    ]
    return sum(found) / len(found) if found else 1.0


def _code(secret: str, plan: EnrolmentPlan | None, actor: Actor) -> str:
    if plan and plan.code:
        return plan.code
    digest = hmac.digest(secret.encode(), f"completed {actor.name}".encode(), hashlib.sha256)
    return digest.hex()[:_CODE_LENGTH].upper()
