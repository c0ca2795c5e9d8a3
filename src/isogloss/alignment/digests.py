"""Digests of texts: the same for the same texts, in every process."""

import hashlib
from collections.abc import Iterable, Sequence

from isogloss.alignment.links import TokenPair

_SIZE = 16


def pairs_digest(pairs: Iterable[TokenPair], *also: str) -> str:
    """A digest of all words of all pairs, and of the texts given besides."""
    state = hashlib.blake2b(digest_size=_SIZE)
    _add(state, also)
    for source, target in pairs:
        _add(state, source)
        _add(state, target)
    return state.hexdigest()


def text_digest(texts: Sequence[str]) -> str:
    """A digest of some texts."""
    return pairs_digest((), *texts)


def _add(state: hashlib.blake2b, texts: Sequence[str]) -> None:
    """Counts and lengths in front keep ("ab", "c"), ("a", "bc") and ("abc") apart."""
    state.update(b"%d;" % len(texts))
    for text in texts:
        data = text.encode("utf-8", "surrogatepass")
        state.update(b"%d:%s" % (len(data), data))
