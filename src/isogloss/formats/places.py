"""The place in a test set that a line of somebody's annotation file speaks of.

Annotation files name systems, documents and segments in their own way: ``ref-A`` or ``Human-A.0``
for reference ``A``, ``news_bbc.1:English-German`` for document ``bbc.1``, segments counted within
the document, over the whole test set or over what was annotated. What they say is taken as a hint
and checked against the source text, so that no judgement lands on another segment.

JSON records of annotation files, one a line or in an array, and where each of them stands.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from typing import Any

from isogloss.documents import Collection, Document, Segments, TestSet
from isogloss.errors import FormatError
from isogloss.formats.files import read_lines
from isogloss.judgements import Judgements
from isogloss.notation import json_value
from isogloss.spans import Span, output_side, reference_side

# "ref", "refA", "ref-A", "ref:r1", "Human-A.0", but not "refined-mt".
_HUMAN = re.compile(
    r"(?:human|reference|ref)(?:[-_.: ](?P<name>.+?)|(?P<letter>[a-z0-9]))?(?:\.0)?", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class PlaceReading:
    """What a file of annotations held.

    `marked` errors have a place in a text, `unplaced` of them in a text that is not the test
    set's (or not known), so that they have lost it. `left_out` counts what judges no translation
    of the test set.
    """

    judgements: Judgements
    marked: int
    unplaced: int
    left_out: int


def reference_called(name: str, references: Iterable[str]) -> str | None:
    """The reference that a judged system's name means: ``ref:A``, ``ref-A``, ``Human-A.0`` ..."""
    references = tuple(references)
    if name in references:
        return name
    match = _HUMAN.fullmatch(name)
    if match is None:
        return None
    if name.lower() == "ref" and len(references) == 1:
        return references[0]
    # A bare "ref" beside a "refB" is the first reference.
    wanted = _bare(name) or "a"
    return next((each for each in references if _bare(each) == wanted), None)


def _bare(name: str) -> str:
    """What tells one reference from another: the ``a`` of ``refA`` and of ``Human-A.0``."""
    match = _HUMAN.fullmatch(name)
    return (name if match is None else match["name"] or match["letter"] or "").lower()


@dataclass(frozen=True, slots=True)
class JudgedPlace:
    """A system (or human) that was judged, and its text where it is known."""

    name: str
    human: bool
    side: str
    documents: Mapping[str, Segments]

    def text(self, document: str, segment: int) -> str | None:
        """What it made of a segment; `None` where nobody knows."""
        segments = self.documents.get(document)
        return None if segments is None else segments[segment]

    def span(self, document: str, segment: int, start: int, end: int) -> Span:
        """Code points `start` to `end` of one of its segments."""
        return Span(document, self.side, segment, start, end)


class Places:
    """The documents, segments and systems of a test set, to be found by what others call them."""

    def __init__(self, known: TestSet | Collection) -> None:
        self.testset = known.testset if isinstance(known, Collection) else known
        outputs = known.outputs if isinstance(known, Collection) else ()
        self._outputs = {output.name: output for output in outputs}
        self._judged: dict[str, JudgedPlace] = {}
        documents = self.testset.documents
        self._documents = {f"{d.domain}_{d.id}": d for d in documents if d.domain}
        self._documents |= {document.id: document for document in documents}
        ends = accumulate(map(len, documents))
        self._begins = {d.id: end - len(d) for d, end in zip(documents, ends, strict=True)}

    def judged(self, name: str) -> JudgedPlace:
        """The system of that name; a reference judged as a system goes by the reference's name."""
        if name not in self._judged:  # files name the same few systems on every line
            self._judged[name] = self._find(name)
        return self._judged[name]

    def _find(self, name: str) -> JudgedPlace:
        if name not in self._outputs:
            name = self._our_name(name)
        reference = reference_called(name, self.testset.reference_names)
        if reference in self._outputs:
            name = reference
        if name in self._outputs:
            output = self._outputs[name]
            human = output.human or reference is not None
            return JudgedPlace(name, human, output_side(name), output.documents)
        if reference is None:
            return JudgedPlace(name, _HUMAN.fullmatch(name) is not None, output_side(name), {})
        texts = {each.id: each.references[reference] for each in self.testset.documents}
        return JudgedPlace(reference, True, reference_side(reference), texts)

    def _our_name(self, name: str) -> str:
        """Without what WMT put around names: ``hyp.Online-A`` (2021), ``Online-A.en`` (2022)."""
        target = self.testset.target_language
        for candidate in (name.removeprefix("hyp."), name.removesuffix(f".{target}")):
            if candidate in self._outputs:
                return candidate
        return name

    def document(self, name: str) -> Document | None:
        """The document of that name, which may carry a domain before and a direction behind it."""
        return self._documents.get(name) or self._documents.get(name.rsplit(":", 1)[0])

    def begin(self, document: Document) -> int:
        """How many segments of the test set lie before the document."""
        return self._begins[document.id]

    def segment(
        self, document: Document, source: str, within: int | None, overall: int | None = None
    ) -> int | None:
        """The index of the segment with this source text.

        `within` is its supposed index in the document and `overall` in the test set; where the
        text is another one there, the only segment with this text is taken. `None` if none is.
        """
        for guess in (within, None if overall is None else overall - self._begins[document.id]):
            if guess is None or not 0 <= guess < len(document):
                continue
            if same_words(document.source[guess], source):
                return guess
        fitting = [i for i, text in enumerate(document.source) if same_words(text, source)]
        return fitting[0] if len(fitting) == 1 else None

    def anywhere(self, source: str) -> tuple[Document, int] | None:
        """The only segment of the test set with this source text."""
        found = [
            (document, index)
            for document in self.testset.documents
            for index, text in enumerate(document.source)
            if same_words(text, source)
        ]
        return found[0] if len(found) == 1 else None


