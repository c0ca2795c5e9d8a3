"""Error span annotations (ESA, Kocmi et al. 2024) as JSON: a score of 0 to 100 with marked errors.

Records may stand one a line or in a JSON array. Three shapes of them are read:

* one annotation, as in WMT24's ``wmt24_esa.jsonl``: ``doc_id``, ``line_id`` (from 0, over the
  test set with or without its canary line), ``src``, ``tgt``, ``system``, ``annotator``,
  ``esa_score`` and ``esa_spans``, perhaps ``langs`` and ``times``. Of what one annotator says
  twice, the latest counts, as in WMT24.
* one segment, as in WMT25's ``wmt25-genmt-humeval.jsonl``: ``doc_id`` (``DOCUMENT_#_SEGMENT``,
  from 0 within the document or over the test set), ``src_text``, ``tgt_text`` by system and
  ``scores`` by system, each a list of ``score``, ``annotator`` and ``errors``.
* one submission, as Pearmut logs it: ``user_id``, ``item_i``, ``item`` (a list of ``item_id``,
  ``src`` and ``tgt`` by system) and ``annotation`` (as long a list of ``score`` and
  ``error_spans`` by system); also Pearmut's download, an object of such lists by campaign. The
  last submission of an item counts; tutorials, attention checks and skipped items do not.

Every mark has ``start_i``, ``end_i`` and ``severity``. Browsers made these numbers: they count
UTF-16 units, and the last one is included. Appraise, which WMT used, counts them in the text
without the white space around it; Pearmut counts all but line breaks. A mark on "[missing]"
(``"missing"``, -1, or in Pearmut the unit after the last) becomes an error of category
``omission`` without a place. Records of other language pairs, where they say so, are left out.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from isogloss.documents import Collection, Document, TestSet
from isogloss.formats.places import (
    JudgedPlace,
    PlaceReading,
    Places,
    Record,
    browser_units,
    read_records,
    same_words,
)
from isogloss.formats.protocol import JudgementsFormat, StoredJudgements
from isogloss.judgements import ErrorMark, Judgement, Judgements
from isogloss.spans import Span

KIND = "esa"
OMISSION = "omission"
_UNDECIDED = "undecided"
_JOINT = "_#_"
_RESET = "__RESET__"


def recognises(path: Path, head: str) -> bool:
    """JSON that begins with the keys of one of the three shapes."""
    if path.is_dir() or head.lstrip()[:1] not in ("{", "["):
        return False
    segments = '"scores"' in head and ('"src_text"' in head or '"errors"' in head)
    submissions = '"annotation"' in head and '"error_spans"' in head
    return '"esa_spans"' in head or segments or submissions


def read(path: Path, known: TestSet | Collection) -> Judgements:
    """The annotations of a file, one judgement per segment, system and annotator.

    Errors keep their places only if a collection says what the outputs are.
    """
    return read_annotations(path, known).judgements


def read_annotations(path: Path, known: TestSet | Collection) -> PlaceReading:
    """The annotations of a file, and how many of their marks could be placed."""
    return _Annotations(Places(known)).of(list(read_records(path)))


def _pair_in(id: str) -> str | None:
    """The language pair at the head of WMT25's ``PAIR_#_DOMAIN_#_DOCUMENT_#_SEGMENT``."""
    parts = id.split(_JOINT)
    return parts[0] if len(parts) > 3 else None


# --- annotations ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Place:
    """A segment of the test set."""

    document: Document
    segment: int


class _Annotation(NamedTuple):
    """One annotator's word on one segment, before its marks are placed."""

    record: Record
    place: _Place
    system: str
    annotator: str | None
    text: object
    score: float | None
    marks: Sequence[Any]
    by_pearmut: bool = False


