"""Error costs: what each piece of a target takes off, from a model that has learnt it from people.

A cost is ``softplus(w · d + b)`` of the decoder's state d, with a head (w, b) for each `Reading`.
CTranslate2 gives no states, but it computes the log-probability of every target piece through the
output matrix. Give it another: zeros for all of the V pieces but one that no text contains, and
for that one w and ``b + log(V - 1)``. Any other piece then has the log-probability
``-log(V - 1) - softplus(w · d + b)``.

The state from which a piece is predicted has read the pieces before it. So the first cost belongs
to the text as such, and every other one to the piece before the one it comes with.
"""

import math
from enum import Enum
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from isogloss.errors import FormatError, InputError
from isogloss.paraphraser.model_file import MODEL_FILE, ModelFile, Variable
from isogloss.paraphraser.pairs import TokenCosts, TokenScores

COSTS_FILE = "costs.npy"  # a row for each reading: w, then b
_PROJECTION = "decoder/projection"
_UNUSED = "<s>"  # a piece of every vocabulary that no target contains
_MOST_INT8 = 127
Floats = NDArray[np.float32]


class Reading(Enum):
    """Which costs are read: of what is scored under what."""

    OUTPUT_GIVEN_REFERENCE = 0
    REFERENCE_GIVEN_OUTPUT = 1
    OUTPUT_GIVEN_SOURCE = 2


def has_costs(folder: Path) -> bool:
    """Whether a model has learnt costs."""
    return (folder / COSTS_FILE).is_file()


def read_heads(folder: Path) -> Floats:
    """The heads of a model, readings x (width + 1)."""
    path = folder / COSTS_FILE
    if not path.is_file():
        raise InputError(
            f"{folder}: this model has not learnt error costs; choose one that has, or train it "
            "on judgements (python -m isogloss.training train-judged)"
        )
    heads: Floats = np.load(path, allow_pickle=False)
    if heads.ndim != 2 or len(heads) != len(Reading) or not np.isfinite(heads).all():
        raise FormatError(
            f"does not hold {len(Reading)} rows of finite numbers", path=path, remedy="damaged?"
        )
    return heads.astype(np.float32)


def write_heads(folder: Path, heads: Floats) -> None:
    """Write the heads into a model folder, readings x (width + 1)."""
    np.save(folder / COSTS_FILE, heads.astype(np.float32))


def files_reading(folder: Path, reading: Reading, vocabulary: list[str]) -> dict[str, bytes]:
    """The files of a model that gives costs in place of log-probabilities."""
    path = folder / MODEL_FILE
    head = read_heads(folder)[reading.value]
    model = ModelFile.read(path)
    if _UNUSED not in vocabulary:
        raise FormatError(f"the vocabulary has no {_UNUSED}, which costs need", path=folder)
    shape = (len(vocabulary), len(head) - 1)
    stored = model.get(f"{_PROJECTION}/weight")
    if stored is None or stored.shape != shape:
        raise FormatError(f"the output matrix is not {shape[0]} x {shape[1]}", path=path)
    matrix = np.zeros(shape, np.float32)
    bias = np.zeros(shape[0], np.float32)
    row = vocabulary.index(_UNUSED)
    matrix[row], bias[row] = head[:-1], head[-1] + math.log(shape[0] - 1)
    for name, variable in _projection(matrix, stored).items():
        model.put(f"{_PROJECTION}/{name}", variable)
    model.put(f"{_PROJECTION}/bias", Variable.of_floats(bias))
    others = {file.name: file.read_bytes() for file in folder.glob("*.json")}
    return {MODEL_FILE: model.to_bytes(), **others}


def _projection(matrix: Floats, stored: Variable) -> dict[str, Variable]:
    """The matrix in the type in which the model stores its own."""
    if stored.is_int8:
        largest = np.abs(matrix).max(axis=1)
        scale = np.where(largest > 0, _MOST_INT8 / np.maximum(largest, 1e-9), 1.0)
        rows = np.rint(matrix * scale[:, None]).astype(np.int8)
        return {
            "weight": stored.with_bytes(rows.tobytes()),
            "weight_scale": Variable.of_floats(scale.astype(np.float32)),
        }
    return {"weight": stored.holding(matrix)}


def costs_of(scores: TokenScores, pieces: int) -> TokenCosts:
    """Costs from what the engine gave for log-probabilities; `pieces` is the vocabulary's size."""
    level = math.log(pieces - 1)
    whole, *costs = (max(0.0, -value - level) for value in scores.log_probs)
    return TokenCosts(
        whole,
        tuple(costs),
        scores.offsets[:-1],
        scores.unknown,
        scores.unknown_condition,
        scores.truncated_context,
        scores.parts,
    )
