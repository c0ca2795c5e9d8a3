"""What goes over the wire to those who run or watch a campaign, and what they decide."""

from typing import Annotated, Literal

from pydantic import Field

from isogloss.annotate.wire import AnswerView, ChainView, PlaceView, Wire

CurationState = Literal["proposed", "accepted", "rejected"]


class CuratedMarkable(Wire):
    """A markable as the organiser wants it; `origin` says who came up with it."""

    head: Annotated[str, Field(min_length=1, max_length=500)]
    occurrences: Annotated[list[PlaceView], Field(min_length=1, max_length=5000)]
    state: CurationState
    origin: Annotated[str, Field(max_length=500)] = ""


class CandidateView(Wire):
    """A candidate with the revision on which a change must be based."""

    item: str
    revision: int
    markable: CuratedMarkable


class CurationDocument(Wire):
    """The candidates of one document."""

    task: str
    document: str
    source: list[str]
    candidates: list[CandidateView]
    released: int
    proposed: bool


class Proposals(Wire):
    """How many markables a program has added, and of how many that were there it says more."""

    added: int
    joined: int


class AnnotatorProgress(Wire):
    """How far somebody has come."""

    name: str
    done: int
    total: int
    seconds_per_item: float | None
    hours_left: float | None
    repeat_difference: float | None
    degraded_seen: float | None
    bias: float | None


class MeasuredFigure(Wire):
    """A figure with its interval, or without one where there is too little to tell."""

    value: float
    low: float | None
    high: float | None


class AnnotatorConduct(Wire):
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


class AgreementFigure(Wire):
    """One measure of agreement, or why there is none."""

    what: str
    statistic: str
    value: float | None
    reason: str | None
    units: int


class PhenomenonFigure(Wire):
    """How often a phenomenon was marked in a system, and how severe it was where it was rated."""

    system: str
    phenomenon: str
    judged: int
    occurrence: float
    severity: float | None


class SystemFigure(Wire):
    """A system's mean score in one kind of task."""

    system: str
    human: bool
    kind: str
    mean: float
    judged: int


class Overview(Wire):
    """How the campaign goes."""

    campaign: str
    annotators: list[AnnotatorProgress]
    conduct: list[AnnotatorConduct]
    agreement: list[AgreementFigure]
    systems: list[SystemFigure]
    phenomena: list[PhenomenonFigure]
    disagreements: int
    exports: list[str]


class Opinion(Wire):
    """What one annotator said."""

    annotator: str
    answer: AnswerView


class DisputedChain(Wire):
    """A repeated word that annotators judged differently, with the sentences of its places."""

    chain: ChainView
    sources: list[str]


class Disagreement(Wire):
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
