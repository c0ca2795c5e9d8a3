"""From what segmenters return to tokens at their places in the text that was given.

From a treebank's own part-of-speech tags to the universal ones (Petrov et al. 2012).
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence

from isogloss.language.protocol import Token

_SURROGATES = re.compile("[\ud800-\udfff]")


def encodable(text: str) -> str:
    """The text with lone surrogates replaced, one for one: libraries in Rust and C refuse them."""
    return _SURROGATES.sub("\ufffd", text)


def visible(text: str) -> bool:
    """Whether there is anything but spaces, controls and formatting characters."""
    return any(unicodedata.category(c) not in ("Cc", "Cf", "Zs", "Zl", "Zp") for c in text)


def tokens_at(spans: Iterable[tuple[int, int]], text: str) -> list[Token]:
    """The tokens at these places, without those that show nothing."""
    tokens = (Token(text[start:end], start, end) for start, end in spans)
    return [token for token in tokens if visible(token.text)]


def consecutive(pieces: Iterable[str], at: int = 0) -> Iterator[tuple[int, int]]:
    """The places of pieces that together are the text, from a place of it on."""
    for piece in pieces:
        yield at, at + len(piece)
        at += len(piece)


def scattered(pieces: Iterable[str], text: str) -> Iterator[tuple[int, int]]:
    """The places of pieces whose characters stand in the text in that order, others between."""
    at = 0
    for piece in pieces:
        places = []
        for character in piece:
            at = text.index(character, at) + 1
            places.append(at - 1)
        if places:
            yield places[0], at


def merged(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """The spans with those that overlap made one; empty ones are dropped."""
    whole: list[tuple[int, int]] = []
    for start, end in spans:
        if whole and start < whole[-1][1]:
            whole[-1] = whole[-1][0], max(end, whole[-1][1])
        elif start < end:
            whole.append((start, end))
    return whole


def rebuilt(tokens: Sequence[Token]) -> str:
    """A text with the tokens in it as far apart as they were, but for what stood between."""
    pieces, at = [], tokens[0].start if tokens else 0
    for token in tokens:
        pieces += [" " * (token.start - at), token.text]
        at = token.end
    return "".join(pieces)


def tags_by_place(tokens: Sequence[Token], analysed: Sequence[tuple[int, int, str]]) -> list[str]:
    """For each token the tag of the first analysed piece of `rebuilt(tokens)` that it touches."""
    tags, at = [], 0
    first = tokens[0].start if tokens else 0
    for token in tokens:
        while at < len(analysed) and analysed[at][1] <= token.start - first:
            at += 1
        touches = at < len(analysed) and analysed[at][0] < token.end - first
        tags.append(analysed[at][2] if touches else "X")
    return tags


def universal(table: Mapping[str, str], tag: str) -> str:
    """What the table has for the longest beginning of the tag; ``X`` where it has nothing."""
    return next((table[tag[:n]] for n in range(len(tag), 0, -1) if tag[:n] in table), "X")
