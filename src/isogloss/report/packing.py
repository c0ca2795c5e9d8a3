"""Columns of whole numbers as short printable text, for data that travels inside a page.

A number is written in base 46 with the lowest digit first. 92 printable characters (all of ASCII
but the quotation mark, the backslash and the tilde) hold the digits: those of the first half end
a number, those of the second half say that more follows. Small numbers take one character, and a
column of them deflates as well as bytes would, while JSON can carry it as it is.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import NewType

import numpy as np

Packed = NewType("Packed", str)

ALPHABET = "".join(chr(code) for code in range(0x20, 0x7E) if chr(code) not in '"\\')
BASE = len(ALPHABET) // 2


def packed(numbers: Iterable[int]) -> Packed:
    """Whole numbers of 0 or more."""
    return Packed("".join(map(_digits, numbers)))


def packed_signed(numbers: Iterable[int]) -> Packed:
    """Whole numbers of either sign: 0, -1, 1, -2 ... count as 0, 1, 2, 3 ..."""
    return packed(map(_unsigned, numbers))


def packed_scores(scores: Iterable[float | None], digits: int) -> Packed:
    """Numbers with that many decimal digits; 0 stands for `None` (and NaN)."""
    values = np.array([np.nan if score is None else score for score in scores], dtype=np.float64)
    known = np.isfinite(values)
    whole = np.rint(np.where(known, values, 0.0) * 10**digits).astype(np.int64)
    unsigned = np.where(whole >= 0, 2 * whole, -2 * whole - 1)
    return packed(np.where(known, unsigned + 1, 0).tolist())


def _unsigned(number: int) -> int:
    return 2 * number if number >= 0 else -2 * number - 1


@lru_cache(maxsize=1 << 16)
def _digits(number: int) -> str:
    digits = []
    while number >= BASE:
        number, digit = divmod(number, BASE)
        digits.append(ALPHABET[BASE + digit])
    return "".join(digits) + ALPHABET[number]
