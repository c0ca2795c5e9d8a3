"""CTranslate2's model file: named variables, each with its shape, type and bytes, and aliases.

CTranslate2 does not let a loaded model be changed or asked for its parts. But it loads a model
from memory as well as from disk, so what it does not offer is done to the file on the way.
"""

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from isogloss.errors import FormatError

MODEL_FILE = "model.bin"
_VERSION = 6
_SCALE = "_scale"  # behind the name of an int8 weight: the name of its scale
_FLOAT32, _INT8, _FLOAT16, _BFLOAT16 = 0, 1, 4, 5  # as CTranslate2 numbers its types
Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable as it is stored."""

    shape: tuple[int, ...]
    kind: int
    data: bytes | memoryview

    @classmethod
    def scalar(cls, value: float) -> "Variable":
        """A single number."""
        return cls((), _FLOAT32, struct.pack("<f", value))

    @classmethod
    def of_floats(cls, values: Floats) -> "Variable":
        """An array of float32."""
        return cls(values.shape, _FLOAT32, values.astype("<f4").tobytes())

    @property
    def is_int8(self) -> bool:
        return self.kind == _INT8

    def with_bytes(self, data: bytes) -> "Variable":
        """A variable of the same shape and type with these bytes."""
        return Variable(self.shape, self.kind, data)

    def floats(self) -> Floats:
        """Its values; only floating-point variables have them."""
        if self.kind == _BFLOAT16:  # the upper half of a float32
            halves = np.frombuffer(self.data, dtype="<u2").astype("<u4")
            return (halves << 16).view("<f4").reshape(self.shape)
        return (
            np.frombuffer(self.data, dtype={_FLOAT32: "<f4", _FLOAT16: "<f2"}[self.kind])
            .astype(np.float32)
            .reshape(self.shape)
        )

    def holding(self, values: Floats) -> "Variable":
        """A variable of the same shape and type with these values."""
        if self.kind == _BFLOAT16:
            # Adding just under half of what is cut off, and the last bit kept: to the nearest,
            # ties to even.
            whole = values.astype("<f4").view("<u4")
            data = ((whole + 0x7FFF + ((whole >> 16) & 1)) >> 16).astype("<u2").tobytes()
        else:
            data = values.astype({_FLOAT32: "<f4", _FLOAT16: "<f2"}[self.kind]).tobytes()
        return Variable(self.shape, self.kind, data)

    def head(self) -> bytes:
        """What stands before the data."""
        shape = struct.pack(f"<B{len(self.shape)}I", len(self.shape), *self.shape)
        return shape + struct.pack("<BI", self.kind, len(self.data))


class ModelFile:
    """The contents of a model file."""

    def __init__(
        self,
        kind: str,
        revision: int,
        variables: Mapping[str, Variable],
        aliases: Mapping[str, str] | None = None,
    ) -> None:
        self.kind, self.revision = kind, revision
        self.variables, self.aliases = dict(variables), dict(aliases or {})

    @classmethod
    def read(cls, path: Path) -> "ModelFile":
        """Read a file from disk."""
        cursor = _Cursor(path.read_bytes())
        try:
            version = cursor.number("I")
            if version != _VERSION:
                raise FormatError(
                    f"has the file version {version}, not {_VERSION}",
                    path=path,
                    remedy="convert the model again",
                )
            kind, revision = cursor.string(), cursor.number("I")
            variables = {cursor.string(): cursor.variable() for _ in range(cursor.number("I"))}
            aliases = {cursor.string(): cursor.string() for _ in range(cursor.number("I"))}
        except (struct.error, UnicodeDecodeError) as error:
            raise FormatError(f"cannot be read ({error})", path=path) from None
        return cls(kind, revision, variables, aliases)

    def to_bytes(self) -> bytes:
        """The file that CTranslate2 reads."""
        parts: list[bytes | memoryview] = [struct.pack("<I", _VERSION), _string(self.kind)]
        parts.append(struct.pack("<II", self.revision, len(self.variables)))
        for name, variable in sorted(self.variables.items()):
            parts += [_string(name), variable.head(), variable.data]
        parts.append(struct.pack("<I", len(self.aliases)))
        for alias, name in sorted(self.aliases.items()):
            parts += [_string(alias), _string(name)]
        return b"".join(parts)

    def get(self, name: str) -> Variable | None:
        """The variable of that name or alias."""
        return self.variables.get(self.aliases.get(name, name))

    def put(self, name: str, variable: Variable) -> None:
        """Set a variable; whatever shared its old value keeps that."""
        self.aliases.pop(name, None)
        for alias in [alias for alias, shared in self.aliases.items() if shared == name]:
            del self.aliases[alias]
            self.variables[alias] = self.variables[name]
        self.variables[name] = variable

    def part(self, prefix: str) -> dict[str, Variable]:
        """All variables whose names begin so, aliases among them."""
        whole = dict(self.variables)
        for alias, name in self.aliases.items():
            whole[alias] = self.variables[name]
            # The scale of an aliased int8 weight is found through the weight, and not listed.
            if name + _SCALE in self.variables:
                whole[alias + _SCALE] = self.variables[name + _SCALE]
        return {name: variable for name, variable in whole.items() if name.startswith(prefix)}


def _string(text: str) -> bytes:
    data = text.encode() + b"\0"
    return struct.pack("<H", len(data)) + data


class _Cursor:
    """Reads a model file from front to back; the variables' data is not copied."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = memoryview(data), 0

    def number(self, format: str) -> int:
        (value,) = struct.unpack("<" + format, self._take(struct.calcsize("<" + format)))
        return int(value)

    def string(self) -> str:
        return str(self._take(self.number("H"))[:-1], "utf-8")

    def variable(self) -> Variable:
        shape = tuple(self.number("I") for _ in range(self.number("B")))
        kind = self.number("B")
        return Variable(shape, kind, self._take(self.number("I")))

    def _take(self, size: int) -> memoryview:
        if self._at + size > len(self._data):
            raise struct.error("it ends too early")
        self._at += size
        return self._data[self._at - size : self._at]
