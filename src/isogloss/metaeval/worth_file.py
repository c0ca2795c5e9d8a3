"""Curves of worth in a file: TOML, small enough to read, and those that come with isogloss."""

from collections.abc import Mapping
from dataclasses import asdict, fields
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar

from isogloss.errors import FormatError, InputError
from isogloss.metaeval.worth import (
    Fit,
    Quality,
    Range,
    Shape,
    SilentPair,
    WorthCurve,
    WorthCurves,
)
from isogloss.notation import in_words, toml_table, toml_text

_VERSION = 1
_HEADING = "# What differences in metrics are worth to people; made by 'isogloss worth --save'.\n"
_DIGITS = 6
_Made = TypeVar("_Made")


def curves_text(curves: WorthCurves, about: Mapping[str, Any]) -> str:
    """A file of curves; `about` says where they come from."""
    silent = tuple(_plain(asdict(pair)) for pair in curves.silent)
    entries = [_entry(curve) for curve in curves.curves]
    return _HEADING + toml_text({"version": _VERSION, **about, "silent": silent, "curves": entries})


def _entry(curve: WorthCurve) -> dict[str, Any]:
    """A curve as a table; its fits are rows of numbers, since there are many of them."""
    told = asdict(curve)
    told["fit"] = _numbers(curve.fit)
    told["without"] = [_numbers(fit) for fit in curve.without]
    return dict(_plain(told))


def _numbers(fit: Fit) -> list[float]:
    """Scale, power, settling, the slope alone; slope and trust where others are asked."""
    shape = fit.shape
    return [shape.scale, shape.power, shape.settling, fit.alone, *fit.together]


def _fit(numbers: Any) -> Fit:
    if len(numbers) not in (4, 6) or not all(isinstance(each, (int, float)) for each in numbers):
        raise InputError("a fit is made of 4 or 6 numbers")
    scale, power, settling, alone, *together = map(float, numbers)
    if not (scale > 0 and power > 0 and settling >= 0):
        raise InputError("a fit has a scale and a power above 0")
    return Fit(Shape(scale, power, settling), alone, tuple(together))


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
        silent = tuple(_made(SilentPair, entry) for entry in content.get("silent", ()))
        return WorthCurves(tuple(_curve(entry) for entry in content.get("curves", ())), silent)
    except (TypeError, ValueError, KeyError, AttributeError, InputError) as error:
        raise FormatError(in_words(error), path=path) from None


def _curve(entry: dict[str, Any]) -> WorthCurve:
    told = {
        **entry,
        "fit": _fit(entry["fit"]),
        "without": tuple(map(_fit, entry["without"])),
        "range": _made(Range, entry["range"]),
        "held_out": _made(Quality, {"low": None, "high": None, **entry["held_out"]})
        if "held_out" in entry
        else None,
    }
    curve = _made(WorthCurve, told)
    if len(curve.without) < 2 or len(curve.without) != len(curve.range.testsets):
        raise InputError("a curve needs its fit without each of its test sets")
    return curve


def _made(kind: type[_Made], entry: Mapping[str, Any]) -> _Made:
    """An object of what stands in a file: lists become tuples."""
    known = {field.name for field in fields(kind)}  # type: ignore[arg-type]
    if strange := set(entry) - known:
        raise InputError(f"there is no key {min(strange)!r}")
    return kind(**{k: tuple(v) if isinstance(v, list) else v for k, v in entry.items()})
