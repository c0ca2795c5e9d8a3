"""A program in a Python environment of its own, asked in JSON lines.

isogloss starts ``PYTHON runners/run_NAME.py`` and writes a line, the program answers with a line:

    {"protocol": 1, "options": {"model": ...}}          what is asked for
    {"protocol": 1, "versions": {...}, "digest": ...}

    {"rows": [{"source": ..., "output": ..., "reference": ...}, ...]}
    {"answers": [{"score": 0.83, "parts": 1, "marks": [...]}, ...]}

It ends when its input does. ``{"error": "..."}`` may stand in the place of any answer. Such a
program imports nothing of isogloss, so that no version of anything has to fit.
"""

import atexit
import json
import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from isogloss.errors import InputError
from isogloss.metrics.outside.external import said
from isogloss.metrics.outside.rows import AnsweredMark, RowAnswer

PROTOCOL = 1
RUNNERS = Path(__file__).parent / "runners"


class Runner:
    """A running program, and what it said of itself (`about`)."""

    def __init__(self, name: str, python: str, options: Mapping[str, Any], network: bool) -> None:
        self.name = name
        self._process: subprocess.Popen[bytes] | None = None
        self._complaints: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long
        try:
            self._process = self._started(python, network)
            self.about = self._ask({"protocol": PROTOCOL, "options": dict(options)})
            if self.about.get("protocol") != PROTOCOL:
                raise InputError(f"{name}: its runner speaks another protocol than {PROTOCOL}")
        except BaseException:
            self.close()
            raise

    def _started(self, python: str, network: bool) -> "subprocess.Popen[bytes]":
        # Nothing of our own environment may leak into the other one, and nothing is downloaded.
        environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONHOME")}
        if not network:
            environment |= {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}
        try:
            return subprocess.Popen(  # noqa: S603 - an interpreter that the user named
                [python, str(RUNNERS / f"run_{self.name}.py")],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._complaints,
                env=environment,
            )
        except OSError as error:
            raise InputError(
                f"{self.name}: {python} cannot be run ({error.strerror}); name the Python of its "
                f"environment: isogloss adapters set {self.name} PYTHON"
            ) from None

    def answers(self, rows: Sequence[Mapping[str, str]]) -> list[Mapping[str, Any]]:
        """An answer for every row, as the program gives it (`row_answer` reads it)."""
        told = self._ask({"rows": list(rows)}).get("answers")
        if not isinstance(told, list) or len(told) != len(rows):
            raise InputError(f"{self.name}: its runner did not answer {len(rows):,} rows")
        return told

    def _ask(self, question: Mapping[str, Any]) -> dict[str, Any]:
        assert self._process is not None  # noqa: S101 - it was started
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None  # noqa: S101 - both are pipes
        assert stdout is not None  # noqa: S101
        try:
            stdin.write(json.dumps(question).encode("ascii") + b"\n")
            stdin.flush()
            line = stdout.readline()
        except BrokenPipeError:
            line = b""
        if not line:
            raise InputError(f"{self.name}: its runner ended{self._signal()}: {self._said()}")
        reply = _reply(line)
        if reply is None:
            raise InputError(
                f"{self.name}: its runner answers {line[:60]!r}, which is no reply; is its "
                f"interpreter a Python? 'isogloss adapters list' shows which it is"
            )
        if "error" in reply:
            raise InputError(f"{self.name}: {reply['error']}")
        return reply

    @property
    def ended(self) -> bool:
        """Whether it cannot be asked any more."""
        return self._process is None or self._process.poll() is not None

    def _signal(self) -> str:
        """Whether it was killed, as systems do that run out of memory."""
        code = self._process.wait() if self._process is not None else 0
        return f" (killed by signal {-code})" if code < 0 else ""

    def _said(self) -> str:
        self._complaints.seek(0)
        return said(self._complaints.read())

    def close(self) -> None:
        """End the program."""
        if self._process is not None:
            for pipe in (self._process.stdin, self._process.stdout):
                with suppress(OSError):  # it has ended already
                    if pipe is not None:
                        pipe.close()
            self._process.wait()
        self._complaints.close()


def _reply(line: bytes) -> dict[str, Any] | None:
    """What a program said, if that is a JSON object."""
    try:
        reply = json.loads(line)
    except ValueError:
        return None
    return reply if isinstance(reply, dict) else None


_MOST = 3  # models that are held at once
_running: dict[tuple[Any, ...], Runner] = {}


def running(name: str, python: str, options: Mapping[str, Any], network: bool) -> Runner:
    """The program with these options: it goes on running, because models take long to load."""
    # A fork must not share its parent's pipes, and so the process is a part of the key.
    key = (os.getpid(), name, python, network, *sorted(options.items()))
    found = _running.pop(key, None)
    if found is not None and found.ended:
        found.close()
        found = None
    while len(_running) >= _MOST:
        _running.pop(next(iter(_running))).close()
    _running[key] = found or Runner(name, python, options, network)
    return _running[key]


@atexit.register
def _end_all() -> None:
    for key, runner in _running.items():
        if key[0] == os.getpid():
            runner.close()


def row_answer(told: Mapping[str, Any]) -> RowAnswer:
    """What a program's answer says of a row."""
    score = told.get("score")
    marks = tuple(
        AnsweredMark(m["start"], m["end"], m["reason"], m.get("value"), m.get("side", "output"))
        for m in told.get("marks", ())
    )
    remark = told.get("reason") if score is None else None
    if told.get("parts", 1) > 1:
        remark = "a long text was scored in parts"
    return RowAnswer(None if score is None else float(score), marks, remark)
