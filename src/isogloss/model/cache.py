"""A disk cache of scores, so that a second run pays only for what is new.

One SQLite file for all models: the key is a hash of everything a score depends on, the value the
log-probabilities as 32-bit floats, exactly as the engine gave them, or what somebody else's model
answered. Several processes may use it
at once; what was committed survives a killed process.

The key of a pair: a hash of everything that its score depends on, and of nothing else.

What is already known: the latest outcomes in memory, all of them on disk where there is a cache.

Outcomes are written in groups, because a transaction costs more than a row, and at least every
other second, so that a killed process loses no more than that.
"""

import hashlib
import os
import sqlite3
import struct
import threading
import time
from collections import OrderedDict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from threading import Lock

import sentencepiece

from isogloss.digest import add_texts
from isogloss.errors import InputError
from isogloss.model.engine import EngineId
from isogloss.model.folder import ModelCard
from isogloss.model.pairs import LongPolicy, Pair, PairOutcome
from isogloss.runtime import default_cache_folder

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


def _add(state: hashlib.blake2b, texts: Sequence[str | None]) -> None:
    try:
        add_texts(state, texts, "strict")
    except UnicodeEncodeError as error:
        wrong = error.object[:60]
        raise InputError(f"{wrong!r} is not Unicode text ({error.reason})") from None


FILE_NAME = "scores.sqlite"
# sqlite3 fails on its own messages where they quote what is no text.
_DAMAGE = (sqlite3.Error, UnicodeDecodeError, struct.error, TypeError)
_PATIENCE = 60.0  # seconds to wait while another process writes
_AT_ONCE = 500  # keys of one query; SQLite allows 999 in its oldest versions

_TABLES = """
CREATE TABLE IF NOT EXISTS models (
    id INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE, name TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS scores (
    key BLOB PRIMARY KEY, value BLOB NOT NULL, model INTEGER NOT NULL, added INTEGER NOT NULL
) WITHOUT ROWID;
"""


@dataclass(frozen=True, slots=True)
class ModelUsage:
    """How much of the cache one model takes."""

    name: str
    digest: str
    entries: int
    value_bytes: int


