"""From loose files to a collection: a source, references and outputs with a file each.

A side that knows its documents is matched by their ids, any other by the order of its lines.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from isogloss.documents import (
    Collection,
    Document,
    Segments,
    SystemOutput,
    TestSet,
    counted,
    lone_document_ids,
    with_absent_documents,
)
from isogloss.errors import InputError, MismatchError
from isogloss.formats.files import plain_stem
from isogloss.formats.parts import Role
from isogloss.formats.protocol import Block, ReadOptions, Side
from isogloss.formats.text import read_documents

SideReader = Callable[[Path], Side]

# By name where the person gave one; a bare path is named by what the file calls itself.
Files = Mapping[str, Path] | Sequence[Path | tuple[str, Path]]


def assembled(
    read: SideReader,
    source: Path | None,
    references: Files = (),
    systems: Files = (),
    documents: Path | None = None,
    options: ReadOptions | None = None,
) -> Collection:
    """The collection that these files make up, each of them read so, and known to fit the source.

    The documents are those of the file `documents`, else those that the source itself knows; if
    neither does, every line is a document of its own.
    """
    options = options or ReadOptions()
    side = read(_leading(source, references, systems))
    if source is None:  # the others need not have one, as long as they fit together
        side = replace(side, segments=("",) * len(side.segments), language=None)
    frame = _frame(side, documents, options.allow_missing)
    testset = TestSet(
        options.name or side.testset or _testset_name(side.path),
        options.source_language or side.language,
        options.target_language,
        _documents(side, frame),
        source is not None,
    )
    sides = _Sides(read, references, systems)
    return _completed(Collection(testset), frame, sides)


def _leading(source: Path | None, references: Files, systems: Files) -> Path:
    """The file that all others must fit."""
    if source is not None:
        return Path(source)
    others = [path for files in (references, systems) for _, path in _pairs(files)]
    if not others:
        raise InputError("there are no files to read")
    return others[0]


def with_sides(
    read: SideReader,
    collection: Collection,
    references: Files = (),
    systems: Files = (),
    options: ReadOptions | None = None,
) -> Collection:
    """The collection with more references and systems, each of them known to fit."""
    blocks = tuple(Block(d.id, len(d), d.domain) for d in collection.testset.documents)
    options = options or ReadOptions()
    frame = _Frame("the test set", blocks, True, options.allow_missing)
    return _completed(collection, frame, _Sides(read, references, systems))


@dataclass(frozen=True, slots=True)
class _Sides:
    """The files of references and systems, and how they are read."""

    read: SideReader
    references: Files
    systems: Files

    def named(self, files: Files, role: Role, taken: Sequence[str]) -> dict[str, Side]:
        """The sides in these files by name, and no two of one name."""
        named: dict[str, Side] = {}
        for given, path in _pairs(files):
            side = self.read(path)
            name = given or side.name or plain_stem(path)
            if name in named or name in taken:
                other = named[name].path if name in named else "one that the test set has"
                raise InputError(
                    f"{path} would be a second {role.value} {name!r}, after {other}; "
                    "give it another name: NAME=PATH"
                )
            named[name] = side
        return named


@dataclass(frozen=True, slots=True)
class _Frame:
    """The documents into which every side must fit; `owner` is who has them, for messages.

    Their boundaries are not `known` where each line had to be taken for a document.
    """

    owner: str
    blocks: tuple[Block, ...]
    known: bool
    allow_missing: bool

    def fitted(self, side: Side) -> dict[str, Segments]:
        """The segments of a side by document, once they are known to fit."""
        if side.documents is None:
            return self._fitted_by_order(side)
        if not self.known:
            raise MismatchError(
                f"{side.path} has documents, but {self.owner} does not tell which lines are whose; "
                "give a documents file, or a source that knows its documents"
            )
        return self._fitted_by_id(side, _sliced(side.segments, side.documents))

    def _fitted_by_order(self, side: Side) -> dict[str, Segments]:
        needed = sum(block.segments for block in self.blocks)
        if len(side.segments) != needed:
            raise MismatchError(
                f"{side.path} has {counted(len(side.segments), 'line')}, {self.owner} has "
                f"{needed:,}; every file needs one line per source segment"
            )
        return _sliced(side.segments, self.blocks)

    def _fitted_by_id(self, side: Side, texts: dict[str, Segments]) -> dict[str, Segments]:
        ids = {block.id for block in self.blocks}
        for id in texts:
            if id not in ids:
                raise MismatchError(f"{side.path}: document {id!r} is not in {self.owner}")
        for block in self.blocks:
            if block.id in texts and len(texts[block.id]) != block.segments:
                raise MismatchError(
                    f"{side.path}: document {block.id!r} has "
                    f"{counted(len(texts[block.id]), 'segment')}, the source has {block.segments:,}"
                )
            if block.id not in texts and not self.allow_missing:
                raise MismatchError(
                    f"{side.path}: document {block.id!r} is missing, {self.owner} has it; "
                    "if that is intended, allow missing documents"
                )
        return texts


def _sliced(segments: Segments, blocks: Sequence[Block]) -> dict[str, Segments]:
    texts, start = {}, 0
    for block in blocks:
        texts[block.id] = segments[start : start + block.segments]
        start += block.segments
    return texts


def _frame(source: Side, documents: Path | None, allow_missing: bool) -> _Frame:
    blocks: tuple[Block, ...] = tuple(source.documents or ())
    if documents is not None:
        told = read_documents(Path(documents), len(source.segments), source.path)
        blocks = _agreed(told, blocks, documents, source.path) if blocks else told
    known = bool(blocks)
    if not known:
        # Without boundaries nothing may be assumed to be context: one document of all lines would
        # let document-level metrics and resampling treat unrelated sentences as a text.
        blocks = tuple(Block(id, 1) for id in lone_document_ids(len(source.segments)))
    return _Frame(str(source.path), blocks, known, allow_missing)


def _agreed(
    told: Sequence[Block], own: Sequence[Block], documents: Path, source: Path
) -> tuple[Block, ...]:
    """The documents of the file and of the source, which must be the same."""
    if [(b.id, b.segments) for b in told] != [(b.id, b.segments) for b in own]:
        raise MismatchError(
            f"{documents} and {source} do not have the same documents; leave the documents file "
            "out to use those of the source"
        )
    return tuple(replace(a, domain=a.domain or b.domain) for a, b in zip(told, own, strict=True))


def _documents(source: Side, frame: _Frame) -> tuple[Document, ...]:
    texts = _sliced(source.segments, frame.blocks)
    return tuple(
        # No format of one side can leave a segment out, so none of these is None.
        Document(block.id, cast(tuple[str, ...], texts[block.id]), domain=block.domain)
        for block in frame.blocks
    )


def _completed(collection: Collection, frame: _Frame, sides: _Sides) -> Collection:
    """The collection with these sides added to those that it has."""
    testset = collection.testset
    new_references = sides.named(sides.references, Role.REFERENCE, testset.reference_names)
    new_systems = sides.named(sides.systems, Role.SYSTEM, collection.system_names)
    new_sides = [*new_references.values(), *new_systems.values()]
    testset = replace(
        testset,
        target_language=testset.target_language or _common_language(new_sides),
        documents=_with_references(
            testset.documents, {name: frame.fitted(side) for name, side in new_references.items()}
        ),
    )
    outputs = [SystemOutput(name, frame.fitted(side)) for name, side in new_systems.items()]
    if frame.allow_missing:
        outputs = [with_absent_documents(testset, output) for output in outputs]
    return Collection(testset, (*collection.outputs, *outputs))


def _with_references(
    documents: Sequence[Document], references: Mapping[str, Mapping[str, Segments]]
) -> tuple[Document, ...]:
    return tuple(
        replace(
            document,
            references={
                **document.references,
                **{
                    name: texts[document.id]
                    for name, texts in references.items()
                    if document.id in texts
                },
            },
        )
        for document in documents
    )


def _pairs(files: Files) -> list[tuple[str | None, Path]]:
    if isinstance(files, Mapping):
        return [(name, Path(path)) for name, path in files.items()]
    return [
        (file[0], Path(file[1])) if isinstance(file, tuple) else (None, Path(file))
        for file in files
    ]


def _common_language(sides: Sequence[Side]) -> str | None:
    """The language that all sides that name one agree on."""
    speaking = [side for side in sides if side.language is not None]
    for side in speaking[1:]:
        first = speaking[0]
        if str(side.language).lower() != str(first.language).lower():
            raise MismatchError(
                f"{first.path} says that it is in {first.language!r}, {side.path} in "
                f"{side.language!r}; give the target language if both are right"
            )
    return speaking[0].language if speaking else None


def _testset_name(source: Path) -> str:
    """The name of the source's file, or of its folder where the file's tells nothing."""
    stem = plain_stem(source)
    tells_nothing = stem.lower().split(".")[0] in ("source", "src")
    return (tells_nothing and source.parent.resolve().name) or stem
