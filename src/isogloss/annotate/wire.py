"""What goes over the wire, in both directions; the pages' types are made from these."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from isogloss.annotate.campaign import Phase
from isogloss.annotate.schema import LONGEST_TASK


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


class Me(_Wire):
    """Who is asking, and what they have to do."""

    name: str
    role: str
    campaign: str
    guidelines: str
    tasks: list[TaskSummary]


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
