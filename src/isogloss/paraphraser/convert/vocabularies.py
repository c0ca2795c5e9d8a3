"""The order of the pieces in other people's models: which row of the embeddings is which piece.

The tokenisers of the transformers library change with its versions; the files beside a model do
not. So the order is taken from the files, by the rules under which each family was trained.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sentencepiece import SentencePieceProcessor

from isogloss.errors import FormatError

_FAIRSEQ_SPECIALS = ["<s>", "<pad>", "</s>", "<unk>"]
_SPM_SPECIALS = 3  # <unk>, <s> and </s>, which fairseq puts into another order


def read_json(path: Path) -> dict[str, Any]:
    """A JSON file that holds an object; an absent one is empty."""
    if not path.is_file():
        return {}
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise FormatError(f"is not JSON ({error})", path=path) from None
    if not isinstance(content, dict):
        raise FormatError("holds no JSON object", path=path)
    return content


def sentencepiece_pieces(path: Path) -> list[str]:
    """Every piece of a SentencePiece model in its own order."""
    try:
        processor = SentencePieceProcessor(model_file=str(path))
    except (OSError, RuntimeError) as error:
        raise FormatError("is no SentencePiece model", path=path) from error
    return [processor.id_to_piece(number) for number in range(processor.vocab_size())]


def fairseq_order(pieces: Sequence[str], tags: Sequence[str]) -> list[str]:
    """NLLB and mBART-50: fairseq's marks, the pieces, the language tags, the mask."""
    return [*_FAIRSEQ_SPECIALS, *pieces[_SPM_SPECIALS:], *tags, "<mask>"]


def vocabulary_file(path: Path) -> list[str]:
    """The pieces of a ``vocab.json``, by their numbers."""
    numbers = read_json(path)
    if not numbers:
        raise FormatError("no such file", path=path, remedy="the model's vocabulary is needed")
    pieces = sorted(numbers, key=numbers.__getitem__)
    if [numbers[piece] for piece in pieces] != list(range(len(pieces))):
        raise FormatError("the numbers of the pieces have gaps", path=path)
    return pieces


def special_tokens(folder: Path) -> list[str]:
    """The additional special tokens that a model folder lists, in their order."""
    for file in ("special_tokens_map.json", "tokenizer_config.json"):
        content = read_json(folder / file)
        listed = content.get("additional_special_tokens") or content.get("extra_special_tokens")
        if listed:
            return [item if isinstance(item, str) else item["content"] for item in listed]
    return []


def filled(pieces: list[str], rows: int, path: Path) -> list[str]:
    """The pieces, with names made up for embedding rows that nothing uses."""
    if len(pieces) > rows:
        raise FormatError(f"{len(pieces)} pieces, but {rows} embeddings", path=path)
    return pieces + [f"<unused-{number}>" for number in range(len(pieces), rows)]
