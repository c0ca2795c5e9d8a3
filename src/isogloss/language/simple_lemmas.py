"""Lemmas by simplemma's dictionaries and rules."""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.metadata import version
from typing import Any

from isogloss.language.folding import Surface

LANGUAGES = frozenset(
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


def supports(language: str) -> bool:
    """Whether simplemma has a dictionary for the language."""
    return _KEPT_UNDER.get(language, language) in LANGUAGES


def codes() -> frozenset[str]:
    """The languages that have a dictionary, under all their codes."""
    return (LANGUAGES - {"hbs"}) | _KEPT_UNDER.keys()


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
