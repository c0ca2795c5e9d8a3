"""From trained weights to a paraphraser folder that the metrics can load."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.errors import InputError
from isogloss.training.checkpoints import Weights, load
from isogloss.training.compact import restored
from isogloss.training.model import ModelSettings
from isogloss.training.vocabulary import SEPARATOR, Vocabulary


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
    from isogloss.paraphraser.convert.own import export_transformer

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
