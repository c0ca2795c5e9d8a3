"""Write web/src/generated/report.ts from the classes of `isogloss.report.data`: ``make web``.

A test fails when the two differ.
"""

import dataclasses
import inspect
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, NoneType, UnionType
from typing import Any, Literal, NewType, Union, get_args, get_origin, get_type_hints

from isogloss.report import data

TARGET = Path(__file__).parent / "src" / "generated" / "report.ts"

HEADING = """\
// Made by web/generate_types.py from isogloss/report/data.py: do not edit.

/** Whole numbers as text; see shared/packing.ts. */
export type Packed = string & { readonly packed: unique symbol };
"""


def typescript() -> str:
    """The whole file."""
    return HEADING + "".join(_interface(each) for each in _dataclasses(data))


def _dataclasses(module: ModuleType) -> Iterator[type]:
    for value in vars(module).values():
        if dataclasses.is_dataclass(value) and value.__module__ == module.__name__:
            yield value


def _interface(cls: type) -> str:
    hints = get_type_hints(cls)
    fields = "".join(
        f"  readonly {field.name}: {_type(hints[field.name])};\n"
        for field in dataclasses.fields(cls)
    )
    summary = inspect.cleandoc(cls.__doc__ or "").partition("\n\n")[0]
    return f"\n/** {' '.join(summary.split())} */\nexport interface {cls.__name__} {{\n{fields}}}\n"


_PLAIN = {int: "number", float: "number", str: "string", bool: "boolean", NoneType: "null"}


def _type(hint: Any) -> str:
    if hint in _PLAIN:
        return _PLAIN[hint]
    if isinstance(hint, NewType) or dataclasses.is_dataclass(hint):
        return hint.__name__
    arguments = get_args(hint)
    if isinstance(hint, UnionType) or get_origin(hint) is Union:  # the latter with a NewType
        return " | ".join(map(_type, arguments))
    if get_origin(hint) is Literal:
        return " | ".join(f'"{word}"' for word in arguments)
    if get_origin(hint) is dict:
        return f"Readonly<Record<{', '.join(map(_type, arguments))}>>"
    if get_origin(hint) is tuple and arguments[1:] == (...,):
        inner = _type(arguments[0])
        return f"readonly ({inner})[]" if " " in inner else f"readonly {inner}[]"
    raise TypeError(f"{hint} has no counterpart in TypeScript yet")


if __name__ == "__main__":
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_text(typescript(), encoding="utf-8")
