"""What is kept of a campaign: its tables, alike on SQLite and PostgreSQL, and their rows as values.

`events` is the truth: rows are only ever added. `answers` is what they come to, kept in the same
transaction so that reading is quick, and can be worked out again from the events at any time.
`seals` and `chains` say what the other tables come to (see `integrity`), so that damage is seen
wherever it is done. Of the links that let people in only a hash is kept.

While a campaign goes on, work may go from one to another (`moved`) and people may leave; an answer
that comes too late for that is kept beside the others (`late`).
"""

import hashlib
import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Integer,
    MetaData,
    String,
    Table,
    UniqueConstraint,
    false,
)
from sqlalchemy.types import JSON

_LONGEST_DOCUMENT = 500
LONGEST_TASK = _LONGEST_DOCUMENT + 64
"""Characters: what an organiser decides about a document is filed under the document's name."""

OPENED = "campaign"
"""The fact that holds the campaign as it was opened; without it, it is not open."""
CLOSED = "closed"
"""The fact that no more answers are taken, and since when."""

metadata = MetaData()
_Id = BigInteger().with_variant(Integer, "sqlite")  # SQLite numbers only an INTEGER by itself

facts = Table(
    "facts",
    metadata,
    Column("name", String(64), primary_key=True),
    Column("value", JSON, nullable=False),
)
actors = Table(
    "actors",
    metadata,
    Column("id", _Id, primary_key=True, autoincrement=True),
    Column("name", String(200), nullable=False, unique=True),
    Column("role", String(20), nullable=False),
    Column("token_hash", String(64), nullable=False, unique=True),
    Column("state", String(20), nullable=False, server_default="active"),
    Column("nameless", Boolean, nullable=False, server_default=false()),
)
texts = Table(
    "texts",
    metadata,
    Column("document", String(_LONGEST_DOCUMENT), primary_key=True),
    Column("position", Integer, nullable=False),
    Column("content", JSON, nullable=False),
)
tasks = Table(
    "tasks",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("actor", _Id, ForeignKey("actors.id"), nullable=False, index=True),
    Column("kind", String(20), nullable=False),
    Column("document", String(_LONGEST_DOCUMENT), nullable=False),
    Column("position", Integer, nullable=False),
    Column("content", JSON, nullable=False),
)
events = Table(
    "events",
    metadata,
    Column("id", _Id, primary_key=True, autoincrement=True),
    Column("key", String(64), nullable=False, unique=True),
    Column("actor", _Id, ForeignKey("actors.id"), nullable=False),
    Column("task", String(LONGEST_TASK), nullable=False),
    Column("item", String(200), nullable=False),
    Column("revision", Integer, nullable=False),
    Column("value", JSON, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("received", BigInteger, nullable=False),
    Column("digest", String(64), nullable=False, server_default=""),
    UniqueConstraint("task", "item", "revision", name="one_event_per_revision"),
)
answers = Table(
    "answers",
    metadata,
    Column("task", String(LONGEST_TASK), primary_key=True),
    Column("item", String(200), primary_key=True),
    Column("revision", Integer, nullable=False),
    Column("event", _Id, ForeignKey("events.id"), nullable=False),
    Column("value", JSON, nullable=False),
    Column("at", BigInteger, nullable=False),
)
moved = Table(
    "moved",
    metadata,
    Column("task", String(64), ForeignKey("tasks.id"), primary_key=True),
    Column("item", String(200), primary_key=True),
    Column("actor", _Id, ForeignKey("actors.id"), nullable=False),
    Column("at", BigInteger, nullable=False),
)
late = Table(
    "late",
    metadata,
    Column("task", String(64), ForeignKey("tasks.id"), primary_key=True),
    Column("item", String(200), primary_key=True),
    Column("actor", _Id, ForeignKey("actors.id"), nullable=False),
    Column("key", String(64), nullable=False),
    Column("value", JSON, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("received", BigInteger, nullable=False),
    Column("reason", String(20), nullable=False),
)
places = Table(
    "places",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("actor", _Id, ForeignKey("actors.id"), nullable=False, unique=True),
    Column("platform", String(200), nullable=True, unique=True),
    Column("taken", BigInteger, nullable=False),
    Column("finished", BigInteger, nullable=True),
    Column("given_up", BigInteger, nullable=True),
)
seals = Table(
    "seals",
    metadata,
    Column("name", String(64), primary_key=True),
    Column("rows", BigInteger, nullable=False),
    Column("digest", String(64), nullable=False),
)
chains = Table(
    "chains",
    metadata,
    Column("actor", _Id, ForeignKey("actors.id"), primary_key=True),
    Column("events", BigInteger, nullable=False),
    Column("last", _Id, nullable=False),
    Column("digest", String(64), nullable=False),
)


Role = Literal["organiser", "curator", "annotator", "observer"]
ActorState = Literal["active", "withdrawn"]
LateReason = Literal["closed", "withdrawn", "moved"]
Value = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Actor:
    """Somebody who takes part; `nameless` observers see no names of others."""

    id: int
    name: str
    role: Role
    state: ActorState = "active"
    nameless: bool = False


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
class Late:
    """The answer came too late and was not saved; it is kept for the organiser."""

    key: str
    reason: LateReason


@dataclass(frozen=True, slots=True)
class LateAnswer:
    """What somebody said too late: the last of it about an item."""

    actor: str
    task: str
    item: str
    key: str
    value: Value
    at: int
    received: int
    reason: LateReason


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


_BYTES = 32  # 256 bits: nobody guesses one


def new_token() -> str:
    """A token that fits into a link."""
    return secrets.token_urlsafe(_BYTES)


def hashed(token: str) -> str:
    """What is stored. The token is random and long, so a plain hash gives nothing away."""
    return hashlib.sha256(token.encode("utf-8")).hexdigest()


def same(one: str, other: str) -> bool:
    """Whether two hashes or tokens are equal, in a time that does not tell how far they agree."""
    sent = (each.encode("utf-8", "surrogatepass") for each in (one, other))
    return hmac.compare_digest(*sent)
