"""Words by Unicode's properties, for every language that writes spaces; and by spaces alone.

A word is a run of letters, digits and marks. Hyphens, apostrophes and the like hold its parts
together, points and commas its digits; dotted abbreviations (``U.S.``) are one word. Ideographs
and hiragana, written without spaces, are words of one character. Everything else that is visible
is a token by itself.

Contractions: where one written word is two, as in ``John's``, ``l'homme`` or ``dá-me``.

Without them the content word is lost: it must be found again without its article or pronoun.

Words by the rules of Moses's tokeniser (Koehn et al. 2007), through sacremoses.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any

from isogloss.language.placing import scattered, tokens_at
from isogloss.language.protocol import Token

_SIGNS = re.compile("['’‘‐‑-]")


@dataclass(frozen=True)
class Contractions:
    """The pieces that a language writes onto the word after (`before` it) and before."""

    before: re.Pattern[str] | None = None
    after: re.Pattern[str] | None = None

    def may_occur_in(self, text: str) -> bool:
        """Whether it is worth looking."""
        return _SIGNS.search(text) is not None

    def split(self, token: Token) -> Iterator[Token]:
        """The token's parts; mostly the token itself."""
        if not _SIGNS.search(token.text):
            yield token
            return
        cuts = [0, *sorted(self._cuts(token.text)), len(token.text)]
        for start, end in pairwise(cuts):
            yield Token(token.text[start:end], token.start + start, token.start + end)

    def _cuts(self, word: str) -> set[int]:
        cuts: set[int] = set()
        start, end = 0, len(word)
        while self.before and (found := self.before.match(word, start, end)):
            start = found.end()
            cuts.add(start)
        while self.after and (found := self.after.search(word, start, end)):
            end = found.start()
            cuts.add(end)
        return cuts


def _before(*words: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{'|'.join(words)})(?=\w)", re.IGNORECASE)


def _after(*words: str) -> re.Pattern[str]:
    return re.compile(rf"(?<=\w)(?:{'|'.join(words)})\Z", re.IGNORECASE)


RULES = {
    "ca": Contractions(
        _before("[dlmnst]['’]"),
        _after("['’](?:[lmnst]|ls|ns)", "-(?:[hl]o|l[aei]s?|[mts]e|[nv]os|ne|hi)"),
    ),
    "de": Contractions(after=_after("['’]s")),
    "en": Contractions(after=_after("(?<!ai)n['’]t", "['’](?:s|re|ve|ll|d|m)")),
    "fr": Contractions(
        _before("(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|quoiqu)['’]"),
        _after(
            "-(?:t-)?(?:ce|elles?|en|ils?|je|l[aeà]|les|leur|lui|moi|nous|on|toi|tu|vous|y|ci)",
            "-mêmes?",
        ),
    ),
    "it": Contractions(_before(r"\w+['’]")),
    "nl": Contractions(after=_after("['’]s")),
    "pt": Contractions(
        _before("d['’]"),
        _after("-(?:[mts]e|lhes?|[nv]os|l?[oa]s?|n[oa]s?|[mt][oa]s?|lh[oa]s?)"),
    ),
    "ro": Contractions(
        _before("(?:[cdilmnsșşvțţ]|[cdlmnpst]e|[mstvșşțţ]i|[dp]rintr|dintr|întru?|nu|să|fi)-"),
        _after(
            "-(?:a[mrsșşu]?|a[șşțţ]i|ai|ii?|în|l|[ln]e|[mvșşțţ]i|o|or|[st]e|v[aă])",
            "-(?:un|ul|ului|urile|urilor)",
        ),
    ),
    "tr": Contractions(after=re.compile(r"(?<=\w)['’]\w+\Z")),
}


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
