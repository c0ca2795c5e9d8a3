"""The model folder: a CTranslate2 model, its SentencePiece model, and `paraphraser.toml`.

::

    paraphraser.toml                        the card: what the model is and how to talk to it
    model.bin config.json *vocabulary.json  the model, as CTranslate2 stores it
    sentencepiece.model                     for both sides, or source.model and target.model
    costs.npy                               heads for error costs, where the model has learnt them

The digest in the card is made over the model files once, when the folder is written, so that
scores can be cached and signed by it; `verify` recomputes it on demand.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from isogloss.destination import write_file
from isogloss.errors import FormatError, InputError
from isogloss.frozen import FrozenMapping
from isogloss.notation import toml_table, toml_text

CARD_FILE = "paraphraser.toml"
FORMAT = 1
_MODEL_PATTERNS = (
    "model.bin",
    "config.json",
    "*vocabulary.json",
    "sentencepiece.model",
    "source.model",
    "target.model",
    "costs.npy",
)
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Expectation:
    """A score that the model is known to give: what a self-test compares with."""

    condition: str
    target: str
    language: str
    score: float
    condition_language: str | None = None


@dataclass(frozen=True, slots=True)
class ModelCard:
    """What `paraphraser.toml` says about a model.

    `languages` are the languages the model reads, as the BCP 47 codes that a user writes;
    `target_languages` those it writes, where they are others; `language_codes` maps codes that
    the model spells otherwise. `separator` is the piece that joins context sentences; `None` says
    that the model never saw one in training, and a space is used. Lengths count pieces, tags and
    the end mark.
    """

    name: str
    languages: tuple[str, ...]
    scheme: str
    precision: str
    max_source_length: int
    max_target_length: int
    licence: str
    digest: str = ""
    separator: str | None = None
    target_languages: tuple[str, ...] | None = None
    language_codes: Mapping[str, str] = field(default_factory=dict)
    card: Mapping[str, Any] = field(default_factory=dict)
    selftest: tuple[Expectation, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "languages", tuple(self.languages))
        object.__setattr__(self, "selftest", tuple(self.selftest))
        if self.target_languages is not None:
            object.__setattr__(self, "target_languages", tuple(self.target_languages))
        object.__setattr__(self, "language_codes", FrozenMapping(self.language_codes))
        object.__setattr__(self, "card", FrozenMapping(self.card))
        for text in ("name", "languages", "scheme", "precision"):
            if not getattr(self, text):
                raise InputError(f"a model card needs {text!r}, and it is empty")
        if min(self.max_source_length, self.max_target_length) < 4:
            raise InputError(
                f"model {self.name!r}: a maximal length below 4 leaves no room for a sentence"
            )

    @property
    def writes(self) -> tuple[str, ...]:
        """The languages a target may be in."""
        return self.languages if self.target_languages is None else self.target_languages


def model_files(folder: Path) -> tuple[Path, ...]:
    """The files that make up the model (everything the digest covers), sorted by name."""
    found = {path for pattern in _MODEL_PATTERNS for path in folder.glob(pattern)}
    return tuple(sorted(found, key=lambda path: path.name))


def model_digest(folder: Path) -> str:
    """SHA-256 over the model files: name and content of each, both with their length in front."""
    sha = hashlib.sha256()
    for path in model_files(folder):
        name = path.name.encode()
        sha.update(b"%d:%s%d:" % (len(name), name, path.stat().st_size))
        with path.open("rb") as stream:
            while chunk := stream.read(_CHUNK):
                sha.update(chunk)
    return f"sha256:{sha.hexdigest()}"


def verify_folder(folder: Path) -> None:
    """Recompute the digest and refuse a folder whose files are not those it was made with."""
    expected, found = read_card(folder).digest, model_digest(folder)
    if found != expected:
        raise FormatError(
            f"the card says {expected}, the model files give {found}",
            path=folder / CARD_FILE,
            remedy="the files were changed or damaged; get the model again",
        )


def write_card(folder: Path, card: ModelCard) -> ModelCard:
    """Write the card beside model files that are already there; returns it with its digest."""
    _require_model_files(folder)
    complete = replace(card, digest=model_digest(folder))
    write_file(folder / CARD_FILE, _card_text(complete).encode())
    return complete


def _card_text(card: ModelCard) -> str:
    told = {part.name: getattr(card, part.name) for part in fields(card)}
    told["selftest"] = tuple(map(_expectation_table, card.selftest))
    tables = {name: dict(value) for name, value in told.items() if isinstance(value, Mapping)}
    return toml_text({"format": FORMAT, **told, **{k: v or None for k, v in tables.items()}})


def _expectation_table(item: Expectation) -> dict[str, Any]:
    values = {part.name: getattr(item, part.name) for part in fields(item)}
    return {name: value for name, value in values.items() if value is not None}


def read_card(folder: Path) -> ModelCard:
    """Read and check a folder's card; the model files must be there, their digest is not made."""
    path = folder / CARD_FILE
    if not path.is_file():
        raise FormatError(
            "no such file, so this is no model folder",
            path=path,
            remedy="make one with 'isogloss model convert'",
        )
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise FormatError("is not UTF-8 text", path=path) from None
    content = toml_table(text, path)
    _require_model_files(folder)
    return _card(content, path)


def _require_model_files(folder: Path) -> None:
    names = {path.name for path in model_files(folder)}
    missing = [name for name in ("model.bin", "config.json") if name not in names]
    if not any(name.endswith("vocabulary.json") for name in names):
        missing.append("shared_vocabulary.json")
    if "sentencepiece.model" not in names and not {"source.model", "target.model"} <= names:
        missing.append("sentencepiece.model")
    if missing:
        raise FormatError(f"{', '.join(missing)} missing", path=folder, remedy="an incomplete copy")


def _card(content: dict[str, Any], path: Path) -> ModelCard:
    written = content.pop("format", None)
    if written != FORMAT:
        raise FormatError(
            f"format is {written!r}, this version reads {FORMAT}",
            path=path,
            remedy="update isogloss",
        )
    known = {part.name: part for part in fields(ModelCard)}
    for name in content:
        if name not in known:
            raise FormatError(f"unknown key {name!r}", path=path, remedy="a misspelling?")
    for name, kind in _KINDS.items():
        if name in content:
            _check_kind(name, content[name], kind, path)
        elif name not in _OPTIONAL:
            raise FormatError(f"{name!r} is missing", path=path)
    try:
        expectations = [Expectation(**item) for item in content.pop("selftest", [])]
        return ModelCard(**content, selftest=tuple(expectations))
    except (TypeError, InputError) as error:
        raise FormatError(str(error), path=path) from None


_OPTIONAL = frozenset({"target_languages", "separator", "language_codes", "card", "selftest"})
_KINDS: dict[str, type] = {
    "name": str,
    "digest": str,
    "languages": list,
    "target_languages": list,
    "scheme": str,
    "precision": str,
    "max_source_length": int,
    "max_target_length": int,
    "separator": str,
    "licence": str,
    "language_codes": dict,
    "card": dict,
    "selftest": list,
}
_KIND_NAMES = {str: "a string", list: "a list", int: "an integer", dict: "a table"}


def _check_kind(name: str, value: object, kind: type, path: Path) -> None:
    if not isinstance(value, kind) or isinstance(value, bool):
        raise FormatError(f"{name!r} must be {_KIND_NAMES[kind]}, not {value!r}", path=path)
    held = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    if name not in ("card", "selftest") and not all(isinstance(each, str) for each in held):
        raise FormatError(f"{name!r} must hold strings", path=path)
