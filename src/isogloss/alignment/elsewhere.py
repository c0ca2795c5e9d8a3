"""Training one direction in a process of its own: what it is told, and what it does.

The process imports no more than that takes: this module and thot's, no arrays and no language.
"""

import json
import sys
from dataclasses import asdict
from typing import IO, Any

from isogloss.alignment.thot import EflomalEffort, PairCorpus, Recipe, train


def task_of(corpus: PairCorpus, recipe: Recipe) -> bytes:
    """What the process reads on its standard input."""
    # `asdict` would copy the corpus word by word.
    words = {"sources": corpus.sources, "targets": corpus.targets}
    return json.dumps({"corpus": words, "recipe": asdict(recipe)}).encode()


def answer_task(task: IO[bytes], answer: IO[bytes]) -> None:
    """What the process does."""
    told: dict[str, Any] = json.load(task)
    effort = told["recipe"].pop("effort")
    recipe = Recipe(**told["recipe"], effort=EflomalEffort(**effort) if effort else None)
    found = train(PairCorpus(**told["corpus"]), recipe)
    answer.write(json.dumps([(one.links, one.scores) for one in found]).encode())


if __name__ == "__main__":
    answer_task(sys.stdin.buffer, sys.stdout.buffer)
