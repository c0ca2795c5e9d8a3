"""Someone's model folder in, or our own weights, and a model folder out: all of it or nothing."""

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from isogloss.arrays import Floats32
from isogloss.destination import folder_to_be
from isogloss.errors import InputError
from isogloss.model.convert import fairseq, hugging_face
from isogloss.model.convert.checkpoints import torch_module
from isogloss.model.convert.network import NetworkShape, Weights, build_specification
from isogloss.model.convert.original import SHARED_SENTENCEPIECE, Original, read_json, register
from isogloss.model.folder import CARD_FILE, Expectation, ModelCard, write_card
from isogloss.model.model_file import write_heads
from isogloss.model.tokens import SCHEMES, frame

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
    costs: Floats32 | None = None,
) -> ModelCard:
    """Write the folder of a model of our own; returns its card with the digest.

    `weights` maps the names that `isogloss.model.convert.network` documents to arrays
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
    a model that has learnt error costs, as `isogloss.model.model_file` reads them.
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


def _saving(save_model: Callable[[Path], None], costs: Floats32 | None) -> Callable[[Path], None]:
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


FAMILIES: Mapping[str, Callable[[Path], Original]] = {
    "prism": fairseq.read_prism,
    "m2m100": hugging_face.read_m2m100,
    "small100": hugging_face.read_small100,
    "nllb": hugging_face.read_nllb,
    "mbart50": hugging_face.read_mbart50,
    "marian": hugging_face.read_marian,
    "madlad": hugging_face.read_madlad,
}
"""The families by name, which is also the name of their tag scheme, each with its reader."""


@dataclass(frozen=True, slots=True)
class CardDetails:
    """What a model's files do not say, or say too much about.

    `reads` and `writes` restrict (or, for a model that does not list them, name) the languages;
    `longest` lowers or raises the maximal length of both sides.
    """

    name: str
    licence: str
    reads: Sequence[str] = ()
    writes: Sequence[str] = ()
    longest: int | None = None
    card: Mapping[str, Any] | None = None


def convert_model(
    source: Path,
    out_folder: Path,
    details: CardDetails,
    *,
    family: str | None = None,
    quantization: str = "float32",
    overwrite: bool = False,
) -> ModelCard:
    """Convert a model folder as its makers publish it; returns the new folder's card."""
    if not source.is_dir():
        raise InputError(f"{source}: no such folder; download the model first")
    family = family or recognised_family(source)
    if family not in FAMILIES:
        raise InputError(f"unknown family {family!r}; known are: {', '.join(FAMILIES)}")
    original = FAMILIES[family](source)
    return write_folder(
        out_folder,
        _card(original, details, quantization),
        original.sentencepiece,
        save_specification(original.registered(), quantization),
        overwrite=overwrite,
    )


def recognised_family(folder: Path) -> str:
    """The family of the model in a folder, by the files and settings that give it away."""
    if (folder / fairseq.CHECKPOINT).is_file():
        return "prism"
    kind = read_json(folder / "config.json").get("model_type")
    if kind == "m2m_100":
        return _m2m_relative(folder)
    known = {"mbart": "mbart50", "marian": "marian", "t5": "madlad"}
    if kind not in known:
        raise InputError(
            f"{folder}: cannot tell what model this is (model_type {kind!r}); name its family: "
            f"{', '.join(FAMILIES)}"
        )
    return known[kind]


def _m2m_relative(folder: Path) -> str:
    """M2M-100, SMaLL-100 and NLLB call themselves the same; their tokenisers differ."""
    tokeniser = str(read_json(folder / "tokenizer_config.json").get("tokenizer_class", ""))
    if "small100" in tokeniser.lower() or (folder / "tokenization_small100.py").is_file():
        return "small100"
    return "m2m100" if (folder / "vocab.json").is_file() else "nllb"


def _card(original: Original, details: CardDetails, precision: str) -> ModelCard:
    reads = _chosen(original.reads, details.reads, "reads")
    writes = _chosen(original.writes, details.writes, "writes")
    longest = details.longest or original.longest
    explicit = SCHEMES[original.scheme].only_listed_codes
    return ModelCard(
        name=details.name,
        languages=tuple(reads),
        target_languages=None if list(reads) == list(writes) else tuple(writes),
        scheme=original.scheme,
        precision=precision,
        max_source_length=longest,
        max_target_length=longest,
        licence=details.licence,
        language_codes=_codes(original, {**reads, **writes}, explicit),
        card=details.card or {},
        selftest=tuple(original.selftest),
    )


def _chosen(found: Mapping[str, str], asked: Sequence[str], verb: str) -> dict[str, str]:
    """The languages that were asked for, of those the model has."""
    chosen = {code: found.get(code, code) for code in asked} or dict(found)
    if not chosen:
        raise InputError(f"the model does not say which languages it {verb}; name them")
    if found and not set(chosen) <= set(found):
        unknown = ", ".join(sorted(set(chosen) - set(found)))
        raise InputError(f"the model has no {unknown}; it {verb}: {', '.join(found)}")
    return chosen


def _codes(original: Original, codes: Mapping[str, str], explicit: bool) -> dict[str, str]:
    """The model's own codes where they differ; a scheme may want every tag listed.

    Such a scheme's model has tags only for languages whose tag is a piece.
    """
    if not explicit:
        return {public: own for public, own in codes.items() if public != own}
    tag_of = SCHEMES[original.scheme].tag_of
    pieces = set(original.source_pieces)
    return {public: own for public, own in codes.items() if set(tag_of(own)) <= pieces}
