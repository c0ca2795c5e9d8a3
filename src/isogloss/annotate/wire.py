"""What goes over the wire, in both directions; the types of all pages are made from these.

What an annotator sees: their tasks, and the texts of one of them, blinded.
"""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal, cast

from pydantic import BaseModel, ConfigDict, Field

from isogloss.annotate.answers import is_finished
from isogloss.annotate.campaign import CATEGORIES, SEVERITIES, Phase
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


class _Wire(BaseModel):
    model_config = ConfigDict(extra="forbid")


class TaskSummary(_Wire):
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


class TutorialStanding(_Wire):
    """How far somebody has come in the tutorial of a phase; `best` is of whole attempts."""

    phase: Phase
    state: TutorialState
    let_in: bool
    best: int | None
    total: int
    attempts: int
    tries_left: int | None
    needed: int


class Me(_Wire):
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


class AnswerView(_Wire):
    """The answer that stands."""

    revision: int
    value: dict[str, Any]
    at: int


class PlaceView(_Wire):
    """Code points of one segment."""

    segment: int
    start: int
    end: int


class MarkableView(_Wire):
    """A markable with all its places in the source."""

    head: str
    occurrences: list[PlaceView]


class ShownItem(_Wire):
    """An item that shows another text than the document has at its place."""

    item: str
    segment: int
    slot: str
    text: str


class ChainPlace(PlaceView):
    """A place of a repeated word, and its sentence in the translation by people."""

    target: str | None = None
    targets: list[tuple[int, int]] = []


class ChainView(_Wire):
    """A repeated word and the words that stand for it in a translation by people."""

    item: str
    id: str
    word: str
    translation: str
    places: list[ChainPlace]


class TaskView(_Wire):
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
    answers: dict[str, AnswerView]


Moment = Annotated[int, Field(ge=0, le=2**53 - 1)]
"""Milliseconds since 1970, as far as a browser counts."""


class SentAnswer(_Wire):
    """An answer with its idempotency key and the revision on which it is based."""

    key: Annotated[str, Field(min_length=8, max_length=64, pattern=r"^[A-Za-z0-9_-]+$")]
    task: Annotated[str, Field(max_length=LONGEST_TASK)]
    item: Annotated[str, Field(max_length=200)]
    revision: Annotated[int, Field(ge=0, lt=2**31 - 1)]
    value: dict[str, Any]
    at: Moment


class SentAnswers(_Wire):
    """Answers that were given since the last time; a browser that was offline sends many."""

    answers: Annotated[list[SentAnswer], Field(min_length=1, max_length=200)]


class Receipt(_Wire):
    """What became of an answer: its revision, or the one that stands instead."""

    key: str
    revision: int | None = None
    conflict: AnswerView | None = None
    refused: str | None = None


class Receipts(_Wire):
    """One for each answer, in their order."""

    receipts: list[Receipt]


CurationState = Literal["proposed", "accepted", "rejected"]


class CuratedMarkable(_Wire):
    """A markable as the organiser wants it; `origin` says who came up with it."""

    head: Annotated[str, Field(min_length=1, max_length=500)]
    occurrences: Annotated[list[PlaceView], Field(min_length=1, max_length=5000)]
    state: CurationState
    origin: Annotated[str, Field(max_length=500)] = ""


class CandidateView(_Wire):
    """A candidate with the revision on which a change must be based."""

    item: str
    revision: int
    markable: CuratedMarkable


class CurationDocument(_Wire):
    """The candidates of one document."""

    task: str
    document: str
    source: list[str]
    candidates: list[CandidateView]
    released: int
    proposed: bool


class Proposals(_Wire):
    """How many markables a program has added, and of how many that were there it says more."""

    added: int
    joined: int


class AnnotatorProgress(_Wire):
    """How far somebody has come."""

    name: str
    done: int
    total: int
    seconds_per_item: float | None
    hours_left: float | None
    repeat_difference: float | None
    degraded_seen: float | None
    bias: float | None


class MeasuredFigure(_Wire):
    """A figure with its interval, or without one where there is too little to tell."""

    value: float
    low: float | None
    high: float | None


class AnnotatorConduct(_Wire):
    """How somebody judges in one kind of work, beside the others; what of it stands out."""

    annotator: str
    kind: str
    documents: int
    shared: int
    mildness: MeasuredFigure | None
    spread: MeasuredFigure | None
    agreement: MeasuredFigure | None
    drift: MeasuredFigure | None
    beside_others: bool
    spoilt: int
    spoilt_seen: int
    stands_out: bool
    words: list[str]


