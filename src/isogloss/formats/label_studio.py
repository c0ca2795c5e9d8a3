"""ESA in Label Studio, as its JSON export: a task for each translation.

An export is an array of tasks. The ``data`` of a task, which whoever made the project imported, say
what was read: ``source``, ``target`` (or ``output``, ``mt`` ...), ``system``, perhaps ``doc`` and
``segment``, under any name by which tables know these columns. ``annotations`` holds what each
annotator said::

    {"id": 7, "completed_by": 3, "was_cancelled": false, "result": [
      {"id": "a1", "type": "labels", "from_name": "severity", "to_name": "target",
       "value": {"start": 4, "end": 9, "text": "house", "labels": ["Major"]}},
      {"id": "b2", "type": "number", "from_name": "score", "to_name": "target",
       "value": {"number": 70}}]}

A region's severity is a label (or a ``choices`` of the region) that is called so; its other labels
are its category. ``number`` is the score, 0 to 100. ``textarea`` of a region is its comment.
``start`` and ``end`` are UTF-16 units, as browsers count, and must hold the ``text`` that was
marked. A mark in a closing "[missing]" is an omission. Other kinds of results are refused, since
they would be judgements that nobody reads. Cancelled annotations and predictions do not count; of
what an annotator says twice, the latest does.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from isogloss.documents import Collection, TestSet
from isogloss.errors import FormatError
from isogloss.formats.columns import role_of
from isogloss.formats.places import (
    JudgedPlace,
    Places,
    Record,
    browser_units,
    placed,
    read_records,
)
from isogloss.formats.protocol import JudgementsFormat, StoredJudgements
from isogloss.judgements import ErrorMark, Judgement, Judgements
from isogloss.spans import SOURCE, Span

KIND = "esa"
_SEVERITIES = frozenset({"minor", "major", "critical", "neutral"})
_UNDECIDED, _OMISSION, _MISSING = "undecided", "omission", "[missing]"
_KNOWN_RESULTS = ("labels", "choices", "number", "textarea")
_NEEDED = ("source", "system", "output")


def recognises(path: Path, head: str) -> bool:
    """JSON of tasks with annotations that somebody completed."""
    if path.is_dir() or head.lstrip()[:1] not in ("{", "["):
        return False
    return '"annotations"' in head and ('"completed_by"' in head or '"from_name"' in head)


def read(path: Path, known: TestSet | Collection) -> Judgements:
    """One judgement for each annotator of each task; marks keep their places if texts are known."""
    places = Places(known)
    latest: dict[tuple[str, str, int, str | None], tuple[str, Judgement]] = {}
    for record in read_records(path):
        task = _Task.of(record, places)
        for annotation in map(record.inner, record.get("annotations", list)):
            if annotation.content.get("was_cancelled"):
                continue
            item = task.judgement(annotation)
            key = (item.system, item.document or "", item.segment or 0, item.annotator)
            when = str(annotation.content.get("updated_at") or "")
            if key not in latest or latest[key][0] <= when:
                latest[key] = (when, item)
    if not latest:
        raise FormatError("no task has an annotation", path=path)
    return Judgements(KIND, tuple(item for _, item in latest.values()))


@dataclass(frozen=True, slots=True)
class _Shown:
    """A text as it stood on the screen, by the units that browsers count."""

    text: str
    units: tuple[int, ...]

    @classmethod
    def of(cls, text: str) -> "_Shown":
        return cls(text, tuple(browser_units(text)))

    def place(self, start: int, end: int, marked: str | None) -> tuple[int, int] | None:
        """From the units of a region to code points; `None` if its text is not there."""
        if not 0 <= start <= end <= len(self.units):
            return None
        ends = [*self.units, len(self.text)]
        found = ends[start], ends[end]
        return found if marked is None or self.text[slice(*found)] == marked else None


@dataclass(frozen=True, slots=True)
class _Task:
    """A translation that was read, and where it belongs."""

    judged: JudgedPlace
    document: str
    segment: int
    output: _Shown
    source: _Shown

    @classmethod
    def of(cls, record: Record, places: Places) -> "_Task":
        data = record.inner(record.get("data", dict))
        cells = _by_role(data)
        for role in _NEEDED:
            if role not in cells:
                raise data.fault(
                    f"the data of a task have no {role!r}; they have: {', '.join(data.content)}"
                )
        document, number = cells.get("doc"), cells.get("segment", "")
        within = int(number) if number.isdecimal() and len(number) < 19 else None
        found, segment = placed(places, data, document, cells["source"], within)
        judged = places.judged(cells["system"])
        output, source = _Shown.of(cells["output"]), _Shown.of(cells["source"])
        return cls(judged, found.id, segment, output, source)

    def judgement(self, annotation: Record) -> Judgement:
        """What one annotator said."""
        regions, score = _results(annotation)
        errors = tuple(self._mark(region) for region in regions)
        return Judgement(
            self.judged.name,
            self.document,
            self.segment,
            _annotator(annotation),
            score,
            errors,
            self.judged.human,
        )

    def _mark(self, region: "_Region") -> ErrorMark:
        value = region.value
        start, end = value.get("start", int), value.get("end", int)
        marked = value.get("text", str, needed=False)
        words = self.output.text
        if words.rstrip().lower().endswith(_MISSING):
            tail = len(words.rstrip()) - len(_MISSING)
            if (place := self.output.place(start, end, marked)) and place[0] >= tail:
                return ErrorMark(
                    region.category or _OMISSION, region.severity, None, region.comment
                )
        span = self._span(start, end, marked)
        return ErrorMark(region.category, region.severity, span, region.comment)

    def _span(self, start: int, end: int, marked: str | None) -> Span | None:
        """In the translation, or else in the source, where the marked text says so."""
        text = self.judged.text(self.document, self.segment)
        place = self.output.place(start, end, marked)
        if place and text is not None and self.output.text.startswith(text):
            inside = place[1] <= len(text)
            return self.judged.span(self.document, self.segment, *place) if inside else None
        in_source = self.source.place(start, end, marked)
        if place or marked is None or in_source is None:
            return None
        return Span(self.document, SOURCE, self.segment, *in_source)


@dataclass(frozen=True, slots=True)
class _Region:
    """A place that was marked, with all that was said of it."""

    value: Record
    severity: str
    category: str
    comment: str | None


def _by_role(data: Record) -> Mapping[str, str]:
    """The texts of a task's data by what tables call such columns."""
    found = {}
    for key, value in data.content.items():
        role = role_of(key)
        if role is not None and isinstance(value, str | int):
            found[role.partition(":")[0]] = str(value)
    return found


