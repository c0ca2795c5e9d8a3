"""Answers that were paid for, kept in a file: the same question is never asked twice."""

import hashlib
import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from isogloss.errors import InputError

FILE_NAME = "answers.sqlite"
_PATIENCE = 60.0  # seconds to wait while another process writes


def answer_key(body: Mapping[str, Any], draw: int, endpoint: str, prompt: str) -> str:
    """Everything that an answer depends on: model, prompt, texts, temperature, which draw."""
    told = json.dumps([prompt, endpoint, draw, body], sort_keys=True)
    return hashlib.sha256(told.encode()).hexdigest()


class KeptAnswers:
    """The answers in a folder; without a folder nothing is kept."""

    def __init__(self, folder: Path | None) -> None:
        self._path = None if folder is None else folder / FILE_NAME

    def get(self, key: str) -> str | None:
        """The answer to a question, if it is known."""
        if self._path is None or not self._path.exists():
            return None
        query = "SELECT answer FROM answers WHERE key = ?"
        found = self._run(query, (key,))
        return None if found is None else str(found[0])

    def put(self, key: str, answer: str) -> None:
        """Keep an answer from now on."""
        if self._path is not None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._run("INSERT OR REPLACE INTO answers VALUES (?, ?)", (key, answer))

    def _run(self, query: str, values: tuple[str, ...]) -> Any:
        assert self._path is not None  # noqa: S101 - who asks has looked
        try:
            with closing(sqlite3.connect(self._path, timeout=_PATIENCE)) as database, database:
                database.execute(
                    "CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, answer TEXT)"
                )
                return database.execute(query, values).fetchone()
        except sqlite3.Error as error:
            raise InputError(
                f"{self._path}: cannot keep answers here ({error}); delete it, or use --no-cache"
            ) from error
