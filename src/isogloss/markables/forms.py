"""What a term looks like: names, numbers, acronyms, Roman numerals, by their letters alone."""

import re
import unicodedata
from collections.abc import Sequence

_ROMAN = re.compile(r"[IVXLCDM]+")
_NUMBER = re.compile(r"\d[\d\u00a0\u202f .,:/-]*")
_DIGITS = re.compile(r"\d")


def is_capitalised(word: str) -> bool:
    """A capital first and a small letter somewhere."""
    return word[:1].isupper() and not word.isupper()


def is_name(words: Sequence[str]) -> bool:
    """Several words, each with a capital: a full name, of a person or a place."""
    lettered = [word for word in words if any(map(str.isalpha, word))]
    return len(lettered) > 1 and all(map(is_capitalised, lettered))


def is_roman(words: Sequence[str]) -> bool:
    """A Roman numeral."""
    return len(words) == 1 and _ROMAN.fullmatch(words[0]) is not None


def is_acronym(words: Sequence[str]) -> bool:
    """Two to six capitals that are no numeral; several of them count, too."""
    lettered = [word for word in words if any(map(str.isalpha, word))]
    if not lettered or is_roman(words):
        return False
    return all(word.isupper() and 2 <= len(word) <= 6 for word in lettered)


def is_heading(words: Sequence[str]) -> bool:
    """A longer word all in capitals."""
    return bool(words) and all(word.isupper() and len(word) > 6 for word in words)


def numbers_in(text: str) -> list[tuple[int, int]]:
    """Where the numbers of a text lie, separators inside them included."""
    found = []
    for match in _NUMBER.finditer(text):
        number = match.group().rstrip(" .,:/-\u00a0\u202f")
        found.append((match.start(), match.start() + len(number)))
    return found


def digits(text: str) -> str:
    """The digits alone."""
    return "".join(_DIGITS.findall(text))


def folded(text: str) -> str:
    """Small letters without their accents."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in plain if not unicodedata.combining(letter))
