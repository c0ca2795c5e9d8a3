"""From loose files to a collection: a source, references and outputs with a file each.

A side that knows its documents is matched by their ids, any other by the order of its lines. What
has other segments than the source waits in the collection as `Unsplit`, where it is clear which
document each of its texts belongs to.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import cast

from isogloss.documents import (
    Collection,
    Document,
    Segments,
    SystemOutput,
    TestSet,
    Unsplit,
    counted,
    lone_document_ids,
    with_absent_documents,
)
from isogloss.errors import InputError, MismatchError
from isogloss.formats.files import plain_stem
from isogloss.formats.parts import Role
from isogloss.formats.protocol import Block, Direction, ReadOptions, ReadsSide, Side, sliced
from isogloss.formats.text import read_documents
from isogloss.formats.units import in_order
from isogloss.language import primary
from isogloss.wholes import Cut, Place, WholeText

# By name where the person gave one; a bare path is named by what the file calls itself.
Files = Mapping[str, Path] | Sequence[Path | tuple[str, Path]]


def assembled(
    read: ReadsSide,
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
    sides = Sides.read(read, references, systems, options)
    if source is not None:
        pair = options.pair or sides.pair()
        options = replace(options, pair=pair and str(pair))
        return of_sides(read(Path(source), Role.SOURCE, options), sides, options, documents)
    # The others need not have a source, as long as they fit together.
    lead = sides.first()
    blank = replace(lead, segments=("",) * len(lead.segments), language=None, texts=None)
    made = of_sides(blank, sides, options, documents)
    return replace(made, testset=replace(made.testset, has_source=False))


def with_sides(
    read: ReadsSide,
    collection: Collection,
    references: Files = (),
    systems: Files = (),
    options: ReadOptions | None = None,
) -> Collection:
    """The collection with more references and systems, each of them known to fit."""
    blocks = tuple(Block(d.id, len(d), d.domain) for d in collection.testset.documents)
    options = options or ReadOptions()
    frame = _Frame("the test set", blocks, True, options.allow_missing)
    return _completed(collection, frame, Sides.read(read, references, systems, options))


def of_sides(
    source: Side, sides: "Sides", options: ReadOptions, documents: Path | None = None
) -> Collection:
    """The collection of a source with the references and systems that were read beside it."""
    frame = _frame(source, documents, options)
    testset = TestSet(
        options.name or source.testset or _testset_name(source.path),
        options.source_language or source.language,
        options.target_language,
        _documents(source, frame),
    )
    # A file that brings references along says itself which documents they have.
    own = Sides({_name(side): side for side in source.references})
    collection = _completed(Collection(testset), replace(frame, allow_missing=True), own)
    collection = _completed(collection, frame, sides)
    if collection.testset.target_language or source.pair is None:
        return collection
    target = primary(source.pair.target)
    return replace(collection, testset=replace(collection.testset, target_language=target))


@dataclass(frozen=True, slots=True)
class Sides:
    """References and systems by name, as they were read."""

    references: Mapping[str, Side] = field(default_factory=dict)
    systems: Mapping[str, Side] = field(default_factory=dict)

    @classmethod
    def read(
        cls, read: ReadsSide, references: Files, systems: Files, options: ReadOptions
    ) -> "Sides":
        """What these files hold."""
        named: dict[Role, dict[str, Side]] = {Role.REFERENCE: {}, Role.SYSTEM: {}}
        for role, files in ((Role.REFERENCE, references), (Role.SYSTEM, systems)):
            for given, path in _pairs(files):
                side = read(path, role, options)
                name = given or _name(side)
                _refuse_taken(name, side, role, named[role])
                named[role][name] = side
        return cls(named[Role.REFERENCE], named[Role.SYSTEM])

    def all(self) -> list[Side]:
        return [*self.references.values(), *self.systems.values()]

    def first(self) -> Side:
        """The one that all others must fit where there is no source."""
        if not self.all():
            raise InputError("there are no files to read")
        return self.all()[0]

    def pair(self) -> Direction | None:
        """The language pair of which those are that name one."""
        naming = [side for side in self.all() if side.pair is not None]
        for side in naming[1:]:
            if side.pair != naming[0].pair:
                raise MismatchError(
                    f"{naming[0].path} is of {naming[0].pair}, {side.path} of {side.pair}; "
                    "take one language pair at a time"
                )
        return naming[0].pair if naming else None

    def refuse_those_of(self, collection: Collection) -> None:
        """An error for the first of them whose name the collection has already."""
        for name, side in self.references.items():
            taken = dict.fromkeys(collection.all_reference_names)
            _refuse_taken(name, side, Role.REFERENCE, taken)
        for name, side in self.systems.items():
            _refuse_taken(name, side, Role.SYSTEM, dict.fromkeys(collection.all_system_names))


def _name(side: Side) -> str:
    return side.name or plain_stem(side.path)


def _refuse_taken(name: str, side: Side, role: Role, others: Mapping[str, Side | None]) -> None:
    if name in others:
        known = others[name]
        other = known.path if known else "one that the test set has"
        raise InputError(
            f"{side.path} would be a second {role.value} {name!r}, after {other}; "
            "give it another name: NAME=PATH"
        )


@dataclass(frozen=True, slots=True)
class _Fitted:
    """A side by document: the source's segments, or `texts` that wait to be cut into them.

    `cuts` tell where segments stand in documents that were handed in whole.
    """

    segments: Mapping[str, Segments] = field(default_factory=dict)
    cuts: Mapping[str, Cut] = field(default_factory=dict)
    texts: Mapping[str, WholeText | None] | None = None


@dataclass(frozen=True, slots=True)
class _Frame:
    """The documents into which every side must fit; `owner` is who has them, for messages.

    Their boundaries are not `known` where each line had to be taken for a document.
    """

    owner: str
    blocks: tuple[Block, ...]
    known: bool
    allow_missing: bool
    times: tuple[Place, ...] | None = None
    units: tuple[str, ...] | None = None

    def fitted(self, side: Side) -> _Fitted:
        """A side by document, once it is known which text belongs to which."""
        if side.documents is None:
            return self._fitted_by_order(side)
        if not self.known:
            raise MismatchError(
                f"{side.path} has documents, but {self.owner} does not tell which lines are whose; "
                "give a documents file, or a source that knows its documents"
            )
        self._check_ids(side)
        return self._fitted_by_id(side)

    def _fitted_by_order(self, side: Side) -> _Fitted:
        needed = sum(block.segments for block in self.blocks)
        if len(side.segments) == needed:
            return _Fitted(sliced(side.segments, self.blocks))
        if self.known and len(self.blocks) == 1:
            return _Fitted(texts={self.blocks[0].id: WholeText.of_present(side.segments)})
        raise MismatchError(
            f"{side.path} has {counted(len(side.segments), 'line')}, {self.owner} has "
            f"{needed:,}; every file needs one line per source segment, or documents that can be "
            "told apart (by ids, or by blank lines in all files)"
            + ("" if self.known else "; or realign them, all lines as one document"),
            lacking=() if self.known else ["blank_lines", "realign"],
        )

    def _check_ids(self, side: Side) -> None:
        theirs = {block.id for block in side.documents or ()}
        ids = {block.id for block in self.blocks}
        for block in side.documents or ():
            if block.id not in ids:
                raise MismatchError(f"{side.path}: document {block.id!r} is not in {self.owner}")
        for block in self.blocks:
            if block.id not in theirs and not self.allow_missing:
                raise MismatchError(
                    f"{side.path}: document {block.id!r} is missing, {self.owner} has it; "
                    "if that is intended, allow missing documents",
                    lacking=["allow_missing"],
                )

    def _fitted_by_id(self, side: Side) -> _Fitted:
        segments, wholes = self._segments(side), side.texts or {}
        needed = {block.id: block.segments for block in self.blocks}
        same = all(len(theirs) == needed[id] for id, theirs in segments.items())
        if same and not side.in_step_with(self.times):
            # As one part, since as many parts as the source has would be taken for its segments.
            texts = {id: _joined(theirs) for id, theirs in segments.items()}
            return _Fitted(texts=texts)
        if same:
            return _Fitted(segments, {id: Cut.at_parts(whole) for id, whole in wholes.items()})
        texts = {
            id: wholes.get(id) or WholeText.of_present(theirs) for id, theirs in segments.items()
        }
        return _Fitted(texts={id: texts.get(id) for id in needed})

    def _segments(self, side: Side) -> dict[str, Segments]:
        """A side's segments by document, in the order of the units where both sides tell them."""
        segments = side.by_document()
        if self.units is None or side.units is None:
            return segments
        wanted = sliced(self.units, self.blocks)
        return {
            id: in_order(
                segments[id],
                units,
                wanted[id],
                document=f"{side.path}: document {id!r}",
                owner=self.owner,
                allow_missing=self.allow_missing,
            )
            for id, units in sliced(side.units, side.documents or ()).items()
        }