def placed(
    places: Places, record: "Record", document: str | None, source: str, within: int | None
) -> tuple[Document, int]:
    """The segment of the test set that a record is about, known by its source text.

    `within` is its number in the document, be it counted from 0 or from 1.
    """
    if document is None:
        found = places.anywhere(source)
        if found is None:
            what = "the test set has no segment, or more than one, with this source text"
            raise record.fault(what, "name the document")
        return found
    known = places.document(document)
    if known is None:
        raise record.fault(f"document {document!r} is not in test set {places.testset.name!r}")
    segment = places.segment(known, source, within)
    if segment is None and within is not None:
        segment = places.segment(known, source, within - 1)
    if segment is None:
        what = f"no segment of document {document!r}, or none that is sure, has this source text"
        raise record.fault(what, "is this the right test set?")
    return known, segment


_LAST_OF_ONE_UNIT = 0xFFFF  # characters beyond it are two UTF-16 units


def browser_units(text: str, begin: int = 0, without: str = "") -> list[int]:
    """The code point (the first is `begin`) of each UTF-16 unit, which is what browsers count.

    Characters in `without` are not counted.
    """
    return [
        at
        for at, character in enumerate(text, begin)
        if character not in without
        for _ in range(2 if ord(character) > _LAST_OF_ONE_UNIT else 1)
    ]


def same_words(one: str, other: str) -> bool:
    """Whether texts differ in nothing but letter case, punctuation and white space.

    Annotation tools normalise those: WMT22 has ``100000`` where the source has ``100,000``.
    """
    return one == other or _words(one) == _words(other)


@lru_cache(maxsize=1 << 14)
def _words(text: str) -> str:
    letters = "".join(filter(str.isalnum, text.casefold()))
    return letters or "".join(text.split())


@dataclass(frozen=True, slots=True)
class Record:
    """A JSON object with the line on which it stands, or its number where lines say nothing."""

    path: Path
    line: int | None
    number: int
    content: Mapping[str, Any]

    def fault(self, what: str, remedy: str = "") -> FormatError:
        where = "" if self.line else f"record {self.number}: "
        return FormatError(where + what, path=self.path, line=self.line, remedy=remedy)

    def inner(self, content: Any) -> "Record":
        """A part of the record that must be an object."""
        if not isinstance(content, dict):
            raise self.fault(f"an object is needed here: {content!r:.60}")
        return Record(self.path, self.line, self.number, content)

    def get(self, key: str, kind: type | tuple[type, ...], needed: bool = True) -> Any:
        """The value of a key, once it is known to be of that kind; `None` where it is absent."""
        value = self.content.get(key)
        if value is None and not needed:
            return None
        if not isinstance(value, kind) or isinstance(value, bool):
            raise self.fault(f"{key!r} is missing or of the wrong kind: {value!r:.60}")
        return value

    def latest(self, key: str) -> float:
        """The last of the times at a key; 0 where there are none."""
        try:
            return max(map(float, self.get(key, list, needed=False) or [0.0]))
        except (TypeError, ValueError):
            raise self.fault(f"{key!r} holds something else than times") from None

    def score(self, key: str) -> float | None:
        """A score of 0 to 100; WMT24 has it as text."""
        value = self.get(key, (int, float, str), needed=False)
        try:
            score = None if value is None else float(value)
        except ValueError:
            score = math.nan
        if score is not None and not 0 <= score <= 100:
            raise self.fault(f"{value!r} is no score of 0 to 100")
        return score


def read_records(path: Path) -> Iterator[Record]:
    """The records of a file; of an object of lists (a list for each campaign), all of them."""
    lines = read_lines(path)
    try:
        whole = json_value("\n".join(lines), path)
    except FormatError:
        for number, line in enumerate(lines, 1):
            if line.strip():
                yield Record(path, number, number, {}).inner(json_value(line, path, number))
        return
    if isinstance(whole, dict) and all(isinstance(value, list) for value in whole.values()):
        whole = [entry for campaign in whole.values() for entry in campaign]
    if not isinstance(whole, list):  # the only record of its file
        yield Record(path, 1, 1, {}).inner(whole)
        return
    for number, content in enumerate(whole, 1):
        yield Record(path, None, number, {}).inner(content)
