"""`isogloss model convert`: someone's model folder in, a paraphraser folder out."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from isogloss.errors import InputError
from isogloss.paraphraser.convert import bart_family, fairseq, madlad
from isogloss.paraphraser.convert.original import Original
from isogloss.paraphraser.convert.vocabularies import read_json
from isogloss.paraphraser.convert.writing import save_specification, write_folder
from isogloss.paraphraser.folder import ModelCard
from isogloss.paraphraser.schemes import SCHEMES
from isogloss.paraphraser.toml_text import Value

FAMILIES: Mapping[str, Callable[[Path], Original]] = {
    "prism": fairseq.read_prism,
    "m2m100": bart_family.read_m2m100,
    "small100": bart_family.read_small100,
    "nllb": bart_family.read_nllb,
    "mbart50": bart_family.read_mbart50,
    "marian": bart_family.read_marian,
    "madlad": madlad.read_madlad,
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
    card: Mapping[str, Value] | None = None


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