def _joined(segments: Segments) -> WholeText | None:
    whole = WholeText.of_present(segments)
    return whole and WholeText(whole.text, ((0, len(whole.text)),))


def _frame(source: Side, documents: Path | None, options: ReadOptions) -> _Frame:
    blocks: tuple[Block, ...] = tuple(source.documents or ())
    if documents is not None:
        told = read_documents(Path(documents), len(source.segments), source.path)
        blocks = _agreed(told, blocks, documents, source.path) if blocks else told
    if not blocks and options.realign:
        blocks = (Block(_name(source), len(source.segments)),)
    known = bool(blocks)
    if not known:
        # Without boundaries nothing may be assumed to be context: one document of all lines would
        # let document-level metrics and resampling treat unrelated sentences as a text.
        blocks = tuple(Block(id, 1) for id in lone_document_ids(len(source.segments)))
    return _Frame(
        str(source.path), blocks, known, options.allow_missing, source.times, source.units
    )


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
    # No format leaves out a segment of the source or a label, so none of these is None.
    texts = cast(dict[str, tuple[str, ...]], sliced(source.segments, frame.blocks))
    labels = cast(dict[str, tuple[str, ...]], sliced(source.labels or (), frame.blocks))
    return tuple(
        Document(block.id, texts[block.id], {}, block.domain, labels[block.id] or None)
        for block in frame.blocks
    )


