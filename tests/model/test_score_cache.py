"""The cache of scores: exact, shared between processes, safe against a killed one."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from isogloss.errors import InputError
from isogloss.model import Pair, Paraphraser, ScoreCache
from isogloss.model.cache import FILE_NAME
from isogloss.model.pairs import PairOutcome
from isogloss.runtime import default_cache_folder
from model.tiny_models import TinyModel

OUTCOMES = {
    bytes([n]) * 16: PairOutcome((-0.5, -n / 8, -3.25), unknown_condition=n, truncated_context=2)
    for n in range(5)
}

# Scores pairs from a number on into a cache; run in processes of its own.
CHILD = """
import itertools, sys
from contextlib import closing
from pathlib import Path
from isogloss.model import ScoreCache
from isogloss.model import Pair
from isogloss.model import Paraphraser

folder, cache, first, last = sys.argv[1:]
numbers = itertools.count(int(first)) if last == "endless" else range(int(first), int(last))
pairs = (Pair(f"the cat {n}", f"das Haus {n}", "de") for n in numbers)
model = Paraphraser.load(Path(folder), cache=ScoreCache(Path(cache)))
for number, scores in enumerate(model.score(pairs, window=20)):
    print(int(first) + number, repr(scores.mean), flush=True)
"""


def child(tiny: TinyModel, cache: Path, first: int, last: int | str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", CHILD, tiny.folder, cache, str(first), str(last)]
    return subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, text=True)


def test_what_is_put_comes_back_exactly(tmp_path: Path) -> None:
    cache = ScoreCache(tmp_path)
    cache.put(OUTCOMES, digest="sha256:1", name="one")
    assert cache.get([*OUTCOMES, b"x" * 16]) == OUTCOMES
    assert ScoreCache(tmp_path).get(OUTCOMES) == OUTCOMES
    assert ScoreCache(tmp_path).get([]) == {}


def test_many_keys_are_looked_up_in_several_queries(tmp_path: Path) -> None:
    cache = ScoreCache(tmp_path)
    many = {n.to_bytes(16, "big"): PairOutcome((-float(n),)) for n in range(1234)}
    cache.put(many, digest="sha256:1", name="one")
    assert cache.get(many) == many


def test_usage_clear_and_prune(tmp_path: Path) -> None:
    cache = ScoreCache(tmp_path)
    cache.put(OUTCOMES, digest="sha256:1", name="one")
    others = {bytes([100 + n]) * 16: PairOutcome((-1.0,)) for n in range(3)}
    cache.put(others, digest="sha256:2", name="two")
    assert [(u.name, u.digest, u.entries) for u in cache.usage()] == [
        ("one", "sha256:1", 5),
        ("two", "sha256:2", 3),
    ]
    assert cache.usage()[1].value_bytes == 3 * (16 + 8 + 4)
    assert cache.bytes_on_disk > 0
    assert cache.clear("sha256:1") == 5
    assert cache.get(OUTCOMES) == {}
    assert cache.get(others) == others
    assert cache.clear() == 3
    assert cache.usage() == ()


def test_prune_forgets_the_oldest(tmp_path: Path) -> None:
    cache = ScoreCache(tmp_path)
    cache.put(OUTCOMES, digest="sha256:1", name="one")
    with cache._database() as database:
        database.execute("UPDATE scores SET added = added - 1000 + key")
        for number, key in enumerate(OUTCOMES):
            database.execute("UPDATE scores SET added = ? WHERE key = ?", (number, key))
    size = 16 + len(OUTCOMES[bytes(16)].packed())
    assert cache.prune(2 * size) == 3
    assert list(cache.get(OUTCOMES)) == list(OUTCOMES)[3:]
    assert cache.prune(2 * size) == 0


def test_a_closed_cache_opens_again(tmp_path: Path) -> None:
    cache = ScoreCache(tmp_path)
    cache.put(OUTCOMES, digest="sha256:1", name="one")
    cache.close()
    assert cache.get(OUTCOMES) == OUTCOMES


def test_a_forked_child_gets_a_connection_of_its_own(tmp_path: Path) -> None:
    cache = ScoreCache(tmp_path)
    cache.put(OUTCOMES, digest="sha256:1", name="one")
    script = """
