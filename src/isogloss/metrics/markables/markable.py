"""A markable: a term that is vital to a document, in all its forms, at all its places.

The eleven ways in which a markable's translation goes wrong (Zouhar et al. 2020).

A user's own list of terms: one term a line, its forms separated by tabs, ``#`` for comments.

What a term looks like: names, numbers, acronyms, Roman numerals, by their letters alone.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from isogloss.documents import Document
from isogloss.errors import FormatError, InputError
from isogloss.formats import read_lines
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


class Phenomenon(StrEnum):
    """One kind of error; its value is its name in metrics, commands and our event log."""

    NON_TRANSLATED = "non-translated"
    OVER_TRANSLATED = "over-translated"
    TERMINOLOGY = "terminology"
    STYLE = "style"
    SENSE = "sense"
    TYPOGRAPHY = "typography"
    ROLE = "role"
    GRAMMAR = "grammar"
    INCONSISTENCY = "inconsistency"
    CONFLICT = "conflict"
    DISAPPEARANCE = "disappearance"

    @property
    def title(self) -> str:  # type: ignore[override]
        """The name for people."""
        return _TITLES.get(self, self.value.capitalize())

    @property
    def key(self) -> str:
        """The name in the study's files."""
        return _KEYS.get(self, self.value)

    @property
    def mqm_category(self) -> str:
        """The category of an MQM error that comes nearest."""
        return _MQM[self]

    @classmethod
    def of_key(cls, key: str) -> "Phenomenon":
        """The phenomenon of that name in the study's files."""
        for phenomenon in cls:
            if key == phenomenon.key:
                return phenomenon
        known = ", ".join(phenomenon.key for phenomenon in cls)
        raise InputError(f"{key!r} is no phenomenon; there are: {known}")


_TITLES = {Phenomenon.ROLE: "Semantic role", Phenomenon.GRAMMAR: "Other grammar"}
_KEYS = {
    Phenomenon.NON_TRANSLATED: "nontranslated",
    Phenomenon.OVER_TRANSLATED: "tootranslated",
}
_MQM = {
    Phenomenon.NON_TRANSLATED: "Accuracy/Untranslated",
    Phenomenon.OVER_TRANSLATED: "Accuracy/Do-not-translate",
    Phenomenon.TERMINOLOGY: "Terminology/Inappropriate for context",
    Phenomenon.STYLE: "Style/Awkward",
    Phenomenon.SENSE: "Accuracy/Mistranslation",
    Phenomenon.TYPOGRAPHY: "Fluency/Spelling",
    Phenomenon.ROLE: "Accuracy/Mistranslation",
    Phenomenon.GRAMMAR: "Fluency/Grammar",
    Phenomenon.INCONSISTENCY: "Terminology/Inconsistent",
    Phenomenon.CONFLICT: "Accuracy/Mistranslation",
    Phenomenon.DISAPPEARANCE: "Accuracy/Omission",
}


def mqm_severity(severity: float | None) -> str:
    """A severity on the study's scale (0 to 1) as one of MQM's: none at all costs nothing."""
    if severity == 0:
        return "neutral"
    return "major" if severity is not None and severity > 0.5 else "minor"


def read_term_list(path: Path) -> tuple[Term, ...]:
    """The terms of a file; forms are plain text, matched as whole words in any letter case."""
    terms = []
    for number, line in enumerate(read_lines(path), 1):
        if not line.strip() or line.startswith("#"):
            continue
        forms = [form.strip() for form in line.split("\t")]
        if not all(forms):
            raise FormatError("an empty form", path=path, line=number, remedy="remove the tab")
        terms.append(Term(tuple(re.escape(form) for form in forms), title=forms[0]))
    if not terms:
        raise FormatError("there are no terms", path=path, remedy="one term a line")
    return tuple(terms)


_ROMAN = re.compile(r"[IVXLCDM]+")
_NUMBER = re.compile(r"\d[\d\u00a0\u202f .,:/-]*")
_DIGITS = re.compile(r"\d")


def is_capitalised(word: str) -> bool:
    """A capital first and a small letter somewhere."""
    return word[:1].isupper() and not word.isupper()


def is_name(words: Sequence[str]) -> bool:
    """Several words, each with a capital: a full name, of a person or a place."""
    lettered = [word for word in words if any(map(str.isalpha, word))]
    return len(lettered) > 1 and all(map(is_capitalised, lettered))


def is_roman(words: Sequence[str]) -> bool:
    """A Roman numeral."""
    return len(words) == 1 and _ROMAN.fullmatch(words[0]) is not None


def is_acronym(words: Sequence[str]) -> bool:
    """Two to six capitals that are no numeral; several of them count, too."""
    lettered = [word for word in words if any(map(str.isalpha, word))]
    if not lettered or is_roman(words):
        return False
    return all(word.isupper() and 2 <= len(word) <= 6 for word in lettered)


def is_heading(words: Sequence[str]) -> bool:
    """A longer word all in capitals."""
    return bool(words) and all(word.isupper() and len(word) > 6 for word in words)


def numbers_in(text: str) -> list[tuple[int, int]]:
    """Where the numbers of a text lie, separators inside them included."""
    found = []
    for match in _NUMBER.finditer(text):
        number = match.group().rstrip(" .,:/-\u00a0\u202f")
        found.append((match.start(), match.start() + len(number)))
    return found


def digits(text: str) -> str:
    """The digits alone."""
    return "".join(_DIGITS.findall(text))


def folded(text: str) -> str:
    """Small letters without their accents."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in plain if not unicodedata.combining(letter))
