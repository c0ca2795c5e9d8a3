"""M2M-100, SMaLL-100, NLLB-200, mBART-50 and Marian: one network with small differences.

The folders are those published on Hugging Face: ``config.json``, the weights, the SentencePiece
model and, where the family has one, ``vocab.json``. The weights carry fairseq's names behind a
``model.``; what differs is norms, positions, the output's bias and the order of the pieces.

MADLAD-400: a T5 network whose source begins with ``<2de>``.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from isogloss.errors import FormatError, InputError
from isogloss.model.convert import language_lists, network
from isogloss.model.convert.checkpoints import Array, NamedWeights, open_checkpoint
from isogloss.model.convert.network import NetworkShape, build_specification
from isogloss.model.convert.original import (
    SHARED_SENTENCEPIECE,
    Original,
    fairseq_order,
    filled,
    public_codes,
    read_json,
    sentencepiece_pieces,
    special_tokens,
    vocabulary_file,
)
from isogloss.model.convert.t5 import build_t5_specification

_ACTIVATIONS = {"gelu_new": "gelu_tanh", "silu": "swish"}
_EMBEDDINGS = "embed_tokens.weight"
# Where a file that keeps tied weights only once may have put the embeddings.
_COPIES = (
    "decoder.embed_tokens.weight",
    "encoder.embed_tokens.weight",
    "decoder.output_projection.weight",
)
_OUTPUT_BIAS = "decoder.output_projection.bias"
_FIRST_POSITION = 2  # fairseq counts positions from behind its padding index, 1
_M2M_TAG = re.compile(r"__(\w+)__")
_MARIAN_TAG = re.compile(r">>(.+)<<")
_MARIAN_PAD = "<pad>"


def read_m2m100(folder: Path, scheme: str = "m2m100") -> Original:
    """M2M-100, and SMaLL-100 under its own tag scheme: ``vocab.json``, then the languages."""
    config = read_config(folder)
    tags = [m[1] for m in map(_M2M_TAG.fullmatch, special_tokens(folder)) if m]
    codes = tags or language_lists.M2M100
    pieces = vocabulary_file(folder / "vocab.json") + [f"__{code}__" for code in codes]
    return _multilingual(folder, config, scheme, pieces, codes, positions=network.SINUSOIDAL)


def read_small100(folder: Path) -> Original:
    """SMaLL-100: M2M-100's layout; only the tags go elsewhere."""
    return read_m2m100(folder, scheme="small100")


def read_nllb(folder: Path) -> Original:
    """NLLB-200: fairseq's order of SentencePiece's pieces, then the languages."""
    config = read_config(folder)
    codes = [tag for tag in special_tokens(folder) if "_" in tag] or language_lists.NLLB
    pieces = fairseq_order(sentencepiece_pieces(_spm(folder)), codes)
    return _multilingual(folder, config, "nllb", pieces, codes, positions=network.SINUSOIDAL)


def read_mbart50(folder: Path) -> Original:
    """mBART-50: as NLLB, but with learned positions and normed embeddings."""
    config = read_config(folder)
    codes = [tag for tag in special_tokens(folder) if "_" in tag] or language_lists.MBART50
    pieces = fairseq_order(sentencepiece_pieces(_spm(folder)), codes)
    return _multilingual(folder, config, "mbart50", pieces, codes, positions=network.LEARNED)


def _spm(folder: Path) -> Path:
    return folder / "sentencepiece.bpe.model"


def _multilingual(
    folder: Path,
    config: Mapping[str, Any],
    scheme: str,
    pieces: list[str],
    codes: Sequence[str],
    positions: str,
) -> Original:
    weights = bart_weights(open_checkpoint(folder))
    languages = public_codes(codes)
    pieces = filled(pieces, len(weights[_EMBEDDINGS]), folder)
    shape = _shape(config, positions, position_offset=_FIRST_POSITION)
    return Original(
        specification=build_specification(weights, shape),
        source_pieces=pieces,
        target_pieces=pieces,
        sentencepiece={SHARED_SENTENCEPIECE: _spm(folder)},
        scheme=scheme,
        reads=languages,
        writes=languages,
        longest=config["max_position_embeddings"],
    )


