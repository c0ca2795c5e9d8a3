"""JSON and TOML as strangers write them: what Python cannot take is told like any other mistake.

Python's own readers give up in many ways: brackets nested deeper than the stack, numbers of
thousands of digits, numbers that become infinite, ``NaN`` and ``Infinity`` (which are no JSON),
halves of characters. Each of them is a `FormatError` here, so that no reader has to think of it.
"""

import json
import re
import tomllib
from collections.abc import Callable, Mapping
from math import isfinite
from pathlib import Path
from typing import Any

import tomli_w

from isogloss.errors import FormatError, IsoglossError

_LARGEST = 2**63  # beyond, neither arrays nor databases hold a whole number
_MAYBE_TOO_LARGE = re.compile(r"[0-9]{19}|[eE]\+?[0-9]{3}")
_HALF_CHARACTER = re.compile("[\ud800-\udfff]")

Pairs = list[tuple[str, Any]]


def json_value(
    text: str,
    path: str | Path,
    line: int | None = None,
    pairs: Callable[[Pairs], Any] | None = None,
) -> Any:
    """The value of a JSON text; `line` says where it stands, for a text that is one line of many.

    `pairs` makes something of the keys and values of each object; by default a dictionary.
    """
    # Looking at every number takes time, and so it is done only where one may be too large.
    looks = _MAYBE_TOO_LARGE.search(text) is not None
    try:
        value = json.loads(
            text,
            parse_float=_finite if looks else None,
            parse_int=_whole if looks else None,
            parse_constant=_no_number,
            object_pairs_hook=pairs,
        )
        # The file is UTF-8, so only an escape can have brought in half a character.
        if "\\u" in text and _HALF_CHARACTER.search(json.dumps(value, ensure_ascii=False)):
            raise ValueError("half a character (a lone surrogate such as \\ud800)")
    except json.JSONDecodeError as error:
        what = f"not JSON at column {error.colno}: {error.msg}"
        raise FormatError(what, path=path, line=line or error.lineno) from None
    except (ValueError, RecursionError) as error:
        raise FormatError(in_words(error), path=path, line=line) from None
    return value


def toml_text(table: Mapping[str, Any]) -> str:
    """A table as TOML; what is `None` or empty is left out, for TOML has no word for it."""
    told = {key: value for key, value in table.items() if value is not None and value != ()}
    return tomli_w.dumps(told)


def toml_table(text: str, path: str | Path) -> dict[str, Any]:
    """The table that a TOML text holds."""
    try:
        return tomllib.loads(text, parse_float=_finite)
    except tomllib.TOMLDecodeError as error:
        raise _no_toml(str(error), text, path) from None
    except (ValueError, RecursionError) as error:
        raise FormatError(in_words(error), path=path) from None


def _no_toml(message: str, text: str, path: str | Path) -> FormatError:
    found = re.fullmatch(r"(.*) \(at (?:line (\d+), column \d+|end of document)\)", message, re.S)
    what, line = (found[1], found[2]) if found else (message, None)
    return FormatError(
        f"this is not TOML: {what}",
        path=path,
        line=int(line) if line else text.rstrip("\n").count("\n") + 1,
        remedy='a line reads key = "text"',
    )


def in_words(error: Exception) -> str:
    """What is wrong with a value that Python tripped over, for who did not write the program."""
    match error:
        case IsoglossError():
            return str(error)
        case KeyError():
            return f"{error} is missing"
        case RecursionError():
            return "brackets are nested too deeply"
        case OverflowError():
            return "a number is out of range"
        case TypeError() | AttributeError() | LookupError():
            return "a value is of the wrong kind"
    if "integer string conversion" in str(error):
        return "a number has too many digits"
    if "to unpack" in str(error):
        return "a value is of the wrong kind"
    if "invalid literal" in str(error) or "could not convert" in str(error):
        return f"{str(error).rpartition(': ')[2]} is no number"
    return str(error)


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no number in JSON; null stands for what is not there")


def _finite(text: str) -> float:
    if not isfinite(value := float(text)):
        raise ValueError(f"{text} is out of range")
    return value


def _whole(text: str) -> int:
    value = int(text)
    if not -_LARGEST <= value < _LARGEST:
        raise ValueError(f"{text:.30}{'…' if len(text) > 30 else ''} is out of range")
    return value
