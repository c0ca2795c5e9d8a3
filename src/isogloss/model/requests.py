"""From texts to what the engine is given: tags, context and end marks in place, nothing too long.

Context segments are joined to the current one by the model's separator piece; a model without
one was not trained on context, and its segments follow each other as words would, after a space.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from isogloss.errors import InputError
from isogloss.model.folder import ModelCard
from isogloss.model.pairs import LongPolicy
from isogloss.model.tokens import Frame, PiecedText

_WORD_START = "▁"
Tokens = tuple[str, ...]
Range = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Request:
    """One call of the engine: score `target` given `source`, without its first `given` tokens.

    `ends` says whether the end mark counts: it does, except inside a sentence that was split.
    `condition_at` is where the current condition begins in the source, behind tag and context.
    """

    source: Tokens
    target: Tokens
    given: int
    ends: bool = True
    condition_at: int = 0

    @property
    def scored(self) -> int:
        """How many log-probabilities the request asks for."""
        return len(self.target) - self.given + self.ends


@dataclass(frozen=True, slots=True)
class Fitted:
    """A pair as the engine can take it, and what had to be done to make it fit."""

    requests: tuple[Request, ...]
    truncated_context: int = 0
    unknown_condition: int = 0


@dataclass(frozen=True, slots=True)
class PiecedPair:
    """A pair in pieces: both sentences, and their contexts from the oldest on."""

    condition: PiecedText
    target: PiecedText
    context_condition: tuple[PiecedText, ...] = ()
    context_target: tuple[PiecedText, ...] = ()


class TooLongError(InputError):
    """A pair is longer than the model allows, and the policy does not say to shorten it."""


class Fitter:
    """Builds requests for one model."""

    def __init__(self, card: ModelCard, unknown_token: str) -> None:
        self._unknown = unknown_token
        self._separator: Tokens = () if card.separator is None else (card.separator,)
        self._most_source = card.max_source_length
        self._most_target = card.max_target_length

    def fit(self, pair: PiecedPair, frame: Frame, long: LongPolicy) -> Fitted:
        """The requests that score the pair under this policy, with as much context as fits."""
        levels = max(len(pair.context_condition), len(pair.context_target))
        unknown = len(pair.condition.unknown)
        kept = levels
        request = self._request(pair, frame, kept)
        while not self._fits(request) and kept and long != "error":
            kept -= 1
            request = self._request(pair, frame, kept)
        if self._fits(request):
            return Fitted((request,), levels - kept, unknown)
        if long != "split":
            raise TooLongError(self._complaint(request))
        return Fitted(tuple(self._split(pair, frame, request)), levels, unknown)

    def _fits(self, request: Request) -> bool:
        # The target's end mark is the engine's to append, but it takes a position all the same.
        return (
            len(request.source) <= self._most_source
            and len(request.target) + 1 <= self._most_target
        )

    def _complaint(self, request: Request) -> str:
        return (
            f"the condition has {len(request.source)} pieces (at most {self._most_source}), "
            f"the target {len(request.target) + 1} (at most {self._most_target}); "
            "shorten the segment, or choose the policy 'split'"
        )

    def _request(self, pair: PiecedPair, frame: Frame, kept: int) -> Request:
        """The pair with its `kept` most recent context segments on either side."""
        before = self._joined(pair.context_condition, kept)
        given = frame.target_start + self._joined(pair.context_target, kept)
        source_start = frame.source_start + before
        return Request(
            source=source_start + pair.condition.tokens(self._unknown) + frame.source_end,
            target=given + pair.target.tokens(self._unknown),
            given=len(given),
            condition_at=len(source_start),
        )

    def _joined(self, context: Sequence[PiecedText], kept: int) -> Tokens:
        """The last `kept` segments, each with a separator behind it; empty ones leave no trace."""
        recent = context[len(context) - min(kept, len(context)) :]
        return tuple(
            chain.from_iterable(
                segment.tokens(self._unknown) + self._separator for segment in recent if segment
            )
        )

    def _split(self, pair: PiecedPair, frame: Frame, whole: Request) -> Iterator[Request]:
        source = pair.condition.tokens(self._unknown)
        target = pair.target.tokens(self._unknown)
        for (first, last), (begin, end) in self._shares(pair, whole):
            yield Request(
                source=frame.source_start + source[first:last] + frame.source_end,
                target=frame.target_start + target[begin:end],
                given=len(frame.target_start),
                ends=end == len(target),
                condition_at=len(frame.source_start),
            )

    def _shares(self, pair: PiecedPair, whole: Request) -> list[tuple[Range, Range]]:
        """Ranges of the condition and of the target, side by side, in the fewest parts that fit.

        Both are cut alike, unless the condition has too few pieces to be shared out: then every
        part of the target is given all of it.
        """
        source, target = pair.condition, pair.target
        room_source = self._most_source - (len(whole.source) - len(source))
        room_target = self._most_target - (len(whole.target) + 1 - len(target))
        for count in range(2, len(target) + 1):
            targets = _cuts(target, count)
            sources = _cuts(source, count) or [(0, len(source))] * count
            if _widest(sources) <= room_source and _widest(targets) <= room_target:
                return list(zip(sources, targets, strict=True))
        raise TooLongError(self._complaint(whole))


def _widest(parts: list[Range]) -> int:
    return max(end - begin for begin, end in parts)


def _cuts(text: PiecedText, count: int) -> list[Range]:
    """`count` ranges of pieces of about the same size, cut at word starts where they are near.

    Empty if the text has fewer pieces than that.
    """
    length = len(text)
    if count > length:
        return []
    near = length // count // 4
    cuts = [_word_start_near(text.pieces, length * n // count, near) for n in range(1, count)]
    return list(zip([0, *cuts], [*cuts, length], strict=True))


def _word_start_near(pieces: Sequence[str], at: int, near: int) -> int:
    for distance in range(near + 1):
        for position in (at - distance, at + distance):
            if 0 < position < len(pieces) and pieces[position].startswith(_WORD_START):
                return position
    return at
