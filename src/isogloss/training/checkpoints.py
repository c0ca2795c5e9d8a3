"""Checkpoints: the whole state for resuming, and bare weights for averaging and export.

``state.pt`` is all that a resumed run needs; ``weights-NNNNNNN.pt`` are the weights at some steps,
of which the last few are averaged. Parts cut a file to pieces of a size that any channel takes.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from isogloss.errors import FormatError, InputError
from isogloss.training.model import ModelSettings

Weights = dict[str, Tensor]
STATE = "state.pt"


def save(path: Path, content: dict[str, Any]) -> None:
    """Write all of it or nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(path.name + ".part")
    torch.save(content, unfinished)
    unfinished.replace(path)


def load(path: Path) -> dict[str, Any]:
    """Read a checkpoint onto the CPU."""
    if not path.is_file():
        raise FormatError("no such checkpoint", path=path)
    return dict(torch.load(path, map_location="cpu", weights_only=True))


def save_weights(
    folder: Path, step: int, weights: Weights, settings: ModelSettings, keep: int
) -> Path:
    """Write the weights at a step and remove all but the last `keep` files of weights."""
    path = folder / f"weights-{step:07d}.pt"
    copied = {name: weight.detach().cpu() for name, weight in weights.items()}
    save(path, {"settings": settings.described(), "step": step, "weights": copied})
    for old in weight_files(folder)[:-keep]:
        old.unlink()
    return path


def weight_files(folder: Path) -> list[Path]:
    """The files of weights in a folder, oldest first."""
    return sorted(folder.glob("weights-*.pt"))


def average(paths: Sequence[Path]) -> tuple[ModelSettings, Weights]:
    """The mean of the weights in several files (float32), and the size of the model."""
    if not paths:
        raise InputError("no weights to average")
    total: Weights = {}
    settings: dict[str, Any] = {}
    for path in paths:
        content = load(path)
        settings = content["settings"]
        for name, weight in content["weights"].items():
            part = weight.float() / len(paths)
            total[name] = total[name] + part if name in total else part
    return ModelSettings(**settings), total


def write_parts(path: Path, folder: Path, size: int, name: str) -> list[Path]:
    """Cut a file into ``NAME.00``, ``NAME.01`` … of at most `size` bytes."""
    folder.mkdir(parents=True, exist_ok=True)
    parts: list[Path] = []
    with path.open("rb") as whole:
        while chunk := whole.read(size):
            part = folder / f"{name}.{len(parts):02d}"
            part.write_bytes(chunk)
            parts.append(part)
    return parts


def join_parts(parts: Sequence[Path], path: Path) -> None:
    """Put a file together again from its parts."""
    with path.open("wb") as whole:
        for part in sorted(parts):
            whole.write(part.read_bytes())
