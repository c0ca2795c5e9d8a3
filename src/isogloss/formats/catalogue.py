"""Every file format that isogloss knows, and the one place that tells them apart.

A format is a module of this room, imported when it is first used. All of them define
``recognises(path, head)``, where `head` is the beginning of the text (empty for a folder). What
else they define depends on what they hold:

==============  ==================================================================
test set        ``read(path, options) -> Collection`` and maybe ``write(collection, path)``
one side        ``read(path) -> Side``: a source, a reference or an output alone
judgements      ``read(path, testset) -> Judgements`` and maybe ``write``
scores          ``read(path) -> ScoreTable`` and ``write(table, path)``
==============  ==================================================================
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from importlib import import_module
from pathlib import Path
from types import ModuleType

from isogloss.documents import Collection, TestSet
from isogloss.errors import FormatError, InputError
from isogloss.formats.files import plain_suffix, read_head, read_text
from isogloss.formats.side import Side
from isogloss.frozen import FrozenMapping
from isogloss.judgements import Judgements
from isogloss.scores import ScoreTable


class Holds(Enum):
    """What a file of a format holds."""

    TESTSET = "test set"
    SIDE = "one side"
    JUDGEMENTS = "judgements"
    SCORES = "scores"


@dataclass(frozen=True, slots=True)
class Format:
    """One row of the catalogue; the module of the same name (with ``_``) does the work."""

    name: str
    holds: Holds
    description: str
    writes: bool = False

    def module(self) -> ModuleType:
        return import_module(f"isogloss.formats.{self.name.replace('-', '_')}")


# In the order in which they are tried: the more particular before the more general.
FORMATS = (
    Format("manifest", Holds.TESTSET, "testset.toml that names the files of a test set", True),
    Format("wmt-tables", Holds.TESTSET, "folder of segs, hyps, human.*, metric.* .tsv tables"),
    Format("mtme", Holds.TESTSET, "folder of an mt-metrics-eval test set", True),
    Format("wmt-xml", Holds.TESTSET, "WMT XML (2021 on) with references and systems", True),
    Format("sgm", Holds.SIDE, "WMT SGM: one srcset, refset or tstset", True),
    Format("esa", Holds.JUDGEMENTS, "ESA annotations as JSON or JSON lines"),
    Format("mqm", Holds.JUDGEMENTS, "MQM ratings as TSV, Google's or the Marot columns", True),
    Format("scores", Holds.SCORES, "isogloss scores with statistics and signatures", True),
    Format("mtme-score", Holds.SCORES, "METRIC.seg.score (.doc, .sys) of mt-metrics-eval"),
    Format("score-table", Holds.SCORES, "TSV: system, doc, segment, and a column per metric"),
    Format("jsonl", Holds.TESTSET, "JSON lines, one per segment (or segment and system)", True),
    Format("tsv", Holds.TESTSET, "TSV with named columns, a row per segment (and system)", True),
    Format("text", Holds.SIDE, "plain text, one segment per line", True),
)
BY_NAME = {format.name: format for format in FORMATS}


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What a person may say about a test set that its files leave open.

    `pair` chooses a language pair (``en-de``) where a folder holds several. `columns` maps our
    column names to the file's own, e.g. ``{"source": "English"}``. `allow_missing` turns a
    system's missing documents into absent segments instead of an error.
    """

    name: str | None = None
    source_language: str | None = None
    target_language: str | None = None
    pair: str | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    allow_missing: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", FrozenMapping(self.columns))


def recognise(path: Path) -> Format:
    """The format of a file or folder, by what is in it."""
    folder = os.path.isdir(path)  # unlike Path.is_dir, this takes impossible names for no folder
    head = "" if folder else read_head(path)
    for format in FORMATS:
        if format.module().recognises(path, head):
            return format
    if not folder:
        read_text(path)  # a file that is no text at all fails here and says at which line
    what = "folder" if folder else "file"
    raise FormatError(
        f"no known format fits this {what}", path=path, remedy="see 'isogloss list formats'"
    )


def format_named(name: str) -> Format:
    """The format of that name."""
    try:
        return BY_NAME[name]
    except KeyError:
        raise InputError(f"there is no format {name!r}; there are: {', '.join(BY_NAME)}") from None


