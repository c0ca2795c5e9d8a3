"""What a tutorial expects of an answer, and what an answer lacks of it, in words.

========================  ==========================================================================
``score = [80, 100]``     a score within; likewise ``adequacy`` and ``fluency``, from 0 to 1
``below = "A"``           a lower score than that translation of the segment
``errors = [...]``        each marked, unless ``optional``, and next to nothing else; an error
                          has ``words``, ``severity`` (those that will do) and ``side = "source"``
``conflicting = true``    whether markables conflict
``no_error = true``       nothing is wrong with the markable here
``phenomena = [...]``     some of these, and no others
``same = true``           whether the repeated word must be translated alike
``better = "A"``          that translation of the pair, for one of the ``reasons``
``explanation = "..."``   what is told afterwards
========================  ==========================================================================
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pydantic import BaseModel

from isogloss.annotate.answers import SAME
from isogloss.annotate.campaign import Phase
from isogloss.annotate.items import ItemName
from isogloss.errors import InputError

Expected = Mapping[str, Any]
Value = Mapping[str, Any]
Said = Mapping[str, Value]
"""By item, all that was said in the tutorial so far."""

_RANGES = ("score", "adequacy", "fluency")
_ALLOWED: Mapping[str, frozenset[str]] = {
    "phase1": frozenset({"adequacy", "fluency", "conflicting"}),
    "phase2": frozenset({"no_error", "phenomena"}),
    "da": frozenset({"score", "below"}),
    "spans": frozenset({"score", "below", "errors"}),
    "contrastive": frozenset({"score", "below", "errors"}),
    "document": frozenset({"score", "below"}),
    "preference": frozenset({"better", "reasons"}),
    "consistency": frozenset({"same"}),
}
_FALSE_ALARMS = 1  # marks that nobody expected, beside errors that were


def checked_expectation(
    phase: Phase, task: Mapping[str, Any], table: Mapping[str, Any], kind: type[BaseModel]
) -> dict[str, Any]:
    """What is expected of an item, with words as places; or a complaint about what it says."""
    name = ItemName.parse(table["item"])
    found = {key: value for key, value in table.items() if key != "item"}
    for key in found:
        if key not in _ALLOWED[phase] | {"explanation"}:
            known = ", ".join(sorted(_ALLOWED[phase]))
            raise InputError(f"{name}: {key!r} means nothing in {phase}; there are: {known}")
    if set(found) <= {"explanation"}:
        raise InputError(f"{name}: nothing is expected of it, so nobody could get it wrong")
    for key in _RANGES:
        low, high = found.get(key, (0, 0))
        if low > high:
            raise InputError(f"{name}: {key} goes from {low} to {high}")
    for phenomenon in found.get("phenomena", ()):
        kind.model_validate({"phenomena": {phenomenon: None}})
    if "errors" in found:
        found["errors"] = [_placed(task, name, error) for error in found["errors"]]
    return found


def _placed(task: Mapping[str, Any], name: ItemName, error: Mapping[str, Any]) -> dict[str, Any]:
    source = error.get("side") == "source"
    lines = task["source"] if source else task["outputs"][name.slot]
    start, end = found_words(lines[name.number] or "", error["words"])
    return {
        "words": error["words"],
        "start": start,
        "end": end,
        "source": source,
        "severity": list(error.get("severity", ())),
        "optional": bool(error.get("optional", False)),
    }


def found_words(text: str, words: str) -> tuple[int, int]:
    """Where words stand in a text; they must stand there once."""
    if not words or text.count(words) != 1:
        often = "stand more than once" if words in text else "do not stand"
        raise InputError(f"the words {words!r} {often} in {text!r}")
    start = text.index(words)
    return start, start + len(words)


def shortcomings(item: str, expected: Expected, said: Said) -> list[str]:
    """What an answer lacks; nothing where it is right."""
    value = said[item]
    found = [*_outside(expected, value), *_not_below(item, expected, said)]
    for key, judge in _JUDGES.items():
        if key in expected:
            found += judge(expected, value)
    return found


def _outside(expected: Expected, value: Value) -> Iterator[str]:
    for key in _RANGES:
        if key in expected:
            low, high = expected[key]
            if not low <= value[key] <= high:
                what = "a score" if key == "score" else key
                yield f"{what} from {low:g} to {high:g} was expected, not {value[key]:g}"


def _not_below(item: str, expected: Expected, said: Said) -> Iterator[str]:
    if "below" not in expected:
        return
    name = ItemName.parse(item)
    other = said.get(str(ItemName(name.kind, name.number, expected["below"])))
    if other is not None and not said[item]["score"] < other["score"]:
        yield f"a lower score than that of {expected['below']} was expected"


def _errors(expected: Expected, value: Value) -> Iterator[str]:
    marks = value["errors"]
    known = expected["errors"]
    for error in known:
        hits = [mark for mark in marks if _meet(mark, error)]
        if not hits and not error["optional"]:
            yield f"“{error['words']}” should be marked"
        fits = error["optional"] or not error["severity"]
        if hits and not fits and not {mark["severity"] for mark in hits} & set(error["severity"]):
            yield f"“{error['words']}” is {' or '.join(error['severity'])}"
    alarms = [mark for mark in marks if not any(_meet(mark, error) for error in known)]
    if len(alarms) > (_FALSE_ALARMS if known else 0):
        yield "more was marked than is wrong" if known else "there is nothing to mark"


def _meet(mark: Value, error: Value) -> bool:
    """Whether they share a character; something left out, with no words named, is in the source."""
    if error["source"] != (mark.get("side") == "source"):
        return bool(error["source"] and mark["missing"] and mark["start"] == mark["end"])
    return bool(mark["start"] < error["end"] and error["start"] < mark["end"])


def _conflicting(expected: Expected, value: Value) -> Iterator[str]:
    if value["conflicting"] != expected["conflicting"]:
        yield "markables conflict here" if expected["conflicting"] else "no markables conflict"


def _no_error(expected: Expected, value: Value) -> Iterator[str]:
    if value["no_error"] != expected["no_error"]:
        yield "there is no error here" if expected["no_error"] else "there is an error here"


def _phenomena(expected: Expected, value: Value) -> Iterator[str]:
    said, wanted = set(value["phenomena"]), expected["phenomena"]
    if not said:
        yield f"there is an error here: {' or '.join(wanted)}"
    elif not said <= set(wanted):
        yield f"{' or '.join(wanted)} was expected, not {', '.join(sorted(said - set(wanted)))}"


def _same(expected: Expected, value: Value) -> Iterator[str]:
    if value["same"] != expected["same"]:
        yield (
            "it must be translated alike"
            if expected["same"]
            else "it may be translated in two ways"
        )


def _better(expected: Expected, value: Value) -> Iterator[str]:
    wanted, reasons = expected["better"], expected.get("reasons", ())
    if value["better"] != wanted:
        yield "they are equally good" if wanted == SAME else f"{wanted} is better"
    elif reasons and not set(reasons) & set(value["reasons"]):
        yield f"a reason was expected: {' or '.join(reasons)}"


_JUDGES: Mapping[str, Callable[[Expected, Value], Iterator[str]]] = {
    "errors": _errors,
    "conflicting": _conflicting,
    "no_error": _no_error,
    "phenomena": _phenomena,
    "same": _same,
    "better": _better,
}
