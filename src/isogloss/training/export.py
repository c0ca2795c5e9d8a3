"""From trained weights to a paraphraser folder that the metrics can load."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from isogloss.training.checkpoints import load
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
) -> None:
    """Write the folder of a model: `weights` is a trainer's ``final.pt`` or a compact one."""
    from isogloss.paraphraser.convert.own import export_transformer

    content = load(weights)
    settings = ModelSettings(**content["settings"])
    arrays = {key: value.numpy() for key, value in restored(content["weights"]).items()}
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
    )


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
