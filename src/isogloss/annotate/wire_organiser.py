"""What goes between the server and the organiser's pages."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from isogloss.annotate.wire import AnswerView, ChainView, PlaceView

CurationState = Literal["proposed", "accepted", "rejected"]


class _Wire(BaseModel):
    model_config = ConfigDict(extra="forbid")


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
    repeat_difference: float | None
    degraded_seen: float | None
    bias: float | None


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


class Overview(_Wire):
    """How the campaign goes."""

    campaign: str
    annotators: list[AnnotatorProgress]
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
    """A place that annotators judged differently, and the decision where there is one."""

    task: str
    item: str
    kind: str
    document: str
    segment: int
    source: str
    output: str | None
    system: str | None
    markable: str | None
    chain: DisputedChain | None
    opinions: list[Opinion]
    decision: AnswerView | None
