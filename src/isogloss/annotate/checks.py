"""Attention checks: items that come twice, and items whose words were spoilt on purpose.

Somebody who scores an item twice should say much the same; somebody who reads should score the
spoilt one lower. Checks look like any other item, and are left out of every export of scores.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from isogloss.annotate.campaign import Checks
from isogloss.annotate.items import ItemName

CheckKind = Literal["repeat", "degraded", "beside"]
"""As it was, spoilt, or as it was beside one that is spoilt, which is no repetition."""


@dataclass(frozen=True, slots=True)
class Check:
    """An item that checks another: what it shows, and what it should be set against."""

    item: str
    kind: CheckKind
    of: str
    segment: int
    slot: str
    text: str


def planned(outputs: dict[str, Sequence[str | None]], checks: Checks, seed: str) -> list[Check]:
    """The checks of one task: outputs by slot, so many of them repeated and spoilt."""
    rng = random.Random(seed)  # noqa: S311  (reproducible on purpose, no secret)
    there = [
        (segment, slot, text)
        for slot, texts in outputs.items()
        for segment, text in enumerate(texts)
        if text
    ]
    repeats = rng.sample(there, _rounded(len(there) * checks.repeats, rng))
    degraded = rng.sample(there, _rounded(len(there) * checks.degraded, rng))
    found: list[tuple[CheckKind, int, str, str]] = [
        *(("repeat", *each) for each in repeats),
        *(("degraded", segment, slot, spoilt(text, rng)) for segment, slot, text in degraded),
    ]
    rng.shuffle(found)  # neither name nor place may tell a check from its kind
    return [_check(number, *each) for number, each in enumerate(found)]


def planned_together(
    outputs: dict[str, Sequence[str | None]], checks: Checks, seed: str
) -> list[Check]:
    """The checks of a task whose translations are judged side by side.

    A segment comes again in all of them, as it was or with one of them spoilt: one that came alone
    could be told from the others.
    """
    rng = random.Random(seed)  # noqa: S311  (reproducible on purpose, no secret)
    length = max(map(len, outputs.values()), default=0)
    there = [[slot for slot, texts in outputs.items() if texts[n]] for n in range(length)]
    segments = [number for number, slots in enumerate(there) if slots]
    again: list[tuple[int, str | None]] = [
        *((n, None) for n in rng.sample(segments, _about(len(segments) * checks.repeats, rng))),
        *(
            (n, rng.choice(there[n]))
            for n in rng.sample(segments, _about(len(segments) * checks.degraded, rng))
        ),
    ]
    rng.shuffle(again)
    found = []
    for number, (segment, worse) in enumerate(again):
        for slot in there[segment]:
            text = outputs[slot][segment] or ""
            kind: CheckKind = "repeat" if worse is None else "beside"
            if slot == worse:
                kind, text = "degraded", spoilt(text, rng)
            found.append(_check(number, kind, segment, slot, text))
    return found


def _rounded(amount: float, rng: random.Random) -> int:
    """The nearest whole number; short documents, which have none by that, have one now and then."""
    return round(amount) or _about(amount, rng)


def _about(amount: float, rng: random.Random) -> int:
    """A whole number that is the amount on average: documents have few segments."""
    return int(amount) + (rng.random() < amount % 1)


def _check(number: int, kind: CheckKind, segment: int, slot: str, text: str) -> Check:
    of = ItemName("seg", segment, slot)
    return Check(str(replace(of, check=number)), kind, str(of), segment, slot, text)


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