@dataclass(slots=True)
class _Annotations:
    """The annotations of one file as they are read, record by record."""

    places: Places
    items: list[Judgement] = field(default_factory=list)
    marked: int = 0
    unplaced: int = 0
    left_out: int = 0

    def of(self, records: Sequence[Record]) -> PlaceReading:
        """All that the records of a file say."""
        if any("annotation" in record.content for record in records):
            self._add_submissions(records)
        elif any("scores" in record.content for record in records):
            self._add_segments(records)
        else:
            self._add_annotations(records)
        judgements = Judgements(KIND, tuple(self.items))
        return PlaceReading(judgements, self.marked, self.unplaced, self.left_out)

    # One annotation a record.

    def _add_annotations(self, records: Sequence[Record]) -> None:
        offset = self._line_offset(records)
        latest: dict[tuple[object, ...], tuple[float, _Annotation]] = {}
        for record in records:
            if self._is_other_pair(record.get("langs", str, needed=False)):
                self.left_out += 1
                continue
            line = record.get("line_id", int, needed=False)
            overall = None if line is None else line - offset
            place = self._place(record, record.get("doc_id", str), "src", None, overall)
            annotation = _Annotation(
                record,
                place,
                record.get("system", str),
                record.get("annotator", str, needed=False),
                record.get("tgt", str, needed=False),
                record.score("esa_score"),
                record.get("esa_spans", list),
            )
            key = (annotation.system, annotation.annotator, place.document.id, place.segment)
            when = record.latest("times")
            self.left_out += key in latest
            if key not in latest or latest[key][0] <= when:
                latest[key] = (when, annotation)
        for _, annotation in latest.values():
            self._add(annotation)

    def _line_offset(self, records: Iterable[Record]) -> int:
        """1 if line numbers count a canary line that the test set does not have, else 0."""
        sources = [text for document in self.places.testset.documents for text in document.source]
        fitting = [0, 0]
        for record in records:
            line, source = record.content.get("line_id"), record.content.get("src")
            for offset in (0, 1):
                if isinstance(line, int) and 0 <= line - offset < len(sources):
                    fitting[offset] += same_words(sources[line - offset], str(source))
        return int(fitting[1] > fitting[0])

    # One segment a record.

    def _add_segments(self, records: Iterable[Record]) -> None:
        for record in records:
            id = record.get("doc_id", str)
            scores = record.inner(record.get("scores", dict))
            if self._is_other_pair(_pair_in(id)) or not scores.content:
                self.left_out += 1
                continue
            texts = record.get("tgt_text", dict, needed=False) or {}
            place = self._place_of_id(record, id, "src_text")
            for system in scores.content:
                for entry in map(record.inner, scores.get(system, list)):
                    annotator = entry.get("annotator", str, needed=False)
                    marks = entry.get("errors", list, needed=False) or []
                    score, text = entry.score("score"), texts.get(system)
                    self._add(_Annotation(entry, place, system, annotator, text, score, marks))

    # One submission a record.

    def _add_submissions(self, records: Iterable[Record]) -> None:
        latest: dict[tuple[str, int], Record] = {}
        for record in records:
            item = record.get("item_i", (int, str))
            key = (record.get("user_id", str), item)
            if isinstance(item, str):  # a tutorial, "welcome_0"
                self.left_out += 1
            elif record.content.get("annotation") == _RESET:
                self.left_out += latest.pop(key, None) is not None
            else:
                self.left_out += key in latest
                latest[key] = record
        for (user, _), record in latest.items():
            items, answers = record.get("item", list), record.get("annotation", list)
            if len(items) != len(answers):
                raise record.fault(f"{len(items)} items, but {len(answers)} annotations")
            for item, answer in zip(items, answers, strict=True):
                if answer is None:  # skipped as a whole
                    self.left_out += 1
                else:
                    self._add_item(record.inner(item), record.inner(answer), user)

    def _add_item(self, item: Record, answers: Record, user: str) -> None:
        id = item.get("item_id", str, needed=False) or ""
        if "validation" in item.content or self._is_other_pair(_pair_in(id)):
            self.left_out += 1
            return
        place = self._place_of_id(item, id, "src") if _JOINT in id else self._anywhere(item)
        texts = item.get("tgt", dict)
        for system in answers.content:
            answer = answers.inner(answers.content[system])
            score = answer.score("score")
            marks = answer.get("error_spans", list, needed=False) or []
            if score is None and not marks:
                self.left_out += 1  # skipped
                continue
            text = texts.get(system)
            self._add(_Annotation(answer, place, system, user, text, score, marks, by_pearmut=True))

    # What they have in common.

    def _is_other_pair(self, pair: str | None) -> bool:
        """Whether a stated language pair is not the test set's; ``de_DE`` and ``de`` are one."""
        ours = (self.places.testset.source_language, self.places.testset.target_language)
        if not pair or None in ours:
            return False
        stated = [language.split("_")[0] for language in pair.split("-")]
        return stated != [str(language).split("-")[0] for language in ours]

    def _place_of_id(self, record: Record, id: str, source: str) -> _Place:
        """The place of ``DOCUMENT_#_SEGMENT``."""
        name, _, number = id.rpartition(_JOINT)
        index = int(number) if number.isdecimal() and len(number) < 19 else None
        return self._place(record, name, source, index, index)

    def _place(
        self, record: Record, name: str, key: str, within: int | None, overall: int | None
    ) -> _Place:
        places = self.places
        document = places.document(name) or places.document(name.rpartition(_JOINT)[2])
        if document is None:
            raise record.fault(f"document {name!r} is not in test set {places.testset.name!r}")
        segment = places.segment(document, record.get(key, str), within, overall)
        if segment is None:
            what = f"no segment of document {name!r}, or none that is sure, has this source text"
            raise record.fault(what, "is this the right test set?")
        return _Place(document, segment)

    def _anywhere(self, item: Record) -> _Place:
        found = self.places.anywhere(item.get("src", str))
        if found is None:
            what = "the test set has no segment, or more than one, with this source text"
            raise item.fault(what, "name items DOCUMENT_#_SEGMENT")
        return _Place(*found)

    def _add(self, annotation: _Annotation) -> None:
        place = annotation.place
        judged = self.places.judged(annotation.system)
        ruler = _Ruler.of(judged, annotation)
        errors = tuple(
            self._mark(annotation.record.inner(mark), ruler) for mark in annotation.marks
        )
        self.items.append(
            Judgement(
                judged.name,
                place.document.id,
                place.segment,
                annotation.annotator,
                annotation.score,
                errors,
                judged.human,
            )
        )

    def _mark(self, mark: Record, ruler: "_Ruler") -> ErrorMark:
        severity = mark.get("severity", str, needed=False) or _UNDECIDED
        kind = mark.content.get("category") or mark.content.get("error_type") or ""
        category = "/".join(kind) if isinstance(kind, list) else str(kind)
        first, last = (mark.get(key, (int, str)) for key in ("start_i", "end_i"))
        if ruler.is_missing(first) or ruler.is_missing(last):
            return ErrorMark(category or OMISSION, severity)
        if isinstance(first, str) or isinstance(last, str):
            raise mark.fault(f"{first!r} to {last!r} is no place in a text")
        span = ruler.span(first, last)
        self.marked += 1
        self.unplaced += span is None
        return ErrorMark(category, severity, span)


