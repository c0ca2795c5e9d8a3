"""Links that let people in: random tokens, of which the campaign keeps a hash and nothing else."""

import hashlib
import hmac
import secrets

_BYTES = 32  # 256 bits: nobody guesses one


def new_token() -> str:
    """A token that fits into a link."""
    return secrets.token_urlsafe(_BYTES)


def hashed(token: str) -> str:
    """What is stored. The token is random and long, so a plain hash gives nothing away."""
    return hashlib.sha256(token.encode("utf-8")).hexdigest()


def same(one: str, other: str) -> bool:
    """Whether two hashes are equal, in a time that does not tell how far they agree."""
    return hmac.compare_digest(one, other)
