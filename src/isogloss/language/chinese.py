"""Chinese words and parts of speech by rjieba (jieba's dictionary and model)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from isogloss.language.placing import consecutive, encodable, tokens_at, universal, visible
from isogloss.language.protocol import Token

# jieba's tags are those of ICTCLAS.
_TAGS = {
    "a": "ADJ", "ad": "ADV", "an": "NOUN", "b": "ADJ", "c": "CCONJ", "d": "ADV", "df": "VERB",
    "e": "INTJ", "eng": "X", "f": "ADP", "g": "NOUN", "h": "PART", "i": "VERB", "j": "NOUN",
    "k": "PART", "l": "VERB", "m": "NUM", "n": "NOUN", "nr": "PROPN", "ns": "PROPN",
    "nt": "PROPN", "nz": "PROPN", "o": "X", "p": "ADP", "q": "NOUN", "r": "PRON", "s": "NOUN",
    "t": "NOUN", "u": "PART", "v": "VERB", "vn": "NOUN", "x": "X", "y": "PART", "z": "ADJ",
    "zg": "ADV",
}  # fmt: skip


@dataclass(frozen=True)
class ChineseWords:
    """rjieba's words."""

    version: str

    @property
    def name(self) -> str:
        return f"rjieba-{self.version}"

    def tokenise(self, text: str) -> list[Token]:
        """The tokens in the order of the text."""
        from rjieba import cut

        return tokens_at(consecutive(cut(encodable(text))), text)


@dataclass(frozen=True)
class ChineseTagger:
    """The part of speech that the dictionary lists for the word: context is not looked at."""

    version: str

    @property
    def name(self) -> str:
        return f"rjieba-{self.version}"

    def tag(self, tokens: Sequence[Token]) -> list[str]:
        """One Universal POS tag for each token."""
        return [_tag_of(token.text) for token in tokens]


@lru_cache(maxsize=1 << 18)
def _tag_of(word: str) -> str:
    from rjieba import tag

    if not any(map(str.isalnum, word)):
        return "PUNCT" if visible(word) else "X"
    if word.isdecimal():
        return "NUM"
    # A word that jieba would cut is a compound, and in Chinese its last part is the head.
    return universal(_TAGS, tag(encodable(word))[-1][1])