def read_marian(folder: Path) -> Original:
    """Marian and OPUS-MT: norms behind each layer, a zero vector as start, two SentencePieces.

    The padding piece, which only the transformers library added, goes.
    """
    config = read_config(folder)
    if (folder / "target_vocab.json").is_file():
        raise FormatError(
            "a vocabulary for each side", path=folder, remedy="such models are not supported"
        )
    pieces = vocabulary_file(folder / "vocab.json")
    weights = bart_weights(open_checkpoint(folder))
    if pieces[-1] == _MARIAN_PAD:
        pieces.pop()
        weights = _without_last_row(weights, len(pieces))
    stored = "encoder.embed_positions.weight" in weights
    positions = network.LEARNED if stored else network.MARIAN
    shape = _shape(config, positions, pre_norm=False, starts_from_zero=True)
    tags = [m[1] for m in map(_MARIAN_TAG.fullmatch, pieces) if m]
    reads, writes = _marian_languages(folder, tags)
    return Original(
        specification=build_specification(weights, shape),
        source_pieces=pieces,
        target_pieces=pieces,
        sentencepiece={f"{side}.model": folder / f"{side}.spm" for side in ("source", "target")},
        scheme="marian",
        reads=reads,
        writes=writes,
        longest=config["max_position_embeddings"],
    )


def _marian_languages(folder: Path, tags: Sequence[str]) -> tuple[dict[str, str], dict[str, str]]:
    """What the model reads and writes; without tags it writes one language only."""
    settings = read_json(folder / "tokenizer_config.json")
    named = [settings.get(f"{side}_lang") for side in ("source", "target")]
    reads, target = ({} if not code else public_codes([code]) for code in named)
    return reads, public_codes(tags) or target


def _without_last_row(weights: NamedWeights, rows: int) -> NamedWeights:
    def shortened(name: str, array: Array) -> Array:
        by_piece = name.endswith(_EMBEDDINGS) or "output_projection" in name
        return array[:rows] if by_piece else array

    return weights.changed(shortened)


def read_config(folder: Path) -> dict[str, Any]:
    """The folder's ``config.json``."""
    config = read_json(folder / "config.json")
    if not config:
        raise FormatError("no such file", path=folder / "config.json")
    return config


def bart_weights(weights: NamedWeights) -> NamedWeights:
    """The weights under the names of `network`, however many copies of a tied one are stored."""
    plain = weights.renamed(_plain_name).changed(_squeezed_bias)
    if _EMBEDDINGS in plain:
        return plain
    copy = next((name for name in _COPIES if name in plain), None)
    return plain.renamed(lambda name: _EMBEDDINGS if name == copy else name)


def _plain_name(name: str) -> str | None:
    name = name.removeprefix("model.")
    if name.endswith("embed_positions.weights"):
        return None  # sinusoids, which some files store and some do not
    return {
        "shared.weight": _EMBEDDINGS,
        "lm_head.weight": "decoder.output_projection.weight",
        "final_logits_bias": _OUTPUT_BIAS,
    }.get(name, name)


def _squeezed_bias(name: str, array: Array) -> Array:
    return np.reshape(array, -1) if name == _OUTPUT_BIAS else array


def _shape(config: Mapping[str, Any], positions: str, **differences: Any) -> NetworkShape:
    if config["encoder_attention_heads"] != config["decoder_attention_heads"]:
        raise InputError("encoder and decoder differ in their number of attention heads")
    activation = config.get("activation_function", "relu")
    return NetworkShape(
        encoder_layers=config["encoder_layers"],
        decoder_layers=config["decoder_layers"],
        heads=config["encoder_attention_heads"],
        longest=config["max_position_embeddings"],
        activation=_ACTIVATIONS.get(activation, activation),
        positions=positions,
        scale_embeddings=bool(config.get("scale_embedding", False)),
        **differences,
    )


# Beside languages there are tags for tasks, such as <2translate>, which are longer.
_TAG = re.compile(r"<2([a-z]{2,3}(?:[_-][A-Z][a-z]{3}|[_-][A-Z]{2}|[_-][0-9]{3})?)>")
_TRAINED_LENGTH = 512


def read_madlad(folder: Path) -> Original:
    """A MADLAD-400 folder as published on Hugging Face: ``config.json``, ``spiece.model``."""
    config = read_config(folder)
    sentencepiece = folder / "spiece.model"
    pieces = sentencepiece_pieces(sentencepiece)
    languages = public_codes(m[1] for m in map(_TAG.fullmatch, pieces) if m)
    if not languages:
        raise FormatError(
            "no language tags such as <2de> among the pieces",
            path=sentencepiece,
            remedy="only the MADLAD family of T5 models translates",
        )
    specification = build_t5_specification(open_checkpoint(folder), config)
    pieces = filled(pieces, len(specification.decoder.embeddings.weight), folder)
    return Original(
        specification=specification,
        source_pieces=pieces,
        target_pieces=pieces,
        sentencepiece={SHARED_SENTENCEPIECE: sentencepiece},
        scheme="madlad",
        reads=languages,
        writes=languages,
        longest=config.get("n_positions", _TRAINED_LENGTH),
        start=pieces[config["decoder_start_token_id"]],
    )
