"""Reading a text for its content words: where they stand, and which of them are the same word."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

from isogloss.language.catalogue import content_words, normaliser, tokeniser
from isogloss.language.interface import Normaliser, NormaliserKind, Tokeniser
from isogloss.language.word_lists import ContentWords


class ContentWord(NamedTuple):
    """A content word at its place; occurrences with the same key are the same word."""

    key: str
    text: str
    start: int
    end: int


@dataclass(frozen=True)
class ContentReader:
    """Finds the content words of texts in one language."""

    tokeniser: Tokeniser
    content: ContentWords
    normaliser: Normaliser

    @property
    def signature_fields(self) -> tuple[tuple[str, str], ...]:
        """What decides the words, for the signatures of metrics."""
        return (
            ("words", self.tokeniser.name),
            ("unit", self.normaliser.name),
            ("stop", self.content.name),
        )

    def read(self, text: str) -> list[ContentWord]:
        """The content words in the order of the text."""
        key_of = self._key_of
        return [
            ContentWord(key, word, start, end)
            for word, start, end in self.tokeniser.tokenise(text)
            if (key := key_of(word)) is not None
        ]

    @cached_property
    def _key_of(self) -> Callable[[str], str | None]:
        normalise, includes = self.normaliser.normalise, self.content.includes
        return lru_cache(maxsize=1 << 18)(lambda word: normalise(word) if includes(word) else None)


@lru_cache(maxsize=64)
def content_reader(
    language: str | None, kind: NormaliserKind, tokeniser_name: str | None = None
) -> ContentReader:
    """A reader with the tools of the language."""
    return ContentReader(
        tokeniser(language, tokeniser_name),
        content_words(language),
        normaliser(language, kind),
    )
