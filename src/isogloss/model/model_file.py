"""CTranslate2's model file: named variables, each with its shape, type and bytes, and aliases.

CTranslate2 does not let a loaded model be changed or asked for its parts. But it loads a model
from memory as well as from disk, so what it does not offer is done to the file on the way.

Temperature: the log-probabilities of softmax(logits / T).

CTranslate2 keeps its logits to itself, but its decoders know a factor on the states that go into
the output projection (T5 needs one). Logits are linear in those states but for the projection's
bias, so that dividing both by T divides the logits, whatever norm and projection a model has.

Error costs: what each piece of a target takes off, from a model that has learnt it from people.

A cost is ``softplus(w · d + b)`` of the decoder's state d, with a head (w, b) for each `Reading`.
CTranslate2 gives no states, but it computes the log-probability of every target piece through the
output matrix. Give it another: zeros for all of the V pieces but one that no text contains, and
for that one w and ``b + log(V - 1)``. Any other piece then has the log-probability
``-log(V - 1) - softplus(w · d + b)``.

The state from which a piece is predicted has read the pieces before it. So the first cost belongs
to the text as such, and every other one to the piece before the one it comes with.
"""

import math
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

import numpy as np

from isogloss.arrays import Floats32
from isogloss.errors import FormatError, InputError
from isogloss.model.pairs import TokenCosts, TokenScores

MODEL_FILE = "model.bin"
_VERSION = 6
_SCALE = "_scale"  # behind the name of an int8 weight: the name of its scale
_FLOAT32, _INT8, _FLOAT16, _BFLOAT16 = 0, 1, 4, 5  # as CTranslate2 numbers its types


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
    def of_floats(cls, values: Floats32) -> "Variable":
        """An array of float32."""
        return cls(values.shape, _FLOAT32, values.astype("<f4").tobytes())

    @property
    def is_int8(self) -> bool:
        return self.kind == _INT8

    def with_bytes(self, data: bytes) -> "Variable":
        """A variable of the same shape and type with these bytes."""
        return Variable(self.shape, self.kind, data)

    def floats(self) -> Floats32:
        """Its values; only floating-point variables have them."""
        if self.kind == _BFLOAT16:  # the upper half of a float32
            halves = np.frombuffer(self.data, dtype="<u2").astype("<u4")
            return (halves << 16).view("<f4").reshape(self.shape)
        return (
            np.frombuffer(self.data, dtype={_FLOAT32: "<f4", _FLOAT16: "<f2"}[self.kind])
            .astype(np.float32)
            .reshape(self.shape)
        )

    def holding(self, values: Floats32) -> "Variable":
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


_TRANSFORMER = "TransformerSpec"
_FACTOR = "decoder/scale_outputs"
_BIAS = "decoder/projection/bias"


def check_temperature(temperature: float) -> None:
    """Refuse what cannot be divided by, or would turn the order round."""
    if not 0 < temperature < math.inf:
        raise InputError(f"the temperature must be above 0 and finite, not {temperature}")


def files_at(folder: Path, temperature: float) -> dict[str, bytes]:
    """The files of a model that divides its logits by the temperature."""
    check_temperature(temperature)
    path = folder / MODEL_FILE
    model = ModelFile.read(path)
    if model.kind != _TRANSFORMER:
        raise FormatError(
            f"a {model.kind} has no temperature",
            path=path,
            remedy="leave the temperature at 1, or use a Transformer",
        )
    factor, bias = model.get(_FACTOR), model.get(_BIAS)
    before = 1.0 if factor is None else float(factor.floats())
    model.put(_FACTOR, Variable.scalar(before / temperature))
    if bias is not None:
        model.put(_BIAS, bias.holding(bias.floats() / temperature))
    others = {file.name: file.read_bytes() for file in folder.glob("*.json")}
    return {MODEL_FILE: model.to_bytes(), **others}


COSTS_FILE = "costs.npy"  # a row for each reading: w, then b
_PROJECTION = "decoder/projection"
_UNUSED = "<s>"  # a piece of every vocabulary that no target contains
_MOST_INT8 = 127


class Reading(Enum):
    """Which costs are read: of what is scored under what."""

    OUTPUT_GIVEN_REFERENCE = 0
    REFERENCE_GIVEN_OUTPUT = 1
    OUTPUT_GIVEN_SOURCE = 2


def has_costs(folder: Path) -> bool:
    """Whether a model has learnt costs."""
    return (folder / COSTS_FILE).is_file()


def read_heads(folder: Path) -> Floats32:
    """The heads of a model, readings x (width + 1)."""
    path = folder / COSTS_FILE
    if not path.is_file():
        raise InputError(
            f"{folder}: this model has not learnt error costs; choose one that has, or train it "
            "on judgements (python -m isogloss.training train-judged)"
        )
    heads: Floats32 = np.load(path, allow_pickle=False)
    if heads.ndim != 2 or len(heads) != len(Reading) or not np.isfinite(heads).all():
        raise FormatError(
            f"does not hold {len(Reading)} rows of finite numbers", path=path, remedy="damaged?"
        )
    return heads.astype(np.float32)


def write_heads(folder: Path, heads: Floats32) -> None:
    """Write the heads into a model folder, readings x (width + 1)."""
    np.save(folder / COSTS_FILE, heads.astype(np.float32))


def files_reading(folder: Path, reading: Reading, vocabulary: list[str]) -> dict[str, bytes]:
    """The files of a model that gives costs in place of log-probabilities."""
    path = folder / MODEL_FILE
    head = read_heads(folder)[reading.value]
    model = ModelFile.read(path)
    if _UNUSED not in vocabulary:
        raise FormatError(f"the vocabulary has no {_UNUSED}, which costs need", path=folder)
    shape = (len(vocabulary), len(head) - 1)
    stored = model.get(f"{_PROJECTION}/weight")
    if stored is None or stored.shape != shape:
        raise FormatError(f"the output matrix is not {shape[0]} x {shape[1]}", path=path)
    matrix = np.zeros(shape, np.float32)
    bias = np.zeros(shape[0], np.float32)
    row = vocabulary.index(_UNUSED)
    matrix[row], bias[row] = head[:-1], head[-1] + math.log(shape[0] - 1)
    for name, variable in _projection(matrix, stored).items():
        model.put(f"{_PROJECTION}/{name}", variable)
    model.put(f"{_PROJECTION}/bias", Variable.of_floats(bias))
    others = {file.name: file.read_bytes() for file in folder.glob("*.json")}
    return {MODEL_FILE: model.to_bytes(), **others}


def _projection(matrix: Floats32, stored: Variable) -> dict[str, Variable]:
    """The matrix in the type in which the model stores its own."""
    if stored.is_int8:
        largest = np.abs(matrix).max(axis=1)
        scale = np.where(largest > 0, _MOST_INT8 / np.maximum(largest, 1e-9), 1.0)
        rows = np.rint(matrix * scale[:, None]).astype(np.int8)
        return {
            "weight": stored.with_bytes(rows.tobytes()),
            "weight_scale": Variable.of_floats(scale.astype(np.float32)),
        }
    return {"weight": stored.holding(matrix)}


def costs_of(scores: TokenScores, pieces: int) -> TokenCosts:
    """Costs from what the engine gave for log-probabilities; `pieces` is the vocabulary's size."""
    level = math.log(pieces - 1)
    whole, *costs = (max(0.0, -value - level) for value in scores.log_probs)
    return TokenCosts(
        whole,
        tuple(costs),
        scores.offsets[:-1],
        scores.unknown,
        scores.unknown_condition,
        scores.truncated_context,
        scores.parts,
    )