@dataclass(frozen=True, slots=True)
class _Ruler:
    """From the units that browsers count to code points of the text that we know.

    `units` holds the code point of each unit; `fits` says whether the text that was shown is the
    one that we know.
    """

    judged: JudgedPlace
    place: _Place
    units: Sequence[int]
    fits: bool
    by_pearmut: bool

    @classmethod
    def of(cls, judged: JudgedPlace, annotation: _Annotation) -> "_Ruler":
        place, pearmut = annotation.place, annotation.by_pearmut
        text = judged.text(place.document.id, place.segment) or ""
        shown = text if annotation.text is None else str(annotation.text)
        fits = shown == text if pearmut else shown.strip() == text.strip()
        begin = 0 if pearmut else len(text) - len(text.lstrip())
        units = browser_units(shown if pearmut else shown.strip(), begin, "\n" if pearmut else "")
        return cls(judged, place, units, fits, pearmut)

    def is_missing(self, unit: int | str) -> bool:
        """Whether it is the mark that stands for what is not there."""
        return unit in ("missing", -1) or (self.by_pearmut and unit == len(self.units))

    def span(self, first: int, last: int) -> Span | None:
        """The place from one unit to another, both included; `None` if it is not in the text."""
        if not self.fits or not 0 <= first <= last < len(self.units):
            return None
        start, end = self.units[first], self.units[last] + 1
        return self.judged.span(self.place.document.id, self.place.segment, start, end)


FORMAT = JudgementsFormat(
    name="esa",
    description="ESA annotations as JSON or JSON lines",
    recognises=recognises,
    judgements=StoredJudgements.of_one_kind(KIND, read),
)
