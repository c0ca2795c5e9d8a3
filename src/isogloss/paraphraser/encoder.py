"""The encoder alone: sentence vectors from a translation model.

CTranslate2 gives out encoder states only for models that are encoders. A translation model's file
holds one, so its part of the file is rewritten, in memory, as the encoder model that it is.
"""

import json
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from isogloss.errors import FormatError
from isogloss.paraphraser.engine import vocabulary_of
from isogloss.paraphraser.threads import Threads

_BINARY_VERSION = 6
_ENCODER = "TransformerEncoderSpec"
_REVISION = 1
_PREFIX = "encoder/"
_SCALE = "_scale"


class SentenceEncoder:
    """The encoder of a model folder."""

    def __init__(self, folder: Path, device: str, precision: str, threads: Threads) -> None:
        import ctranslate2

        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        files = {
            "model.bin": encoder_file(folder / "model.bin"),
            "config.json": json.dumps(config).encode(),
            "vocabulary.json": json.dumps(vocabulary_of(folder, "source")).encode(),
        }
        self._encoder = ctranslate2.Encoder(
            f"{folder} (encoder)",
            device=device,
            compute_type=precision,
            inter_threads=threads.workers,
            intra_threads=threads.per_worker,
            files=files,
        )

    def states(self, sources: Sequence[Sequence[str]]) -> list[NDArray[np.float32]]:
        """The top layer's states for each source, one row a token."""
        output = self._encoder.forward_batch([list(source) for source in sources])
        import ctranslate2

        # Half-precision states have no NumPy twin before they are widened.
        wide = output.last_hidden_state.to(ctranslate2.DataType.float32)
        states = np.array(wide.to_device(ctranslate2.Device.cpu))
        return [states[row, : len(source)] for row, source in enumerate(sources)]


@dataclass(slots=True)
class _ModelFile:
    """A CTranslate2 model file: its variables as raw bytes (shape, type and data), and aliases."""

    variables: dict[str, bytes] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)

    def with_aliases_resolved(self) -> dict[str, bytes]:
        whole = dict(self.variables)
        for alias, name in self.aliases.items():
            whole[alias] = self.variables[name]
            # The scale of an aliased int8 weight is found through the weight, and not listed.
            if name + _SCALE in self.variables:
                whole[alias + _SCALE] = self.variables[name + _SCALE]
        return whole


def encoder_file(path: Path) -> bytes:
    """The model file of the encoder inside a translation model's file."""
    variables = _read(path).with_aliases_resolved()
    encoder = {name: data for name, data in variables.items() if name.startswith(_PREFIX)}
    parts = [struct.pack("<I", _BINARY_VERSION), _string(_ENCODER)]
    parts.append(struct.pack("<II", _REVISION, len(encoder)))
    for name, data in sorted(encoder.items()):
        parts += [_string(name), data]
    return b"".join([*parts, struct.pack("<I", 0)])


def _string(text: str) -> bytes:
    data = text.encode() + b"\0"
    return struct.pack("<H", len(data)) + data


class _Cursor:
    """Reads a model file from front to back."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def number(self, format: str) -> int:
        (value,) = struct.unpack_from("<" + format, self.data, self.at)
        self.at += struct.calcsize("<" + format)
        return int(value)

    def string(self) -> str:
        length = self.number("H")
        self.at += length
        return self.data[self.at - length : self.at - 1].decode()

    def variable(self) -> bytes:
        begun = self.at
        dimensions = self.number("B")
        self.at += 4 * dimensions
        self.number("B")  # the type
        size = self.number("I")
        self.at += size
        return self.data[begun : self.at]


def _read(path: Path) -> _ModelFile:
    cursor, file = _Cursor(path.read_bytes()), _ModelFile()
    try:
        version = cursor.number("I")
        cursor.string()  # the kind of model
        cursor.number("I")  # its revision
        for _ in range(cursor.number("I")):
            name = cursor.string()
            file.variables[name] = cursor.variable()
        for _ in range(cursor.number("I")):
            alias = cursor.string()
            file.aliases[alias] = cursor.string()
    except (struct.error, UnicodeDecodeError) as error:
        raise FormatError(f"cannot be read ({error})", path=path) from None
    if version != _BINARY_VERSION:
        raise FormatError(
            f"has the file version {version}, not {_BINARY_VERSION}",
            path=path,
            remedy="convert the model again",
        )
    return file
