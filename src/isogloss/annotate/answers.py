"""What an answer may say, for each kind of task. Offsets count code points."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from isogloss.annotate.campaign import MARKING, Phase
from isogloss.errors import InputError
from isogloss.metrics.markables import Phenomenon

Share = Annotated[float, Field(ge=0, le=1)]
Percent = Annotated[float, Field(ge=0, le=100)]
Offset = Annotated[int, Field(ge=0, le=10_000_000)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=False, allow_inf_nan=False)


class Place(_Strict):
    """A range of code points of a segment."""

    start: Offset
    end: Offset

    @model_validator(mode="after")
    def _in_order(self) -> "Place":
        if self.start > self.end:
            raise ValueError("a place must not end before it begins")
        return self


class Reported(Place):
    """Words that an annotator selected as a markable."""

    side: Literal["source", "output"]
    text: Annotated[str, Field(max_length=2000)]


class LineValue(_Strict):
    """Phase 1: one line of one translation; `note` is for words that cannot be selected."""

    adequacy: Share | None = None
    fluency: Share | None = None
    conflicting: bool = False
    reported: Annotated[list[Reported], Field(max_length=200)] = []
    note: Annotated[str, Field(max_length=10_000)] = ""


class OccurrenceValue(_Strict):
    """Phase 2: one occurrence of a markable in one translation.

    `phenomena` are those that were ticked, with their severity once it was rated. `target` are the
    words that stand for the markable, where the annotator set them right.
    """

    no_error: bool = False
    phenomena: dict[Phenomenon, Share | None] = {}
    target: Annotated[list[Place], Field(max_length=50)] | None = None
    same_as: Annotated[str, Field(max_length=4)] | None = None

    @model_validator(mode="after")
    def _one_or_the_other(self) -> "OccurrenceValue":
        if self.no_error and self.phenomena:
            raise ValueError("either there is no error or there are phenomena, not both")
        return self


class DirectValue(_Strict):
    """Direct assessment: one score for a segment; `None` where it was taken back."""

    score: Percent | None


_WHERE_THERE: dict[str, Any] = {"optional": True}  # left out where it says nothing


class ErrorSpan(Place):
    """A marked error; `missing` is one of omission, which has no words in the output.

    Its place is in the output, or (`side`) in the source, where words were left out that stand
    there. `prefilled` is the number of the proposal that it was, changed or not.
    """

    severity: Literal["minor", "major", "critical"]
    category: Annotated[str, Field(max_length=100)] | None = None
    missing: bool = False
    side: Literal["source"] | None = Field(None, json_schema_extra=_WHERE_THERE)
    prefilled: Annotated[int, Field(ge=0)] | None = Field(None, json_schema_extra=_WHERE_THERE)

    @model_validator(mode="after")
    def _left_out(self) -> "ErrorSpan":
        if self.side == "source" and not self.missing:
            raise ValueError("words of the source are marked where they are missing")
        return self


class SpansValue(_Strict):
    """ESA, contrastive or not, and MQM: the errors of a segment, and a score."""

    errors: Annotated[list[ErrorSpan], Field(max_length=500)] = []
    score: Percent | None = None


class ConsistencyValue(_Strict):
    """Must the occurrences of a chain be translated alike?

    Where they need not, `flexible` are the places (from 0) at which another word would do; none
    named are all.
    """

    same: bool | None
    unsure: bool = False
    flexible: Annotated[list[Annotated[int, Field(ge=0)]], Field(max_length=5000)] = []

    @model_validator(mode="after")
    def _in_keeping(self) -> "ConsistencyValue":
        if self.flexible and self.same is not False:
            raise ValueError("places may differ only where not all must be the same")
        self.flexible = sorted(set(self.flexible))
        return self


Reason = Literal["meaning", "completeness", "fluency", "terms", "coherence", "style"]


class PreferenceValue(_Strict):
    """Which of two translations of a document is better, and why.

    `better` is a letter of the two, or "same"; exports and decisions have names of systems there.
    """

    better: Annotated[str, Field(max_length=500)] | None
    reasons: Annotated[list[Reason], Field(max_length=20)] = []
    note: Annotated[str, Field(max_length=10_000)] = ""

    @model_validator(mode="after")
    def _each_once(self) -> "PreferenceValue":
        self.reasons = [each for each in get_args(Reason) if each in self.reasons]
        return self


SAME = "same"
"""Neither of two translations is better."""

AnswerValue = (
    LineValue | OccurrenceValue | DirectValue | SpansValue | ConsistencyValue | PreferenceValue
)
VALUES: dict[Phase, type[AnswerValue]] = {
    "phase1": LineValue,
    "phase2": OccurrenceValue,
    "da": DirectValue,
    "spans": SpansValue,
    "contrastive": SpansValue,
    "consistency": ConsistencyValue,
    "document": DirectValue,
    "preference": PreferenceValue,
}


def _line_finished(value: Mapping[str, Any]) -> bool:
    return value["adequacy"] is not None and value["fluency"] is not None


def _occurrence_finished(value: Mapping[str, Any]) -> bool:
    severities = value["phenomena"].values()
    return bool(value["no_error"] or severities) and None not in severities


def _scored(value: Mapping[str, Any]) -> bool:
    return value["score"] is not None


def _preferred(value: Mapping[str, Any]) -> bool:
    """Where one is better, there is a reason."""
    why = value["reasons"] or value["note"].strip()
    return value["better"] == SAME or (value["better"] is not None and bool(why))


_FINISHED: Mapping[Phase, Callable[[Mapping[str, Any]], bool]] = {
    "phase1": _line_finished,
    "phase2": _occurrence_finished,
    "da": _scored,
    "spans": _scored,
    "contrastive": _scored,
    "consistency": lambda value: value["same"] is not None or bool(value["unsure"]),
    "document": _scored,
    "preference": _preferred,
}


def is_finished(kind: Phase, value: Mapping[str, Any]) -> bool:
    """Whether an answer says all that is asked; the pages count in the same way (`firstGap`)."""
    return _FINISHED[kind](value)


_NOTHING: Mapping[Phase, Mapping[str, Any]] = {
    "phase1": LineValue().model_dump(mode="json"),
    "phase2": OccurrenceValue().model_dump(mode="json"),
    "da": DirectValue(score=None).model_dump(mode="json"),
    "spans": SpansValue().model_dump(mode="json"),
    "contrastive": SpansValue().model_dump(mode="json"),
    "consistency": ConsistencyValue(same=None).model_dump(mode="json"),
    "document": DirectValue(score=None).model_dump(mode="json"),
    "preference": PreferenceValue(better=None).model_dump(mode="json"),
}


def says_nothing(kind: Phase, value: Mapping[str, Any]) -> bool:
    """Whether an answer was taken back: undo leaves one that says nothing."""
    return dict(value) == _NOTHING[kind]


def checked_value(kind: Phase, value: Any) -> dict[str, Any]:
    """The value as it is stored, if it is one that this kind of task takes."""
    try:
        said = VALUES[kind].model_validate(value).model_dump(mode="json")
        return {**said, "errors": [*map(_spare, said["errors"])]} if kind in MARKING else said
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the answer"
        raise InputError(f"{where}: {first['msg']}") from None


def _spare(error: Mapping[str, Any]) -> dict[str, Any]:
    """Without what says nothing: errors of older answers have none of it, and are the same."""
    spare = ("side", "prefilled")
    return {name: each for name, each in error.items() if name not in spare or each is not None}
