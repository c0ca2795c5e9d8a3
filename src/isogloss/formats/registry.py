"""Every file format that isogloss knows, and the one place that tells them apart."""

import os
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import TypeVar

from isogloss.documents import Collection, TestSet
from isogloss.errors import FormatError, InputError
from isogloss.formats.files import plain_suffix, read_head, read_text
from isogloss.formats.loose_files import Files, assembled
from isogloss.formats.manifest import Readers, manifest_format
from isogloss.formats.parts import Role
from isogloss.formats.protocol import (
    ChoicesFormat,
    Format,
    Holds,
    JudgementsFormat,
    ReadOptions,
    ReadsSide,
    ScoresFormat,
    Side,
    SideFormat,
    StoredJudgements,
    TestSetFormat,
)
from isogloss.judgements import Choices, Judgements
from isogloss.scores import ScoreTable

Kind = TypeVar("Kind", TestSetFormat, SideFormat, JudgementsFormat, ScoresFormat, ChoicesFormat)


def recognise(path: Path) -> Format:
    """The format of a file or folder, by what is in it."""
    folder = os.path.isdir(path)  # unlike Path.is_dir, this takes impossible names for no folder
    head = "" if folder else read_head(path)
    for format in _each_format():
        if format.recognises(path, head):
            return format
    if not folder:
        read_text(path)  # a file that is no text at all fails here and says at which line
    what = "folder" if folder else "file"
    raise FormatError(
        f"no known format fits this {what}", path=path, remedy="see 'isogloss list formats'"
    )


def format_named(name: str) -> Format:
    """The format of that name."""
    known = {format.name: format for format in known_formats()}
    if name not in known:
        raise InputError(f"there is no format {name!r}; there are: {', '.join(known)}")
    return known[name]


def _resolved(path: Path, format: str | None, wanted: type[Kind]) -> Kind:
    return _of_kind(format_named(format) if format else recognise(path), path, wanted)


def _of_kind(found: Format, path: Path, wanted: type[Kind]) -> Kind:
    if isinstance(found, wanted):
        return found
    raise FormatError(
        f"this is {_WANTED[found.holds]} ({found.name}), but a file with "
        f"{_WANTED[wanted.holds]} is needed here",
        path=path,
        remedy=_REMEDY.get((found.holds, wanted.holds), "see 'isogloss list formats'"),
        lacking=_LOOSE if (found.holds, wanted.holds) == (Holds.SIDE, Holds.TESTSET) else (),
    )


_LOOSE = ("source", "reference", "system")
_WANTED = {
    Holds.TESTSET: "a whole test set",
    Holds.SIDE: "one side of a test set",
    Holds.JUDGEMENTS: "human judgements",
    Holds.SCORES: "scores",
    Holds.CHOICES: "preferences",
}
_REMEDY = {
    (Holds.TESTSET, Holds.SCORES): "make them with 'isogloss evaluate --save'",
    (Holds.SIDE, Holds.TESTSET): "give it as the source, a reference or a system's output",
    (Holds.TESTSET, Holds.SIDE): "if it is plain text, let its name end in .txt",
    (Holds.CHOICES, Holds.JUDGEMENTS): "'isogloss preferences' judges metrics by preferences",
}


def read_collection(
    path: str | Path, format: str | None = None, options: ReadOptions | None = None
) -> Collection:
    """A test set with its systems, from any format that holds one."""
    path = Path(path)
    return _resolved(path, format, TestSetFormat).read(path, options or ReadOptions())


def read_side(path: Path, role: Role, options: ReadOptions) -> Side:
    """The source, a reference or an output alone."""
    return _side_reader(path)(path, role, options)


def _side_reader(path: Path) -> ReadsSide:
    if plain_suffix(path) != ".txt" or os.path.isdir(path):
        found = recognise(path)
        own = found.read_side if isinstance(found, TestSetFormat) else None
        return own or _of_kind(found, path, SideFormat).read
    from isogloss.formats import sgm, text

    # A translation may well look like JSON or a table; here the file's name has the last word.
    return (sgm.FORMAT if sgm.recognises(path, read_head(path)) else text.FORMAT).read


def assemble(
    source: Path | None,
    references: Files = (),
    systems: Files = (),
    documents: Path | None = None,
    options: ReadOptions | None = None,
) -> Collection:
    """The collection that loose files make up, each of them known to fit the source.

    Without a source they must fit each other, and metrics that read the source do not apply.
    The documents are those of the file `documents`, else those that the source itself knows; if
    neither does, every line is a document of its own.
    """
    return assembled(read_side, source, references, systems, documents, options)


