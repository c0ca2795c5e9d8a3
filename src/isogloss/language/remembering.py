"""Tokens that were found lately are not looked for again: several metrics read the same texts.

Kept are the places alone, eight bytes a token; a token itself takes some two hundred.
"""

from array import array
from dataclasses import dataclass
from threading import Lock

from isogloss.language.protocol import Token, Tokeniser

_MOST_KEPT = 4_000_000  # tokens: a campaign of a dozen systems
_new = tuple.__new__  # a named tuple's own constructor takes twice as long


class _KeptPlaces:
    """The places of the tokens of texts, the latest, in bounded memory; shared by threads."""

    def __init__(self) -> None:
        self._places: dict[tuple[Tokeniser, str], array[int]] = {}
        self._tokens = 0
        self._lock = Lock()

    def find(self, tokeniser: Tokeniser, text: str) -> "array[int] | None":
        """The places, if they are still there."""
        return self._places.get((tokeniser, text))

    def add(self, tokeniser: Tokeniser, text: str, tokens: list[Token]) -> None:
        """Keep these; what was found longest ago makes room for them."""
        places = array("I", [place for _, *ends in tokens for place in ends])
        with self._lock:
            if (tokeniser, text) in self._places:
                return
            self._places[tokeniser, text] = places
            self._tokens += len(tokens) + 1  # texts without tokens take room, too
            while self._tokens > _MOST_KEPT:
                oldest = next(iter(self._places))
                self._tokens -= len(self._places.pop(oldest)) // 2 + 1


_KEPT = _KeptPlaces()


@dataclass(frozen=True)
class RememberingWords:
    """A tokeniser that is asked for the tokens of a text once."""

    tokeniser: Tokeniser

    @property
    def name(self) -> str:
        return self.tokeniser.name

    def tokenise(self, text: str) -> list[Token]:
        """The tokens in the order of the text."""
        places = _KEPT.find(self.tokeniser, text)
        if places is None:
            found = self.tokeniser.tokenise(text)
            _KEPT.add(self.tokeniser, text, found)
            return found
        ends = zip(places[::2], places[1::2], strict=True)
        return [_new(Token, (text[start:end], start, end)) for start, end in ends]
