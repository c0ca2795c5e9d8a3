"""What an annotator sees: their tasks, and the texts of one of them, blinded."""

from collections.abc import Iterable, Mapping
from typing import Any, cast

from isogloss.annotate.campaign import Phase
from isogloss.annotate.opening import GUIDELINES, task_slots
from isogloss.annotate.records import Actor, Answer, Task
from isogloss.annotate.schema import OPENED
from isogloss.annotate.store import Store
from isogloss.annotate.values import is_finished
from isogloss.annotate.wire import (
    AnswerView,
    ChainView,
    MarkableView,
    Me,
    ShownItem,
    TaskSummary,
    TaskView,
)

_TITLES: Mapping[str, str] = {
    "phase1": "Lines",
    "phase2": "Markable",
    "da": "Scores",
    "spans": "Errors",
    "consistency": "Repeated words",
}


def me(store: Store, actor: Actor) -> Me:
    """Who is asking and what they have to do."""
    said = store.answers_of(actor.id)
    tasks = store.tasks_of(actor.id) if actor.role == "annotator" else []
    return Me(
        name=actor.name,
        role=actor.role,
        campaign=store.fact(OPENED)["name"],
        guidelines=store.fact(GUIDELINES),
        tasks=[_summary(task, said.get(task.id, ())) for task in tasks],
    )


def _summary(task: Task, said: Iterable[Answer]) -> TaskSummary:
    title = _TITLES[task.kind]
    if markable := task.content.get("markable"):
        title = f"{title}: {markable['head']}"
    total = len(task.content["items"])
    kind = cast(Phase, task.kind)
    done = sum(is_finished(kind, answer.value) for answer in said)
    return TaskSummary(
        id=task.id, kind=kind, title=title, document=task.document, done=done, total=total
    )


def task_view(store: Store, actor: Actor, task: Task) -> TaskView:
    """The page of a task: systems are letters, checks look like anything else."""
    text = store.text(task.document)
    order = task_slots(store, actor, text)
    content = task.content
    markable = content.get("markable")
    return TaskView(
        id=task.id,
        kind=cast(Phase, task.kind),
        document=task.document,
        source=text["source"],
        source_language=text["source_language"],
        target_language=text["target_language"],
        reference=text["reference"],
        slots=list(order),
        outputs={slot: text["outputs"][system] for slot, system in order.items()},
        items=content["items"],
        shown=[_shown(check) for check in content.get("checks", ())],
        markable=MarkableView(**markable) if markable else None,
        aligned=_aligned(content, order),
        chains=[ChainView(**chain) for chain in content.get("chains", ())],
        answers={item: answer_view(a) for item, a in store.answers(task.id).items()},
    )


def _shown(check: Mapping[str, Any]) -> ShownItem:
    return ShownItem(**{name: check[name] for name in ("item", "segment", "slot", "text")})


def _aligned(
    content: Mapping[str, Any], order: Mapping[str, str]
) -> dict[str, list[tuple[int, int]]]:
    """By item, the words that an aligner found; they are stored by system, which stays here."""
    by_system = content.get("aligned", {})
    return {
        f"occ:{number}/{slot}": [tuple(place) for place in places]
        for slot, system in order.items()
        for number, places in enumerate(by_system.get(system, ()))
    }


def answer_view(answer: Answer) -> AnswerView:
    """An answer for the page."""
    return AnswerView(revision=answer.revision, value=dict(answer.value), at=answer.at)
