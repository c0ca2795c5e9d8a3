"""Function words: short lists written for this project, one word a line.

They hold articles, pronouns, prepositions, conjunctions, auxiliaries and particles and nothing
that has content of its own: a longer list would take the very words away that bind a text. The
first line has the list's version, and ``! US`` says that a word so written is not the function
word (``us``).
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files

from isogloss.language.protocol import Surface, Token

_FOLDER = files("isogloss.language") / "function_words"
_VERSION, _SPARED = "# version ", "! "
_CLITIC = ("'", "’", "-", "‐", "‑")


@dataclass(frozen=True)
class WordList:
    """The function words of one language, and forms in writing that are none of them."""

    name: str
    words: frozenset[str] = field(repr=False, default=frozenset())
    spared: frozenset[str] = field(repr=False, default=frozenset())

    def __contains__(self, word: object) -> bool:
        return word in self.words

    def __len__(self) -> int:
        return len(self.words)


NO_WORDS = WordList("none")


@lru_cache(maxsize=1)
def listed_languages() -> tuple[str, ...]:
    """The languages that have a list."""
    return tuple(sorted(path.name.removesuffix(".txt") for path in _FOLDER.iterdir()))


@lru_cache(maxsize=64)
def word_list(language: str) -> WordList:
    """The list of the language, empty where the project has none."""
    if language not in listed_languages():
        return NO_WORDS
    first, *lines = (_FOLDER / f"{language}.txt").read_text(encoding="utf-8").splitlines()
    spared = frozenset(line.removeprefix(_SPARED) for line in lines if line.startswith(_SPARED))
    words = frozenset(line for line in lines if not line.startswith(_SPARED))
    return WordList(f"isogloss-{language}-{first.removeprefix(_VERSION)}", words, spared)


@dataclass(frozen=True)
class ContentWords:
    """Which tokens are content words: they have a letter and are no function words.

    Clitics that a tokeniser cut off (``'s``, ``-moi``) and single letters of an alphabet are none
    either.
    """

    function_words: WordList
    surface: Surface

    @property
    def name(self) -> str:
        """The name of the list that is left out."""
        return self.function_words.name

    def includes(self, word: str) -> bool:
        """Whether this token is a content word."""
        if not any(map(str.isalpha, word)) or word.startswith(_CLITIC):
            return False
        if len(word) == 1 and word.lower() != word.upper():
            return False
        listed = self.surface.normalise(word) in self.function_words
        return not listed or word in self.function_words.spared

    def select(self, tokens: Iterable[Token]) -> list[bool]:
        """For each token, whether it is a content word."""
        return [self.includes(token.text) for token in tokens]
