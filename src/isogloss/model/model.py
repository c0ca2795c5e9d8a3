"""A loaded model: the engine, the card, the two tokenisers; texts in, fitted requests out."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from isogloss.model.engine import Engine
from isogloss.model.folder import read_card
from isogloss.model.model_file import Reading
from isogloss.model.pairs import LongPolicy, Pair
from isogloss.model.requests import Fitted, Fitter, PiecedPair
from isogloss.model.threads import Threads
from isogloss.model.tokens import Frame, PiecedText, PieceTokeniser, frame
from isogloss.runtime import Device

_SHARED = "sentencepiece.model"


class Model:
    """The parts of a model folder, ready for use."""

    def __init__(
        self,
        folder: Path,
        device: Device,
        precision: str | None,
        threads: Threads | None,
        temperature: float = 1.0,
        reading: Reading | None = None,
    ) -> None:
        self.card = read_card(folder)
        stored = self.card.precision
        self.engine = Engine(folder, stored, device, precision, threads, temperature, reading)
        self.source_side = self._tokeniser(folder, "source")
        self.target_side = self._other_side(folder)
        self._fitter = Fitter(self.card, self.engine.unknown_token)
        self._frames: dict[tuple[str | None, str], Frame] = {}

    def _tokeniser(self, folder: Path, side: str) -> PieceTokeniser:
        return PieceTokeniser(_pieces_file(folder, side), self.engine.vocabulary(side))

    def _other_side(self, folder: Path) -> PieceTokeniser:
        """The targets' tokeniser: that of the sources where they are cut alike."""
        files = {_pieces_file(folder, side) for side in ("source", "target")}
        alike = self.engine.vocabulary("source") == self.engine.vocabulary("target")
        one = len(files) == 1 and alike
        return self.source_side if one else self._tokeniser(folder, "target")

    def frame(self, condition_language: str | None, target_language: str) -> Frame:
        """The tags and end marks for two languages; an unknown language is an error."""
        languages = (condition_language, target_language)
        if languages not in self._frames:
            self._frames[languages] = frame(self.card, *languages)
        return self._frames[languages]

    def fit(self, pair: Pair, pieced: PiecedPair, long: LongPolicy) -> Fitted:
        """The requests that score the pair."""
        around = self.frame(pair.condition_language, pair.target_language)
        return self._fitter.fit(pieced, around, long)

    def pieced(self, pairs: Iterable[Pair], targets: Mapping[str, PiecedText]) -> list[PiecedPair]:
        """The pairs in pieces; `targets` are the target texts, which the caller has at hand."""
        pairs = list(pairs)
        before = self.source_side.encoded(
            text for pair in pairs for text in (pair.condition, *pair.context_condition)
        )
        after = self.target_side.encoded(text for pair in pairs for text in pair.context_target)
        return [
            PiecedPair(
                before[pair.condition],
                targets[pair.target],
                tuple(before[text] for text in pair.context_condition),
                tuple(after[text] for text in pair.context_target),
            )
            for pair in pairs
        ]


def _pieces_file(folder: Path, side: str) -> Path:
    own = folder / f"{side}.model"
    return own if own.is_file() else folder / _SHARED


def scorable(pair: Pair, pieced: PiecedPair) -> bool:
    """Whether there is something to score, and something to score it under."""
    return bool(len(pieced.target)) and (pair.unconditional or bool(len(pieced.condition)))
