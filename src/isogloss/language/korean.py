"""Korean words, stems and parts of speech by Kiwi (kiwipiepy).

Kiwi finds morphemes. Those that share a syllable (``갔`` is 가 and 았) are one token here, because
tokens do not overlap; the lemma is what tells them apart again.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from isogloss.language.placing import (
    encodable,
    merged,
    rebuilt,
    tags_by_place,
    tokens_at,
    universal,
)
from isogloss.language.protocol import Token, folded

# Kiwi's tags are those of the Sejong corpus and some for the web.
_TAGS = {
    "E": "PART", "IC": "INTJ", "J": "ADP", "JC": "CCONJ", "MAG": "ADV", "MAJ": "CCONJ",
    "MM": "DET", "NNB": "NOUN", "NNG": "NOUN", "NNP": "PROPN", "NP": "PRON", "NR": "NUM",
    "SB": "PUNCT", "SE": "PUNCT", "SF": "PUNCT", "SH": "X", "SL": "X", "SN": "NUM",
    "SO": "PUNCT", "SP": "PUNCT", "SS": "PUNCT", "SW": "SYM", "VA": "ADJ", "VCN": "ADJ",
    "VCP": "AUX", "VV": "VERB", "VX": "AUX", "XPN": "PART", "XR": "NOUN", "XSA": "PART",
    "W_EMOJI": "SYM", "XSN": "PART", "XSV": "PART",
}  # fmt: skip
_FIRST_SYLLABLE, _CODAS, _DOUBLE_S = 0xAC00, 28, 20


@lru_cache(maxsize=1)
def _kiwi() -> Any:
    from kiwipiepy import Kiwi

    return Kiwi(num_workers=1)


def _morphemes(text: str) -> list[Any]:
    return list(_kiwi().tokenize(encodable(text)))


@dataclass(frozen=True)
class KoreanWords:
    """Kiwi's morphemes, those that share a syllable together."""

    version: str

    @property
    def name(self) -> str:
        return f"kiwi-{self.version}"

    def tokenise(self, text: str) -> list[Token]:
        """The tokens in the order of the text."""
        return tokens_at(merged((m.start, m.end) for m in _morphemes(text)), text)


@dataclass(frozen=True)
class KoreanStems:
    """The stem of a verb or an adjective; other words as they are."""

    version: str

    @property
    def name(self) -> str:
        return f"kiwi-{self.version}"

    def normalise(self, word: str) -> str:
        """The word's stem."""
        return _stem(word)


@lru_cache(maxsize=1 << 18)
def _stem(word: str) -> str:
    # A past stem is no word by itself, but it is with the plainest ending after it.
    found = _morphemes(word + "다" if _ends_in_double_s(word) else word)
    inflected = found and found[0].start == 0 and found[0].tag[:2] in ("VV", "VA", "VX")
    return folded(found[0].form if inflected else word)


def _ends_in_double_s(word: str) -> bool:
    syllable = ord(word[-1:] or " ") - _FIRST_SYLLABLE
    return 0 <= syllable < 11_172 and syllable % _CODAS == _DOUBLE_S


@dataclass(frozen=True)
class KoreanTagger:
    """Parts of speech in context."""

    version: str

    @property
    def name(self) -> str:
        return f"kiwi-{self.version}"

    def tag(self, tokens: Sequence[Token]) -> list[str]:
        """One Universal POS tag for each token."""
        analysed = [(m.start, m.end, universal(_TAGS, m.tag)) for m in _morphemes(rebuilt(tokens))]
        return tags_by_place(tokens, analysed)
