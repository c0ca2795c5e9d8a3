"""Which tool serves which language: the tables, and the functions that look things up in them.

Every function takes a BCP 47 code, of which the language counts and not region or script, and
`None` for a text of which nobody said what language it is. Tools are made once and kept.
"""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TypeVar

from isogloss.errors import NotApplicableError
from isogloss.language import hanta, simple_lemmas, snowball
from isogloss.language.chinese import ChineseTagger, ChineseWords
from isogloss.language.codes import primary
from isogloss.language.folding import Surface
from isogloss.language.interface import (
    Normaliser,
    NormaliserKind,
    Tagger,
    Tokeniser,
)
from isogloss.language.japanese import JapaneseLemmas, JapaneseTagger, JapaneseWords
from isogloss.language.korean import KoreanStems, KoreanTagger, KoreanWords
from isogloss.language.moses import MosesWords
from isogloss.language.packages import required
from isogloss.language.thai import ThaiWords
from isogloss.language.unicode_words import SpacedWords, UnicodeWords
from isogloss.language.word_lists import ContentWords, WordList, word_list

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
TOKENISER_OF = {"ja": "sudachi", "ko": "kiwi", "th": "newmm", "zh": "rjieba"}

NORMALISERS: Makers[Normaliser] = {
    "lowercase": lambda code: Surface(dotless_i=code in DOTLESS_I),
    "snowball": snowball.SnowballStems,
    "simplemma": simple_lemmas.SimpleLemmas,
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
    return _made(TOKENISERS, "tokeniser", name or TOKENISER_OF.get(code, "unicode"), code)


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
    return "kiwi" if code == "ko" else "snowball" if snowball.supports(code) else None


def lemmas_of(code: str) -> str | None:
    """Which normaliser makes lemmas in the language."""
    return "sudachi" if code == "ja" else "simplemma" if simple_lemmas.supports(code) else None


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
