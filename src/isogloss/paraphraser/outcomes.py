"""What scoring a pair gave, without what its text tells anyway: what caches keep."""

import struct
from dataclasses import dataclass

import numpy as np

_HEADER = struct.Struct("<HHI")
_FLOATS = np.dtype("<f4")


@dataclass(frozen=True, slots=True)
class Outcome:
    """The log-probabilities of a target, and what was found out on the way to them.

    No log-probabilities at all means that there was nothing to score: an empty text.
    """

    log_probs: tuple[float, ...]
    unknown_condition: int = 0
    truncated_context: int = 0
    parts: int = 1

    def packed(self) -> bytes:
        """The outcome in the bytes that the disk cache stores."""
        header = _HEADER.pack(self.parts, self.truncated_context, self.unknown_condition)
        return header + np.array(self.log_probs, dtype=_FLOATS).tobytes()

    @classmethod
    def unpacked(cls, data: bytes) -> "Outcome":
        """The outcome that these bytes were made from."""
        parts, truncated, unknown = _HEADER.unpack_from(data)
        values = np.frombuffer(data, dtype=_FLOATS, offset=_HEADER.size)
        return cls(tuple(values.tolist()), unknown, truncated, parts)
