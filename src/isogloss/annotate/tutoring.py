"""How somebody does in the tutorial of a phase: attempts, what was right, and whether they passed.

What is said in a tutorial is kept as events of its own (``tutorial:...``), never as a task's
answers, so that no result and no export counts it. The first answer to an item counts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any, cast

from isogloss.annotate.answers import checked_value, is_finished
from isogloss.annotate.campaign import ORGANISER, Phase
from isogloss.annotate.expectation import shortcomings
from isogloss.annotate.launch import TUTORIAL
from isogloss.annotate.lessons import Lesson, TutorialView, TypedAnswer
from isogloss.annotate.storage.schema import OPENED, Actor, Submission, new_token
from isogloss.annotate.storage.store import Store
from isogloss.annotate.wire import (
    AnswerView,
    MarkableView,
    TaskView,
    TutorialStanding,
    TutorialState,
    scale_of,
)
from isogloss.errors import InputError

TUTORIAL_TASKS = "tutorial:"
_LET_IN = "let in"


@dataclass(frozen=True, slots=True)
class Attempt:
    """One time through the items: what was said, and what each answer lacked."""

    number: int
    items: Sequence[str]
    said: Mapping[str, Mapping[str, Any]]
    lacking: Mapping[str, Sequence[str]]

    @property
    def ended(self) -> bool:
        return len(self.said) == len(self.items)

    @property
    def right(self) -> int:
        return sum(not lacking for lacking in self.lacking.values())


def is_tutorial(task: str) -> bool:
    """Whether an event of this task was said in a tutorial."""
    return task.startswith(TUTORIAL_TASKS)


def tutorials(store: Store) -> Mapping[str, Mapping[str, Any]]:
    """By phase, the tutorials of the campaign."""
    found: Mapping[str, Mapping[str, Any]] = store.fact(TUTORIAL) or {}
    return found


def standing(store: Store, actor: Actor, phase: str) -> TutorialStanding:
    """How far somebody has come in a tutorial."""
    attempts, let_in = _attempts(store, actor, phase)
    ended = [attempt for attempt in attempts if attempt.ended]
    best = max((attempt.right for attempt in ended), default=0)
    total = len(tutorials(store)[phase]["items"])
    campaign = store.fact(OPENED)
    tries = campaign.get("tries", 0)
    state: TutorialState = "open"
    needed = ceil(round(campaign["pass_mark"] * total, 6))
    if let_in or (ended and best >= needed):
        state = "passed"
    elif tries and len(ended) >= tries:
        state = "failed"
    return TutorialStanding(
        phase=cast(Phase, phase),
        state=state,
        let_in=let_in,
        best=best if ended else None,
        total=total,
        attempts=len(ended),
        tries_left=max(0, tries - len(ended)) if tries else None,
        needed=needed,
    )


def standings(store: Store, actor: Actor) -> list[TutorialStanding]:
    """The same of all tutorials."""
    return [standing(store, actor, phase) for phase in tutorials(store)]


def locked(store: Store, actor: Actor, phase: str) -> bool:
    """Whether somebody has still to pass the tutorial of a phase."""
    return phase in tutorials(store) and standing(store, actor, phase).state != "passed"


def tutorial_view(store: Store, actor: Actor, phase: str, *, again: bool = False) -> TutorialView:
    """The page of a tutorial, at the last attempt or (`again`) at a new one."""
    attempt = _present(store, actor, phase, again=again)
    task, campaign = tutorials(store)[phase], store.fact(OPENED)
    lessons = {
        item: Lesson(
            lacking=list(lacking), explanation=task["expected"][item].get("explanation", "")
        )
        for item, lacking in attempt.lacking.items()
    }
    answers = {
        item: AnswerView(revision=1, value=dict(value), at=0)
        for item, value in attempt.said.items()
    }
    markable = task["markable"]
    shown = {name: task[name] for name in _AS_IT_IS}
    view = TaskView(
        id=f"{TUTORIAL_TASKS}{phase}:{attempt.number}",
        kind=cast(Phase, phase),
        slots=list(task["outputs"]),
        markable=MarkableView(**markable) if markable else None,
        severities=campaign["severities"],
        categories=campaign["categories"],
        scale=scale_of(campaign),
        answers=answers,
        **shown,
    )
    return TutorialView(
        task=view, attempt=attempt.number, lessons=lessons, standing=standing(store, actor, phase)
    )


_AS_IT_IS = (
    "document",
    "source",
    "source_language",
    "target_language",
    "reference",
    "outputs",
    "items",
    "chains",
    "pairs",
)


def learn(
    store: Store, actor: Actor, phase: str, attempt: int, given: Sequence[TypedAnswer]
) -> TutorialView:
    """Take answers of an attempt; each is told what it lacks, and stays as it is."""
    before = standing(store, actor, phase)
    known = _present(store, actor, phase, again=attempt > before.attempts)
    if known.number != attempt:
        raise InputError(f"this is not attempt {known.number}; open the tutorial again")
    said = dict(known.said)
    submissions = []
    for answer in given:
        if answer.item not in known.items:
            raise InputError(f"the tutorial has no item {answer.item!r}")
        value = checked_value(cast(Phase, phase), answer.value)
        if answer.item in said or not is_finished(cast(Phase, phase), value):
            continue
        said[answer.item] = value
        item = f"{attempt}/{answer.item}"
        submissions.append(Submission(new_token(), _task(actor, phase), item, 0, value, answer.at))
    store.save(actor.id, submissions)
    return tutorial_view(store, actor, phase)


def let_in(store: Store, organiser: Actor, name: str, phase: str, at: int) -> TutorialStanding:
    """The organiser lets somebody work who has not passed."""
    actor = next((a for a in store.actors() if a.name == name and a.role == "annotator"), None)
    if actor is None or phase not in tutorials(store):
        raise InputError(f"{name} has no tutorial for {phase}")
    if not _attempts(store, actor, phase)[1]:
        given = Submission(new_token(), _task(actor, phase), _LET_IN, 0, {"by": ORGANISER}, at)
        store.save(organiser.id, [given])
    return standing(store, actor, phase)


def _task(actor: Actor, phase: str) -> str:
    return f"{TUTORIAL_TASKS}{actor.id}:{phase}"


def _present(store: Store, actor: Actor, phase: str, *, again: bool) -> Attempt:
    """The attempt that somebody is at; a new one only after the last one came to its end."""
    attempts, _ = _attempts(store, actor, phase)
    if not attempts:
        return _attempt(tutorials(store)[phase], 1, {})
    if again and attempts[-1].ended and standing(store, actor, phase).state == "open":
        return _attempt(tutorials(store)[phase], attempts[-1].number + 1, {})
    return attempts[-1]


def _attempts(store: Store, actor: Actor, phase: str) -> tuple[list[Attempt], bool]:
    """What somebody said, attempt by attempt, and whether the organiser let them in."""
    said: dict[int, dict[str, Mapping[str, Any]]] = {}
    answers = store.answers(_task(actor, phase))
    for name, answer in answers.items():
        if name != _LET_IN:
            number, _, item = name.partition("/")
            said.setdefault(int(number), {})[item] = answer.value
    task = tutorials(store)[phase]
    found = [_attempt(task, number, said[number]) for number in sorted(said)]
    return found, _LET_IN in answers


def _attempt(
    task: Mapping[str, Any], number: int, said: Mapping[str, Mapping[str, Any]]
) -> Attempt:
    lacking = {item: shortcomings(item, task["expected"][item], said) for item in said}
    return Attempt(number, task["items"], said, lacking)
