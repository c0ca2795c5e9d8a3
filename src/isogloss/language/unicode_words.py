"""Words by Unicode's properties, for every language that writes spaces; and by spaces alone.

A word is a run of letters, digits and marks. Hyphens, apostrophes and the like hold its parts
together, points and commas its digits; dotted abbreviations (``U.S.``) are one word. Ideographs
and hiragana, written without spaces, are words of one character. Everything else that is visible
is a token by itself.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import cached_property, lru_cache

from isogloss.language.contractions import RULES, Contractions
from isogloss.language.interface import Token

# Hiragana, the ideographs of all planes, and the signs that stand for one.
_SINGLE = r"\u3005-\u3007\u3041-\u309f\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_JOINERS = "\u00ad\u200c\u200d\u2060"  # soft hyphen, zero-width (non-)joiner, word joiner
_new = tuple.__new__
_LAST_MARK = 0x1E944  # of the planes below the variation selectors


def _marks() -> str:
    """Combining marks and invisible joiners as the inside of a character class.

    Python's ``\\w`` has no marks, without which Devanagari, Thai and decomposed Latin fall apart.
    """
    points = (chr(point) for point in range(0x300, _LAST_MARK + 1))
    marks = "".join(point for point in points if unicodedata.category(point)[0] == "M")
    return _ranges(marks) + _JOINERS + "\U000e0100-\U000e01ef"


def _ranges(points: str) -> str:
    pieces: list[str] = []
    first = 0
    for index, point in enumerate(points):
        if index + 1 == len(points) or ord(points[index + 1]) != ord(point) + 1:
            pieces.append(f"{points[first]}-{point}")
            first = index + 1
    return "".join(pieces)


_INVISIBLE = r"\s\x00-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"


def _pattern(letter: str, mark: str) -> re.Pattern[str]:
    """The tokens of texts whose words are made of these letters and marks (character classes).

    Possessive quantifiers and the lookaheads in front of rare cases are there for speed alone.
    """
    part = rf"{letter}++(?:{mark}++{letter}*+)*+"
    hebrew = r"[\u05d0-\u05ea]"
    joint = rf"['’‘·‐‑-](?={letter})|(?<=\d)[.,:](?=\d)|(?<={hebrew})[\"״׳](?={hebrew})"
    abbreviation = r"(?=.\.)(?<!\w)[^\W\d_](?:\.[^\W\d_](?!\w))+\.?"
    symbol = rf"[^\w{_INVISIBLE}]{mark}*"
    return re.compile(
        rf"{abbreviation}|{part}(?:(?=['’‘·‐‑.,:\"״׳-])(?:{joint}){part})*+"
        rf"|[{_SINGLE}]{mark}*|_+|{symbol}(?:(?<=\u200d){symbol})*"
    )


@lru_cache(maxsize=1)
def _of_any_text() -> re.Pattern[str]:
    return _pattern(rf"[^\W_{_SINGLE}]", f"[{_marks()}]")


# Most English segments need none of the rest of Unicode and are read in half the time without:
# the same pattern, where a soft hyphen, which cannot occur, stands for all marks.
_OF_ASCII = _pattern("[A-Za-z0-9]", "\u00ad")


@dataclass(frozen=True)
class UnicodeWords:
    """The default tokeniser, with the contractions of a language split where it has rules."""

    language: str | None = None

    @property
    def name(self) -> str:
        return "unicode-1" + (f"-{self.language}" if self._contractions else "")

    @cached_property
    def _contractions(self) -> Contractions | None:
        return RULES.get(self.language or "")

    def tokenise(self, text: str) -> list[Token]:
        """The tokens in the order of the text."""
        pattern = _OF_ASCII if text.isascii() else _of_any_text()
        # Straight to the tuple: a named one's own constructor takes half of the time.
        tokens = [_new(Token, (m[0], m.start(), m.end())) for m in pattern.finditer(text)]
        rules = self._contractions
        if rules is None or not rules.may_occur_in(text):
            return tokens
        return [piece for token in tokens for piece in rules.split(token)]


_SPACED = re.compile(r"\S+")


@dataclass(frozen=True)
class SpacedWords:
    """Pre-tokenised text: tokens are what stands between spaces."""

    name: str = "space"

    def tokenise(self, text: str) -> list[Token]:
        """The tokens in the order of the text."""
        return [Token(m[0], *m.span()) for m in _SPACED.finditer(text)]
