"""Attention checks: items that come twice, and items whose words were spoilt on purpose.

Somebody who scores an item twice should say much the same; somebody who reads should score the
spoilt one lower. Checks look like any other item, and are left out of every export of scores.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from isogloss.annotate.campaign import Checks

CheckKind = Literal["repeat", "degraded"]


@dataclass(frozen=True, slots=True)
class Check:
    """An item that checks another: what it shows, and what it should be set against."""

    item: str
    kind: CheckKind
    of: str
    segment: int
    slot: str
    text: str


def item_name(segment: int, slot: str) -> str:
    """The item that asks about one segment of one translation."""
    return f"seg:{segment}/{slot}"


def planned(outputs: dict[str, Sequence[str | None]], checks: Checks, seed: str) -> list[Check]:
    """The checks of one task: outputs by slot, so many of them repeated and spoilt."""
    rng = random.Random(seed)  # noqa: S311  (reproducible on purpose, no secret)
    there = [
        (segment, slot, text)
        for slot, texts in outputs.items()
        for segment, text in enumerate(texts)
        if text
    ]
    repeats = rng.sample(there, round(len(there) * checks.repeats))
    degraded = rng.sample(there, round(len(there) * checks.degraded))
    found: list[tuple[CheckKind, int, str, str]] = [
        *(("repeat", *each) for each in repeats),
        *(("degraded", segment, slot, spoilt(text, rng)) for segment, slot, text in degraded),
    ]
    rng.shuffle(found)  # neither name nor place may tell a check from its kind
    return [_check(number, *each) for number, each in enumerate(found)]


def _check(number: int, kind: CheckKind, segment: int, slot: str, text: str) -> Check:
    name = item_name(segment, slot)
    return Check(f"{name}~{number}", kind, name, segment, slot, text)


def spoilt(text: str, rng: random.Random) -> str:
    """The text with a third of its words (or characters, where there are no spaces) displaced."""
    words = text.split(" ")
    glue = " " if len(words) > 3 else ""
    pieces = words if glue else list(text)
    number = max(2, len(pieces) // 3)
    if len(pieces) < 3:
        return text
    start = rng.randrange(len(pieces) - number + 1)
    middle = pieces[start : start + number]
    return glue.join(pieces[:start] + middle[::-1] + pieces[start + number :])
