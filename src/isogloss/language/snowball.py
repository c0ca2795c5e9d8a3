"""Stems by Snowball's algorithms (Porter 2001), through PyStemmer."""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.metadata import version
from typing import Any

from isogloss.language.folding import Surface

ALGORITHMS = {
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


def supports(language: str) -> bool:
    """Whether the installed PyStemmer has an algorithm for the language."""
    return ALGORITHMS.get(language) in _installed()


@lru_cache(maxsize=1)
def _installed() -> frozenset[str]:
    from Stemmer import algorithms

    return frozenset(algorithms())


@dataclass(frozen=True)
class SnowballStems:
    """The stem of the lower-cased word."""

    language: str

    @property
    def name(self) -> str:
        return f"snowball-{ALGORITHMS[self.language]}-{version('PyStemmer')}"

    def normalise(self, word: str) -> str:
        """The word's stem."""
        return str(self._stem(word))

    @cached_property
    def _stem(self) -> Any:
        from Stemmer import Stemmer

        # PyStemmer's own cache is slow once it is full.
        stem = Stemmer(ALGORITHMS[self.language], 0).stemWord
        surface = Surface(dotless_i=self.language == "tr").normalise
        return lru_cache(maxsize=1 << 18)(lambda word: stem(surface(word)))
