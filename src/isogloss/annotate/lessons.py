"""Tutorials as they go over the wire, in both directions."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from isogloss.annotate.campaign import Phase
from isogloss.annotate.wire import Moment, TaskView, TutorialStanding


class _Learning(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Lesson(_Learning):
    """What an answer in a tutorial lacks, and a word of explanation."""

    lacking: list[str]
    explanation: str


class TutorialView(_Learning):
    """The page of a tutorial; items that have a lesson stay as they are."""

    task: TaskView
    attempt: int
    lessons: dict[str, Lesson]
    standing: TutorialStanding


class AnnotatorTutorials(_Learning):
    """How somebody does in all tutorials."""

    name: str
    tutorials: list[TutorialStanding]


class TypedAnswer(_Learning):
    """An answer in a tutorial."""

    item: Annotated[str, Field(max_length=100)]
    value: dict[str, Any]
    at: Moment


class LearnedAnswers(_Learning):
    """Answers of one attempt at a tutorial."""

    attempt: Annotated[int, Field(ge=1, le=10_000)]
    answers: Annotated[list[TypedAnswer], Field(min_length=1, max_length=200)]


class LetIn(_Learning):
    """Somebody who may work without having passed the tutorial of a phase."""

    name: Annotated[str, Field(max_length=200)]
    phase: Phase
    at: Moment
