"""Training in both directions at once.

thot holds Python's lock while it trains, so each direction gets a process of its own: a Python that
runs this module. It is told what to train on its standard input and writes the links on its
standard output, both as JSON. What comes out is the same as without them.
"""

import json
import os
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from dataclasses import asdict, replace
from pathlib import Path
from typing import IO, Any, Self

from isogloss.alignment.corpus import Corpus
from isogloss.alignment.links import SegmentAlignment
from isogloss.alignment.training import Recipe, train
from isogloss.paraphraser.threads import usable_cores

Found = list[SegmentAlignment]
FORTH, BACK = "forth", "back"
"""The beginnings of the names of saved models."""
_FEW = 5_000  # below this many words, starting processes costs more than it saves


def train_both(corpus: Corpus, recipe: Recipe, folder: Path | None = None) -> tuple[Found, Found]:
    """The links of a model of the targets given the sources, and of one the other way round.

    Where there is a `folder`, the models are kept in it.
    """
    there, here = (
        replace(recipe, saved=str(folder / name)) if folder else recipe for name in (FORTH, BACK)
    )
    turned = corpus.turned()
    if corpus.words < _FEW or usable_cores() == 1 or not sys.executable:
        return train(corpus, there), train(turned, here)
    with ExitStack() as stack:
        forth = stack.enter_context(_Elsewhere(corpus, there))
        back = stack.enter_context(_Elsewhere(turned, here))
        return forth.found(), back.found()


class _Elsewhere:
    """Training in another process."""

    def __init__(self, corpus: Corpus, recipe: Recipe) -> None:
        self._corpus, self._recipe = corpus, recipe

    def __enter__(self) -> Self:
        # Files, because a pipe that is full makes one side wait for the other.
        with tempfile.TemporaryFile() as task:
            told = {"corpus": asdict(self._corpus), "recipe": asdict(self._recipe)}
            task.write(json.dumps(told).encode())
            task.seek(0)
            self._answer = tempfile.TemporaryFile()
            self._process = subprocess.Popen(  # noqa: S603 - Python itself, on a module of ours
                [sys.executable, "-P", "-m", __name__],
                stdin=task,
                stdout=self._answer,
                stderr=subprocess.DEVNULL,
                env=_environment(),
            )
        return self

    def found(self) -> Found:
        """Wait for the links."""
        if self._process.wait():
            # Whatever befell it, memory being the likeliest, can be made up for here.
            return train(self._corpus, self._recipe)
        self._answer.seek(0)
        return [
            SegmentAlignment(tuple((one, other) for one, other in links), tuple(scores or ()))
            for links, scores in json.load(self._answer)
        ]

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        self._answer.close()


def _environment() -> dict[str, str]:
    """Ours, with our import path, and half of the cores for the threads that thot starts."""
    paths = os.pathsep.join(path for path in sys.path if path)
    threads = str(max(1, usable_cores() // 2))
    return {**os.environ, "PYTHONPATH": paths, "OMP_NUM_THREADS": threads}


def answer_task(task: IO[bytes], answer: IO[bytes]) -> None:
    """What the other process does."""
    told: dict[str, Any] = json.load(task)
    found = train(Corpus(**told["corpus"]), Recipe(**told["recipe"]))
    answer.write(json.dumps([(one.links, one.scores) for one in found]).encode())


if __name__ == "__main__":
    answer_task(sys.stdin.buffer, sys.stdout.buffer)