def _resolved(path: Path, format: str | None, wanted: Holds) -> Format:
    found = format_named(format) if format else recognise(path)
    if found.holds is not wanted:
        raise FormatError(
            f"this is {found.name} ({found.holds.value}), but a file with "
            f"{_WANTED[wanted]} is needed here",
            path=path,
            remedy=_REMEDY.get((found.holds, wanted), "see 'isogloss list formats'"),
        )
    return found


_WANTED = {
    Holds.TESTSET: "a whole test set",
    Holds.SIDE: "one side of a test set",
    Holds.JUDGEMENTS: "human judgements",
    Holds.SCORES: "scores",
}
_REMEDY = {
    (Holds.SIDE, Holds.TESTSET): "give it as --source, --reference or --system",
    (Holds.TESTSET, Holds.SIDE): "if it is plain text, let its name end in .txt",
}


def read_collection(
    path: str | Path, format: str | None = None, options: ReadOptions | None = None
) -> Collection:
    """A test set with its systems, from any format that holds one."""
    path = Path(path)
    module = _resolved(path, format, Holds.TESTSET).module()
    collection: Collection = module.read(path, options or ReadOptions())
    return collection


def read_side(path: Path) -> Side:
    """The source, a reference or an output alone."""
    format = recognise(path)
    # A translation may well look like JSON or a table; here the file's name has the last word.
    plain = format.holds is not Holds.SIDE and plain_suffix(path) == ".txt"
    side: Side = _resolved(path, "text" if plain else format.name, Holds.SIDE).module().read(path)
    return side


def read_judgements(
    path: str | Path,
    known: TestSet | Collection,
    kind: str | None = None,
    format: str | None = None,
) -> Judgements:
    """Human judgements on a test set; of a folder that holds several kinds, the one named.

    Where the collection is given, marked errors keep their places in the outputs.
    """
    path = Path(path)
    found = format_named(format) if format else recognise(path)
    module = found.module()
    if hasattr(module, "judgement_kinds"):
        return _stored_judgements(module, path, known, kind)
    judgements: Judgements = (
        _resolved(path, found.name, Holds.JUDGEMENTS).module().read(path, known)
    )
    return judgements


def _stored_judgements(
    module: ModuleType, path: Path, known: TestSet | Collection, kind: str | None
) -> Judgements:
    if kind is None:
        there = ", ".join(module.judgement_kinds(path)) or "none"
        raise FormatError(f"which kind of judgements? there are: {there}", path=path)
    judgements: Judgements = module.read_judgements(path, kind, known)
    return judgements


def read_metric_scores(path: str | Path, known: TestSet | Collection) -> ScoreTable:
    """The metric scores that are stored beside a test set, in a folder that holds such scores."""
    path = Path(path)
    module = _resolved(path, None, Holds.TESTSET).module()
    if not hasattr(module, "read_metric_scores"):
        raise FormatError("there are no stored metric scores beside this test set", path=path)
    table: ScoreTable = module.read_metric_scores(path, known)
    return table


def read_scores(path: str | Path, known: TestSet | Collection | None = None) -> ScoreTable:
    """Saved scores; those in somebody else's format need the test set that they are about."""
    path = Path(path)
    format = _resolved(path, None, Holds.SCORES)
    if format.name == "scores":
        table: ScoreTable = format.module().read(path)
        return table
    if known is None:
        remedy = "only isogloss's own score files can be read by themselves"
        raise FormatError(f"this is {format.name}: of which test set?", path=path, remedy=remedy)
    foreign: ScoreTable = format.module().read(path, known)
    return foreign


def write_scores(table: ScoreTable, path: str | Path) -> None:
    """Save scores; a name ending in .gz, .xz or .zst compresses them."""
    format_named("scores").module().write(table, Path(path))


def write_collection(collection: Collection, path: str | Path, format: str) -> None:
    """Write a test set with its systems in the format of that name."""
    found = format_named(format)
    if not found.writes or found.holds not in (Holds.TESTSET, Holds.SIDE):
        able = [f.name for f in FORMATS if f.writes and f.holds in (Holds.TESTSET, Holds.SIDE)]
        raise InputError(f"{format!r} cannot hold a test set; use one of: {', '.join(able)}")
    found.module().write(collection, Path(path))