def _results(annotation: Record) -> tuple[list[_Region], float | None]:
    """The marked regions and the score of an annotation."""
    score: float | None = None
    parts: dict[str, list[tuple[str, Record]]] = {}
    for result in map(annotation.inner, annotation.get("result", list)):
        kind = result.get("type", str)
        if kind not in _KNOWN_RESULTS:
            raise result.fault(
                f"results of type {kind!r} are not read; ESA has: {', '.join(_KNOWN_RESULTS)}",
                "the score is a <Number> of 0 to 100, marks are <Labels> of a <Text>",
            )
        value = result.inner(result.get("value", dict))
        if kind == "number":
            score = value.score("number")
        else:
            parts.setdefault(result.get("id", str), []).append((kind, value))
    return [region for each in parts.values() for region in _region(each)], score


def _region(parts: list[tuple[str, Record]]) -> Iterator[_Region]:
    """A region from its results; what was said of no place is no region."""
    places = [value for kind, value in parts if kind == "labels"]
    if not places:
        return
    said = [
        str(word) for kind, value in parts if kind != "textarea" for word in _words(kind, value)
    ]
    notes = [value for kind, value in parts if kind == "textarea"]
    comments = [str(line) for value in notes for line in _words("text", value)]
    severities = [word.lower() for word in said if word.lower() in _SEVERITIES]
    category = "/".join(word for word in said if word.lower() not in _SEVERITIES)
    severity = severities[0] if severities else _UNDECIDED
    yield _Region(places[0], severity, category, "\n".join(comments) or None)


def _words(key: str, value: Record) -> list[Any]:
    words = value.get(key, (list, str), needed=False) or []
    return [words] if isinstance(words, str) else words


def _annotator(annotation: Record) -> str | None:
    """Who it was: a number, or in newer exports an object with an address."""
    who = annotation.content.get("completed_by")
    if isinstance(who, dict):
        who = who.get("email") or who.get("id")
    return None if who is None else str(who)


FORMAT = JudgementsFormat(
    name="label-studio",
    description="Label Studio's JSON export of ESA annotations",
    recognises=recognises,
    judgements=StoredJudgements.of_one_kind(KIND, read),
)