class AgreementFigure(_Wire):
    """One measure of agreement, or why there is none."""

    what: str
    statistic: str
    value: float | None
    reason: str | None
    units: int


class PhenomenonFigure(_Wire):
    """How often a phenomenon was marked in a system, and how severe it was where it was rated."""

    system: str
    phenomenon: str
    judged: int
    occurrence: float
    severity: float | None


class SystemFigure(_Wire):
    """A system's mean score in one kind of task."""

    system: str
    human: bool
    kind: str
    mean: float
    judged: int


class MemberView(_Wire):
    """Somebody who takes part: what they have to do, and whether their link still works."""

    name: str
    role: Role
    state: Literal["active", "withdrawn"]
    done: int
    total: int
    late: int


class PeopleView(_Wire):
    """Who takes part, and whether the campaign takes answers."""

    people: list[MemberView]
    closed: bool
    redundancy: int


Name = Annotated[str, Field(min_length=1, max_length=200)]


class NewPerson(_Wire):
    """Somebody who is to take part; an annotator takes a share of the work, unless told not to."""

    name: Name
    role: Role = "annotator"
    nameless: bool = False
    share: bool = True


class Named(_Wire):
    """Somebody by their name."""

    name: Name


class Handing(_Wire):
    """Whose open work goes to others, and to whom: by default to whoever has least to do."""

    name: Name
    to: Annotated[list[Name], Field(max_length=1000)] | None = None


class Leaving(Handing):
    """Who leaves; `keep` leaves their work with them."""

    keep: bool = False


class Extension(_Wire):
    """How many people are to judge each document."""

    redundancy: Annotated[int, Field(ge=1, le=10_000)]


class WorkView(_Wire):
    """How much was given out, and how many items nobody was there for."""

    tasks: int
    items: int
    left: int


class NewLink(_Wire):
    """A secret link, shown this once, and the work that comes with it."""

    link: str
    work: WorkView


class LateTaken(_Wire):
    """How many answers that came too late were taken in, and how many were not."""

    taken: int
    left: int


class Invitation(_Wire):
    """What somebody is told who comes by the link for many; `known` is who they are already."""

    campaign: str
    guidelines: str
    parameter: str | None
    known: str | None
    closed: bool


class NewcomerSent(_Wire):
    """Somebody wants a place; `platform` is their id on a crowd platform."""

    token: Annotated[str, Field(max_length=100)]
    platform: Annotated[str, Field(max_length=200)] | None = None


class CompletionView(_Wire):
    """What somebody gets who has answered everything; no code where checks were missed."""

    code: str | None
    url: str | None


class EnrolmentSettings(_Wire):
    """How people enrol."""

    places: Annotated[int, Field(ge=1, le=100_000)]
    items: Annotated[int, Field(ge=1, le=1_000_000)] = 100
    minutes: Annotated[int, Field(ge=1, le=1_000_000)] = 120
    parameter: Annotated[str, Field(max_length=64)] | None = None
    code: Annotated[str, Field(min_length=1, max_length=200)] | None = None
    url: Annotated[str, Field(max_length=2000)] | None = None
    checks: Annotated[float, Field(ge=0, le=1)] | None = None


class EnrolmentState(_Wire):
    """How people enrol, if they can, and how many have."""

    settings: EnrolmentSettings | None
    link: str | None
    at_work: int
    finished: int
    gave_up: int


class CampaignEntry(_Wire):
    """A campaign in the list of several: who one is there, and how far those are whom one sees."""

    path: str
    campaign: str
    role: Role
    closed: bool
    people: int
    done: int
    total: int


class Overview(_Wire):
    """How the campaign goes."""

    campaign: str
    annotators: list[AnnotatorProgress]
    conduct: list[AnnotatorConduct]
    agreement: list[AgreementFigure]
    systems: list[SystemFigure]
    phenomena: list[PhenomenonFigure]
    disagreements: int
    exports: list[str]


class Opinion(_Wire):
    """What one annotator said."""

    annotator: str
    answer: AnswerView


class DisputedChain(_Wire):
    """A repeated word that annotators judged differently, with the sentences of its places."""

    chain: ChainView
    sources: list[str]


class Disagreement(_Wire):
    """A place that annotators judged differently, and the decision where there is one.

    `apart` is how far their answers lie apart, from 0 to 1.
    """

    task: str
    item: str
    kind: str
    document: str
    segment: int | None
    source: str
    output: str | None
    system: str | None
    against: str | None
    other: str | None
    markable: str | None
    chain: DisputedChain | None
    opinions: list[Opinion]
    apart: float
    decision: AnswerView | None


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