import os, sys
from contextlib import closing
from pathlib import Path
from isogloss.model import ScoreCache
from isogloss.model.pairs import PairOutcome
cache = ScoreCache(Path(sys.argv[1]))
before = cache.get([bytes(16)])
child = os.fork()
if not child:
    assert cache.get([bytes(16)]) == before
    cache.put({b"c" * 16: PairOutcome((-1.0,))}, digest="sha256:1", name="one")
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
assert cache.get([b"c" * 16]) == {b"c" * 16: PairOutcome((-1.0,))}
"""
    subprocess.run([sys.executable, "-c", script, str(tmp_path)], check=True)


def test_a_file_that_is_no_cache_is_told(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(b"this is no database" * 100)
    with pytest.raises(InputError, match=r"cannot be used.*ISOGLOSS_CACHE"):
        ScoreCache(tmp_path).get([bytes(16)])


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be used"):
        ScoreCache(tmp_path / "file" / "cache").get([bytes(16)])


def test_the_place_of_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISOGLOSS_CACHE", str(tmp_path / "mine"))
    assert default_cache_folder() == tmp_path / "mine"
    assert ScoreCache().path == tmp_path / "mine" / FILE_NAME
    monkeypatch.delenv("ISOGLOSS_CACHE")
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert default_cache_folder() == tmp_path / "xdg" / "isogloss"
    monkeypatch.setattr(sys, "platform", "darwin")
    assert default_cache_folder().parts[-3:] == ("Library", "Caches", "isogloss")


def test_two_processes_at_once_give_the_same_table_as_one(tmp_path: Path, tiny: TinyModel) -> None:
    processes = [child(tiny, tmp_path, n, n + 300) for n in (0, 100)]
    outputs = [process.communicate()[0] for process in processes]
    assert [process.returncode for process in processes] == [0, 0]
    tables = [dict(line.split() for line in output.splitlines()) for output in outputs]
    assert [len(table) for table in tables] == [300, 300]
    pairs = [Pair(f"the cat {n}", f"das Haus {n}", "de") for n in range(400)]
    for number, scores in enumerate(Paraphraser.load(tiny.folder).score(pairs)):
        for table in tables:
            if str(number) in table:
                assert scores.mean == pytest.approx(float(table[str(number)]), abs=1e-5)
    assert ScoreCache(tmp_path).usage()[0].entries == 400


def test_a_killed_process_loses_nothing_that_was_committed(tmp_path: Path, tiny: TinyModel) -> None:
    process = child(tiny, tmp_path, 0, "endless")
    seen = 0
    until = time.monotonic() + 60
    while seen < 1000 and time.monotonic() < until:
        time.sleep(0.05)
        if (tmp_path / FILE_NAME).exists():
            seen = sum(usage.entries for usage in ScoreCache(tmp_path).usage())
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    assert seen >= 1000
    database = sqlite3.connect(tmp_path / FILE_NAME)
    assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    database.close()
    kept = ScoreCache(tmp_path).usage()[0].entries
    assert kept >= seen
    # The rerun takes all of them from the cache, and they are right.
    told = []
    pairs = [Pair(f"the cat {n}", f"das Haus {n}", "de") for n in range(200)]
    model = Paraphraser.load(tiny.folder, cache=ScoreCache(tmp_path))
    scores = list(model.score(pairs, progress=told.append))
    assert told[-1].computed == 0
    for one, other in zip(scores, Paraphraser.load(tiny.folder).score(pairs), strict=True):
        assert one.log_probs == pytest.approx(other.log_probs, abs=1e-5)


def test_a_cache_whose_names_are_no_texts_is_told(tmp_path: Path) -> None:
    cache = ScoreCache(tmp_path)
    cache.put({bytes(16): PairOutcome((-1.0,))}, digest="sha256:abc", name="m")
    cache.close()
    with closing(sqlite3.connect(cache.path)) as database, database:
        database.execute("UPDATE models SET name = x'FF'")
    with pytest.raises(InputError, match="it is damaged"):
        ScoreCache(tmp_path).usage()
