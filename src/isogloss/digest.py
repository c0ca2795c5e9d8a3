"""Digests: the same for the same content, in every process and on every machine."""

import hashlib
from collections.abc import Iterable
from typing import Protocol


class Hash(Protocol):
    """What content is added to, as hashlib has them."""

    def update(self, data: bytes, /) -> None:
        """Add some bytes."""


def add_texts(state: Hash, texts: Iterable[str | None], errors: str = "surrogatepass") -> None:
    """A length in front of every text keeps ("ab", "c") and ("a", "bc") apart; -1 is absent."""
    for text in texts:
        data = b"" if text is None else text.encode("utf-8", errors)
        state.update(b"%d:%s" % (-1 if text is None else len(data), data))


def short_digest(content: str | bytes, digits: int) -> str:
    """Enough of the SHA-256 to tell two contents apart that somebody may confuse."""
    data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    return hashlib.sha256(data).hexdigest()[:digits]
