"""The tokens of a segment, in columns.

A test set has millions of tokens, and an analysis keeps them. As single objects they would cost
more time in Python's garbage collector than all the work done with them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from isogloss.language.interface import Token


@dataclass(frozen=True, slots=True)
class Tokens:
    """The words of one segment, and where each begins and ends."""

    texts: tuple[str, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    @classmethod
    def of(cls, tokens: Sequence[Token]) -> "Tokens":
        """The columns of a tokeniser's rows."""
        return cls(*zip(*tokens, strict=True)) if tokens else cls((), (), ())

    def __len__(self) -> int:
        return len(self.texts)

    def rows(self) -> list[Token]:
        """The tokens one by one, as language tools take them."""
        return list(map(Token, self.texts, self.starts, self.ends))
