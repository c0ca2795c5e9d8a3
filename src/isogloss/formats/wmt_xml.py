"""WMT XML of 2021 and later: documents with their source, references and systems in one file.

``<dataset id><collection id><doc id origlang domain>``, then one ``<src lang>`` and any number of
``<ref lang translator>`` and ``<hyp lang system>``, each with ``<p><seg id>text</seg></p>``. Like
WMT's own tools this reads a segment's text as it stands, white space included. Unlike them it
holds that all versions of a document have the segments of its source, by their ids and in its
order. A test suite's name stands in for a domain, so that its documents can be told apart.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lxml import etree

from isogloss.documents import Collection, Document, Segments, SystemOutput, with_absent_documents
from isogloss.errors import FormatError
from isogloss.formats.columns import UNNAMED_REFERENCE
from isogloss.formats.files import plain_stem, write_text
from isogloss.formats.protocol import (
    Direction,
    ReadOptions,
    TestSetFormat,
    chosen_direction,
    named_testset,
)
from isogloss.formats.rows import refuse_unwritable
from isogloss.formats.safe_xml import Element, line_of, parsed, shown

# Atomic, because a failed match would otherwise try every way to tell comments apart.
_OPENING = re.compile(r"(?>\s+|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^>]*>)*+<dataset[\s>]", re.DOTALL)
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_VERSIONS = ("ref", "hyp")
_LET_ALONE = ("supplemental",)  # context that some test sets add for the translator


def recognises(path: Path, head: str) -> bool:  # noqa: ARG001  (every format has both)
    """An XML file whose first element is a dataset."""
    return _OPENING.match(head) is not None


# --- reading -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Doc:
    """A doc element: its source and its other versions (references and outputs)."""

    path: Path
    element: Element
    source: Element
    versions: Sequence[Element]

    @property
    def id(self) -> str:
        return self.element.get("id", "")

    @property
    def domain(self) -> str | None:
        return self.element.get("domain") or self.element.get("testsuite") or None

    def directions(self) -> list[Direction]:
        source = _language(self.source)
        targets = dict.fromkeys(map(_language, self.versions)) or {None: None}
        return [Direction(source, target) for target in targets]

    def is_in(self, direction: Direction) -> bool:
        fitting = (direction, Direction(direction.source, None))
        return any(each in fitting for each in self.directions())

    def fault(self, what: str, element: Element, remedy: str = "") -> FormatError:
        what = f"document {self.id!r}: {what}"
        return FormatError(what, path=self.path, line=line_of(element), remedy=remedy)


def _language(element: Element) -> str | None:
    # WMT's own wmt-wrap wrote "language" for some time, where it should have been "lang".
    return element.get("lang") or element.get("language") or None


def read(path: Path, options: ReadOptions) -> Collection:
    """A test set with its systems."""
    dataset = _dataset(path)
    docs = [_doc(path, element) for element in dataset.iter("doc")]
    if not docs:
        raise FormatError("there is no document", path=path, line=line_of(dataset))
    direction = chosen_direction(_directions(docs), options.pair, path)
    docs = [doc for doc in docs if doc.is_in(direction)]
    _refuse_repeats(docs)
    documents: list[Document] = []
    outputs: dict[str, dict[str, Segments]] = {}
    for doc in docs:
        document, translations = _translated(doc, direction)
        documents.append(document)
        for system, segments in translations.items():
            known = outputs.setdefault(system, {})
            if segments is not None:
                known[doc.id] = segments
    if not options.allow_missing:
        _refuse_missing(docs, outputs)
    name = dataset.get("id") or plain_stem(path)
    testset = named_testset(documents, name, direction, options)
    systems = (SystemOutput(name, segments) for name, segments in outputs.items())
    return Collection(testset, tuple(with_absent_documents(testset, it) for it in systems))


def _dataset(path: Path) -> Element:
    root = parsed(path)
    if root.tag != "dataset":
        what = f"the first element is {shown(root)}, not <dataset>"
        raise FormatError(what, path=path, line=line_of(root))
    return root


def _doc(path: Path, element: Element) -> _Doc:
    sources = element.findall("src")
    doc = _Doc(path, element, sources[0] if sources else element, _versions(element))
    if not doc.id:
        raise FormatError("a document without an id", path=path, line=line_of(element))
    if len(sources) != 1:
        raise doc.fault(f"{len(sources)} <src>, one is needed", element)
    for child in element:
        if child.tag not in ("src", *_VERSIONS, *_LET_ALONE):
            raise doc.fault(f"unexpected {shown(child)}", child)
    return doc


def _versions(element: Element) -> list[Element]:
    return [child for child in element if child.tag in _VERSIONS]


def _directions(docs: Iterable[_Doc]) -> list[Direction]:
    """All directions; one that leaves its target open is none of its own beside another."""
    found = dict.fromkeys(direction for doc in docs for direction in doc.directions())
    full = {direction.source for direction in found if direction.target is not None}
    return [each for each in found if each.target is not None or each.source not in full]


def _refuse_repeats(docs: Iterable[_Doc]) -> None:
    lines: dict[str, int | None] = {}
    for doc in docs:
        if doc.id in lines:
            raise doc.fault(f"is already on line {lines[doc.id]}", doc.element)
        lines[doc.id] = line_of(doc.element)


def _refuse_missing(docs: Iterable[_Doc], outputs: Mapping[str, Mapping[str, Segments]]) -> None:
    remedy = "if that is intended, allow missing documents"
    for doc in docs:
        for system, segments in outputs.items():
            if doc.id not in segments:
                raise doc.fault(f"system {system!r} has no translation", doc.element, remedy)


def _translated(doc: _Doc, direction: Direction) -> tuple[Document, dict[str, Segments | None]]:
    """The document and what each system made of it; `None` where that is nothing at all."""
    source = {id: seg.text or "" for id, seg in _segments(doc, doc.source, "the source").items()}
    if not source:
        raise doc.fault("the source has no segments", doc.source)
    found: dict[str, dict[str, Segments | None]] = {kind: {} for kind in _VERSIONS}
    for version in doc.versions:
        if _language(version) not in (None, direction.target):
            continue
        name, called = _name(doc, version)
        if name in found[str(version.tag)]:
            raise doc.fault(f"{called} appears twice", version, "give each its own name")
        found[str(version.tag)][name] = _matched(doc, version, called, source)
    absent: Segments = (None,) * len(source)
    references = {name: segments or absent for name, segments in found["ref"].items()}
    return Document(doc.id, tuple(source.values()), references, doc.domain), found["hyp"]


def _name(doc: _Doc, version: Element) -> tuple[str, str]:
    """The name of a reference or system, and what to call it in a message."""
    if version.tag == "ref":
        name = version.get("translator") or UNNAMED_REFERENCE
        return name, f"reference {name!r}"
    name = version.get("system", "")
    if not name:
        raise doc.fault("a <hyp> does not name its system", version)
    return name, f"system {name!r}"


def _matched(doc: _Doc, version: Element, called: str, ids: Mapping[str, str]) -> Segments | None:
    """The texts of a version in the order of the source, or `None` if it has no segment."""
    segments = _segments(doc, version, called)
    for id, seg in segments.items():
        if id not in ids:
            raise doc.fault(f"{called} has segment {id!r}, the source has not", seg)
    for id in ids if segments else ():
        if id not in segments:
            raise doc.fault(f"{called} lacks segment {id!r}", version)
    return tuple(segments[id].text or "" for id in ids) if segments else None


def _segments(doc: _Doc, version: Element, called: str) -> dict[str, Element]:
    segments: dict[str, Element] = {}
    for element in version.iter():
        if element.tag == "seg":
            id = element.get("id", "")
            if not id or id in segments:
                what = f"segment {id!r} twice" if id else "a segment without an id"
                raise doc.fault(f"{called} has {what}", element)
            segments[id] = element
        elif element is not version and element.tag != "p":
            raise doc.fault(f"{called} has unexpected {shown(element)}", element)
        elif (element.text or "").strip() or any((child.tail or "").strip() for child in element):
            raise doc.fault(f"{called} has text outside its segments", element)
    return segments


# --- writing -------------------------------------------------------------------------------------


def write(collection: Collection, path: Path) -> None:
    """Write all documents; one that a reference or system lacks is there without segments."""
    testset = collection.testset
    refuse_unwritable(collection, path, _fault, "jsonl can hold it")
    if reason := _fault(testset.name):
        raise FormatError(f"the test set's name {reason}", path=path, remedy="rename it")
    dataset = etree.Element("dataset", id=testset.name)
    for document in testset.documents:
        doc = etree.SubElement(dataset, "doc", id=document.id)
        # Readers break without origlang (the language in which a document was first written);
        # a document does not keep it, so the language of the source stands in.
        _set(doc, origlang=testset.source_language, domain=document.domain)
        source = etree.SubElement(doc, "src")
        _set(source, lang=testset.source_language)
        _fill(source, document.source)
        for called, element, segments in _written(doc, document, collection):
            _set(element, lang=testset.target_language)
            _refuse_holes(path, f"{called}: document {document.id!r}", segments)
            _fill(element, segments)
    body = etree.tostring(dataset, encoding="unicode", pretty_print=True)
    write_text(path, f"<?xml version='1.0' encoding='utf-8'?>\n{body}")


def _written(
    doc: Element, document: Document, collection: Collection
) -> Iterator[tuple[str, Element, Segments]]:
    for name, segments in document.references.items():
        yield f"reference {name!r}", etree.SubElement(doc, "ref", translator=name), segments
    for output in collection.outputs:
        hyp = etree.SubElement(doc, "hyp", system=output.name)
        yield f"system {output.name!r}", hyp, output.documents[document.id]


def _set(element: Element, **attributes: str | None) -> None:
    for name, value in attributes.items():
        if value is not None:
            element.set(name, value)


def _fill(element: Element, segments: Segments) -> None:
    paragraph = etree.SubElement(element, "p")
    for number, text in enumerate(segments, 1):
        if text is not None:
            etree.SubElement(paragraph, "seg", id=str(number)).text = text


def _refuse_holes(path: Path, called: str, segments: Segments) -> None:
    holes = [number for number, text in enumerate(segments, 1) if text is None]
    if holes and len(holes) < len(segments):
        raise FormatError(
            f"{called}, segment {holes[0]} is absent, while others are not",
            path=path,
            remedy="jsonl and tsv can hold that",
        )


def _fault(text: str) -> str | None:
    found = _NOT_XML.search(text)
    return f"holds {found.group()!r}, which XML cannot" if found else None


FORMAT = TestSetFormat(
    name="wmt-xml",
    description="WMT XML (2021 on) with references and systems",
    recognises=recognises,
    read=read,
    write=write,
)
