"""A markable: a term that is vital to a document, in all its forms, at all its places."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from isogloss.documents import Document
from isogloss.errors import InputError
from isogloss.spans import SOURCE, Span


@dataclass(frozen=True, slots=True)
class Term:
    """An expression to look for: its forms in the source language, the first of them its head.

    A form is a regular expression that must match whole words, in any letter case; in scripts
    without spaces between words it may stand anywhere. `title` names the term where its first
    form would not do.
    """

    forms: tuple[str, ...]
    title: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "forms", tuple(self.forms))
        if not self.forms or not all(self.forms):
            raise InputError("a term needs at least one form, and none may be empty")
        for form in self.forms:
            try:
                re.compile(form)
            except re.error as error:
                raise InputError(f"the form {form!r} is no regular expression: {error}") from None

    @property
    def head(self) -> str:
        return self.title or self.forms[0]

    def find(self, segments: Sequence[str]) -> list[tuple[int, int, int]]:
        """(segment, start, end) of every place, form by form, each form in the order of the text.

        This is how the study numbered the occurrences of a markable.
        """
        places = []
        for form in self.forms:
            whole = re.compile(_whole_words(form), re.IGNORECASE)
            for number, segment in enumerate(segments):
                places += [(number, *match.span(1)) for match in whole.finditer(segment)]
        return places


_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")


def _whole_words(form: str) -> str:
    return f"({form})" if _UNSPACED.search(form) else rf"(?:^|\W)({form})(?:$|\W)"


@dataclass(frozen=True, slots=True)
class Markable:
    """One term in one document: occurrences are spans of the source, in the order of the text."""

    document: str
    head: str
    occurrences: tuple[Span, ...]
    forms: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "occurrences", tuple(self.occurrences))
        if not self.occurrences:
            raise InputError(f"markable {self.head!r} does not occur in {self.document!r}")
        if list(self.occurrences) != sorted(self.occurrences):
            raise InputError(f"the occurrences of markable {self.head!r} are out of order")


def markables_in(document: Document, terms: Iterable[Term]) -> tuple[Markable, ...]:
    """The terms that occur in the document, each with its places."""
    found = []
    for term in terms:
        places = sorted(set(term.find(document.source)))
        if places:
            spans = tuple(Span(document.id, SOURCE, *place) for place in places)
            found.append(Markable(document.id, term.head, spans, term.forms))
    return tuple(found)
