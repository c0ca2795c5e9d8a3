"""Everything that a configuration of METEOR works with, and what it is called in a signature."""

from collections.abc import Container, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Protocol

from isogloss.errors import NotApplicableError
from isogloss.language import Tokeniser, function_words, has_stems, tokeniser
from isogloss.metrics.meteor.paraphrases import paraphrase_table
from isogloss.metrics.meteor.profile import (
    ENVIRONMENT,
    MATCHERS,
    NAMES,
    NORMALISED,
    Matcher,
    Resources,
)
from isogloss.metrics.meteor.stems import stemmer, stemmer_name
from isogloss.metrics.meteor.tokens import MeteorNormaliser, read_prefixes
from isogloss.metrics.meteor.vocabulary import WordTools, synonyms

Field = tuple[str, str]
"""A part of a signature."""


class Reader(Protocol):
    """Finds the words of a text, lower-cased, and where they stand."""

    def words(self, text: str) -> Sequence[str]:
        """The words."""

    def span(self, text: str, first: int, end: int) -> tuple[int, int] | None:
        """The characters from one word up to another; `None` where that is not known."""


@dataclass(frozen=True)
class TokenReader:
    """The words that a tokeniser finds."""

    tokeniser: Tokeniser

    def words(self, text: str) -> list[str]:
        return [token.text.lower() for token in self.tokeniser.tokenise(text)]

    def span(self, text: str, first: int, end: int) -> tuple[int, int]:
        tokens = self.tokeniser.tokenise(text)
        return tokens[first].start, tokens[end - 1].end


@dataclass(frozen=True)
class Tools:
    """What reads texts and matches words, with all that a signature says about it."""

    reader: Reader
    words: WordTools
    fields: tuple[Field, ...]


@dataclass(frozen=True)
class Toolbox:
    """What there is for a language, and under which name."""

    language: str
    resources: Resources

    def reader(self, name: str) -> tuple[Reader, Field]:
        """METEOR's normaliser where it knows the language, or the tokeniser that is asked for."""
        if name == "meteor" or (name == "auto" and self.language in NORMALISED):
            return self._normaliser()
        chosen = tokeniser(self.language, None if name == "auto" else name)
        return TokenReader(chosen), ("words", chosen.name)

    def _normaliser(self) -> tuple[Reader, Field]:
        if self.language not in NORMALISED:
            raise NotApplicableError(
                f"METEOR's normaliser has no rules for {self.language!r}; it has for: "
                f"{', '.join(sorted(NORMALISED))}; leave tokeniser=meteor out"
            )
        listed = self.resources.member(f"nonbreaking/{NAMES[self.language]}.prefixes")
        name = f"meteor-{listed.digest}" if listed else "meteor-without-prefixes"
        prefixes = read_prefixes(listed.lines) if listed else {}
        return MeteorNormaliser(self.language, prefixes), ("words", name)

    def function_words(self, language: str) -> tuple[Container[str], Field]:
        """METEOR's list for a language, or else our own; none where METEOR has none."""
        if language not in NORMALISED:
            return frozenset(), ("function", "none")
        listed = self.resources.member(f"function/{NAMES[language]}.words")
        if listed:
            return frozenset(listed.lines), ("function", f"meteor-{language}-{listed.digest}")
        own = function_words(language)
        return own, ("function", own.name)

    def missing(self, matcher: Matcher) -> str | None:
        """What there would have to be for the matcher; `None` where it is there."""
        if matcher == "stem" and not has_stems(self.language):
            return f"there are no stems in {self.language!r}"
        if matcher == "synonym" and synonyms(self.language, self.resources) is None:
            return f"there are no synonyms in {self.language!r}"
        if matcher == "paraphrase" and self._table is None:
            return f"there is no paraphrase table for {self.language!r}"
        return None

    @cached_property
    def _table(self) -> Path | None:
        return self.resources.paraphrase_table(self.language)

    def word_tools(
        self, matchers: Sequence[Matcher], listed: Container[str]
    ) -> tuple[WordTools, list[Field]]:
        """What the matchers need, and their names."""
        known = synonyms(self.language, self.resources) if "synonym" in matchers else None
        table = paraphrase_table(self._table) if self._table and "paraphrase" in matchers else None
        stem = stemmer(self.language) if "stem" in matchers else None
        named = {
            "stem": stemmer_name(self.language) if stem else "",
            "synonym": known.name if known else "",
            "paraphrase": table.name if table else "",
        }
        return WordTools(listed, stem, known, table), [f for f in named.items() if f[1]]


def checked(matchers: Sequence[Matcher], toolbox: Toolbox) -> tuple[Matcher, ...]:
    """The matchers that were asked for, if everything that they need is there."""
    for matcher in matchers:
        problem = toolbox.missing(matcher)
        if problem:
            raise NotApplicableError(
                f"meteor(matchers={'+'.join(matchers)}): {problem}; name the folder of METEOR 1.5 "
                f"with resources=FOLDER or in {ENVIRONMENT}, or leave {matcher!r} out"
            )
    return tuple(matchers)


@lru_cache(maxsize=8)
def tools(
    language: str,
    asked_for: tuple[Matcher, ...] | None,
    usual: tuple[Matcher, ...],
    tokeniser_name: str,
    function_language: str,
    resources: Resources,
) -> Tools:
    """The tools for a language: for the matchers asked for, or the usual ones that can be used."""
    toolbox = Toolbox(language, resources)
    matchers = (
        tuple(matcher for matcher in usual if toolbox.missing(matcher) is None)
        if asked_for is None
        else checked(asked_for, toolbox)
    )
    reader, words = toolbox.reader(tokeniser_name)
    listed, function = toolbox.function_words(function_language)
    word_tools, named = toolbox.word_tools(matchers, listed)
    shown = ("matchers", "+".join(m for m in MATCHERS if m in matchers))
    return Tools(reader, word_tools, (words, shown, *named, function))
