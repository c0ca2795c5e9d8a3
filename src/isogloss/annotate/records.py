"""What is kept of a campaign: people, tasks, and answers as they come in and as they stand."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Role = Literal["organiser", "annotator"]
Value = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Actor:
    """Somebody who takes part."""

    id: int
    name: str
    role: Role


@dataclass(frozen=True, slots=True)
class Task:
    """A unit of work of one annotator; `content` says what it asks about."""

    id: str
    actor: int
    kind: str
    document: str
    position: int
    content: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Submission:
    """An answer as it comes in: based on a revision (0: nobody has answered yet)."""

    key: str
    task: str
    item: str
    revision: int
    value: Value
    at: int


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer that stands."""

    item: str
    revision: int
    value: Value
    at: int


@dataclass(frozen=True, slots=True)
class Saved:
    """The answer has become this revision."""

    key: str
    revision: int


@dataclass(frozen=True, slots=True)
class Conflict:
    """The answer was based on an old revision; this one stands (`None`: there is none at all)."""

    key: str
    stands: Answer | None


@dataclass(frozen=True, slots=True)
class Reused:
    """The key belongs to another answer, which was saved earlier; this one was not."""

    key: str


@dataclass(frozen=True, slots=True)
class Event:
    """One answer that was given, whether it still stands or not."""

    id: int
    key: str
    actor: str
    task: str
    item: str
    revision: int
    value: Value
    at: int
    received: int
