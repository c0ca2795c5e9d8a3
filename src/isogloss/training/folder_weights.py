"""The weights of a model folder as torch has them, so that training can go on from a shipped model.

int8 weights come back as the numbers they stand for. Models of our own shape only: one embedding
for both sides and the output, sinusoidal positions, pre-norm.
"""

from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from isogloss.errors import FormatError, InputError
from isogloss.paraphraser.costs import has_costs, read_heads
from isogloss.paraphraser.model_file import MODEL_FILE, ModelFile
from isogloss.training.checkpoints import Weights
from isogloss.training.export import softened
from isogloss.training.model import ModelSettings

_EMBEDDINGS = "decoder/embeddings/weight"
_NORMS = {"gamma": "weight", "beta": "bias"}


def read_folder(folder: Path, temperature: float = 1.0) -> tuple[ModelSettings, Weights]:
    """The size of a model and its weights; a `temperature` that is in them is taken out."""
    file = ModelFile.read(folder / MODEL_FILE)
    if file.aliases.get("decoder/projection/weight") != _EMBEDDINGS:
        raise FormatError("the model has no tied embeddings", path=folder / MODEL_FILE)
    weights = {"embed_tokens.weight": _tensor(file, _EMBEDDINGS)}
    depths = {side: _depth(file, side) for side in ("encoder", "decoder")}
    for side, depth in depths.items():
        weights |= _norm(file, f"{side}/layer_norm", f"{side}.layer_norm")
        for number in range(depth):
            weights |= _layer(file, f"{side}/layer_{number}", f"{side}.layers.{number}")
    vocabulary, width = weights["embed_tokens.weight"].shape
    settings = ModelSettings(
        vocabulary,
        width,
        weights["encoder.layers.0.fc1.bias"].numel(),
        int(np.frombuffer(_needed(file, "decoder/num_heads").data, "<i2")[0]),
        depths["encoder"],
        depths["decoder"],
        _needed(file, "decoder/position_encodings/encodings").shape[0],
    )
    return settings, softened(weights, 1 / temperature)


def read_costs(folder: Path) -> dict[str, Weights]:
    """The heads for error costs as the trainer of judgements keeps them, where there are any."""
    if not has_costs(folder):
        return {}
    heads = torch.from_numpy(read_heads(folder))
    return {"heads": {"weight": heads[:, :-1].contiguous(), "bias": heads[:, -1].contiguous()}}


def _depth(file: ModelFile, side: str) -> int:
    names = {name.split("/")[1] for name in file.variables if name.startswith(f"{side}/layer_")}
    return len(names - {"layer_norm"})


def _layer(file: ModelFile, name: str, scope: str) -> Weights:
    own, ffn = f"{name}/self_attention", f"{name}/ffn"
    found = {
        f"{scope}.self_attn.in_proj_weight": _tensor(file, f"{own}/linear_0/weight"),
        f"{scope}.self_attn.out_proj.weight": _tensor(file, f"{own}/linear_1/weight"),
        **_norm(file, f"{own}/layer_norm", f"{scope}.self_attn_layer_norm"),
        **_norm(file, f"{ffn}/layer_norm", f"{scope}.final_layer_norm"),
    }
    for number, part in enumerate(("fc1", "fc2")):
        for kind in ("weight", "bias"):
            found[f"{scope}.{part}.{kind}"] = _tensor(file, f"{ffn}/linear_{number}/{kind}")
    crossed = f"{name}/attention"
    if f"{crossed}/linear_0/weight" in file.variables:
        stacked = [_tensor(file, f"{crossed}/linear_{number}/weight") for number in (0, 1)]
        found[f"{scope}.encoder_attn.in_proj_weight"] = torch.cat(stacked)
        out = _tensor(file, f"{crossed}/linear_2/weight")
        found[f"{scope}.encoder_attn.out_proj.weight"] = out
        found |= _norm(file, f"{crossed}/layer_norm", f"{scope}.encoder_attn_layer_norm")
    return found


def _norm(file: ModelFile, name: str, scope: str) -> Weights:
    return {f"{scope}.{ours}": _tensor(file, f"{name}/{its}") for its, ours in _NORMS.items()}


def _needed(file: ModelFile, name: str) -> Any:
    variable = file.get(name)
    if variable is None:
        raise InputError(
            f"the model has no {name}; only models of the shape that 'export' writes can go on"
        )
    return variable


def _tensor(file: ModelFile, name: str) -> torch.Tensor:
    variable = _needed(file, name)
    values: NDArray[np.float32]
    if variable.is_int8:
        rows = np.frombuffer(variable.data, np.int8).reshape(variable.shape)
        values = rows / _needed(file, f"{name}_scale").floats()[:, None]
    else:
        values = variable.floats()
    return torch.from_numpy(np.array(values, dtype=np.float32))
