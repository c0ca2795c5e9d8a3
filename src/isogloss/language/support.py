"""What each language gets: the catalogue as a table for people."""

from dataclasses import dataclass

from isogloss.language import simple_lemmas, snowball
from isogloss.language.catalogue import (
    TAGGER_OF,
    TOKENISER_OF,
    function_words,
    lemmas_of,
    stems_of,
)
from isogloss.language.codes import ENGLISH_NAMES
from isogloss.language.packages import installed
from isogloss.language.word_lists import listed_languages

_PACKAGES = {
    "hanta": ("HanTa",),
    "kiwi": ("kiwipiepy",),
    "newmm": ("pythainlp",),
    "sudachi": ("sudachipy", "sudachidict-core"),
}


@dataclass(frozen=True, slots=True)
class LanguageSupport:
    """The tools of one language; `None` where it has none."""

    code: str
    name: str
    words: str
    stems: str | None
    lemmas: str | None
    tags: str | None
    function_words: int
    missing: tuple[str, ...] = ()


def languages() -> list[LanguageSupport]:
    """Every language that has more than the tools for all, by its code."""
    codes = {*snowball.ALGORITHMS, *simple_lemmas.codes(), *TOKENISER_OF, *listed_languages()}
    return [_support(code) for code in sorted(codes)]


def _support(code: str) -> LanguageSupport:
    words, tags = TOKENISER_OF.get(code, "unicode"), TAGGER_OF.get(code)
    stems, lemmas = stems_of(code), lemmas_of(code)
    packages = {p for tool in (words, tags, stems, lemmas) for p in _PACKAGES.get(tool or "", ())}
    missing = tuple(sorted(package for package in packages if installed(package) is None))
    listed = len(function_words(code))
    return LanguageSupport(code, ENGLISH_NAMES[code], words, stems, lemmas, tags, listed, missing)
