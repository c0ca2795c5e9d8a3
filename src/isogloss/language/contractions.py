"""Contractions: where one written word is two, as in ``John's``, ``l'homme`` or ``dá-me``.

Without them the content word is lost: it must be found again without its article or pronoun.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from isogloss.language.interface import Token

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
