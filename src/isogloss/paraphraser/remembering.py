"""What is already known: the latest outcomes in memory, all of them on disk where there is a cache.

Outcomes are written in groups, because a transaction costs more than a row, and at least every
other second, so that a killed process loses no more than that.
"""

import time
from collections import OrderedDict
from collections.abc import Collection
from threading import Lock

from isogloss.paraphraser.cache import ScoreCache
from isogloss.paraphraser.folder import ModelCard
from isogloss.paraphraser.keys import Key
from isogloss.paraphraser.outcomes import Outcome

_REMEMBERED = 50_000
_ENTRIES = 1000
_SECONDS = 2.0


class Remembered:
    """The outcomes of one model that need not be computed again."""

    def __init__(self, card: ModelCard, cache: ScoreCache | None) -> None:
        self._card, self._cache = card, cache
        self._lock = Lock()  # one model may score in several threads
        # Packed: a tuple of floats takes five times the room.
        self._recent: OrderedDict[Key, bytes] = OrderedDict()
        self._unwritten: dict[Key, Outcome] = {}
        self._written_at = time.monotonic()

    def find(self, keys: Collection[Key]) -> dict[Key, Outcome]:
        """The outcomes of those keys that are known."""
        found = {}
        with self._lock:
            for key in keys:
                if key in self._recent:
                    self._recent.move_to_end(key)
                    found[key] = Outcome.unpacked(self._recent[key])
        if self._cache is not None:
            found |= self._cache.get(key for key in keys if key not in found)
        return found

    def add(self, outcomes: dict[Key, Outcome]) -> None:
        """Remember outcomes; the disk follows soon."""
        with self._lock:
            self._recent.update((key, outcome.packed()) for key, outcome in outcomes.items())
            while len(self._recent) > _REMEMBERED:
                self._recent.popitem(last=False)
            if self._cache is not None:
                self._unwritten |= outcomes
            waited = time.monotonic() - self._written_at
            due = len(self._unwritten) >= _ENTRIES or waited >= _SECONDS
        if due:
            self.write()

    def write(self) -> None:
        """Bring everything that is not yet on disk there."""
        with self._lock:
            if self._cache is not None and self._unwritten:
                self._cache.put(self._unwritten, digest=self._card.digest, name=self._card.name)
                self._unwritten = {}
            self._written_at = time.monotonic()
