"""Writing a converted model: all of the folder or nothing of it."""

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from isogloss.destination import folder_to_be
from isogloss.errors import InputError
from isogloss.paraphraser.convert.checkpoints import torch_module
from isogloss.paraphraser.folder import CARD_FILE, ModelCard, write_card

PRECISIONS = (
    "float32",
    "float16",
    "bfloat16",
    "int16",
    "int8",
    "int8_float32",
    "int8_float16",
    "int8_bfloat16",
)


def write_folder(
    out_folder: Path,
    card: ModelCard,
    sentencepiece: Mapping[str, Path],
    save_model: Callable[[Path], None],
    *,
    overwrite: bool = False,
) -> ModelCard:
    """Let `save_model` write its files, add the SentencePiece models and the card.

    `sentencepiece` maps names in the folder (``sentencepiece.model``) to the files to copy.
    Everything happens in a folder beside the final one, which appears when it is complete.
    """
    _check_replaceable(out_folder, overwrite)
    with folder_to_be(out_folder) as unfinished:
        save_model(unfinished)
        for name, path in sentencepiece.items():
            shutil.copyfile(_existing(path), unfinished / name)
        return write_card(unfinished, card)


def _check_replaceable(folder: Path, overwrite: bool) -> None:
    """Only a model makes way for a model: a slip of the finger must not cost a home folder."""
    if not folder.exists():
        return
    if not overwrite:
        raise InputError(f"{folder} is there already; choose another folder or overwrite it")
    if not folder.is_dir() or (any(folder.iterdir()) and not (folder / CARD_FILE).is_file()):
        raise InputError(f"{folder} is no model folder, so it is not replaced by one")


def _existing(path: Path) -> Path:
    if not path.is_file():
        raise InputError(f"{path}: no such file; it should hold the SentencePiece model")
    return path


def save_specification(specification: Any, precision: str) -> Callable[[Path], None]:
    """A `save_model` that quantises a CTranslate2 specification and writes it."""
    if precision not in PRECISIONS:
        raise InputError(f"unknown precision {precision!r}; known are: {', '.join(PRECISIONS)}")
    if precision.endswith("bfloat16"):
        torch_module()  # NumPy has no such type

    def save(folder: Path) -> None:
        specification.validate()
        specification.optimize(quantization=precision)
        specification.save(str(folder))

    return save
