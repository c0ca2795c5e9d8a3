"""Words by the rules of Moses's tokeniser (Koehn et al. 2007), through sacremoses."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from isogloss.language.interface import Token
from isogloss.language.placing import scattered, tokens_at


@lru_cache(maxsize=32)
def _moses(language: str) -> Any:
    from sacremoses import MosesTokenizer

    return MosesTokenizer(language)


@dataclass(frozen=True)
class MosesWords:
    """Moses's tokens, with no character escaped."""

    language: str
    version: str

    @property
    def name(self) -> str:
        return f"moses-{self.language}-{self.version}"

    def tokenise(self, text: str) -> list[Token]:
        """The tokens in the order of the text."""
        pieces = _moses(self.language).tokenize(text, escape=False)
        return tokens_at(scattered(pieces, text), text)
