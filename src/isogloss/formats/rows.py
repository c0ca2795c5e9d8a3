"""Rows with named cells, as TSV and JSON lines hold them, to test sets and back.

Two shapes are read. *Wide* is one row per segment, with a column ``system:NAME`` for every
system; it is also what is written. *Long* is one row per segment and system, which the columns
``system`` and ``output`` hold. In both, ``reference:NAME`` (or plain ``reference``) are the
references, ``doc`` and ``segment`` say where the row belongs, and unknown columns are let alone.
Without ``doc`` every segment is a document of its own. Without ``segment`` the rows of a document
are in order; with it, numbers give the order, and other ids stand in the order they come in.

Where there is no ``segment``, every document has one row and a source holds line breaks, rows are
whole documents: the paragraphs of the source are its segments, and other texts wait to be cut.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from isogloss.documents import Collection, Document, Segments, SystemOutput, lone_document_ids
from isogloss.errors import FormatError
from isogloss.formats.columns import Roles, Row, Table, roles_in
from isogloss.formats.files import plain_stem
from isogloss.formats.loose_files import Sides, of_sides
from isogloss.formats.paragraphs import in_paragraphs
from isogloss.formats.protocol import (
    Direction,
    ReadOptions,
    Side,
    chosen_direction,
    named_testset,
)

# --- reading -------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Segment:
    """What all rows say about one segment, each word of it with the line that gave it."""

    line: int
    facts: dict[str, tuple[str, int]] = field(default_factory=dict)
    outputs: dict[str, tuple[str | None, int]] = field(default_factory=dict)


@dataclass(slots=True)
class _Block:
    """One document's segments by id; `resumed` is the line where it went on after another one."""

    segments: dict[str, _Segment] = field(default_factory=dict)
    resumed: int | None = None

    def numbered(self) -> bool:
        return all(map(_is_number, self.segments))

    def in_order(self) -> list[tuple[str, _Segment]]:
        if self.numbered():
            return sorted(self.segments.items(), key=lambda item: int(item[0]))
        return list(self.segments.items())


Placed = Mapping[str, Sequence[tuple[str, _Segment]]]
"""Document id to its segments in order, each with its own id."""


def _is_number(id: str) -> bool:
    return re.fullmatch("[0-9]{1,18}", id) is not None


def to_collection(table: Table, options: ReadOptions) -> Collection:
    """The test set and the systems that a table holds."""
    if not table.rows:
        raise table.fault("there are no rows below the header", 1)
    roles = roles_in(table, options.columns)
    directions = [roles.direction(row) for row in table.rows]
    direction = chosen_direction(directions, options.pair, table.path)
    rows = [row for row, its in zip(table.rows, directions, strict=True) if its == direction]
    placed = _placed(roles, _gathered(roles, rows))
    if _whole_documents(roles, placed):
        return _of_whole_documents(roles, placed, direction, options)
    documents = [_document(roles, id, segments) for id, segments in placed.items()]
    testset = named_testset(documents, plain_stem(table.path), direction, options)
    return Collection(testset, _outputs(roles, placed, options.allow_missing))


def _whole_documents(roles: Roles, placed: Placed) -> bool:
    if "doc" not in roles.columns or "segment" in roles.columns:
        return False
    sources = [row.facts.get("source", ("", 0))[0] for rows in placed.values() for _, row in rows]
    return len(sources) == len(placed) and any("\n" in source for source in sources)


def _of_whole_documents(
    roles: Roles, placed: Placed, direction: Direction, options: ReadOptions
) -> Collection:
    documents = [_document(roles, id, segments) for id, segments in placed.items()]
    stated = (options.pair and direction.within(options.pair)) or direction
    path, target = roles.table.path, stated.target
    references = (
        replace(_whole_side(path, {d.id: d.references[n] for d in documents}, target), name=n)
        for n in roles.names("reference")
    )
    source = Side.of_texts(
        path,
        {document.id: in_paragraphs(document.source[0]) for document in documents},
        {document.id: document.domain for document in documents},
    )
    source = replace(source, language=stated.source, pair=stated, references=tuple(references))
    systems = {
        output.name: _whole_side(path, output.documents, target)
        for output in _outputs(roles, placed, options.allow_missing)
    }
    # A text that is null is one that the table itself calls absent.
    return of_sides(source, Sides(systems=systems), replace(options, allow_missing=True))


