"""How far answers to the same question lie apart, from 0 to 1: what an organiser looks at first.

It orders disagreements and is no measure of agreement. Of scores it is their distance on the
scale; of marked errors the share of marked characters that only one has marked, half where all are
minor; of both together the mean.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from statistics import fmean
from typing import Any

from isogloss.annotate.answers import SAME

Value = Mapping[str, Any]

_SLIGHT = 0.5
"""What minor errors, ties and rated severities weigh beside a plain contradiction."""


def answers_apart(kind: str, values: Sequence[Value]) -> float:
    """The largest distance between two of the answers."""
    apart = _APART[kind]
    return max((apart(one, other) for one, other in combinations(values, 2)), default=0.0)


def _scores(one: Value, other: Value, field: str = "score", most: float = 100.0) -> list[float]:
    own, others = one.get(field), other.get(field)
    return [] if own is None or others is None else [abs(own - others) / most]


def _of_scores(one: Value, other: Value) -> float:
    return _mean(_scores(one, other))


def _of_marks(one: Value, other: Value) -> float:
    return _mean(
        [*_scores(one, other), _marks_apart(one.get("errors", ()), other.get("errors", ()))]
    )


def _marks_apart(one: Sequence[Value], other: Sequence[Value]) -> float:
    own, others = _marked(one), _marked(other)
    every = len(own | others)
    if not every:
        return 0.0
    grave = any(error["severity"] != "minor" for error in (*one, *other))
    return len(own ^ others) / every * (1.0 if grave else _SLIGHT)


def _marked(errors: Sequence[Value]) -> set[tuple[str, int]]:
    """Characters by side; what is missing without a place is one of its own."""
    found = set()
    for error in errors:
        side = error.get("side") or ("nowhere" if error["missing"] else "output")
        found |= {(side, n) for n in range(error["start"], max(error["end"], error["start"] + 1))}
    return found


def _of_lines(one: Value, other: Value) -> float:
    scores = [*_scores(one, other, "adequacy", 1.0), *_scores(one, other, "fluency", 1.0)]
    return _mean([*scores, float(one.get("conflicting") != other.get("conflicting"))])


def _of_phenomena(one: Value, other: Value) -> float:
    own, others = one["phenomena"], other["phenomena"]
    if differing := _sets_apart(set(own), set(others)):
        return differing
    rated = [abs(own[p] - others[p]) for p in own if None not in (own[p], others[p])]
    return _SLIGHT * max(rated, default=0.0)


def _of_words(one: Value, other: Value) -> float:
    if one["same"] is not other["same"]:
        return _SLIGHT if None in (one["same"], other["same"]) else 1.0
    return _SLIGHT * _sets_apart(set(one["flexible"]), set(other["flexible"]))


def _of_choices(one: Value, other: Value) -> float:
    if one["better"] == other["better"]:
        return 0.0
    return _SLIGHT if SAME in (one["better"], other["better"]) else 1.0


def _sets_apart(one: set[Any], other: set[Any]) -> float:
    return len(one ^ other) / len(one | other) if one | other else 0.0


def _mean(parts: Sequence[float]) -> float:
    return fmean(parts) if parts else 0.0


_APART = {
    "phase1": _of_lines,
    "phase2": _of_phenomena,
    "da": _of_scores,
    "document": _of_scores,
    "spans": _of_marks,
    "contrastive": _of_marks,
    "preference": _of_choices,
    "consistency": _of_words,
}
