"""What goes over the wire about who takes part: people, work handed over, enrolment, campaigns."""

from typing import Annotated, Literal

from pydantic import Field

from isogloss.annotate.storage.schema import (
    Role,
)
from isogloss.annotate.wire import Wire


class MemberView(Wire):
    """Somebody who takes part: what they have to do, and whether their link still works."""

    name: str
    role: Role
    state: Literal["active", "withdrawn"]
    done: int
    total: int
    late: int


class PeopleView(Wire):
    """Who takes part, and whether the campaign takes answers."""

    people: list[MemberView]
    closed: bool
    redundancy: int


Name = Annotated[str, Field(min_length=1, max_length=200)]


class NewPerson(Wire):
    """Somebody who is to take part; an annotator takes a share of the work, unless told not to."""

    name: Name
    role: Role = "annotator"
    nameless: bool = False
    share: bool = True


class Named(Wire):
    """Somebody by their name."""

    name: Name


class Handing(Wire):
    """Whose open work goes to others, and to whom: by default to whoever has least to do."""

    name: Name
    to: Annotated[list[Name], Field(max_length=1000)] | None = None


class Leaving(Handing):
    """Who leaves; `keep` leaves their work with them."""

    keep: bool = False


class Extension(Wire):
    """How many people are to judge each document."""

    redundancy: Annotated[int, Field(ge=1, le=10_000)]


class WorkView(Wire):
    """How much was given out, and how many items nobody was there for."""

    tasks: int
    items: int
    left: int


class NewLink(Wire):
    """A secret link, shown this once, and the work that comes with it."""

    link: str
    work: WorkView


class LateTaken(Wire):
    """How many answers that came too late were taken in, and how many were not."""

    taken: int
    left: int


class Invitation(Wire):
    """What somebody is told who comes by the link for many; `known` is who they are already."""

    campaign: str
    guidelines: str
    parameter: str | None
    known: str | None
    closed: bool
    items: int


class NewcomerSent(Wire):
    """Somebody wants a place; `platform` is their id on a crowd platform."""

    token: Annotated[str, Field(max_length=100)]
    platform: Annotated[str, Field(max_length=200)] | None = None


class CompletionView(Wire):
    """What somebody gets who has answered everything; no code where checks were missed."""

    code: str | None
    url: str | None


class EnrolmentSettings(Wire):
    """How people enrol."""

    places: Annotated[int, Field(ge=1, le=100_000)]
    items: Annotated[int, Field(ge=1, le=1_000_000)] = 100
    minutes: Annotated[int, Field(ge=1, le=1_000_000)] = 120
    parameter: Annotated[str, Field(max_length=64)] | None = None
    code: Annotated[str, Field(min_length=1, max_length=200)] | None = None
    url: Annotated[str, Field(max_length=2000)] | None = None
    checks: Annotated[float, Field(ge=0, le=1)] | None = None


class EnrolmentState(Wire):
    """How people enrol, if they can, and how many have."""

    settings: EnrolmentSettings | None
    link: str | None
    at_work: int
    finished: int
    gave_up: int


class CampaignEntry(Wire):
    """A campaign in the list of several: who one is there, and how far those are whom one sees."""

    path: str
    campaign: str
    role: Role
    closed: bool
    people: int
    done: int
    total: int
