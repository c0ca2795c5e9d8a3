"""The answers that stand, with the names behind the letters: what every export begins with."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from isogloss.annotate.campaign import Phase
from isogloss.annotate.opening import task_slots
from isogloss.annotate.records import Task
from isogloss.annotate.store import Store
from isogloss.annotate.values import says_nothing

_ITEM = re.compile(r"(?:line|seg|occ|chain):(\d+)(?:/([A-Z]+))?(?:~(\d+))?")


@dataclass(frozen=True, slots=True)
class StandingAnswer:
    """One annotator's last word on one item.

    `number` is the line, segment or occurrence (of `markable`); `system` is `None` where an item is
    about the source alone. `check` is set for an item that only checks another one.
    """

    annotator: str
    kind: str
    document: str
    task: Task
    item: str
    number: int
    system: str | None
    value: Mapping[str, Any]
    at: int
    markable: str | None = None
    check: Mapping[str, Any] | None = None


def standing_answers(store: Store, kind: str | None = None) -> Iterator[StandingAnswer]:
    """Every answer that stands, task by task, in the order in which they were given.

    One that was taken back stands no more, but for lines: the study has some of which nothing is
    said, and they are to come out again.
    """
    people = {actor.id: actor for actor in store.actors()}
    texts: dict[str, Mapping[str, Any]] = {}
    for task in store.tasks_of():
        if kind is not None and task.kind != kind:
            continue
        actor = people[task.actor]
        text = texts.setdefault(task.document, store.text(task.document))
        slots = task_slots(store, actor, text)
        checks = {check["item"]: check for check in task.content.get("checks", ())}
        markable = task.content.get("markable", {}).get("head")
        for item, answer in store.answers(task.id).items():
            if task.kind != "phase1" and says_nothing(cast(Phase, task.kind), answer.value):
                continue
            number, slot = item_parts(item)
            yield StandingAnswer(
                actor.name,
                task.kind,
                task.document,
                task,
                item,
                number,
                slots[slot] if slot else None,
                answer.value,
                answer.at,
                markable,
                checks.get(item),
            )


def item_parts(item: str) -> tuple[int, str | None]:
    """The number in the name of an item, and its slot."""
    match = _ITEM.fullmatch(item)
    assert match is not None, item  # noqa: S101  (names are our own)
    return int(match[1]), match[2]
