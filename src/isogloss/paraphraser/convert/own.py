"""Our own models: a plain pre-norm Transformer with tied embeddings, straight from its weights."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from isogloss.errors import InputError
from isogloss.paraphraser.convert.network import NetworkShape, Weights, build_specification
from isogloss.paraphraser.convert.original import SHARED_SENTENCEPIECE, register
from isogloss.paraphraser.convert.writing import save_specification, write_folder
from isogloss.paraphraser.costs import Floats, write_heads
from isogloss.paraphraser.folder import Expectation, ModelCard
from isogloss.paraphraser.schemes import frame


def export_transformer(
    weights: Weights,
    config: Mapping[str, Any],
    vocabulary: Sequence[str],
    spm_path: Path,
    out_folder: Path,
    card: Mapping[str, Any],
    quantization: str = "float32",
    *,
    overwrite: bool = False,
    costs: Floats | None = None,
) -> ModelCard:
    """Write the folder of a model of our own; returns its card with the digest.

    `weights` maps the names that `isogloss.paraphraser.convert.network` documents to arrays
    (PyTorch's ``(outputs, inputs)`` layout; ``tensor.float().numpy()`` of a state dictionary will
    do). They are copied, so one state dictionary may be exported in several precisions.

    `config` holds the fields of `NetworkShape`: ``encoder_layers``, ``decoder_layers`` and
    ``heads`` (or ``layers`` for both stacks), ``longest`` (rows of the position table), and where
    they differ from the defaults ``pre_norm=True``, ``activation="relu"``,
    ``positions="sinusoidal"`` (see `network.sinusoids`; row 0 is the first token's),
    ``scale_embeddings=True``, ``alignment_layer=-1``, ``alignment_heads=0``. Layer norms use the
    epsilon 1e-5, PyTorch's own.

    `vocabulary` lists every piece in the order of the embedding rows; it must hold ``<unk>``,
    ``<s>``, ``</s>`` and the tag ``<xx>`` of every language. `card` holds the fields of
    `ModelCard` except ``precision`` and ``digest``; ``scheme`` is ``prism`` unless it says
    otherwise, and the lengths are ``longest`` unless it says otherwise. `costs` are the heads of
    a model that has learnt error costs, as `isogloss.paraphraser.costs` reads them.
    """
    shape = _shape(config)
    values = {"scheme": "prism", "precision": quantization} | dict(card)
    values.setdefault("max_source_length", shape.longest)
    values.setdefault("max_target_length", shape.longest)
    values["selftest"] = tuple(
        item if isinstance(item, Expectation) else Expectation(**item)
        for item in values.get("selftest", ())
    )
    finished = ModelCard(**values)
    specification = build_specification(weights, shape)
    pieces = list(vocabulary)
    _check_tags(finished, pieces)
    register(specification, pieces, pieces)
    return write_folder(
        out_folder,
        finished,
        {SHARED_SENTENCEPIECE: Path(spm_path)},
        _saving(save_specification(specification, quantization), costs),
        overwrite=overwrite,
    )


def _saving(save_model: Callable[[Path], None], costs: Floats | None) -> Callable[[Path], None]:
    """A `save_model` that writes the heads too, where there are any."""

    def save(folder: Path) -> None:
        save_model(folder)
        if costs is not None:
            write_heads(folder, costs)

    return save


def _check_tags(card: ModelCard, pieces: Sequence[str]) -> None:
    """Every language's tag, and the separator, must be pieces: a missing one would be unknown."""
    wanted = {tag for code in card.writes for tag in frame(card, None, code).target_start}
    if card.separator is not None:
        wanted.add(card.separator)
    missing = sorted(wanted - set(pieces))
    if missing:
        raise InputError(f"the vocabulary has no {', '.join(map(repr, missing))}")


def _shape(config: Mapping[str, Any]) -> NetworkShape:
    given = dict(config)
    both = given.pop("layers", None)
    if both is not None:
        given = {"encoder_layers": both, "decoder_layers": both} | given
    known = {part.name for part in fields(NetworkShape)}
    for name in given:
        if name not in known:
            raise InputError(f"unknown entry {name!r} in the configuration of the network")
    return NetworkShape(**given)
