"""Writing TOML: the standard library reads it, but does not write it.

Only what a model folder holds is written: strings, numbers, truth values, lists of them, and
tables of them. `tomllib` reads every text made here back into the same values.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

Scalar: TypeAlias = "str | int | float | bool"
Value: TypeAlias = "Scalar | Sequence[Scalar]"
Table: TypeAlias = Mapping[str, Value]


def toml_text(values: Table, tables: Mapping[str, Table | Sequence[Table]]) -> str:
    """A TOML text: the values at the top, then the tables; a sequence makes an array of tables."""
    lines = list(_pairs(values))
    for name, content in tables.items():
        if isinstance(content, Mapping):
            lines += ["", f"[{_key(name)}]", *_pairs(content)]
        else:
            for table in content:
                lines += ["", f"[[{_key(name)}]]", *_pairs(table)]
    return "\n".join(lines) + "\n"


def _pairs(table: Table) -> Iterator[str]:
    for key, value in table.items():
        yield f"{_key(key)} = {_written(value)}"


def _key(name: str) -> str:
    bare = name.isascii() and name and all(c.isalnum() or c in "-_" for c in name)
    return name if bare else _written(name)


def _written(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        # JSON's strings are TOML's basic strings, except that TOML wants DEL escaped too.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, int | float):
        return repr(value)
    return "[" + ", ".join(_written(item) for item in value) + "]"