def read_judgements(
    path: str | Path,
    known: TestSet | Collection,
    kind: str | None = None,
    format: str | None = None,
) -> Judgements:
    """Human judgements on a test set; where a file or folder holds several kinds, the one named.

    Args:
        path: a file, or a folder that holds judgements beside a test set.
        known: the test set; where the collection is given, marked errors keep their places.
        kind: which of several kinds: ``mqm``, ``da-z``, ``esa`` ...
        format: the name of the format, where that should not be guessed.

    Returns:
        What people said, by annotator.

    Raises:
        FormatError: the file holds something else, or several kinds and none was named.

    Example:
        >>> import isogloss, tempfile
        >>> collection = isogloss.load_sample("cs-en")
        >>> place = collection.testset.documents[0].id, 0
        >>> fine = isogloss.Judgement("steady", *place, "ann", score=0.0)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     ratings = Path(folder, "ratings.tsv")
        ...     write_judgements(isogloss.Judgements("mqm", (fine,)), collection, ratings)
        ...     isogloss.read_judgements(ratings, collection).items[0].annotator
        'ann'
    """
    path = Path(path)
    found = format_named(format) if format else recognise(path)
    held = found.judgements if isinstance(found, TestSetFormat) else None
    held = held or _of_kind(found, path, JudgementsFormat).judgements
    return held.read(path, kind or _only_kind(held, path), known)


def read_choices(
    path: str | Path, known: TestSet | Collection, format: str | None = None
) -> Choices:
    """Which of two translations people found better."""
    path = Path(path)
    return _resolved(path, format, ChoicesFormat).read(path, known)


def _only_kind(held: StoredJudgements, path: Path) -> str:
    kinds = held.kinds(path)
    if len(kinds) != 1:
        there = ", ".join(kinds) or "none"
        raise FormatError(f"which kind of judgements? there are: {there}", path=path)
    return kinds[0]


def write_judgements(
    judgements: Judgements, collection: Collection, path: str | Path, format: str = "mqm"
) -> None:
    """Write what people said of a collection in the format of that name."""
    found = format_named(format)
    if not isinstance(found, JudgementsFormat) or found.write is None:
        able = [f.name for f in known_formats() if isinstance(f, JudgementsFormat) and f.writes]
        raise InputError(f"{format!r} cannot hold judgements; use one of: {', '.join(able)}")
    found.write(judgements, collection, Path(path))


def read_metric_scores(path: str | Path, known: TestSet | Collection) -> ScoreTable:
    """The metric scores that are stored beside a test set, in a folder that holds such scores."""
    path = Path(path)
    found = _resolved(path, None, TestSetFormat)
    if found.read_metric_scores is None:
        raise FormatError("there are no stored metric scores beside this test set", path=path)
    return found.read_metric_scores(path, known)


def read_scores(path: str | Path, known: TestSet | Collection | None = None) -> ScoreTable:
    """Saved scores; those in somebody else's format need the test set that they are about."""
    path = Path(path)
    found = _resolved(path, None, ScoresFormat)
    if found.name == "scores":
        from isogloss.formats import scores

        return scores.read(path)
    if known is None:
        remedy = "only isogloss's own score files can be read by themselves"
        raise FormatError(f"this is {found.name}: of which test set?", path=path, remedy=remedy)
    return found.read(path, known)


def score_outline(path: str | Path) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names of the metrics and of the systems of saved scores, sooner than the scores."""
    from isogloss.formats import scores

    return scores.outline(Path(path))


def write_scores(table: ScoreTable, path: str | Path) -> None:
    """Save scores; a name ending in .gz, .xz or .zst compresses them."""
    from isogloss.formats import scores

    scores.write(table, Path(path))


def write_collection(collection: Collection, path: str | Path, format: str) -> None:
    """Write a test set with its systems in the format of that name."""
    if not collection.testset.has_source:
        raise InputError(f"test set {collection.testset.name!r} has no source to write")
    for unsplit in collection.unsplit:
        raise InputError(
            f"{unsplit.role} {unsplit.name!r} is not split like the source; segment it first"
        )
    found = format_named(format)
    if not isinstance(found, TestSetFormat | SideFormat) or found.write is None:
        able = [
            f.name for f in known_formats() if f.writes and f.holds in (Holds.TESTSET, Holds.SIDE)
        ]
        raise InputError(f"{format!r} cannot hold a test set; use one of: {', '.join(able)}")
    found.write(collection, Path(path))


_MANIFEST = manifest_format(
    Readers(
        recognise,
        read_side,
        read_collection,
        lambda: [format.name for format in known_formats()],
    )
)
# The modules of the others, in the order in which they are tried: the more particular first.
_OTHERS = (
    "wmt_tables",
    "mtme",
    "wmt_xml",
    "xliff",
    "tmx",
    "subtitles",
    "sgm",
    "campaign",
    "esa",
    "label_studio",
    "xcomet",
    "wmt_spans",
    "appraise",
    "mqm",
    "choices",
    "scores",
    "mtme_score",
    "score_table",
    "wmt_jsonl",
    "frames",
    "jsonl",
    "tsv",
    "csv_table",
    "folder",
    "text",
)


def _each_format() -> Iterator[Format]:
    """One after the other, each loaded when its turn comes."""
    yield _MANIFEST
    for name in _OTHERS:
        yield import_module(f"isogloss.formats.{name}").FORMAT


def known_formats() -> tuple[Format, ...]:
    """Every format, in the order in which they are tried."""
    return tuple(_each_format())
