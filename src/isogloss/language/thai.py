"""Thai words by PyThaiNLP's newmm: the longest words of its dictionary."""

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from isogloss.language.placing import consecutive, tokens_at
from isogloss.language.protocol import Token
from isogloss.language.words import UnicodeWords

_THAI = re.compile("[\u0e00-\u0e7f]+")


@lru_cache(maxsize=1)
def _newmm() -> Callable[[str], list[str]]:
    # On import PyThaiNLP makes a folder in the user's home, unless it is told not to.
    before = os.environ.get("PYTHAINLP_READ_ONLY")
    os.environ["PYTHAINLP_READ_ONLY"] = "1"
    try:
        from pythainlp.tokenize.newmm import segment

        segment("ก")  # reads the dictionary
    finally:
        del os.environ["PYTHAINLP_READ_ONLY"]
        if before is not None:
            os.environ["PYTHAINLP_READ_ONLY"] = before
    return segment


@dataclass(frozen=True)
class ThaiWords:
    """newmm's words where the text is Thai, Unicode's where it is not."""

    version: str

    @property
    def name(self) -> str:
        return f"newmm-{self.version}"

    def tokenise(self, text: str) -> list[Token]:
        """The tokens in the order of the text."""
        return list(self._tokens(text))

    def _tokens(self, text: str) -> Iterator[Token]:
        at = 0
        for run in _THAI.finditer(text):
            yield from _others(text, at, run.start())
            yield from tokens_at(consecutive(_newmm()(run[0]), run.start()), text)
            at = run.end()
        yield from _others(text, at, len(text))


def _others(text: str, start: int, end: int) -> Iterator[Token]:
    for token in UnicodeWords().tokenise(text[start:end]):
        yield Token(token.text, token.start + start, token.end + start)
