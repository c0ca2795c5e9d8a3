"""The key of a pair: a hash of everything that its score depends on, and of nothing else."""

import hashlib
from collections.abc import Iterable

import sentencepiece

from isogloss.errors import InputError
from isogloss.paraphraser.engine import EngineId
from isogloss.paraphraser.folder import ModelCard
from isogloss.paraphraser.pairs import LongPolicy, Pair

Key = bytes
_SIZE = 16
_LAYOUT = "isogloss-score-1"  # changes with the meaning of a cached value


class KeyMaker:
    """Makes keys for one model under one engine and one policy."""

    def __init__(self, card: ModelCard, engine: EngineId, long: LongPolicy) -> None:
        self._common = hashlib.blake2b(digest_size=_SIZE)
        limits = (str(card.max_source_length), str(card.max_target_length))
        parts = (engine.engine, engine.version, engine.precision, engine.instructions)
        _add(self._common, (_LAYOUT, card.digest, *parts, sentencepiece.__version__))
        _add(self._common, (repr(float(engine.temperature)),))
        if engine.reading is not None:  # else as ever, so that no cache is lost
            _add(self._common, (engine.reading.name,))
        _add(self._common, (card.scheme, card.separator, *limits))
        _add(self._common, (long, *sorted(f"{k}={v}" for k, v in card.language_codes.items())))

    def key(self, pair: Pair) -> Key:
        """The pair's key: equal for equal pairs, in every process and on every machine."""
        state = self._common.copy()
        _add(state, (pair.condition_language, pair.target_language))
        _add(state, (None if pair.unconditional else pair.condition, pair.target))
        for context in (pair.context_condition, pair.context_target):
            _add(state, (str(len(context)), *context))
        return state.digest()


def _add(state: hashlib.blake2b, texts: Iterable[str | None]) -> None:
    """A length in front of every text keeps ("ab", "c") and ("a", "bc") apart; -1 is absent."""
    for text in texts:
        try:
            data = b"" if text is None else text.encode("utf-8")
        except UnicodeEncodeError as error:
            raise InputError(f"{text!r:.60} is not Unicode text ({error.reason})") from None
        state.update(b"%d:%s" % (-1 if text is None else len(data), data))
