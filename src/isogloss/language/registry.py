"""Which tool serves which language: the tables, and the functions that look things up in them.

Every function takes a BCP 47 code, of which the language counts and not region or script, and
`None` for a text of which nobody said what language it is. Tools are made once and kept.
`languages` is the same as a table for people; `content_reader` reads a text for its content words.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple, TypeVar

from isogloss.errors import NotApplicableError
from isogloss.language import hanta, lemmas
from isogloss.language.chinese import ChineseTagger, ChineseWords
from isogloss.language.codes import ENGLISH_NAMES, TOKENISER_OF, primary
from isogloss.language.japanese import JapaneseLemmas, JapaneseTagger, JapaneseWords
from isogloss.language.korean import KoreanStems, KoreanTagger, KoreanWords
from isogloss.language.protocol import (
    Normaliser,
    NormaliserKind,
    Surface,
    Tagger,
    Tokeniser,
    installed,
    required,
)
from isogloss.language.remembering import RememberingWords
from isogloss.language.thai import ThaiWords
from isogloss.language.word_lists import ContentWords, WordList, listed_languages, word_list
from isogloss.language.words import MosesWords, SpacedWords, UnicodeWords

Tool = TypeVar("Tool")
DOTLESS_I = ("az", "tr")
_LIST_OF = {"bs": "hr", "no": "nb"}
Makers = Mapping[str, Callable[[str], Tool]]


def _sudachi() -> str:
    return f"{required('sudachipy', 'sudachi')}-core-{required('sudachidict-core', 'sudachi')}"


TOKENISERS: Makers[Tokeniser] = {
    "unicode": UnicodeWords,
    "space": lambda _: SpacedWords(),
    "moses": lambda code: MosesWords(code or "en", required("sacremoses", "moses")),
    "rjieba": lambda _: ChineseWords(required("rjieba", "rjieba")),
    "sudachi": lambda _: JapaneseWords(_sudachi()),
    "kiwi": lambda _: KoreanWords(required("kiwipiepy", "kiwi")),
    "newmm": lambda _: ThaiWords(required("pythainlp", "newmm")),
}

NORMALISERS: Makers[Normaliser] = {
    "lowercase": lambda code: Surface(dotless_i=code in DOTLESS_I),
    "snowball": lemmas.SnowballStems,
    "simplemma": lemmas.SimpleLemmas,
    "sudachi": lambda _: JapaneseLemmas(_sudachi()),
    "kiwi": lambda _: KoreanStems(required("kiwipiepy", "kiwi")),
}

TAGGERS: Makers[Tagger] = {
    "hanta": lambda code: hanta.HantaTagger(code, required("HanTa", "hanta")),
    "rjieba": lambda _: ChineseTagger(required("rjieba", "rjieba")),
    "sudachi": lambda _: JapaneseTagger(_sudachi()),
    "kiwi": lambda _: KoreanTagger(required("kiwipiepy", "kiwi")),
}
TAGGER_OF = {"ja": "sudachi", "ko": "kiwi", "zh": "rjieba"} | dict.fromkeys(
    hanta.LANGUAGES, "hanta"
)


@lru_cache(maxsize=256)
def tokeniser(language: str | None, name: str | None = None) -> Tokeniser:
    """The tokeniser of that name, or the one that suits the language."""
    code = primary(language) or ""
    chosen = _made(TOKENISERS, "tokeniser", name or TOKENISER_OF.get(code, "unicode"), code)
    return RememberingWords(chosen)


@lru_cache(maxsize=256)
def normaliser(language: str | None, kind: NormaliserKind) -> Normaliser:
    """What makes stems, lemmas or plain lower case in the language.

    A language without the one gets the other (stems for lemmas, lemmas for stems), and a language
    without both gets lower case: the normaliser's name says what it is.
    """
    code = primary(language) or ""
    choice = {"surface": None, "stem": stems_of(code), "lemma": lemmas_of(code)}[kind]
    if kind != "surface":
        choice = choice or stems_of(code) or lemmas_of(code)
    return NORMALISERS[choice or "lowercase"](code)


def stems_of(code: str) -> str | None:
    """Which normaliser makes stems in the language."""
    return "kiwi" if code == "ko" else "snowball" if lemmas.has_stems(code) else None


def lemmas_of(code: str) -> str | None:
    """Which normaliser makes lemmas in the language."""
    return "sudachi" if code == "ja" else "simplemma" if lemmas.has_lemmas(code) else None


@lru_cache(maxsize=256)
def tagger(language: str | None, name: str | None = None) -> Tagger | None:
    """What tells parts of speech in the language; `None` where nothing does."""
    code = primary(language) or ""
    known = TAGGER_OF.get(code)
    if name is not None and name != known:
        raise NotApplicableError(
            f"there is no tagger {name!r} for {language or 'an unknown language'}; "
            f"there is: {known or 'none'}"
        )
    return _made(TAGGERS, "tagger", known, code) if known else None


def function_words(language: str | None) -> WordList:
    """The function words of the language; an empty list where the project has none."""
    return word_list(_LIST_OF.get(code := primary(language) or "", code))


@lru_cache(maxsize=256)
def content_words(language: str | None) -> ContentWords:
    """What tells content words in the language."""
    code = primary(language) or ""
    return ContentWords(function_words(code), Surface(dotless_i=code in DOTLESS_I))


def _made(makers: Makers[Tool], noun: str, name: str, code: str) -> Tool:
    if name not in makers:
        raise NotApplicableError(f"there is no {noun} {name!r}; there are: {', '.join(makers)}")
    return makers[name](code)


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
    codes = {*lemmas.STEM_ALGORITHMS, *lemmas.lemma_codes(), *TOKENISER_OF, *listed_languages()}
    return [_support(code) for code in sorted(codes)]


def _support(code: str) -> LanguageSupport:
    words, tags = TOKENISER_OF.get(code, "unicode"), TAGGER_OF.get(code)
    stems, lemmas = stems_of(code), lemmas_of(code)
    packages = {p for tool in (words, tags, stems, lemmas) for p in _PACKAGES.get(tool or "", ())}
    missing = tuple(sorted(package for package in packages if installed(package) is None))
    listed = len(function_words(code))
    return LanguageSupport(code, ENGLISH_NAMES[code], words, stems, lemmas, tags, listed, missing)


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
