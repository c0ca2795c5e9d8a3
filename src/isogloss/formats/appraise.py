"""Appraise's export as CSV: scores of 0 to 100 of segments, and of the passages they were shown in.

``username, system, itemId, itemType, srcLang, trgLang, score, docId, isDocScore``, and times. A
``docId`` is ``document#first-last``, the passage that was shown, its segments counted from 1; an
``itemId`` counts from 0 within it. Rows with ``isDocScore`` are one score for the whole passage,
given after its segments. The kinds are ``da``, of segments, and ``da-document``, of documents.

A passage may be part of a document: what people said of it is a word on the document only where the
test set has a document of just these segments, be it under the name of the passage (`of_passages`
makes such a test set). What cannot be placed is left out and counted: passages longer than the
document, items that were made to check annotators (``itemType`` other than ``TGT``), other language
pairs. ``translator-A`` is reference A.
"""

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from io import StringIO
from pathlib import Path

from isogloss.documents import Collection, Document, TestSet, counted
from isogloss.errors import FormatError
from isogloss.formats.files import read_head, read_text
from isogloss.formats.places import Places
from isogloss.formats.protocol import JudgementsFormat, StoredJudgements
from isogloss.judgements import Judgement, Judgements
from isogloss.language import primary

SEGMENTS, DOCUMENTS = "da", "da-document"
_COLUMNS = (
    "username", "system", "itemId", "itemType", "srcLang", "trgLang", "score", "docId", "isDocScore"
)  # fmt: skip
_GENUINE = "TGT"


def recognises(path: Path, head: str) -> bool:  # noqa: ARG001  (every format has both)
    """A header with Appraise's columns."""
    return head.startswith(",".join(_COLUMNS))


def read(path: Path, kind: str, known: TestSet | Collection) -> Judgements:
    """What people said of segments, or of whole documents."""
    if kind not in (SEGMENTS, DOCUMENTS):
        what = f"there are no judgements {kind!r}; there are: {SEGMENTS}, {DOCUMENTS}"
        raise FormatError(what, path=path)
    rows = list(_rows(path))
    wanted = [row for row in rows if row.of_passage == (kind == DOCUMENTS)]
    placing = _Placing(Places(known), _shown(rows))
    items = [item for item in map(placing.judgement, wanted) if item is not None]
    if wanted and not items:
        testset = placing.places.testset.name
        raise FormatError(f"none of these judgements is on test set {testset!r}", path=path)
    return Judgements(kind, tuple(items), len(wanted) - len(items))


def of_passages(path: Path, collection: Collection) -> Collection:
    """The collection with a document for each passage, of just the segments that were shown."""
    if not recognises(path, read_head(path)):
        raise FormatError("only Appraise's CSV tells the passages that were shown", path=path)
    placing = _Placing(Places(collection), _shown(list(_rows(path))))
    found = {name: placing.passage(name) for name in placing.shown}
    places = {
        name: (place[0], slice(place[1], place[1] + placing.shown[name]))
        for name, place in found.items()
        if place is not None
    }
    if not places:
        testset = collection.testset.name
        raise FormatError(f"no passage is of a document of test set {testset!r}", path=path)
    documents = tuple(
        replace(
            document,
            id=name,
            source=document.source[shown],
            references={key: lines[shown] for key, lines in document.references.items()},
        )
        for name, (document, shown) in places.items()
    )
    outputs = (
        replace(o, documents={n: o.documents[d.id][shown] for n, (d, shown) in places.items()})
        for o in collection.outputs
    )
    return Collection(replace(collection.testset, documents=documents), tuple(outputs))


@dataclass(frozen=True, slots=True)
class _Row:
    """One score."""

    annotator: str
    system: str
    item: int
    genuine: bool
    languages: tuple[str, str]
    score: float
    passage: str
    of_passage: bool


def _rows(path: Path) -> Iterator[_Row]:
    lines = csv.reader(StringIO(read_text(path), newline=""))
    try:
        header = next(lines)
        for cells in lines:
            if cells:
                yield _row(path, lines.line_num, header, cells)
    except csv.Error as error:
        raise FormatError(f"not CSV: {error}", path=path, line=lines.line_num) from None


def _row(path: Path, line: int, header: Sequence[str], cells: Sequence[str]) -> _Row:
    if len(cells) != len(header):
        what = f"has {counted(len(cells), 'cell')}, the header has {len(header)}"
        raise FormatError(what, path=path, line=line)
    row = dict(zip(header, cells, strict=True))
    item, score, first = row["itemId"], row["score"], _first(row["docId"])
    if not _is_count(item) or not _is_score(score) or first is None or not row["system"]:
        remedy = "a score is 0 to 100, a docId is document#first-last"
        what = f"no judgement: item {item!r:.20}, score {score!r:.20}, docId {row['docId']!r:.60}"
        raise FormatError(what, path=path, line=line, remedy=remedy)
    return _Row(
        row["username"],
        row["system"],
        int(item),
        row["itemType"] == _GENUINE,
        (row["srcLang"], row["trgLang"]),
        float(score),
        row["docId"],
        row["isDocScore"].lower() == "true",
    )


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 10


def _is_score(text: str) -> bool:
    whole, _, part = text.partition(".")
    return _is_count(whole) and (not part or _is_count(part)) and float(text) <= 100


def _first(passage: str) -> int | None:
    """The number of the first segment of ``document#first-last``."""
    document, _, span = passage.rpartition("#")
    first, _, last = span.partition("-")
    right = document and _is_count(first) and _is_count(last) and 1 <= int(first) <= int(last)
    return int(first) if right else None


def _shown(rows: Sequence[_Row]) -> dict[str, int]:
    """How many segments of each passage were shown: its name may promise one too many."""
    shown: dict[str, int] = {}
    for row in rows:
        if not row.of_passage:
            shown[row.passage] = max(shown.get(row.passage, 0), row.item + 1)
    return shown


@dataclass(frozen=True, slots=True)
class _Placing:
    """Where in a test set the scores belong."""

    places: Places
    shown: dict[str, int]

    def judgement(self, row: _Row) -> Judgement | None:
        found = self.passage(row.passage)
        if found is None or not row.genuine or not self._is_pair(row.languages):
            return None
        document, before = found
        whole = before == 0 and self.shown.get(row.passage) == len(document)
        if row.of_passage and not whole:
            return None
        name = row.system
        if name.startswith("translator-"):
            name = name.replace("translator", "ref", 1)
        judged = self.places.judged(name)
        segment = None if row.of_passage else before + row.item
        return Judgement(
            judged.name, document.id, segment, row.annotator or None, row.score, (), judged.human
        )

    def passage(self, passage: str) -> tuple[Document, int] | None:
        """The document, and how many of its segments come before the passage."""
        document = self.places.document(passage)
        before = 0
        if document is None:
            document = self.places.document(passage.rpartition("#")[0])
            before = (_first(passage) or 1) - 1
        fits = document is not None and before + self.shown.get(passage, 0) <= len(document)
        return (document, before) if document is not None and fits else None

    def _is_pair(self, languages: tuple[str, str]) -> bool:
        testset = self.places.testset
        ours = testset.source_language, testset.target_language
        each = zip(languages, ours, strict=True)
        return all(own is None or primary(own) == primary(theirs) for theirs, own in each)


FORMAT = JudgementsFormat(
    name="appraise",
    description="Appraise's CSV: scores of segments and of whole documents",
    recognises=recognises,
    judgements=StoredJudgements(kinds=lambda _: (SEGMENTS, DOCUMENTS), read=read),
)
