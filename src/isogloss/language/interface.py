"""What a language tool is: one small interface a task, each implementation with a name.

Offsets are code points of the text that was given, whatever an implementation does to it inside:
``token.text == text[token.start : token.end]`` always holds. A tool's `name` holds its version,
because it goes into the signatures of the metrics that use it.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple, Protocol

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
