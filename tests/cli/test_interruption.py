"""A long evaluation: it shows how far it is; stopped and started again, it goes on from there."""

import os
import pty
import re
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

from isogloss.model import Pair, Paraphraser
from isogloss.model.cache import FILE_NAME
from model.tiny_models import TinyModel, tiny_model

SEGMENTS = 10_000


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> TinyModel:
    return tiny_model(tmp_path_factory.mktemp("models") / "tiny")


def line(number: int) -> str:
    return f"das Haus {number} und die Maus {number % 7}"


class Evaluation:
    """`isogloss evaluate` on so many different segments, in a process of its own."""

    def __init__(self, tiny: TinyModel, folder: Path) -> None:
        for name in ("source", "output"):
            lines = "".join(f"{line(number)}\n" for number in range(SEGMENTS))
            (folder / f"{name}.txt").write_text(lines, encoding="utf-8")
        self.cache = folder / "cache"
        arguments = ("evaluate", "-s", folder / "source.txt", "-t", folder / "output.txt")
        arguments += ("--from", "en", "--to", "de", "-m", f'prism-src(model="{tiny.folder}")')
        arguments += ("--cache", self.cache, "-l", "segment", "-o", "tsv")
        self.command = [sys.executable, "-m", "isogloss", *map(str, arguments)]

    def start(self) -> "subprocess.Popen[str]":
        """Begin; what a shell starts in the background ignores Ctrl-C, and so would this."""
        return subprocess.Popen(
            [*self.command, "-q"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
        )

    def shown_on_a_terminal(self) -> str:
        """What a person sees beside the result."""
        ours, theirs = pty.openpty()
        environment = os.environ | {"COLUMNS": "120", "TERM": "xterm"}
        process = subprocess.Popen(
            self.command, stdout=subprocess.DEVNULL, stderr=theirs, env=environment
        )
        os.close(theirs)
        shown = b""
        with suppress(OSError):  # how Linux says that the other side has closed it
            while some := os.read(ours, 65536):
                shown += some
        os.close(ours)
        assert process.wait() == 0
        return shown.decode("utf-8", "replace")

    def entries(self) -> int:
        """How many scores the cache holds."""
        if not (self.cache / FILE_NAME).exists():
            return 0
        database = sqlite3.connect(self.cache / FILE_NAME, timeout=60)
        try:
            (count,) = database.execute("SELECT count(*) FROM scores").fetchone()
        except sqlite3.OperationalError:  # the program is about to make the table
            return 0
        finally:
            database.close()
        return int(count)

    def falsify(self) -> None:
        """Make every cached log-probability 0, which shows where it is used."""
        database = sqlite3.connect(self.cache / FILE_NAME)
        with database:
            database.execute(
                "UPDATE scores SET value = CAST(substr(value, 1, 8) || "
                "zeroblob(length(value) - 8) AS BLOB)"
            )
        database.close()


def test_a_bar_moves_with_its_speed_and_the_time_left(tiny: TinyModel, tmp_path: Path) -> None:
    shown = Evaluation(tiny, tmp_path).shown_on_a_terminal()
    plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", shown)
    row = re.compile(
        rf"prism-src\(model=tiny\).* (\d+)/{SEGMENTS} segments ([\d,.]+)/s \d:\d\d:\d\d"
    )
    done = [int(found[1]) for found in row.finditer(plain.replace("\r", "\n"))]
    assert done == sorted(done)
    assert len(set(done)) > 3


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_a_rerun_goes_on_where_the_last_run_was_stopped(
    tiny: TinyModel, tmp_path: Path, how: signal.Signals
) -> None:
    evaluation = Evaluation(tiny, tmp_path)
    process = evaluation.start()
    until = time.monotonic() + 60
    while not evaluation.entries() and time.monotonic() < until and process.poll() is None:
        time.sleep(0.02)
    os.kill(process.pid, how)
    printed, told = process.communicate()
    if how == signal.SIGINT:
        assert (process.returncode, printed, told) == (130, "", "isogloss: interrupted\n")
    kept = evaluation.entries()
    assert 0 < kept < SEGMENTS
    evaluation.falsify()
    rerun = evaluation.start()
    printed, told = rerun.communicate()
    assert (rerun.returncode, told) == (0, "")
    scores = [float(row.split("\t")[-1]) for row in printed.splitlines()[1:]]
    assert len(scores) == evaluation.entries() == SEGMENTS
    assert sum(score == 0 for score in scores) == kept
    pairs = (Pair(line(number), line(number), "de", "en") for number in range(SEGMENTS))
    right = Paraphraser.load(tiny.folder).score(pairs)
    for score, expected in zip(scores, right, strict=True):
        assert expected is not None
        assert score == pytest.approx(expected.mean, abs=1e-4) or score == 0
