"""Segments whose units have ids are paired by them, whatever order the units stand in.

A unit may have several segments, which follow one another. Where two sides split a unit
differently, its document has other segments than the source, and is cut like any such.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from isogloss.documents import Segments, counted
from isogloss.errors import MismatchError

_NAMED = 3  # units that a message names


def in_order(
    segments: Segments,
    units: Sequence[str],
    wanted: Sequence[str],
    *,
    document: str,
    owner: str,
    allow_missing: bool,
) -> Segments:
    """The segments in the order in which `owner` has their units; those that it lacks are absent.

    `document` is the one that they are of, and where, for messages.
    """
    own: dict[str, list[str | None]] = {}
    for unit, segment in zip(units, segments, strict=True):
        own.setdefault(unit, []).append(segment)
    needed = Counter(wanted)
    if strange := [unit for unit in own if unit not in needed]:
        raise MismatchError(f"{document} has {_listed(strange)}, which {owner} does not have")
    missing = [unit for unit in needed if unit not in own]
    if missing and not allow_missing:
        raise MismatchError(
            f"{document} lacks {_listed(missing)}, which {owner} has; if that is intended, allow "
            "missing documents",
            lacking=["allow_missing"],
        )
    return tuple(
        segment for unit, size in needed.items() for segment in own.get(unit, [None] * size)
    )


def _listed(units: Iterable[str]) -> str:
    """'unit 'a'', '5 units ('a', 'b', 'c', …)': for messages."""
    names = list(map(repr, units))
    if len(names) == 1:
        return f"unit {names[0]}"
    more = ", …" if len(names) > _NAMED else ""
    return f"{counted(len(names), 'unit')} ({', '.join(names[:_NAMED])}{more})"
