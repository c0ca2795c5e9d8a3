"""Who is who: annotators see letters instead of systems, in an order of their own.

The order depends on a secret of the campaign, the annotator and the document, so that it can be
worked out again and nobody can guess it. Names of systems never leave the server.
"""

import hashlib
import hmac
from collections.abc import Sequence
from string import ascii_uppercase


def shuffled(names: Sequence[str], secret: str, *place: str) -> list[str]:
    """The names in the order that the secret gives them at this place."""

    def rank(name: str) -> bytes:
        # Lengths keep ("a", "bc") and ("ab", "c") apart.
        message = "".join(f"{len(part)}:{part}" for part in (*place, name))
        return hmac.digest(secret.encode(), message.encode(), hashlib.sha256)

    return sorted(names, key=rank)


def slot_names(number: int) -> list[str]:
    """A, B, ... Z, AA, AB, ..."""
    return [_letters(index) for index in range(number)]


def _letters(index: int) -> str:
    letters = ""
    index += 1
    while index:
        index, letter = divmod(index - 1, len(ascii_uppercase))
        letters = ascii_uppercase[letter] + letters
    return letters


def slots(systems: Sequence[str], secret: str, annotator: str, document: str) -> dict[str, str]:
    """Letter to system, as this annotator sees this document."""
    order = shuffled(systems, secret, annotator, document)
    return dict(zip(slot_names(len(order)), order, strict=True))
