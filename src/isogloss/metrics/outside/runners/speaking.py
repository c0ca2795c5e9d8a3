"""What the runners share: how they speak, and how long texts are cut. No isogloss in here."""

import hashlib
import json
import math
import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

PROTOCOL = 1

Row = dict[str, str]
Answer = dict[str, Any]


class RunnerModel(ABC):
    """A model: what it says of itself, whether rows fit, the scores of those that do.

    Making one loads nothing: who has all scores already asks only what it is.
    """

    def __init__(self, options: dict[str, Any]) -> None:
        self.options = options

    @abstractmethod
    def about(self) -> dict[str, Any]:
        """Versions, and the digest of the model."""

    @abstractmethod
    def load(self) -> None:
        """Make it ready for rows."""

    @abstractmethod
    def excess(self, row: Row) -> float:
        """How many times as long as what the model reads the row is; up to 1 it fits."""

    @abstractmethod
    def scores(self, rows: list[Row]) -> list[Answer]:
        """An answer for each row; all of them fit."""


def serve(load: Callable[[dict[str, Any]], RunnerModel]) -> None:
    """Answer until nobody asks any more. What libraries print goes to standard error."""
    answers = os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(2, 1)
    metric: RunnerModel | None = None
    loaded = False
    for line in sys.stdin:
        try:
            asked = json.loads(line)
            if metric is None:
                metric = load(asked["options"])
                reply: dict[str, Any] = {"protocol": PROTOCOL, **metric.about()}
            else:
                if not loaded:
                    metric.load()
                    loaded = True
                reply = {"answers": answered(metric, asked["rows"])}
        except Exception as error:  # whatever a library raises is told, and asked about again
            reply = {"error": f"{type(error).__name__}: {error}"}
        answers.write(json.dumps(reply) + "\n")
        answers.flush()


def answered(metric: RunnerModel, rows: Sequence[Row]) -> list[Answer]:
    """The answers; a row that is too long is scored in parts, or not at all."""
    cut = [list(fitting(metric, row)) for row in rows]
    if metric.options.get("long") == "error":
        cut = [[] if len(parts) > 1 else parts for parts in cut]
    told = iter(metric.scores([part for parts in cut for part in parts]))
    return [_joined(parts, [next(told) for _ in parts]) for parts in cut]


def _joined(parts: list[Row], answers: list[Answer]) -> Answer:
    """The mean of the parts, each as much as it holds of the output."""
    if not parts:
        return {"score": None, "reason": "longer than the model reads; take long=split"}
    if len(parts) == 1:
        return answers[0]
    weights = [max(len(part["output"]), 1) for part in parts]
    total = sum(w * answer["score"] for w, answer in zip(weights, answers))  # noqa: B905
    begins = [sum(len(p["output"]) for p in parts[:i]) for i in range(len(parts))]
    marks = [
        {**mark, "start": mark["start"] + begin, "end": mark["end"] + begin}
        for begin, answer in zip(begins, answers)  # noqa: B905
        for mark in answer.get("marks", ())
    ]
    return {"score": total / sum(weights), "parts": len(parts), "marks": marks}


def fitting(metric: RunnerModel, row: Row) -> Iterator[Row]:
    """The row, or parts of it that fit: all sides cut in proportion, at words."""
    count = max(1, math.ceil(metric.excess(row)))
    while True:
        parts = [dict(zip(row, texts)) for texts in zip(*(cut(t, count) for t in row.values()))]  # noqa: B905
        longest = max(len(text) for text in row.values())
        if count >= longest or all(metric.excess(part) <= 1 for part in parts):
            yield from parts
            return
        count += 1


def cut(text: str, count: int) -> list[str]:
    """So many parts of about the same length that make up the text, cut between words."""
    ends = [round(len(text) * number / count) for number in range(1, count)]
    places, begin = [], 0
    for end in ends:
        space = text.find(" ", max(end - 1, 0), end + 40)
        begin = max(begin, space + 1 if space >= 0 else end)
        places.append(begin)
    return [text[a:b] for a, b in zip([0, *places], [*places, len(text)])]  # noqa: B905


def versions(*names: str) -> dict[str, str]:
    """What is installed of these packages."""
    found = {}
    for name in names:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def digest(path: str, ignored: Sequence[str] = ()) -> str:
    """Twelve digits over the content of a file, or of the files of a folder."""
    state = hashlib.sha256()
    top = Path(path)
    files = [top] if top.is_file() else sorted(p for p in top.rglob("*") if p.is_file())
    for file in files:
        if file.name in ignored or any(
            part.startswith(".") for part in file.parts[len(top.parts) :]
        ):
            continue
        state.update(file.relative_to(top.parent).as_posix().encode() + b"\0")
        with file.open("rb") as stream:
            while block := stream.read(1 << 20):
                state.update(block)
    return state.hexdigest()[:12]


def local(model: str) -> str:
    """The folder of a model: a path, or where Hugging Face's cache has it (or downloads it to)."""
    if Path(model).exists():
        return model
    from huggingface_hub import snapshot_download

    return str(snapshot_download(model))


def device(options: dict[str, Any]) -> str:
    """Where torch computes."""
    import torch

    wanted = str(options.get("device", "cpu"))
    if wanted == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    return wanted
