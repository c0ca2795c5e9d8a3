"""What people do in a trial, for each kind of work: what they are asked, and what they may say."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from isogloss.annotate.campaign import Phase

Value = dict[str, Any]
SEGMENTS = 50
_COMPANY = 11
"""Systems, where a document is judged as a whole: so many items, or 55 pairs."""


@dataclass(frozen=True)
class Work:
    """A phase, the items of one document in so many systems, and answers of any size."""

    phase: Phase
    systems: int
    items: tuple[str, ...]
    small: Callable[[random.Random], Value]
    any_size: Callable[[random.Random], Value]
    room: int = 6
    """Megabytes that are free before such answers fill a disk."""


def _score(rng: random.Random) -> Value:
    return {"score": rng.randrange(101)}


def _errors(rng: random.Random, most: int) -> Value:
    words = [
        {
            "start": 0,
            "end": rng.randrange(1, 6),
            "severity": rng.choice(["minor", "major"]),
            "category": rng.randbytes(40).hex(),  # nothing that compresses well
        }
        for _ in range(rng.randrange(most))
    ]
    full = [{**word, "missing": False} for word in words]
    return {"score": rng.randrange(101), "errors": full}


def _choice(rng: random.Random, longest: int) -> Value:
    note = rng.randbytes(rng.randrange(1, longest)).hex()
    return {"better": "same", "reasons": [], "note": note}


def _line(rng: random.Random) -> Value:
    """An answer about a line: most are small, some have 400 kB."""
    if rng.random() < 0.5:
        words = [rng.randbytes(1000).hex() for _ in range(200)]
        reported = [{"side": "source", "start": 0, "end": 6, "text": word} for word in words]
        return {"adequacy": 0.5, "reported": reported}
    return {"adequacy": rng.randrange(101) / 100, "note": "x" * rng.randrange(2000)}


def _of_segments(form: str, letters: str) -> tuple[str, ...]:
    return tuple(form.format(n, slot) for n in range(SEGMENTS) for slot in letters)


_LETTERS = "ABCDEFGHIJK"
WORKS = {
    "da": Work("da", 1, _of_segments("seg:{}/{}", "A"), _score, _score),
    "phase1": Work("phase1", 1, _of_segments("line:{}/{}", "A"), _line, _line),
    "contrastive": Work(
        "contrastive",
        2,
        _of_segments("seg:{}/{}", "AB"),
        lambda rng: _errors(rng, 3),
        lambda rng: _errors(rng, 500 if rng.random() < 0.5 else 5),
    ),
    "document": Work(
        "document", _COMPANY, tuple(f"doc:0/{slot}" for slot in _LETTERS), _score, _score, room=1
    ),
    "preference": Work(
        "preference",
        _COMPANY,
        tuple(f"pair:{n}" for n in range(_COMPANY * (_COMPANY - 1) // 2)),
        lambda rng: _choice(rng, 20),
        lambda rng: _choice(rng, 5000),
    ),
}
