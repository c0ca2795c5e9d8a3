"""What a language tool is: one small interface a task, each implementation with a name.

Offsets are code points of the text that was given, whatever an implementation does to it inside:
``token.text == text[token.start : token.end]`` always holds. A tool's `name` holds its version,
because it goes into the signatures of the metrics that use it.

The packages behind some tools, which a light installation may lack.

The lower-cased form of a word in which function-word lists and normalisers meet.
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from typing import Literal, NamedTuple, Protocol

from isogloss.errors import MissingExtraError

NormaliserKind = Literal["surface", "stem", "lemma"]


class Token(NamedTuple):
    """A word or a mark at its place in a text."""

    text: str
    start: int
    end: int


class Tokeniser(Protocol):
    """Finds the words of a text."""

    @property
    def name(self) -> str: ...

    def tokenise(self, text: str) -> list[Token]:
        """The tokens in the order of the text, none overlapping another."""


class Normaliser(Protocol):
    """Makes one of the forms of a word: lower-cased, and its stem or lemma where asked for."""

    @property
    def name(self) -> str: ...

    def normalise(self, word: str) -> str:
        """The form under which occurrences of the word are the same."""


class Tagger(Protocol):
    """Tells parts of speech."""

    @property
    def name(self) -> str: ...

    def tag(self, tokens: Sequence[Token]) -> list[str]:
        """One Universal POS tag (``NOUN``, ``VERB``, ... or ``X``) for each token of a text."""


class FunctionWords(Protocol):
    """The words of a language that carry grammar rather than content."""

    @property
    def name(self) -> str: ...

    def __contains__(self, word: object) -> bool:
        """Whether this (lower-cased) word is one of them."""


EXTRA = "languages"


@lru_cache(maxsize=64)
def installed(package: str) -> str | None:
    """The version of the package; `None` where it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def required(package: str, purpose: str) -> str:
    """The version of a package that a tool cannot do without."""
    found = installed(package)
    if found is None:
        raise MissingExtraError(f"{purpose} needs {package}, which is not installed", EXTRA)
    return found


_SAME = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "‐": "-", "‑": "-", "\u00ad": None})
_DOTTED_I = str.maketrans({"I": "ı", "İ": "i"})


@lru_cache(maxsize=1 << 18)
def folded(word: str) -> str:
    """Lower case, composed accents, one kind of apostrophe and of hyphen, no soft hyphens."""
    if word.isascii():
        return word.lower()
    return unicodedata.normalize("NFC", word).translate(_SAME).lower()


@lru_cache(maxsize=1 << 18)
def folded_with_dotless_i(word: str) -> str:
    """The same for Turkish and its kin, where I is the capital of ı."""
    return folded(unicodedata.normalize("NFC", word).translate(_DOTTED_I))


@dataclass(frozen=True)
class Surface:
    """The word as it stands, lower-cased."""

    dotless_i: bool = False

    @property
    def name(self) -> str:
        return "lowercase-dotless-i" if self.dotless_i else "lowercase"

    def normalise(self, word: str) -> str:
        """The lower-cased word."""
        return folded_with_dotless_i(word) if self.dotless_i else folded(word)
