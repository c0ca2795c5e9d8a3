"""Weights made small for the way home: float16, or 8-bit rows with a scale each.

The 8-bit form is the one that int8 inference uses (each row of a matrix divided by its largest
value), so a model that will be shipped in int8 loses nothing by it.
"""

from typing import Literal

import torch
from torch import Tensor

from isogloss.training.checkpoints import Weights

Form = Literal["float16", "int8"]
_SCALE = "::scale"


def compacted(weights: Weights, form: Form) -> Weights:
    """The weights in a small form."""
    if form == "float16":
        return {name: weight.half() for name, weight in weights.items()}
    small: Weights = {}
    for name, weight in weights.items():
        if weight.ndim < 2:
            small[name] = weight.float()
        else:
            small[name], small[name + _SCALE] = _rows_to_bytes(weight)
    return small


def _rows_to_bytes(matrix: Tensor) -> tuple[Tensor, Tensor]:
    scale = matrix.float().abs().amax(dim=1, keepdim=True).clamp(min=1e-12) / 127
    return torch.round(matrix / scale).to(torch.int8), scale


def restored(small: Weights) -> Weights:
    """The weights in float32 again."""
    full: Weights = {}
    for name, weight in small.items():
        if not name.endswith(_SCALE):
            scale = small.get(name + _SCALE)
            full[name] = weight.float() if scale is None else weight.float() * scale
    return full
