"""Answers that took long or were paid for, kept in the cache: the same is never asked twice.

They lie beside the scores of models, and are listed, cleared and pruned with them
(``isogloss model cache``).
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from isogloss.model import ScoreCache

_SIZE = 16


def answer_key(*parts: Any) -> bytes:
    """A digest of everything that an answer depends on."""
    told = json.dumps(["isogloss-answer-1", *parts], sort_keys=True)
    return hashlib.blake2b(told.encode(), digest_size=_SIZE).digest()


class KeptAnswers:
    """The answers of one model in a folder; without a folder nothing is kept.

    `name` and `digest` are what the list of the cache calls it by.
    """

    def __init__(self, folder: Path | None, name: str, digest: str) -> None:
        self._cache = None if folder is None else ScoreCache(folder)
        self._name, self._digest = name, digest

    def get(self, keys: Sequence[bytes]) -> dict[bytes, str]:
        """The answers that are known."""
        if self._cache is None or not self._cache.path.exists():  # looking must not make one
            return {}
        return {key: str(value, "utf-8") for key, value in self._cache.values_of(keys).items()}

    def put(self, answers: Mapping[bytes, str]) -> None:
        """Keep answers from now on."""
        if self._cache is not None and answers:
            values = {key: answer.encode() for key, answer in answers.items()}
            self._cache.put_values(values, digest=self._digest, name=self._name)

    def completed(
        self, keys: Sequence[bytes], ask: Callable[[Sequence[int]], Sequence[str]]
    ) -> list[str]:
        """An answer for every key; `ask` is given the numbers of those that nobody knows yet."""
        known = self.get(keys)
        first = {key: number for number, key in reversed(list(enumerate(keys)))}
        unknown = sorted(number for key, number in first.items() if key not in known)
        if unknown:
            new = {keys[n]: told for n, told in zip(unknown, ask(unknown), strict=True)}
            self.put(new)
            known |= new
        return [known[key] for key in keys]

    def close(self) -> None:
        """Close the file."""
        if self._cache is not None:
            self._cache.close()