def _whole_side(path: Path, rows: Mapping[str, Segments], language: str | None) -> Side:
    """What one column made of the documents, a row of one text for each."""
    texts = {id: in_paragraphs(text) for id, (text,) in rows.items() if text is not None}
    return replace(Side.of_texts(path, texts), language=language)


def _gathered(roles: Roles, rows: Iterable[Row]) -> dict[str, _Block]:
    """The rows by document and segment; without a doc column all are in one block."""
    blocks: dict[str, _Block] = {}
    counts: Counter[tuple[str, str]] = Counter()
    previous = None
    for row in rows:
        document = roles.label(row, "doc") if "doc" in roles.columns else ""
        system = roles.label(row, "system") if roles.long else ""
        block = blocks.setdefault(document, _Block())
        if previous is not block and block.segments and block.resumed is None:
            block.resumed = row.line
        previous = block
        counts[document, system] += 1
        id = _segment_id(roles, row) or str(counts[document, system])
        segment = block.segments.setdefault(id, _Segment(row.line))
        _add(roles, row, segment, _called(document, id))
    return blocks


def _segment_id(roles: Roles, row: Row) -> str | None:
    if "segment" not in roles.columns:
        return None
    id = roles.label(row, "segment")
    return str(int(id)) if _is_number(id) else id


def _called(document: str, id: str) -> str:
    return f"document {document!r}, segment {id}" if document else f"segment {id}"


def _add(roles: Roles, row: Row, segment: _Segment, called: str) -> None:
    """Add what one row says to what is known of its segment."""
    if not roles.long and segment.line != row.line:
        raise roles.table.fault(f"{called} is already on line {segment.line}", row.line)
    references = (f"reference:{name}" for name in roles.names("reference"))
    for role in ("source", "domain", *references):
        text = roles.text(row, role)
        if text is None:
            continue
        known, line = segment.facts.setdefault(role, (text, row.line))
        if known != text:
            what = f"the {role} of {called} is not the same as on line {line}"
            raise roles.table.fault(what, row.line)
    for name, text in _outputs_in(roles, row).items():
        if name in segment.outputs:
            what = f"system {name!r} has {called} already on line {segment.outputs[name][1]}"
            raise roles.table.fault(what, row.line)
        segment.outputs[name] = (text, row.line)


def _outputs_in(roles: Roles, row: Row) -> dict[str, str | None]:
    """What the row says each system wrote; a system that it does not mention is not there."""
    if not roles.long:
        named = ((name, f"system:{name}") for name in roles.names("system"))
        return {name: roles.text(row, role) for name, role in named if roles.has(row, role)}
    system = roles.label(row, "system")
    if not roles.has(row, "output"):
        raise roles.table.fault(f"system {system!r} has no output here", row.line)
    return {system: roles.text(row, "output")}


def _placed(roles: Roles, blocks: Mapping[str, _Block]) -> Placed:
    if "doc" not in roles.columns:
        segments = blocks[""].in_order()
        return {id: [it] for id, it in zip(lone_document_ids(len(segments)), segments, strict=True)}
    for document, block in blocks.items():
        ordered = "segment" in roles.columns and block.numbered()
        if block.resumed is not None and not roles.long and not ordered:
            raise roles.table.fault(
                f"document {document!r} goes on here after another document",
                block.resumed,
                "keep its rows together, or number them in a column 'segment'",
            )
    return {document: block.in_order() for document, block in blocks.items()}


def _document(roles: Roles, id: str, segments: Sequence[tuple[str, _Segment]]) -> Document:
    for segment_id, segment in segments:
        if "source" not in segment.facts:
            raise roles.table.fault(f"{_called(id, segment_id)} has no source", segment.line)
    return Document(
        id,
        tuple(segment.facts["source"][0] for _, segment in segments),
        {name: _reference(name, segments) for name in roles.names("reference")},
        _domain(roles, id, segments),
    )


def _reference(name: str, segments: Iterable[tuple[str, _Segment]]) -> Segments:
    facts = (segment.facts.get(f"reference:{name}") for _, segment in segments)
    return tuple(None if fact is None else fact[0] for fact in facts)


def _domain(roles: Roles, id: str, segments: Iterable[tuple[str, _Segment]]) -> str | None:
    stated = [segment.facts["domain"] for _, segment in segments if "domain" in segment.facts]
    for domain, line in stated:
        first, first_line = stated[0]
        if domain != first:
            what = f"document {id!r} has domain {domain!r}, but {first!r} on line {first_line}"
            raise roles.table.fault(what, line)
    return stated[0][0] or None if stated else None


