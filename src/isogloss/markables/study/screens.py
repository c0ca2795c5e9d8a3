"""What annotators saw and said: one screen shows a place of the source in all translations."""

from collections.abc import Mapping
from dataclasses import dataclass

from isogloss.errors import InputError
from isogloss.frozen import FrozenMapping
from isogloss.markables.phenomena import Phenomenon

Marks = Mapping[Phenomenon, float | None]
"""The phenomena that were ticked, each with its severity (`None`: ticked, but not rated).

Empty marks say that somebody looked and saw no error; that nobody looked has no marks at all.
"""


@dataclass(frozen=True, slots=True)
class LineRating:
    """Phase 1: one line of one translation. `reported` is the free text of wrong markables."""

    conflicting: bool
    reported: str
    fluency: float | None = None
    adequacy: float | None = None

    def __post_init__(self) -> None:
        for name in ("fluency", "adequacy"):
            _check_scale(name, getattr(self, name))


def _check_scale(name: str, value: float | None) -> None:
    if value is not None and not 0 <= value <= 1:
        raise InputError(f"{name} {value} does not lie between 0 and 1")


@dataclass(frozen=True, slots=True)
class LineScreen:
    """Phase 1: one line of a document in all translations; `time` in milliseconds since 1970."""

    document: str
    line: int
    ratings: Mapping[str, LineRating]
    time: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "ratings", FrozenMapping(self.ratings))


@dataclass(frozen=True, slots=True)
class MarkScreen:
    """Phase 2: one occurrence of a markable in all translations.

    Occurrences are counted from 0 in the order of the text, which is how the page showed them.
    """

    document: str
    head: str
    occurrence: int
    marks: Mapping[str, Marks]
    time: int

    def __post_init__(self) -> None:
        frozen = {system: FrozenMapping(marks) for system, marks in self.marks.items()}
        object.__setattr__(self, "marks", FrozenMapping(frozen))
        for marks in frozen.values():
            for phenomenon, severity in marks.items():
                _check_scale(f"the severity of {phenomenon}", severity)


@dataclass(frozen=True, slots=True)
class LineSheet:
    """All screens of phase 1 that one annotator finished."""

    annotator: str
    screens: tuple[LineScreen, ...]


@dataclass(frozen=True, slots=True)
class MarkSheet:
    """All screens of phase 2 that one annotator finished."""

    annotator: str
    screens: tuple[MarkScreen, ...]
