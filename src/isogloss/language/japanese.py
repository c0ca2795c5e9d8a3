"""Japanese words, lemmas and parts of speech by Sudachi with its core dictionary."""

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from isogloss.language.placing import encodable, rebuilt, tags_by_place, tokens_at, universal
from isogloss.language.protocol import Token, folded

_LONGEST = 12_000  # characters; Sudachi refuses more than 49,149 bytes at once

_TAGS = {
    "代名詞": "PRON", "副詞": "ADV", "助動詞": "AUX", "助詞": "ADP", "動詞": "VERB",
    "名詞": "NOUN", "形容詞": "ADJ", "形状詞": "ADJ", "感動詞": "INTJ", "接尾辞": "PART",
    "接続詞": "CCONJ", "接頭辞": "PART", "空白": "X", "補助記号": "PUNCT", "記号": "SYM",
    "連体詞": "DET", "助詞-接続助詞": "SCONJ", "助詞-終助詞": "PART", "助詞-準体助詞": "SCONJ",
    "名詞-固有名詞": "PROPN", "名詞-数詞": "NUM", "記号-文字": "X",
}  # fmt: skip


_threads = threading.local()


@lru_cache(maxsize=1)
def _dictionary() -> Any:
    from sudachipy import Dictionary

    return Dictionary(dict="core")


def _sudachi() -> Any:
    """Sudachi for this thread: it does not work for two at a time."""
    from sudachipy import SplitMode

    if not hasattr(_threads, "sudachi"):
        _threads.sudachi = _dictionary().tokenizer(mode=SplitMode.C)
    return _threads.sudachi


def _morphemes(text: str) -> Iterator[tuple[int, Any]]:
    """Every morpheme, with where the part of the text begins that it was found in."""
    for at in range(0, len(text), _LONGEST):
        for morpheme in _sudachi().tokenize(encodable(text[at : at + _LONGEST])):
            yield at, morpheme


@dataclass(frozen=True)
class JapaneseWords:
    """Sudachi's longest words (mode C), in which names stay whole."""

    version: str

    @property
    def name(self) -> str:
        return f"sudachi-{self.version}-C"

    def tokenise(self, text: str) -> list[Token]:
        """The tokens in the order of the text."""
        return tokens_at(((at + m.begin(), at + m.end()) for at, m in _morphemes(text)), text)


@dataclass(frozen=True)
class JapaneseLemmas:
    """The dictionary form of a word that Sudachi knows."""

    version: str

    @property
    def name(self) -> str:
        return f"sudachi-{self.version}"

    def normalise(self, word: str) -> str:
        """The word's dictionary form."""
        return _dictionary_form(word)


@lru_cache(maxsize=1 << 18)
def _dictionary_form(word: str) -> str:
    found = [morpheme for _, morpheme in _morphemes(word)]
    return folded(found[0].dictionary_form() if len(found) == 1 else word)


@dataclass(frozen=True)
class JapaneseTagger:
    """Parts of speech in context."""

    version: str

    @property
    def name(self) -> str:
        return f"sudachi-{self.version}"

    def tag(self, tokens: Sequence[Token]) -> list[str]:
        """One Universal POS tag for each token."""
        analysed = [
            (at + m.begin(), at + m.end(), universal(_TAGS, "-".join(m.part_of_speech())))
            for at, m in _morphemes(rebuilt(tokens))
        ]
        return tags_by_place(tokens, analysed)
