"""TMX: translation memories, a unit for each segment with its text in two or more languages.

Units know no documents, so that each is one of its own. The source language is the header's, or
the one that `source_language` or `pair` name; the target is the only other one, or the one named.
Tags within a text are no part of it, nor is code (``<ph>``, ``<bpt>``). A unit without the source
language is left out; one without the target is absent there. As a source the source is read, as a
reference or an output the target, as a whole test set both, like XLIFF.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from isogloss.documents import Collection
from isogloss.errors import FormatError
from isogloss.formats.files import plain_stem
from isogloss.formats.loose_files import Sides, of_sides
from isogloss.formats.parts import Role
from isogloss.formats.protocol import Direction, ReadOptions, Side, TestSetFormat
from isogloss.formats.safe_xml import Element, children, line_of, local, parsed, shown, text_within
from isogloss.language import primary

_OPENING = re.compile(
    r"(?>\s+|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^>]*>)*+<tmx[\s>]", re.DOTALL | re.IGNORECASE
)
_ENCLOSING = ("hi",)
_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
_ANY = "*all*"


def recognises(path: Path, head: str) -> bool:  # noqa: ARG001  (every format has both)
    """An XML file whose first element is tmx."""
    return _OPENING.match(head) is not None


@dataclass(frozen=True, slots=True)
class _Memory:
    """The units of a file, each by language, and what its header calls the source."""

    path: Path
    source: str | None
    units: Sequence[Mapping[str, str]]

    @classmethod
    def load(cls, path: Path) -> "_Memory":
        root = parsed(path)
        if local(root).lower() != "tmx":
            what = f"the first element is {shown(root)}, not <tmx>"
            raise FormatError(what, path=path, line=line_of(root))
        stated = next((header.get("srclang") for header in children(root, "header")), None)
        units = [
            _unit(path, unit) for body in children(root, "body") for unit in children(body, "tu")
        ]
        if not units:
            raise FormatError("there is no <tu>", path=path, line=line_of(root))
        return cls(path, None if stated == _ANY else stated, units)

    def direction(self, options: ReadOptions) -> Direction:
        """The languages to read, in the codes of the file."""
        source, _, target = (options.pair or "").partition("-")
        known = list(dict.fromkeys(language for unit in self.units for language in unit))
        first = self._found(options.source_language or source or self.source, known, "source")
        others = [language for language in known if language != first]
        wanted = options.target_language or target or (others[0] if len(others) == 1 else None)
        return Direction(first, self._found(wanted, others, "target"))

    def _found(self, wanted: str | None, known: Sequence[str], role: str) -> str:
        """The language of the file that is meant: by its code, or as the only one like it."""
        alike = [each for each in known if each == (wanted or "").lower()]
        alike = alike or [each for each in known if wanted and primary(each) == primary(wanted)]
        if len(alike) == 1:
            return alike[0]
        there = ", ".join(known) or "none"
        what = f"which is the {role} language? there are: {there}"
        if wanted and not alike:
            what = f"there is no {role} language {wanted!r}; there are: {there}"
        raise FormatError(what, path=self.path, lacking=(f"{role}_language",))

    def side(self, role: Role, direction: Direction) -> Side:
        source, target = direction
        units = [unit for unit in self.units if source in unit]
        chosen = source if role is Role.SOURCE else target
        return Side(
            self.path,
            tuple(unit.get(chosen or "") for unit in units),
            language=chosen,
            pair=direction if role is Role.SOURCE else None,
        )


def _unit(path: Path, element: Element) -> dict[str, str]:
    texts: dict[str, str] = {}
    for variant in children(element, "tuv"):
        language = (variant.get(_LANGUAGE) or variant.get("lang") or "").lower()
        segments = children(variant, "seg")
        if not language or language in texts or len(segments) != 1:
            what = f"a <tuv> in {language!r} with {len(segments)} <seg>"
            remedy = "a unit needs one <seg> in each of its languages"
            raise FormatError(what, path=path, line=line_of(variant), remedy=remedy)
        texts[language] = text_within(path, segments[0], _ENCLOSING)
    return texts


def read_side(path: Path, role: Role, options: ReadOptions) -> Side:
    """The texts in the source language, or what they became."""
    memory = _Memory.load(path)
    return memory.side(role, memory.direction(options))


def read(path: Path, options: ReadOptions) -> Collection:
    """The source, and the other language as a system of the file's name."""
    memory = _Memory.load(path)
    direction = memory.direction(options)
    systems = {plain_stem(path): memory.side(Role.SYSTEM, direction)}
    return of_sides(memory.side(Role.SOURCE, direction), Sides(systems=systems), options)


FORMAT = TestSetFormat(
    name="tmx",
    description="TMX: a translation memory, two languages of it",
    recognises=recognises,
    read=read,
    read_side=read_side,
)