def _outputs(roles: Roles, placed: Placed, allow_missing: bool) -> tuple[SystemOutput, ...]:
    mentioned = (
        name for each in placed.values() for _, segment in each for name in segment.outputs
    )
    names = dict.fromkeys([*roles.names("system"), *mentioned])
    if not allow_missing:
        _refuse_missing(roles, placed, names)
    return tuple(
        SystemOutput(name, {id: _output(name, segments) for id, segments in placed.items()})
        for name in names
    )


def _output(name: str, segments: Iterable[tuple[str, _Segment]]) -> Segments:
    outputs = (segment.outputs.get(name) for _, segment in segments)
    return tuple(None if output is None else output[0] for output in outputs)


def _refuse_missing(roles: Roles, placed: Placed, names: Iterable[str]) -> None:
    for document, segments in placed.items():
        for id, segment in segments:
            for name in names:
                if name not in segment.outputs:
                    raise roles.table.fault(
                        f"system {name!r} lacks {_called(document, id)}",
                        segment.line,
                        "if that is intended, allow missing documents",
                    )


# --- writing -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class WideRow:
    """One segment as it is written: everything in one row.

    `about` holds domain and languages, of those that are stated anywhere in the test set.
    """

    document: Document
    number: int
    about: Mapping[str, str | None]
    systems: Mapping[str, str | None]

    @property
    def source(self) -> str:
        return self.document.source[self.number - 1]

    @property
    def references(self) -> dict[str, str | None]:
        each = self.document.references.items()
        return {name: segments[self.number - 1] for name, segments in each}


def wide_rows(collection: Collection) -> Iterator[WideRow]:
    """The segments of all documents, in order, with what each system made of them."""
    testset = collection.testset
    languages = {
        "source_language": testset.source_language,
        "target_language": testset.target_language,
    }
    about = {name: language for name, language in languages.items() if language is not None}
    with_domain = any(document.domain is not None for document in testset.documents)
    for document in testset.documents:
        domain = {"domain": document.domain} if with_domain else {}
        outputs = {output.name: output.documents[document.id] for output in collection.outputs}
        for index in range(len(document)):
            systems = {name: segments[index] for name, segments in outputs.items()}
            yield WideRow(document, index + 1, {**domain, **about}, systems)


def refuse_unwritable(
    collection: Collection, path: Path, fault: Callable[[str], str | None], remedy: str
) -> None:
    """Raise an error for the first text or name that could not be read back from `path`.

    `fault` says what the format has against a text, if anything. A human output is refused
    because the reader would take it for a machine's; an empty name because it would be none.
    """
    for output in collection.outputs:
        if output.human:
            what = f"system {output.name!r} is human, which this format cannot say"
            raise FormatError(what, path=path, remedy="leave it out or make it a reference")
    for what, name in _names(collection):
        reason = fault(name) if name else "is empty"
        if reason:
            raise FormatError(f"{what} {reason}", path=path, remedy=remedy if name else "name it")
    for what, text in _texts(collection):
        if reason := fault(text):
            raise FormatError(f"{what} {reason}", path=path, remedy=remedy)


def _names(collection: Collection) -> Iterator[tuple[str, str]]:
    testset = collection.testset
    languages = {"source": testset.source_language, "target": testset.target_language}
    for side, language in languages.items():
        if language is not None:
            yield f"the {side} language", language
    for document in testset.documents:
        yield f"the id of document {document.id!r}", document.id
        if document.domain is not None:
            yield f"the domain of document {document.id!r}", document.domain
    for name in testset.reference_names:
        yield f"the name of reference {name!r}", name
    for name in collection.system_names:
        yield f"the name of system {name!r}", name


def _texts(collection: Collection) -> Iterator[tuple[str, str]]:
    for row in wide_rows(collection):
        sides = {"source": row.source}
        sides |= {f"reference {name!r}": text for name, text in row.references.items() if text}
        sides |= {f"system {name!r}": text for name, text in row.systems.items() if text}
        for side, text in sides.items():
            yield f"{side}: document {row.document.id!r}, segment {row.number}", text


def has_lone_surrogate(text: str) -> bool:
    """Whether the text holds half a character, which no UTF-8 file can."""
    return re.search("[\ud800-\udfff]", text) is not None
