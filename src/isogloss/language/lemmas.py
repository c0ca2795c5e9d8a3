"""Stems by Snowball's algorithms (Porter 2001), through PyStemmer; lemmas by simplemma."""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.metadata import version
from typing import Any

from isogloss.language.protocol import Surface

STEM_ALGORITHMS = {
    "ar": "arabic",
    "ca": "catalan",
    "cs": "czech",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "eo": "esperanto",
    "es": "spanish",
    "et": "estonian",
    "eu": "basque",
    "fa": "persian",
    "fi": "finnish",
    "fr": "french",
    "ga": "irish",
    "hi": "hindi",
    "hu": "hungarian",
    "hy": "armenian",
    "id": "indonesian",
    "it": "italian",
    "lt": "lithuanian",
    "nb": "norwegian",
    "ne": "nepali",
    "nl": "dutch",
    "nn": "norwegian",
    "no": "norwegian",
    "pl": "polish",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sr": "serbian",
    "st": "sesotho",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
    "yi": "yiddish",
}


def has_stems(language: str) -> bool:
    """Whether the installed PyStemmer has an algorithm for the language."""
    return STEM_ALGORITHMS.get(language) in _algorithms()


@lru_cache(maxsize=1)
def _algorithms() -> frozenset[str]:
    from Stemmer import algorithms

    return frozenset(algorithms())


@dataclass(frozen=True)
class SnowballStems:
    """The stem of the lower-cased word."""

    language: str

    @property
    def name(self) -> str:
        return f"snowball-{STEM_ALGORITHMS[self.language]}-{version('PyStemmer')}"

    def normalise(self, word: str) -> str:
        """The word's stem."""
        return str(self._stem(word))

    @cached_property
    def _stem(self) -> Any:
        from Stemmer import Stemmer

        # PyStemmer's own cache is slow once it is full.
        stem = Stemmer(STEM_ALGORITHMS[self.language], 0).stemWord
        surface = Surface(dotless_i=self.language == "tr").normalise
        return lru_cache(maxsize=1 << 18)(lambda word: stem(surface(word)))


LEMMA_LANGUAGES = frozenset(
    [
        "ar",
        "ast",
        "bg",
        "ca",
        "cs",
        "cy",
        "da",
        "de",
        "el",
        "en",
        "enm",
        "eo",
        "es",
        "et",
        "fa",
        "fi",
        "fr",
        "ga",
        "gd",
        "gl",
        "grc",
        "gv",
        "hbs",
        "he",
        "hi",
        "hu",
        "hy",
        "id",
        "is",
        "it",
        "ka",
        "la",
        "lb",
        "lt",
        "lv",
        "mk",
        "ml",
        "ms",
        "nb",
        "nl",
        "nn",
        "pl",
        "pt",
        "ro",
        "ru",
        "se",
        "sk",
        "sl",
        "sq",
        "sv",
        "sw",
        "tl",
        "tr",
        "uk",
    ]
)
_CAPITALISE_NOUNS = ("de", "lb")  # where "Haus" is a noun and "haus" a form of a verb
_KEPT_UNDER = {"bs": "hbs", "hr": "hbs", "sr": "hbs", "no": "nb"}


def has_lemmas(language: str) -> bool:
    """Whether simplemma has a dictionary for the language."""
    return _KEPT_UNDER.get(language, language) in LEMMA_LANGUAGES


def lemma_codes() -> frozenset[str]:
    """The languages that have a dictionary, under all their codes."""
    return (LEMMA_LANGUAGES - {"hbs"}) | _KEPT_UNDER.keys()


@dataclass(frozen=True)
class SimpleLemmas:
    """The lower-cased lemma of the word."""

    language: str

    @property
    def name(self) -> str:
        return f"simplemma-{self._dictionary}-{version('simplemma')}"

    @property
    def _dictionary(self) -> str:
        return _KEPT_UNDER.get(self.language, self.language)

    def normalise(self, word: str) -> str:
        """The word's lemma."""
        return str(self._lemma(word))

    @cached_property
    def _lemma(self) -> Any:
        from simplemma import lemmatize

        surface = Surface(dotless_i=self.language == "tr").normalise
        looked_up = (lambda word: word) if self.language in _CAPITALISE_NOUNS else surface
        dictionary = self._dictionary
        return lru_cache(maxsize=1 << 18)(
            lambda word: surface(lemmatize(looked_up(word), lang=dictionary))
        )
