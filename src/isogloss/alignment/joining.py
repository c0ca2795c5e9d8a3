"""Words put back together into text that a translation model has seen the like of."""

import re
from collections.abc import Sequence

Range = tuple[int, int]

_SPACELESS = frozenset({"zh", "ja", "th", "lo", "km", "my"})
_LEFT_BOUND = re.compile(r"[,.;:!?%)\]}”’»…]+|['’](s|m|d|re|ve|ll|t)|n['’]t", re.IGNORECASE)
_RIGHT_BOUND = re.compile(r"[(\[{“‘«$£€¿¡#]+")


def joined(words: Sequence[str], language: str | None) -> tuple[str, list[Range]]:
    """The text of the words, and the characters of each in it.

    It need not be the text that the words come from, as long as a model reads it alike.
    """
    spaceless = (language or "").partition("-")[0] in _SPACELESS
    parts: list[str] = []
    ranges: list[Range] = []
    length, quoted, before = 0, False, ""
    for word in words:
        gap = _gap(before, word, spaceless, quoted)
        quoted ^= word == '"'
        start = length + len(gap)
        length = start + len(word)
        parts += (gap, word)
        ranges.append((start, length))
        before = word
    return "".join(parts), ranges


def _gap(before: str, word: str, spaceless: bool, quoted: bool) -> str:
    """What stands between two words; `quoted` says that a straight quotation mark is open."""
    if not before or not word:
        return ""
    if spaceless:
        return " " if _western(before[-1]) and _western(word[0]) else ""
    if quoted and '"' in (before, word):
        return ""
    bound = _LEFT_BOUND.fullmatch(word) or _RIGHT_BOUND.fullmatch(before)
    return "" if bound else " "


def _western(character: str) -> bool:
    return character.isascii() and character.isalnum()
