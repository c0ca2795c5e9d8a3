"""Curves of worth in a file: TOML, small enough to read, and those that come with isogloss."""

from collections.abc import Mapping
from dataclasses import asdict, fields
from functools import cache
from importlib.resources import files
from math import isfinite
from pathlib import Path
from typing import Any, TypeVar

from isogloss.errors import FormatError, InputError
from isogloss.metaeval.worth import Line, Quality, Range, Shape, WorthCurve, WorthCurves
from isogloss.notation import in_words, toml_table, toml_text

_VERSION = 1
_HEADING = "# What differences in metrics are worth to people; made by 'isogloss worth --save'.\n"
_DIGITS = 6
_NESTED = {
    "shape": Shape,
    "alone": Line,
    "together": Line,
    "range": Range,
    "held_out": Quality,
}
_Made = TypeVar("_Made")


def curves_text(curves: WorthCurves, about: Mapping[str, Any]) -> str:
    """A file of curves; `about` says where they come from."""
    told = {"version": _VERSION, **about, "curves": [_plain(asdict(c)) for c in curves.curves]}
    return _HEADING + toml_text(told)


def _plain(value: Any) -> Any:
    """Without what TOML has no word for, and without digits that mean nothing."""
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items() if each is not None}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    return float(f"{value:.{_DIGITS}g}") if isinstance(value, float) else value


def read_curves(path: str | Path) -> WorthCurves:
    """The curves of a file that `isogloss worth --save` wrote."""
    file = Path(path)
    try:
        text = file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise FormatError("is not UTF-8 text", path=file) from None
    return _parsed(text, str(path))


@cache
def bundled_curves() -> WorthCurves:
    """The curves that come with isogloss."""
    place = files("isogloss.metaeval") / "curves.toml"
    return _parsed(place.read_text(encoding="utf-8"), "curves.toml")


def _parsed(text: str, path: str) -> WorthCurves:
    content = toml_table(text, path)
    if content.get("version") != _VERSION:
        raise FormatError(
            f"is no file of curves of version {_VERSION}",
            path=path,
            remedy="make one with 'isogloss worth --save'",
        )
    try:
        return WorthCurves(tuple(_curve(entry) for entry in content.get("curves", ())))
    except (TypeError, ValueError, KeyError, AttributeError, InputError) as error:
        raise FormatError(in_words(error), path=path) from None


def _curve(entry: dict[str, Any]) -> WorthCurve:
    inside: dict[str, Any] = {
        name: _made(kind, entry[name]) for name, kind in _NESTED.items() if name in entry
    }
    return _made(WorthCurve, {"together": None, "held_out": None, **entry, **inside})


def _made(kind: type[_Made], entry: Mapping[str, Any]) -> _Made:
    """An object of what stands in a file: numbers are numbers, lists are tuples."""
    known = {field.name for field in fields(kind)}  # type: ignore[arg-type]
    if strange := set(entry) - known:
        raise InputError(f"there is no key {min(strange)!r}")
    told = {
        name: tuple(value) if isinstance(value, list) else value for name, value in entry.items()
    }
    if kind is Quality:
        told = {"low": None, "high": None, **told}
    for name, value in told.items():
        _check(name, value)
    return kind(**told)


def _check(name: str, value: Any) -> None:
    for each in value if isinstance(value, tuple) else (value,):
        if isinstance(each, float) and not isfinite(each):
            raise InputError(f"{name} is not finite")