class ScoreCache:
    """The cache in a folder; `None` takes the default one. Usable from several threads."""

    def __init__(self, folder: Path | None = None) -> None:
        self.path = (folder or default_cache_folder()) / FILE_NAME
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._owner = 0

    def get(self, keys: Iterable[Key]) -> dict[Key, PairOutcome]:
        """The outcomes of those keys that are in the cache."""
        values = self.values_of(keys)
        try:
            return {key: PairOutcome.unpacked(value) for key, value in values.items()}
        except _DAMAGE as error:
            raise self._trouble(error) from error

    def values_of(self, keys: Iterable[Key]) -> dict[Key, bytes]:
        """What is kept under those keys that are in the cache."""
        found: dict[Key, bytes] = {}
        remaining = iter(keys)
        with self._database() as database:
            while some := list(islice(remaining, _AT_ONCE)):
                # Only question marks are put into the text, never a value.
                marks = ",".join("?" * len(some))
                query = f"SELECT key, value FROM scores WHERE key IN ({marks})"  # noqa: S608
                found |= dict(database.execute(query, some))
        if not all(isinstance(value, bytes) for value in found.values()):
            raise self._trouble(ValueError())
        return found

    def put(self, outcomes: Mapping[Key, PairOutcome], *, digest: str, name: str) -> None:
        """Add outcomes of one model, all of them in one transaction."""
        packed = {key: outcome.packed() for key, outcome in outcomes.items()}
        self.put_values(packed, digest=digest, name=name)

    def put_values(self, values: Mapping[Key, bytes], *, digest: str, name: str) -> None:
        """Add what one model said, all of it in one transaction."""
        now = int(time.time())
        with self._database() as database:
            database.execute("BEGIN IMMEDIATE")
            model = _model_id(database, digest, name)
            rows = ((key, value, model, now) for key, value in values.items())
            database.executemany("INSERT OR IGNORE INTO scores VALUES (?, ?, ?, ?)", rows)
            database.execute("COMMIT")

    def usage(self) -> tuple[ModelUsage, ...]:
        """Entries and bytes by model, the largest first."""
        query = (
            "SELECT name, digest, count(*), sum(length(key) + length(value)) AS size "
            "FROM scores JOIN models ON models.id = scores.model GROUP BY models.id "
            "ORDER BY size DESC"
        )
        with self._database() as database:
            rows = database.execute(query).fetchall()
        if not all(isinstance(text, str) for row in rows for text in row[:2]):
            raise self._trouble(ValueError())
        return tuple(ModelUsage(*row) for row in rows)

    @property
    def bytes_on_disk(self) -> int:
        """The size of the file and of SQLite's companions beside it."""
        files = (Path(f"{self.path}{suffix}") for suffix in ("", "-wal", "-shm"))
        return sum(file.stat().st_size for file in files if file.exists())

    def clear(self, digest: str | None = None) -> int:
        """Forget everything, or one model's scores; returns how many entries went."""
        condition = "" if digest is None else "WHERE model = (SELECT id FROM models WHERE digest=?)"
        return self._delete(condition, () if digest is None else (digest,))

    def prune(self, most_bytes: int) -> int:
        """Forget the oldest entries until the rest is at most so large; returns how many went."""
        kept = "SELECT added, sum(length(key) + length(value)) FROM scores GROUP BY added"
        with self._database() as database:
            ages = sorted(database.execute(kept), reverse=True)
        total = 0
        for added, size in ages:
            total += size
            if total > most_bytes:
                return self._delete("WHERE added <= ?", (added,))
        return 0

    def _delete(self, condition: str, values: tuple[object, ...]) -> int:
        with self._database() as database:
            # The condition is one of the constants above.
            gone = database.execute(f"DELETE FROM scores {condition}", values).rowcount  # noqa: S608
            database.execute("VACUUM")
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return gone

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        with self._lock:
            if self._connection is not None and self._owner == os.getpid():
                self._connection.close()
            self._connection = None

    def __del__(self) -> None:
        # From Python 3.13 on, SQLite complains of a connection that nobody closed.
        if hasattr(self, "_connection"):
            self.close()

    @contextmanager
    def _database(self) -> Iterator[sqlite3.Connection]:
        """The connection of this process (a forked child must not share its parent's)."""
        with self._lock:
            if self._connection is None or self._owner != os.getpid():
                self._connection, self._owner = self._open(), os.getpid()
            database = self._connection
            try:
                yield database
            except _DAMAGE as error:
                raise self._trouble(error) from error
            finally:
                if database.in_transaction:
                    database.execute("ROLLBACK")

    def _open(self) -> sqlite3.Connection:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            database = sqlite3.connect(
                self.path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False
            )
            _write_ahead(database)
            database.executescript(_TABLES)
        except (*_DAMAGE, OSError) as error:
            raise self._trouble(error) from error
        return database

    def _trouble(self, error: Exception) -> InputError:
        why = error if isinstance(error, (sqlite3.Error, OSError)) else "it is damaged"
        return InputError(
            f"{self.path}: the cache of scores cannot be used ({why}); delete the file, name "
            "another folder with ISOGLOSS_CACHE, or turn the cache off"
        )


def _write_ahead(database: sqlite3.Connection) -> None:
    """Readers never wait, and a killed process leaves nothing half-written.

    Only this change does not wait its turn when another process makes it too: so it is repeated.
    """
    database.execute("PRAGMA synchronous = NORMAL")
    give_up = time.monotonic() + _PATIENCE
    while True:
        try:
            database.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError:
            if time.monotonic() > give_up:
                raise
            time.sleep(0.05)
        else:
            return


def _model_id(database: sqlite3.Connection, digest: str, name: str) -> int:
    database.execute("INSERT OR IGNORE INTO models (digest, name) VALUES (?, ?)", (digest, name))
    row = database.execute("SELECT id FROM models WHERE digest = ?", (digest,)).fetchone()
    return int(row[0])


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
        self._unwritten: dict[Key, PairOutcome] = {}
        self._written_at = time.monotonic()

    def find(self, keys: Collection[Key]) -> dict[Key, PairOutcome]:
        """The outcomes of those keys that are known."""
        found = {}
        with self._lock:
            for key in keys:
                if key in self._recent:
                    self._recent.move_to_end(key)
                    found[key] = PairOutcome.unpacked(self._recent[key])
        if self._cache is not None:
            found |= self._cache.get(key for key in keys if key not in found)
        return found

    def add(self, outcomes: dict[Key, PairOutcome]) -> None:
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
