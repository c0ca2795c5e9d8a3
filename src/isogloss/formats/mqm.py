"""MQM ratings as TSV: one row per error that a rater marked (Freitag et al. 2021).

Two sets of columns are read, with a header: Google's of WMT20 to WMT22,

    system  doc  doc_id    seg_id       rater  source  target  category  severity  [comment]

and the ten of Marot (WMT23 on), which are also written:

    system  doc  docSegId  globalSegId  rater  source  target  category  severity  metadata

Segments are counted from 1, within the document and over all. ``<v>...</v>`` in the target, or
in the source, is where the error lies. Raters' edits and other changes leak into these texts
(google/wmt-mqm-human-evaluation#4), and WMT20 quotes cells as CSV does; an error whose text is
not that of the test set is kept without its place. Scores are minus the cost of the errors by
`GOOGLE_MQM`. Rows that judge no translation are left out: attention checks (``HOTW-test``), rows
without a rater, which carry metadata only, and the canary line of WMT24.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from isogloss.documents import Collection, Document, TestSet
from isogloss.errors import FormatError, InputError
from isogloss.formats.files import read_lines, write_lines
from isogloss.formats.places import JudgedPlace, PlaceReading, Places
from isogloss.formats.protocol import JudgementsFormat, StoredJudgements
from isogloss.judgements import (
    GOOGLE_MQM,
    NO_ERROR,
    ErrorMark,
    Judgement,
    Judgements,
    scored_by_errors,
)
from isogloss.notation import json_value
from isogloss.spans import SOURCE, Span

KIND = "mqm"
_COLUMNS = (
    ("system",),
    ("doc",),
    ("docSegId", "doc_id", "doc_seg_id"),
    ("globalSegId", "seg_id", "global_seg_id"),
    ("rater",),
    ("source",),
    ("target",),
    ("category",),
    ("severity",),
    ("metadata", "comment", "note"),
)
_MAROT = tuple(names[0] for names in _COLUMNS)
_NEEDED = _MAROT[:-1]
_ROLES = {name.lower(): names[0] for names in _COLUMNS for name in names}
_FLAWLESS = NO_ERROR - {"neutral"}  # a neutral remark costs nothing, but is a mark
_ATTENTION_CHECK = "hotw-test"
_CANARY = "canary"
_TAG = re.compile(r"</?v>")


def recognises(path: Path, head: str) -> bool:
    """A header with a rater, a category, a severity, both texts and both segment numbers."""
    return not path.is_dir() and set(_NEEDED) <= set(_header(head.partition("\n")[0]))


def read(path: Path, known: TestSet | Collection) -> Judgements:
    """The ratings of a file, one judgement per segment, system and rater.

    Errors in outputs keep their places only if a collection says what the outputs are.
    """
    return read_ratings(path, known).judgements


def read_ratings(path: Path, known: TestSet | Collection) -> PlaceReading:
    """The ratings of a file, and how many of their marks could be placed."""
    return _Ratings(path, Places(known)).of(read_lines(path))


# --- reading -------------------------------------------------------------------------------------


def _header(line: str) -> list[str]:
    return [_ROLES.get(name.strip().lower(), "") for name in line.split("\t")]


@dataclass(frozen=True, slots=True)
class _Row:
    """One line of a file by the names of Marot's columns."""

    line: int
    cells: Mapping[str, str]

    def __getitem__(self, column: str) -> str:
        return self.cells.get(column, "").strip()


