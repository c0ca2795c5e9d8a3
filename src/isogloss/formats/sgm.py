"""WMT SGM: one source, reference or output as a ``srcset``, ``refset`` or ``tstset``.

These files look like XML but are not: a bare ``&`` is common, tags and attributes come in either
case, and values need no quotes. So a small tokeniser looks for the tags that matter (the set,
``doc`` and ``seg``) and passes over all others and over what stands outside a ``seg``. As in
mteval and sacrebleu, white space around a segment is no part of it and a line break within it
counts as a space; a numeric reference such as ``&#10;`` stands for either where it is meant.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from isogloss.documents import Collection, TestSet
from isogloss.errors import FormatError
from isogloss.formats.files import plain_suffix, read_text
from isogloss.formats.parts import FilePart, Role, present, write_folder
from isogloss.formats.protocol import Block, Side, SideFormat

_SETS = {"srcset": Role.SOURCE, "refset": Role.REFERENCE, "tstset": Role.SYSTEM}
_ROOT = re.compile(r"<(?!mteval\b)([a-z][\w-]*)", re.I)
_STRUCTURE = r"<(?P<slash>/?)(?P<name>srcset|refset|tstset|doc|seg)(?![\w-])"
_IN_SEGMENT = re.compile(_STRUCTURE, re.I)
# A comment may hold tags, but only outside a segment: within one, "<!--" is text like any other.
_OUTSIDE = re.compile(r"<!--.*?-->|" + _STRUCTURE, re.I | re.S)
_TAG_END = re.compile(r"""((?:[^<>"']++|"[^"<]*+"|'[^'<]*+')*+)>""")
# Possessive, and not from within a word or a gap: a failed match must not be tried again from
# every character of it, which takes minutes where a file holds 100,000 blanks.
_ATTRIBUTE = re.compile(
    r"""(?<![\w:.-])([\w:.-]++)\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s"']++))"""
)
_REFERENCE = re.compile(r"&(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6}));")
_ENTITIES = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_LINE_BREAK = re.compile(r"(?<![ \t\r])[ \t\r]*+\n[ \t\r\n]*+")
_TO_ESCAPE = re.compile(r"[&<>\r\n]|\A\s++|(?<!\s)\s++\Z")
_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_NUMBER = re.compile(r"[0-9]{1,18}")
_LANGUAGE = re.compile(r"(?!any$)[a-z]{2,3}(?:[-_][a-z0-9]+)*", re.I)


def recognises(path: Path, head: str) -> bool:
    """By its name, or because its first tag opens one of the three sets."""
    if path.is_dir():
        return False
    root = _ROOT.search(head) if head.lstrip().startswith("<") else None
    by_content = root is not None and root[1].lower() in _SETS
    return by_content or plain_suffix(path) in (".sgm", ".sgml")


def read(path: Path) -> Side:
    """The segments of a set, with its documents and what it says about itself."""
    text = _Text(path, read_text(path))
    tags = text.tags()
    root = _root(text, tags)
    documents = list(_documents(text, tags, root))
    if not documents:
        raise text.wrong(f"there is no <doc> in this <{root.name}>", root)
    for tag in tags:
        raise text.wrong(f"{tag} after the end of the set", tag, "split the file: one set in each")
    name = _name(text, root, documents)
    _refuse_repeats(text, documents)
    return Side(
        path=path,
        segments=tuple(segment for document in documents for segment in document.segments),
        documents=tuple(document.block() for document in documents),
        name=name,
        language=_language(root),
        testset=root.first("setid"),
    )


@dataclass(frozen=True, slots=True)
class _Tag:
    """A tag that matters: ``<name attributes>`` or ``</name>``, and where it stands."""

    name: str
    closes: bool
    attributes: dict[str, str]
    start: int
    end: int

    def __str__(self) -> str:
        return f"</{self.name}>" if self.closes else f"<{self.name}>"

    def first(self, *names: str) -> str | None:
        """The value of the first of these attributes that has one."""
        return next((self.attributes[name] for name in names if self.attributes.get(name)), None)


@dataclass(frozen=True, slots=True)
class _Text:
    """The text of a file, which knows where its tags are and on which line each stands."""

    path: Path
    text: str

    def tags(self) -> Iterator[_Tag]:
        in_segment, position = False, 0
        # Behind the last end of a comment, each beginning of one would be followed to the end.
        comments_end = self.text.rfind("-->") + len("-->")
        while found := self._next(position, 0 if in_segment else comments_end):
            position = found.end()
            if found["name"] is None:
                continue
            rest = _TAG_END.match(self.text, position)
            if rest is None:
                raise self.wrong(f"the tag {found[0]} has no closing >", found.start())
            tag = _Tag(
                found["name"].lower(),
                bool(found["slash"]),
                _attributes(rest[1]),
                found.start(),
                rest.end(),
            )
            position = tag.end
            yield tag
            in_segment = tag.name == "seg" and not tag.closes
            if in_segment and rest[1].endswith("/"):
                in_segment = False
                yield _Tag("seg", True, {}, tag.end, tag.end)

    def _next(self, position: int, comments_end: int) -> re.Match[str] | None:
        """The next tag, or comment up to there."""
        found = _OUTSIDE.search(self.text, position, comments_end)
        return found or _IN_SEGMENT.search(self.text, position)

    def line(self, offset: int) -> int:
        return self.text.count("\n", 0, offset) + 1

    def wrong(self, what: str, tag: _Tag | int, remedy: str = "") -> FormatError:
        offset = tag if isinstance(tag, int) else tag.start
        return FormatError(what, path=self.path, line=self.line(offset), remedy=remedy)


def _attributes(text: str) -> dict[str, str]:
    return {
        found[1].lower(): _unescaped(found[2] or found[3] or found[4] or "")
        for found in _ATTRIBUTE.finditer(text)
    }


def _unescaped(text: str) -> str:
    """The text with XML's five entities and numeric references resolved, all else as it is."""
    return _REFERENCE.sub(_character, text) if "&" in text else text


def _character(reference: re.Match[str]) -> str:
    entity, decimal, hexadecimal = reference.groups()
    if entity:
        return _ENTITIES[entity]
    code = int(decimal) if decimal else int(hexadecimal, 16)
    valid = 0 < code < 0xD800 or 0xDFFF < code <= 0x10FFFF
    return chr(code) if valid else reference[0]


@dataclass(frozen=True, slots=True)
class _SgmDocument:
    """A ``doc`` with its tag and the texts of its segments."""

    tag: _Tag
    id: str
    segments: tuple[str, ...]

    def block(self) -> Block:
        return Block(self.id, len(self.segments), self.tag.first("genre"))


def _root(text: _Text, tags: Iterator[_Tag]) -> _Tag:
    """The tag that opens the set; a wrapper around it, such as ``mteval``, does not matter."""
    tag = next(tags, None)
    if tag is not None and tag.name in _SETS and not tag.closes:
        return tag
    found = _ROOT.search(text.text)
    raise text.wrong(
        f"begins with <{found[1]}>" if found else "there are no tags in it",
        found.start() if found else 0,
        "an SGM file begins with <srcset>, <refset> or <tstset>",
    )


def _documents(text: _Text, tags: Iterator[_Tag], root: _Tag) -> Iterator[_SgmDocument]:
    """The documents up to the end of the set."""
    for tag in tags:
        if tag.name in _SETS and tag.closes:
            return
        if tag.name != "doc" or tag.closes:
            raise text.wrong(f"{tag} outside of any document", tag)
        id = tag.first("docid", "id")
        if id is None:
            raise text.wrong("<doc> has no docid", tag, "give every document an id")
        segments = tuple(_segments(text, tags, tag))
        if not segments:
            raise text.wrong(f"document {id!r} has no <seg>", tag)
        yield _SgmDocument(tag, id, segments)
    raise text.wrong(f"{root} is never closed", root, "is the file complete?")


def _segments(text: _Text, tags: Iterator[_Tag], document: _Tag) -> Iterator[str]:
    """The segments up to the end of the document."""
    previous: str | None = None
    for tag in tags:
        if tag.name == "doc" and tag.closes:
            return
        if tag.name == "seg" and tag.closes:
            raise text.wrong("</seg> without a <seg> before it", tag)
        if tag.name != "seg":
            break
        id = tag.first("id")
        if previous is not None and id is not None and _out_of_order(previous, id):
            raise text.wrong(
                f"segment {id} comes after segment {previous}", tag, "put the segments in order"
            )
        previous = id
        yield _segment(text, tag, next(tags, None))
    raise text.wrong("this document has no closing </doc>", document, "is the file complete?")


def _out_of_order(previous: str, id: str) -> bool:
    # Ids that are not numbers tell nothing about order, but the same one twice is a mistake.
    numbers = _NUMBER.fullmatch(previous) and _NUMBER.fullmatch(id)
    return int(id) <= int(previous) if numbers else id == previous


def _segment(text: _Text, tag: _Tag, end: _Tag | None) -> str:
    if end is None or end.name != "seg" or not end.closes:
        raise text.wrong("this segment has no closing </seg>", tag)
    content = text.text[tag.end : end.start].strip()
    return _unescaped(_LINE_BREAK.sub(" ", content))


def _refuse_repeats(text: _Text, documents: Sequence[_SgmDocument]) -> None:
    seen: dict[str, _Tag] = {}
    for document in documents:
        if document.id in seen:
            line = text.line(seen[document.id].start)
            raise text.wrong(
                f"document {document.id!r} was already at line {line}",
                document.tag,
                "give every document an id of its own",
            )
        seen[document.id] = document.tag


def _name(text: _Text, root: _Tag, documents: Sequence[_SgmDocument]) -> str | None:
    """What the set calls itself, or else what all its documents do."""
    name = root.first("refid", "sysid")
    if name is not None:
        return name
    for document in documents:
        called = document.tag.first("sysid", "refid")
        if name is not None and called is not None and called != name:
            raise text.wrong(
                f"a document of {called!r} after those of {name!r}",
                document.tag,
                "split the file: one system or reference in each",
            )
        name = called or name
    return name


def _language(root: _Tag) -> str | None:
    language = root.first("srclang" if root.name == "srcset" else "trglang") or ""
    # Some files say "any" or spell a name ("english") where a code belongs.
    return language.replace("_", "-") if _LANGUAGE.fullmatch(language) else None


def write(collection: Collection, path: Path) -> None:
    """Write a folder with an SGM file for each side, and a manifest that names them.

    Texts come back as they were, white space included. Only the manifest knows which outputs are
    human.
    """
    testset = collection.testset
    write_folder(
        collection,
        path,
        {Role.SOURCE: "src.sgm", Role.REFERENCE: "ref.{}.sgm", Role.SYSTEM: "{}.sgm"},
        lambda file, part: _lines(file, part, testset),
    )


def _lines(path: Path, part: FilePart, testset: TestSet) -> list[str]:
    root = next(name for name, role in _SETS.items() if role is part.role)
    source, target = testset.source_language or "any", testset.target_language or "any"
    lines = [_opening(root, setid=testset.name, srclang=source, trglang=target)]
    for document in testset.documents:
        lines.append(_opening("doc", sysid=part.name, docid=document.id, genre=document.domain))
        for number, segment in enumerate(part.documents[document.id], 1):
            what = f"document {document.id!r}, segment {number}"
            text = _escaped(present(path, what, segment))
            lines.append(f'<seg id="{number}">{text}</seg>')
        lines.append("</doc>")
    return [*lines, f"</{root}>"]


def _opening(name: str, **attributes: str | None) -> str:
    values = (
        ' {}="{}"'.format(key, _escaped(value).replace('"', "&quot;"))
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{''.join(values)}>"


def _escaped(text: str) -> str:
    """The text with everything that reading would take for markup or strip as a reference."""
    return _TO_ESCAPE.sub(lambda found: "".join(map(_reference, found[0])), text)


def _reference(character: str) -> str:
    return _ESCAPES.get(character, f"&#{ord(character)};")


FORMAT = SideFormat(
    name="sgm",
    description="WMT SGM: one srcset, refset or tstset",
    recognises=recognises,
    read=lambda path, _role, _options: read(path),
    write=write,
)
