"""Checkpoints: the whole state for resuming, and bare weights for averaging and export.

``state.pt`` is all that a resumed run needs; ``weights-NNNNNNN.pt`` are the weights at some steps,
of which the last few are averaged. Parts cut a file to pieces of a size that any channel takes.

Weights made small for the way home: float16, or 8-bit rows with a scale each.

The 8-bit form is the one that int8 inference uses (each row of a matrix divided by its largest
value), so a model that will be shipped in int8 loses nothing by it.

From trained weights to a paraphraser folder that the metrics can load.

The weights of a model folder as torch has them, so that training can go on from a shipped model.

int8 weights come back as the numbers they stand for. Models of our own shape only: one embedding
for both sides and the output, sinusoidal positions, pre-norm.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from isogloss.errors import FormatError, InputError
from isogloss.model import MODEL_FILE, ModelFile, has_costs, read_heads
from isogloss.training.model import ModelSettings
from isogloss.training.vocabulary import SEPARATOR, Vocabulary

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


def export_weights(
    weights: Path,
    vocabulary: Path,
    folder: Path,
    languages: Sequence[str],
    name: str,
    precision: str = "int8",
    licence: str = "Apache-2.0",
    card: Mapping[str, Any] | None = None,
    temperature: float = 1.0,
) -> None:
    """Write the folder of a model: `weights` is a trainer's ``final.pt`` or a compact one.

    A `temperature` above 1 makes the exported model's probabilities more even for good. Heads
    for error costs go along where the trainer of judgements has left them.
    """
    from isogloss.model.convert import export_transformer

    content = load(weights)
    if temperature != 1 and "heads" in content:
        raise InputError("costs read the states that a temperature divides: export it at 1")
    settings = ModelSettings(**content["settings"])
    weights_at = softened(restored(content["weights"]), temperature)
    arrays = {key: value.numpy() for key, value in weights_at.items()}
    pieces = Vocabulary(vocabulary).pieces
    export_transformer(
        arrays,
        {
            "encoder_layers": settings.encoder_layers,
            "decoder_layers": settings.decoder_layers,
            "heads": settings.heads,
            "longest": settings.longest,
        },
        [pieces.id_to_piece(number) for number in range(settings.vocabulary)],
        vocabulary,
        folder,
        {
            "name": name,
            "languages": tuple(languages),
            "separator": SEPARATOR,
            "licence": licence,
            "card": dict(card or {}),
        },
        precision,
        overwrite=True,
        costs=_costs(content),
    )


def _costs(content: Mapping[str, Any]) -> NDArray[np.float32] | None:
    """The heads as a model folder stores them: for each reading its weights and its bias."""
    heads = content.get("heads")
    if heads is None:
        return None
    return np.column_stack([heads["weight"].numpy(), heads["bias"].numpy()]).astype(np.float32)


def softened(weights: Weights, temperature: float) -> Weights:
    """Weights whose logits are divided by the temperature: the last norm is scaled by it."""
    last = ("decoder.layer_norm.weight", "decoder.layer_norm.bias")
    return weights | {name: weights[name] / temperature for name in last}


def languages_of_vocabulary(vocabulary: Path) -> tuple[str, ...]:
    """The languages whose tags a vocabulary holds."""
    pieces = Vocabulary(vocabulary).pieces
    names = (pieces.id_to_piece(number) for number in range(3, pieces.get_piece_size()))
    tags: list[str] = []
    for piece in names:
        if piece == SEPARATOR or not (piece.startswith("<") and piece.endswith(">")):
            break
        tags.append(piece[1:-1])
    return tuple(tags)


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
