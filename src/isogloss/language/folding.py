"""The lower-cased form of a word in which function-word lists and normalisers meet."""

import unicodedata
from dataclasses import dataclass
from functools import lru_cache

_SAME = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "‐": "-", "‑": "-", "\u00ad": None})
_DOTTED_I = str.maketrans({"I": "ı", "İ": "i"})


@lru_cache(maxsize=1 << 18)
def folded(word: str) -> str:
    """Lower case, composed accents, one kind of apostrophe and of hyphen, no soft hyphens."""
    if word.isascii():
        return word.lower()
    return unicodedata.normalize("NFC", word).translate(_SAME).lower()


@lru_cache(maxsize=1 << 18)
def folded_with_dotless_i(word: str) -> str:
    """The same for Turkish and its kin, where I is the capital of ı."""
    return folded(unicodedata.normalize("NFC", word).translate(_DOTTED_I))


@dataclass(frozen=True)
class Surface:
    """The word as it stands, lower-cased."""

    dotless_i: bool = False

    @property
    def name(self) -> str:
        return "lowercase-dotless-i" if self.dotless_i else "lowercase"

    def normalise(self, word: str) -> str:
        """The lower-cased word."""
        return folded_with_dotless_i(word) if self.dotless_i else folded(word)
