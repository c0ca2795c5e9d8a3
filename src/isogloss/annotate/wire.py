"""What goes over the wire between annotators and the server; all types of the pages come from here.

What an annotator sees: their tasks, and the texts of one of them, blinded. What organisers and
curators see is in `wire_organiser`, what concerns who takes part in `wire_people`.
"""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal, cast

from pydantic import BaseModel, ConfigDict, Field

from isogloss.annotate.answers import is_finished
from isogloss.annotate.campaign import CATEGORIES, SEVERITIES, Phase, scale_points
from isogloss.annotate.items import ItemName
from isogloss.annotate.launch import GUIDELINES, task_slots
from isogloss.annotate.storage.schema import (
    CLOSED,
    LONGEST_TASK,
    OPENED,
    Actor,
    Answer,
    Role,
    Task,
)
from isogloss.annotate.storage.store import Store


class Wire(BaseModel):
    """Nothing comes along that is not asked for."""

    model_config = ConfigDict(extra="forbid")


class TaskSummary(Wire):
    """A task in the list of somebody's work."""

    id: str
    kind: Phase
    title: str
    document: str
    done: int
    total: int


Standing = Literal["open", "closed", "withdrawn"]
"""Whether answers are taken: by the campaign, and of whoever asks."""


TutorialState = Literal["open", "passed", "failed"]


class TutorialStanding(Wire):
    """How far somebody has come in the tutorial of a phase; `best` is of whole attempts."""

    phase: Phase
    state: TutorialState
    let_in: bool
    best: int | None
    total: int
    attempts: int
    tries_left: int | None
    needed: int


class Me(Wire):
    """Who is asking, and what they have to do."""

    name: str
    role: Role
    standing: Standing
    campaign: str
    guidelines: str
    phases: list[Phase]
    tasks: list[TaskSummary]
    enrolled: bool
    nameless: bool
    tutorials: list[TutorialStanding] = []
    batch: int = 0
    preview: bool = False


class AnswerView(Wire):
    """The answer that stands."""

    revision: int
    value: dict[str, Any]
    at: int


class PlaceView(Wire):
    """Code points of one segment."""

    segment: int
    start: int
    end: int


class MarkableView(Wire):
    """A markable with all its places in the source."""

    head: str
    occurrences: list[PlaceView]


class ShownItem(Wire):
    """An item that shows another text than the document has at its place."""

    item: str
    segment: int
    slot: str
    text: str


class ChainPlace(PlaceView):
    """A place of a repeated word, and its sentence in the translation by people."""

    target: str | None = None
    targets: list[tuple[int, int]] = []


class ChainView(Wire):
    """A repeated word and the words that stand for it in a translation by people."""

    item: str
    id: str
    word: str
    translation: str
    places: list[ChainPlace]


class ScalePoint(Wire):
    """What a number of a score means."""

    at: int
    words: str


def scale_of(campaign: Mapping[str, Any]) -> list[ScalePoint]:
    """Of a campaign as it was opened; one of an older isogloss says nothing."""
    return [ScalePoint(at=at, words=words) for at, words in scale_points(campaign.get("scale", ()))]


class TaskView(Wire):
    """Everything that the page of a task needs."""

    id: str
    kind: Phase
    document: str
    source: list[str]
    source_language: str | None
    target_language: str | None
    reference: list[str | None] | None
    slots: list[str]
    outputs: dict[str, list[str | None]]
    items: list[str]
    shown: list[ShownItem] = []
    markable: MarkableView | None = None
    aligned: dict[str, list[tuple[int, int]]] = {}
    chains: list[ChainView] = []
    pairs: list[tuple[str, str]] = []
    prefilled: dict[str, list[dict[str, Any]]] = {}
    severities: list[str] = []
    categories: list[str] = []
    scale: list[ScalePoint] = []
    answers: dict[str, AnswerView]


Moment = Annotated[int, Field(ge=0, le=2**53 - 1)]
"""Milliseconds since 1970, as far as a browser counts."""


class SentAnswer(Wire):
    """An answer with its idempotency key and the revision on which it is based."""

    key: Annotated[str, Field(min_length=8, max_length=64, pattern=r"^[A-Za-z0-9_-]+$")]
    task: Annotated[str, Field(max_length=LONGEST_TASK)]
    item: Annotated[str, Field(max_length=200)]
    revision: Annotated[int, Field(ge=0, lt=2**31 - 1)]
    value: dict[str, Any]
    at: Moment


class SentAnswers(Wire):
    """Answers that were given since the last time; a browser that was offline sends many."""

    answers: Annotated[list[SentAnswer], Field(min_length=1, max_length=200)]


class Receipt(Wire):
    """What became of an answer: its revision, or the one that stands instead."""

    key: str
    revision: int | None = None
    conflict: AnswerView | None = None
    refused: str | None = None


class Receipts(Wire):
    """One for each answer, in their order."""

    receipts: list[Receipt]


_TITLES: Mapping[str, str] = {
    "phase1": "Lines",
    "phase2": "Markable",
    "da": "Scores",
    "spans": "Errors",
    "contrastive": "Errors, side by side",
    "consistency": "Repeated words",
    "document": "Whole document",
    "preference": "Better translation",
}


def me(store: Store, actor: Actor) -> Me:
    """Who is asking and what they have to do."""
    said = store.answers_of(actor.id)
    tasks = store.tasks_of(actor.id) if actor.role == "annotator" else []
    campaign = store.fact(OPENED)
    return Me(
        name=actor.name,
        role=actor.role,
        standing=_standing(store, actor),
        campaign=campaign["name"],
        phases=campaign["phases"],
        guidelines=store.fact(GUIDELINES),
        tasks=[_summary(task, said.get(task.id, ())) for task in tasks if task.content["items"]],
        nameless=actor.nameless,
        enrolled=actor.role == "annotator" and store.has_place(actor.id),
    )


def _standing(store: Store, actor: Actor) -> Standing:
    if actor.state == "withdrawn":
        return "withdrawn"
    return "open" if store.fact(CLOSED) is None else "closed"


def _summary(task: Task, said: Iterable[Answer]) -> TaskSummary:
    title = _TITLES[task.kind]
    if markable := task.content.get("markable"):
        title = f"{title}: {markable['head']}"
    total = len(task.content["items"])
    kind = cast(Phase, task.kind)
    asked = set(task.content["items"])
    done = sum(a.item in asked and is_finished(kind, a.value) for a in said)
    return TaskSummary(
        id=task.id, kind=kind, title=title, document=task.document, done=done, total=total
    )


def task_view(store: Store, actor: Actor, task: Task) -> TaskView:
    """The page of a task: systems are letters, checks look like anything else."""
    text = store.text(task.document)
    order = task_slots(store, actor, text)
    content = task.content
    markable = content.get("markable")
    campaign = store.fact(OPENED)
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
        pairs=content.get("pairs", []),
        prefilled=content.get("prefilled", {}),
        severities=campaign.get("severities", SEVERITIES),
        categories=campaign.get("categories", CATEGORIES),
        scale=scale_of(campaign),
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
        str(ItemName("occ", number, slot)): [tuple(place) for place in places]
        for slot, system in order.items()
        for number, places in enumerate(by_system.get(system, ()))
    }


def answer_view(answer: Answer) -> AnswerView:
    """An answer for the page."""
    return AnswerView(revision=answer.revision, value=dict(answer.value), at=answer.at)
