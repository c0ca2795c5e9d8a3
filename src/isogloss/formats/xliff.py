"""XLIFF 1.2 and 2: the files of localisers, with sources and their translations side by side.

A ``<file>`` is a document; a segment is a ``<trans-unit>`` (1.2) or a ``<segment>`` of a ``<unit>``
(2). Tags within a text are no part of it, but what they enclose is, unless it is code (``<ph>``,
``<bpt>``). As a source the sources are read, as a reference or a system's output the targets; as a
whole test set both, the targets as a system of the file's name. A missing ``<target>`` is absent,
and units with ``translate="no"`` are no segments. Units are paired by their ids, or by their order
in a file that gives some of them none, or one to several.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from isogloss.documents import Collection
from isogloss.errors import FormatError
from isogloss.formats.files import plain_stem
from isogloss.formats.loose_files import Sides, of_sides
from isogloss.formats.parts import Role
from isogloss.formats.protocol import (
    Block,
    Direction,
    ReadOptions,
    Side,
    TestSetFormat,
    chosen_direction,
)
from isogloss.formats.safe_xml import Element, children, line_of, local, parsed, shown, text_within

_OPENING = re.compile(r"(?>\s+|<\?.*?\?>|<!--.*?-->)*+<(?:[\w.-]+:)?xliff[\s>]", re.DOTALL)
_ENCLOSING = ("g", "mrk", "pc")


def recognises(path: Path, head: str) -> bool:  # noqa: ARG001  (every format has both)
    """An XML file whose first element is xliff."""
    return _OPENING.match(head) is not None


@dataclass(frozen=True, slots=True)
class _File:
    """A file element: its id, its languages, and its segments with what they became.

    `units` has the id of each segment's unit, where all have one of their own.
    """

    id: str
    direction: Direction
    segments: Sequence[tuple[str, str | None]]
    units: Sequence[str] | None


def _files(path: Path, pair: str | None) -> list[_File]:
    """The files in one direction that have segments."""
    root = parsed(path)
    if local(root) != "xliff":
        what = f"the first element is {shown(root)}, not <xliff>"
        raise FormatError(what, path=path, line=line_of(root))
    files = [_file(path, root, element) for element in children(root, "file")]
    files = [file for file in files if file.segments]
    if not files:
        raise FormatError("there is no text to translate", path=path, line=line_of(root))
    direction = chosen_direction((file.direction for file in files), pair, path)
    files = [file for file in files if file.direction == direction]
    for id, times in Counter(file.id for file in files).items():
        if times > 1:
            remedy = "give every <file> a name of its own"
            raise FormatError(f"{times} files are called {id!r}", path=path, remedy=remedy)
    return files


def _file(path: Path, root: Element, element: Element) -> _File:
    id = element.get("original") or element.get("id")
    if not id:
        what = "a <file> has neither 'original' nor 'id'"
        raise FormatError(what, path=path, line=line_of(element))
    direction = Direction(
        element.get("source-language") or root.get("srcLang") or None,
        element.get("target-language") or root.get("trgLang") or None,
    )
    units = [(unit.get("id"), _segments(unit)) for unit in _units(element)]
    segments = [_segment(path, each) for _, own in units for each in own]
    ids = [id for id, _ in units if id is not None]
    known = len(set(ids)) == len(units)
    owners = [id for id, own in units if id is not None for _ in own] if known else None
    return _File(id, direction, segments, owners)


def _units(file: Element) -> Iterator[Element]:
    """What is to be translated; proposals of others are nested deeper."""
    for element in file.iter():
        if local(element) in ("trans-unit", "unit") and element.get("translate") != "no":
            yield element


def _segments(unit: Element) -> list[Element]:
    """What holds a source and a target of its own."""
    return [unit] if local(unit) == "trans-unit" else children(unit, "segment")


def _segment(path: Path, element: Element) -> tuple[str, str | None]:
    sources, targets = children(element, "source"), children(element, "target")
    if len(sources) != 1 or len(targets) > 1:
        what = f"{len(sources)} <source> and {len(targets)} <target> in {shown(element)}"
        remedy = "one source is needed, and a target at most"
        raise FormatError(what, path=path, line=line_of(element), remedy=remedy)
    source = text_within(path, sources[0], _ENCLOSING)
    return source, text_within(path, targets[0], _ENCLOSING) if targets else None


def read_side(path: Path, role: Role, options: ReadOptions) -> Side:
    """The sources, or the targets."""
    side = _side(path, _files(path, options.pair), role)
    if all(segment is None for segment in side.segments):
        raise FormatError("there is no <target>", path=path, remedy="is this the source?")
    return side


def _side(path: Path, files: Sequence[_File], role: Role) -> Side:
    direction = files[0].direction
    is_source = role is Role.SOURCE
    units = [unit for file in files for unit in file.units or ()]
    return Side(
        path,
        tuple(pair[0] if is_source else pair[1] for file in files for pair in file.segments),
        tuple(Block(file.id, len(file.segments)) for file in files),
        language=direction.source if is_source else direction.target,
        pair=direction if is_source else None,
        units=None if any(file.units is None for file in files) else tuple(units),
    )


def read(path: Path, options: ReadOptions) -> Collection:
    """The sources, and the targets as a system of the file's name where there are any."""
    files = _files(path, options.pair)
    targets = _side(path, files, Role.SYSTEM)
    translated = any(segment is not None for segment in targets.segments)
    systems = {plain_stem(path): targets} if translated else {}
    return of_sides(_side(path, files, Role.SOURCE), Sides(systems=systems), options)


FORMAT = TestSetFormat(
    name="xliff",
    description="XLIFF 1.2 or 2: sources, and translations of one system",
    recognises=recognises,
    read=read,
    read_side=read_side,
)