def _completed(collection: Collection, frame: _Frame, sides: Sides) -> Collection:
    """The collection with these sides added to those that it has."""
    sides.refuse_those_of(collection)
    references = {name: frame.fitted(side) for name, side in sides.references.items()}
    systems = {name: frame.fitted(side) for name, side in sides.systems.items()}
    testset = collection.testset
    testset = replace(
        testset,
        target_language=testset.target_language or _common_language(sides.all()),
        documents=_with_references(
            testset.documents, {n: f.segments for n, f in references.items() if f.texts is None}
        ),
    )
    outputs = [
        SystemOutput(name, fitted.segments, cuts=fitted.cuts)
        for name, fitted in systems.items()
        if fitted.texts is None
    ]
    if frame.allow_missing:
        outputs = [with_absent_documents(testset, output) for output in outputs]
    waiting = *_waiting(references, reference=True), *_waiting(systems, reference=False)
    return Collection(testset, (*collection.outputs, *outputs), (*collection.unsplit, *waiting))


def _waiting(sides: Mapping[str, _Fitted], *, reference: bool) -> Iterator[Unsplit]:
    for name, fitted in sides.items():
        if fitted.texts is not None:
            yield Unsplit(name, fitted.texts, reference)


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
    """The name of the source's file, or of its folder where that tells more."""
    stem, folder = plain_stem(source), source.parent.resolve().name
    tells_nothing = stem.lower().split(".")[0] in ("source", "src")
    return folder if tells_nothing and len(folder) > 1 else stem