@dataclass(slots=True)
class _Ratings:
    """The ratings of one file as they are read, row by row."""

    path: Path
    places: Places
    errors: dict[Judgement, list[ErrorMark]] = field(default_factory=dict)
    marked: int = 0
    unplaced: int = 0
    left_out: int = 0

    def of(self, lines: Sequence[str]) -> PlaceReading:
        """All that the lines of a file say."""
        for row in self._rows(lines):
            if self._judges_nothing(row):
                self.left_out += 1
            else:
                self._add(row)
        items = [replace(item, errors=tuple(errors)) for item, errors in self.errors.items()]
        judgements = Judgements(KIND, scored_by_errors(items, GOOGLE_MQM))
        return PlaceReading(judgements, self.marked, self.unplaced, self.left_out)

    def _rows(self, lines: Sequence[str]) -> Iterator[_Row]:
        header = _header(lines[0])
        for name in _NEEDED:
            if header.count(name) != 1:
                what = f"there should be one column {name!r}"
                raise self._fault(1, what, f"the columns of MQM ratings are: {', '.join(_MAROT)}")
        for number, line in enumerate(lines[1:], 2):
            cells = line.split("\t")
            # Metadata may be wanting in a row, and everything else may not.
            if not len(header) - (header[-1] == "metadata") <= len(cells) <= len(header):
                raise self._fault(number, f"{len(cells)} columns, the header has {len(header)}")
            yield _Row(number, dict(zip(header, cells, strict=False)))

    def _fault(self, line: int, what: str, remedy: str = "") -> FormatError:
        return FormatError(what, path=self.path, line=line, remedy=remedy)

    def _judges_nothing(self, row: _Row) -> bool:
        canary = row["doc"] == _CANARY and self.places.document(_CANARY) is None
        return not row["rater"] or row["severity"].lower() == _ATTENTION_CHECK or canary

    def _add(self, row: _Row) -> None:
        judged = self.places.judged(row["system"])
        document, segment = self._place(row)
        item = Judgement(
            judged.name, document.id, segment, annotator=row["rater"], human=judged.human
        )
        errors = self.errors.setdefault(item, [])
        category, severity = row["category"], row["severity"]
        if category.lower() in _FLAWLESS or severity.lower() in _FLAWLESS:
            return
        span = self._span(row, judged, document, segment)
        mark = ErrorMark(category, severity, span, _comment(row.cells.get("metadata", "")))
        try:
            GOOGLE_MQM.penalty(mark)
        except InputError as error:
            raise self._fault(row.line, str(error)) from None
        errors.append(mark)

    def _place(self, row: _Row) -> tuple[Document, int]:
        document = self.places.document(row["doc"])
        if document is None:
            testset = self.places.testset.name
            raise self._fault(row.line, f"document {row['doc']!r} is not in test set {testset!r}")
        within, overall = _index(row["docSegId"]), _index(row["globalSegId"])
        for text in _readings(row["source"]):
            segment = self.places.segment(document, _TAG.sub("", text), within, overall)
            if segment is not None:
                return document, segment
        raise self._fault(
            row.line,
            f"segment {row['docSegId']} of document {row['doc']!r} has another source text here "
            "than in the test set",
            "is this the right test set?",
        )

    def _span(
        self, row: _Row, judged: JudgedPlace, document: Document, segment: int
    ) -> Span | None:
        sides = {
            "target": (judged.side, judged.text(document.id, segment)),
            "source": (SOURCE, document.source[segment]),
        }
        for column, (side, text) in sides.items():
            if _TAG.search(row[column]):
                self.marked += 1
                place = None if text is None else _marked(row.cells[column], text)
                self.unplaced += place is None
                return place and Span(document.id, side, segment, *place)
        return None


def _index(number: str) -> int | None:
    return int(number) - 1 if number.isdecimal() and len(number) < 19 else None


def _readings(cell: str) -> Iterator[str]:
    """What a cell may mean: a text as it is, quoted as in CSV, or with ``\\n`` for line breaks."""
    yield cell
    quoted = re.fullmatch(r'\s*"(.*)"\s*', cell, re.DOTALL)
    if quoted:
        yield quoted[1].replace('""', '"')
    if r"\n" in cell:
        yield cell.replace(r"\n", "\n")


