"""A small open campaign with its people at their browsers, for the server's tests."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fastapi.testclient import TestClient

from isogloss.annotate import Campaign, Store, create_app
from isogloss.annotate.items import DocumentText, ItemName
from isogloss.annotate.launch import opened, task_slots
from isogloss.annotate.storage.schema import Submission, Task
from isogloss.metrics.consistency import Chain

ORIGIN = "http://testserver"
HOSTILE = "<script>alert(1)</script> \u202eevil\u202c \U0001f600 &amp;"
TEXTS = [
    DocumentText(
        f"d{n}",
        ["The tenant pays.", "A tenant leaves."],
        {"alpha": ["Eins.", "Zwei."], "beta": [HOSTILE, None], "gamma": ["Ein!", "Zwo!"]},
        None,
        "en",
        "de",
        None,
        ["gamma"],
    )
    for n in range(2)
]


@dataclass
class Campaigning:
    """An open campaign."""

    store: Store
    tokens: dict[str, str]

    @classmethod
    def of(cls, plan: Campaign, store: Store, chains: Sequence[Chain] = ()) -> "Campaigning":
        links = opened(plan, TEXTS, "Be kind.", store, chains)
        return cls(store, {"organiser": links.organiser, **links.annotators})

    def browser(self, name: str | None = None) -> TestClient:
        client = TestClient(create_app(self.store), headers={"Origin": ORIGIN})
        if name is not None:
            assert client.get(f"/a/{self.tokens[name]}").status_code == 200
        return client


Say = Callable[[Task, str, Mapping[str, str], ItemName], Mapping[str, Any] | None]
"""What an annotator says of an item of a task; systems by letter. `None` says nothing."""


def answer_all(store: Store, say: Say) -> None:
    """Everybody answers all that they are asked."""
    people = {actor.id: actor for actor in store.actors()}
    number = 0
    for task in store.tasks_of():
        actor = people[task.actor]
        slots = task_slots(store, actor, store.text(task.document))
        answers = []
        for item in task.content["items"]:
            number += 1
            value = say(task, actor.name, slots, ItemName.parse(item))
            if value is not None:
                key = f"key-{number:06}"
                answers.append(Submission(key, task.id, item, 0, value, number * 1000))
        store.save(actor.id, answers)


def tasks(client: TestClient, kind: str = "phase1") -> list[dict[str, Any]]:
    return [task for task in client.get("/api/me").json()["tasks"] if task["kind"] == kind]


def sent(task: str, item: str, revision: int = 0, key: str = "key-00001", **value: Any) -> Any:
    answer = {"key": key, "task": task, "item": item, "revision": revision, "at": 1, "value": value}
    return {"answers": [answer]}
