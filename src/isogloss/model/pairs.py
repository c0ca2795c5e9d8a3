"""What goes into the paraphraser and what comes out: a `Pair`, and the `TokenScores` of a pair.

Prism (Thompson and Post, 2020) asks how probable a *target* text is given a *condition*: the
system output given the reference, the reference given the output, or the output given the source.
`H` is the mean log-probability of the target's pieces and its end mark, `G` their sum; the
language tag is conditioned on and never counted. Logarithms are natural.

What scoring a pair gave, without what its text tells anyway: what caches keep.
"""

import math
import struct
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from isogloss.errors import InputError

LongPolicy = Literal["error", "truncate-context", "split"]
"""What to do with a pair that is longer than the model allows.

``error``
    refuse it.
``truncate-context``
    drop context from the oldest segment on, on both sides together; if the two sentences alone
    are too long, refuse them.
``split``
    drop context; if that does not suffice, cut both sentences into the same number of parts at
    proportional places and score part by part. The result says so, because it is not the same
    probability.
"""

END = "</s>"
"""The end mark's name in `TokenScores.pieces`, whatever the model calls it."""


def check_policy(long: str) -> None:
    """Refuse a policy that does not exist."""
    if long not in get_args(LongPolicy):
        known = ", ".join(get_args(LongPolicy))
        raise InputError(f"unknown policy {long!r} for long input; known are: {known}")


@dataclass(frozen=True, slots=True)
class Pair:
    """A target to be scored, and the condition that it is scored under.

    The contexts are the segments before the current one, oldest first: they are conditioned on
    and never counted. An `unconditional` pair has no condition at all (the model as a language
    model); it has to be asked for, so that an empty condition is never taken for one.
    """

    condition: str
    target: str
    target_language: str
    condition_language: str | None = None
    context_condition: tuple[str, ...] = ()
    context_target: tuple[str, ...] = ()
    unconditional: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "context_condition", tuple(self.context_condition))
        object.__setattr__(self, "context_target", tuple(self.context_target))
        if self.unconditional and (self.condition or self.context_condition):
            raise InputError("an unconditional pair has no condition")

    @property
    def turned(self) -> "Pair":
        """The condition scored under the target, each behind its own context."""
        if self.condition_language is None:
            raise InputError("the language of the condition is not known")
        return Pair(
            self.target,
            self.condition,
            self.condition_language,
            self.target_language,
            self.context_target,
            self.context_condition,
        )

    @property
    def characters(self) -> int:
        """How long all its texts are together."""
        context = sum(map(len, self.context_condition)) + sum(map(len, self.context_target))
        return len(self.condition) + len(self.target) + context

    @classmethod
    def alone(cls, target: str, language: str, context: tuple[str, ...] = ()) -> "Pair":
        """The target scored under nothing but its own context and its language."""
        return cls("", target, language, language, (), context, unconditional=True)


@dataclass(frozen=True, slots=True)
class TokenScores:
    """The log-probability of each piece of a target and of its end mark, which comes last.

    `offsets` are the code points of the original target text that each piece stands for (the end
    mark stands for the empty range at the end). `unknown` and `unknown_condition` count pieces
    that the model does not know, `truncated_context` the context segments that were dropped, and
    `parts` is above 1 where the pair had to be split.
    """

    pieces: tuple[str, ...]
    log_probs: tuple[float, ...]
    offsets: tuple[tuple[int, int], ...]
    unknown: int = 0
    unknown_condition: int = 0
    truncated_context: int = 0
    parts: int = 1

    @property
    def sum(self) -> float:
        """G: the log-probability of the whole target."""
        return math.fsum(self.log_probs)

    @property
    def mean(self) -> float:
        """H: the mean log-probability of a piece, the end mark included."""
        return self.sum / len(self.log_probs)


@dataclass(frozen=True, slots=True)
class TokenCosts:
    """What each piece of a target takes off, and what the target takes off as such (`whole`).

    `offsets` are as in `TokenScores`, without the end mark; so are the rest.
    """

    whole: float
    costs: tuple[float, ...]
    offsets: tuple[tuple[int, int], ...]
    unknown: int = 0
    unknown_condition: int = 0
    truncated_context: int = 0
    parts: int = 1

    @property
    def sum(self) -> float:
        """The penalty: all costs together."""
        return math.fsum((self.whole, *self.costs))


_HEADER = struct.Struct("<HHI")
_FLOATS = np.dtype("<f4")


@dataclass(frozen=True, slots=True)
class PairOutcome:
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
    def unpacked(cls, data: bytes) -> "PairOutcome":
        """The outcome that these bytes were made from."""
        parts, truncated, unknown = _HEADER.unpack_from(data)
        values = np.frombuffer(data, dtype=_FLOATS, offset=_HEADER.size)
        return cls(tuple(values.tolist()), unknown, truncated, parts)
