"""What an answer may say, for each kind of task. Offsets count code points."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from isogloss.annotate.campaign import Phase
from isogloss.errors import InputError
from isogloss.markables.phenomena import Phenomenon

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
    """Direct assessment: one score for a segment."""

    score: Percent


class ErrorSpan(Place):
    """A marked error; `missing` is one of omission, which has no words in the output."""

    severity: Literal["minor", "major", "critical"]
    category: Annotated[str, Field(max_length=100)] | None = None
    missing: bool = False


class SpansValue(_Strict):
    """ESA and MQM: the errors of a segment, and a score."""

    errors: Annotated[list[ErrorSpan], Field(max_length=500)] = []
    score: Percent | None = None


class ConsistencyValue(_Strict):
    """Must the occurrences of a chain be translated alike?"""

    same: bool | None
    unsure: bool = False


AnswerValue = LineValue | OccurrenceValue | DirectValue | SpansValue | ConsistencyValue
VALUES: dict[Phase, type[AnswerValue]] = {
    "phase1": LineValue,
    "phase2": OccurrenceValue,
    "da": DirectValue,
    "spans": SpansValue,
    "consistency": ConsistencyValue,
}


def checked_value(kind: Phase, value: Any) -> dict[str, Any]:
    """The value as it is stored, if it is one that this kind of task takes."""
    try:
        return VALUES[kind].model_validate(value).model_dump(mode="json")
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the answer"
        raise InputError(f"{where}: {first['msg']}") from None
