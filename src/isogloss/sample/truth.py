"""What is true of the bundled sample: how its systems render terms, occurrence by occurrence.

It was made on purpose, so its truth is known. ``truth.toml`` says it; checks are held to it.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from isogloss.documents import Document
from isogloss.sample import load_sample
from isogloss.spans import SOURCE, Span

SYSTEMS = ("steady", "shifting")
"""The systems whose every rendering of the terms is written down."""


@dataclass(frozen=True, slots=True)
class TrueTerm:
    """A repeated term of a document, its places, and what each system says at each of them.

    `on_purpose` marks the terms that `shifting` was made to vary.
    """

    testset: str
    document: str
    source: str
    on_purpose: bool
    occurrences: tuple[Span, ...]
    renderings: Mapping[str, tuple[str, ...]]

    def varied(self, system: str) -> tuple[Span, ...]:
        """The occurrences that a system renders otherwise than the one before."""
        said = self.renderings[system]
        return tuple(
            span for at, span in enumerate(self.occurrences) if at and said[at] != said[at - 1]
        )


@dataclass(frozen=True, slots=True)
class TrueMerge:
    """Terms of a document that a system renders by one word, which begins as `rendering` says.

    `on_purpose` marks those that the system was made to merge; others came about as it was made to
    err in other ways.
    """

    testset: str
    document: str
    system: str
    terms: tuple[str, ...]
    rendering: str
    on_purpose: bool = True


@dataclass(frozen=True, slots=True)
class Truth:
    """All that is written down about one test set of the sample."""

    terms: tuple[TrueTerm, ...]
    merges: tuple[TrueMerge, ...]

    def judged(self, system: str, found: Iterable[Span]) -> "Verdict":
        """How far places that are said to be inconsistent are."""
        true = [span for term in self.terms for span in term.varied(system)]
        put_in = [s for term in self.terms if term.on_purpose for s in term.varied(system)]
        places = list(found)
        return Verdict(
            right=sum(any(map(place.overlaps, true)) for place in places),
            found=len(places),
            recalled=sum(any(map(span.overlaps, places)) for span in put_in),
            put_in=len(put_in),
        )


@dataclass(frozen=True, slots=True)
class Verdict:
    """How many findings are right, and how much of what was put in was found."""

    right: int
    found: int
    recalled: int
    put_in: int

    @property
    def precision(self) -> float | None:
        """The share of findings that are right; `None` if there is none."""
        return self.right / self.found if self.found else None

    @property
    def recall(self) -> float | None:
        """The share of what was put in that was found."""
        return self.recalled / self.put_in if self.put_in else None

    def __add__(self, other: "Verdict") -> "Verdict":
        return Verdict(
            self.right + other.right,
            self.found + other.found,
            self.recalled + other.recalled,
            self.put_in + other.put_in,
        )


@cache
def load_truth(name: str) -> Truth:
    """The truth of the sample of that name."""
    told = tomllib.loads(files("isogloss.sample").joinpath("truth.toml").read_text("utf-8"))
    testset = load_sample(name).testset
    return Truth(
        tuple(
            _term(entry, testset.document(entry["document"]))
            for entry in told["term"]
            if entry["testset"] == name
        ),
        tuple(
            TrueMerge(**{**entry, "terms": tuple(entry["terms"])})
            for entry in told["merge"]
            if entry["testset"] == name
        ),
    )


def _term(entry: Mapping[str, Any], document: Document) -> TrueTerm:
    places = _places(entry["forms"], document)
    said = {}
    for system in SYSTEMS:
        told = entry[system]
        said[system] = (told,) * len(places) if isinstance(told, str) else tuple(told)
    return TrueTerm(
        entry["testset"],
        document.id,
        entry["source"],
        entry["on_purpose"],
        places,
        said,
    )


def _places(forms: Iterable[str], document: Document) -> tuple[Span, ...]:
    """Every place of the forms: whole words, but anywhere in a script without spaces."""
    any_form = "|".join(forms)
    spaced = any_form[:1] < "\u2e80"
    pattern = re.compile(rf"(?<!\w)(?:{any_form})(?!\w)" if spaced else any_form, re.IGNORECASE)
    return tuple(
        Span(document.id, SOURCE, number, *match.span())
        for number, text in enumerate(document.source)
        for match in pattern.finditer(text)
    )