def _marked(cell: str, text: str) -> tuple[int, int] | None:
    """Where in the text the one marked place of a cell lies, if the cell has this very text."""
    for reading in _readings(cell):
        before, *rest = re.split(r"<v>(.*?)</v>", reading, flags=re.DOTALL)
        plain = _TAG.sub("", reading)
        if len(rest) == 2 and plain == before + rest[0] + rest[1] and plain.strip() == text.strip():
            # White space around the whole text is nobody's error.
            shift = len(before) + _indent(text) - _indent(plain)
            start, end = (min(max(at, 0), len(text)) for at in (shift, shift + len(rest[0])))
            return start, end
    return None


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())


def _comment(metadata: str) -> str | None:
    """The rater's note: Marot has it in a JSON object, Google's files as plain text."""
    try:
        content = json_value(metadata, "metadata")
    except FormatError:
        content = None
    if isinstance(content, dict):
        note = content.get("note")
        return note if isinstance(note, str) else None
    return metadata.strip() or None


# --- writing -------------------------------------------------------------------------------------


def write(judgements: Judgements, collection: Collection, path: Path) -> None:
    """Write ratings of segments with Marot's ten columns; what these cannot hold is refused.

    The file holds marks and no scores, so a score must be the one that `GOOGLE_MQM` gives.
    """
    places = Places(collection)
    lines = ["\t".join(_MAROT)]
    lines += [line for item in judgements.items for line in _lines(item, places)]
    _check(judgements.items, _Ratings(path, places).of(lines).judgements.items)
    write_lines(path, lines)


def _lines(item: Judgement, places: Places) -> Iterator[str]:
    judged = places.judged(item.system)
    document = None if item.document is None else places.document(item.document)
    if document is None or item.segment is None or item.segment >= len(document):
        raise _unwritable(item, "it is not about a segment of the test set")
    target = judged.text(document.id, item.segment)
    if target is None or not item.annotator:
        raise _unwritable(item, "a rating needs a rater and an output")
    number = str(places.begin(document) + item.segment + 1)
    for error in item.errors or (ErrorMark("No-error", "No-error"),):
        texts = {SOURCE: document.source[item.segment], judged.side: target}
        if error.span is not None:
            side = error.span.side
            if side not in texts:
                raise _unwritable(item, f"an error lies in {side!r}, another text than was judged")
            texts[side] = _with_mark(texts[side], error.span)
        cells = [item.system, document.id, str(item.segment + 1), number, item.annotator]
        cells += [text.replace("\n", r"\n") for text in texts.values()]
        cells += [error.category, error.severity, _metadata(error)]
        if any("\t" in cell or "\n" in cell for cell in cells):
            raise _unwritable(item, "a text or name holds a tab or a line break")
        yield "\t".join(cells)


def _with_mark(text: str, span: Span) -> str:
    start, end = span.start, span.end
    return f"{text[:start]}<v>{text[start:end]}</v>{text[end:]}"


def _metadata(error: ErrorMark) -> str:
    note = {} if error.comment is None else {"note": error.comment}
    return json.dumps(note, ensure_ascii=False)


def _check(items: Iterable[Judgement], read_back: Iterable[Judgement]) -> None:
    """Refuse what would not be read back as it is, rather than to change it on the way."""
    by_place = {_key(item): item for item in read_back}
    for item in items:
        back = by_place.get(_key(item))
        if back is None or replace(back, score=item.score) != item:
            raise _unwritable(item, "a name, category, severity or span would not be read back")
        if item.score not in (None, back.score):
            raise _unwritable(item, "its score is not what its errors cost by GOOGLE_MQM")


def _key(item: Judgement) -> tuple[object, ...]:
    return item.system, item.document, item.segment, item.annotator


def _unwritable(item: Judgement, why: str) -> InputError:
    return InputError(
        f"the judgement of {item.annotator!r} on {item.system!r}, document {item.document!r}, "
        f"segment {item.segment}, cannot be written as MQM ratings: {why}"
    )


FORMAT = JudgementsFormat(
    name="mqm",
    description="MQM ratings as TSV, Google's or the Marot columns",
    recognises=recognises,
    judgements=StoredJudgements.of_one_kind(KIND, read),
    write=write,
)
