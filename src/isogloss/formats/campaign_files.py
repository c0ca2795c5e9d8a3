"""What each file that an annotation campaign exports says, brought to one form.

A `Said` is what somebody said of one place, whichever file tells it; `said_in` finds all of them.
What judges no translation is not among them: attention checks, answers that say nothing, and
answers about repeated words.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from isogloss.errors import FormatError
from isogloss.formats.files import read_lines
from isogloss.formats.flat import flat_records, keys_of
from isogloss.formats.places import Record, read_records

ORGANISER = "organiser"
"""Whose decisions are; no annotator is called so."""

PHASES = ("phase1", "phase2", "da", "spans", "contrastive", "document")
"""The phases of a campaign in which translations are judged."""

Unit = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Said:
    """What somebody said of one place.

    `unit` is the place, whoever judges it; `occurrence` is where in the source segment the markable
    stands, if it is about one; `segment` is `None` where the whole document was judged. `source`
    and `target` are the texts that people saw, `languages` those of the document, where the file
    tells them.
    """

    record: Record
    annotator: str
    phase: str
    unit: Unit
    system: str
    document: str
    segment: int | None
    value: Record
    source: str | None = None
    target: str | None = None
    markable: str = ""
    occurrence: tuple[int, int] | None = None
    languages: tuple[str | None, str | None] | None = None


_KEY = re.compile(r'"((?:[^"\\]|\\.)*+)"\s*:')
_COLUMNS = ("annotator", "system", "doc", "segment", "kind", "score")
_SHAPES: Mapping[str, frozenset[str]] = {
    "answers": frozenset({"annotator", "kind", "document", "number", "segment", "place", "value"}),
    "decisions": frozenset({"kind", "document", "number", "segment", "place", "value", "opinions"}),
    "esa": frozenset({"annotator", "system", "doc", "segment", "score", "errors"}),
    "study": frozenset({"study"}),
    "words": frozenset({"chain", "flexible", "annotator"}),
    "events": frozenset({"actor", "task", "item", "revision", "received"}),
}
"""The keys of its first line tell what a file is."""


def shape_of(head: str) -> str | None:
    """Which of the exports a text is, by its first line; `None` if it is none."""
    first = head.lstrip("[ \n").partition("\n")[0]
    if not first.startswith("{") and set(_COLUMNS) <= set(first.split("\t")):
        return "scores"
    keys = set(_KEY.findall(first)) if first.startswith("{") else keys_of(first)
    if set(_COLUMNS) <= keys:
        return "scores"
    return next((shape for shape, wanted in _SHAPES.items() if wanted <= keys), None)


def said_in(path: Path) -> list[Said]:
    """All that people said of translations; a file that tells of nothing is refused."""
    lines = read_lines(path)
    shape = shape_of("\n".join(lines[:2]))
    said: list[Said] = []
    flat = bool(keys_of(lines[0])) if lines else False
    if shape == "scores":
        said = list(_scores(flat_records(path) if flat else _rows(path, lines)))
    elif shape in _READERS:
        said = list(_READERS[shape](list(flat_records(path) if flat else read_records(path))))
    if not said:
        what = _NOTHING.get(shape or "", "nobody has judged a translation here by itself")
        raise FormatError(what, path=path, remedy=_REMEDY)
    _refuse_repeats(said)
    return said


def _name(record: Record, key: str) -> str:
    """A name, which is not empty."""
    name: str = record.get(key, str)
    if not name:
        raise record.fault(f"{key!r} is empty")
    return name


def _refuse_repeats(said: Iterable[Said]) -> None:
    """Nobody says two things of one place, unless somebody put two files together."""
    seen: set[tuple[str, Unit]] = set()
    for each in said:
        if (each.annotator, each.unit) in seen:
            what = f"{each.annotator!r} has judged this already, further up in the file"
            raise each.record.fault(what, "put the exports of several campaigns in several files")
        seen.add((each.annotator, each.unit))


_NOTHING = {
    "words": "answers about repeated words judge no translation ('isogloss chains' reads them)",
    "events": "in the log of a campaign systems are letters, and not what stands",
}
_REMEDY = (
    "export what was judged: 'isogloss annotate export CAMPAIGN answers.jsonl'; 'isogloss "
    "preferences' reads which of two is better, from preferences.tsv"
)


# --- answers and decisions -----------------------------------------------------------------------


def _answers(records: Iterable[Record]) -> Iterator[Said]:
    decided: dict[Unit, Said] = {}
    for record in records:
        if record.content.get("check") is not None or not _judges_one(record):
            continue
        said = _answer(record, _name(record, "annotator"), "value")
        if _says_something(said):
            yield said
        if record.content.get("decision") is not None:
            decided.setdefault(said.unit, _answer(record, ORGANISER, "decision"))
    yield from decided.values()


def _decisions(records: Iterable[Record]) -> Iterator[Said]:
    for record in records:
        if _judges_one(record):
            yield _answer(record, ORGANISER, "value")


def _judges_one(record: Record) -> bool:
    """Whether a translation is judged by itself: repeated words have none, preferences have two."""
    return record.content.get("system") is not None and record.content.get("kind") != _PREFERENCE


_PREFERENCE = "preference"


def _answer(record: Record, annotator: str, key: str) -> Said:
    phase, document = record.get("kind", str), record.get("document", str)
    system, markable = _name(record, "system"), record.get("markable", str, needed=False) or ""
    number = record.get("number", int)
    return Said(
        record,
        annotator,
        _known_phase(record, phase),
        (phase, document, str(number), system, markable),
        system,
        document,
        None if phase == "document" else record.get("segment", int),
        record.inner(record.content.get(key)),
        record.get("source", str),
        record.get("target", str, needed=False),
        markable,
        occurrence=_two_numbers(record, record.content.get("place")),
    )


def _known_phase(record: Record, name: str) -> str:
    if name not in PHASES:
        raise record.fault(f"translations are not judged in a phase {name!r:.60}")
    return name


def _two_numbers(record: Record, value: Any) -> tuple[int, int] | None:
    if value is None:
        return None
    if not isinstance(value, list) or [type(each) for each in value] != [int, int]:
        raise record.fault(f"a place is two numbers, not {value!r:.60}")
    return value[0], value[1]


def _says_something(said: Said) -> bool:
    """Lines may have been shown and not rated; words may have been set right and not judged."""
    value = said.value.content
    if said.phase == "phase1":
        rated = any(value.get(name) is not None for name in ("adequacy", "fluency"))  # 0 says much
        return rated or any(value.get(name) for name in ("conflicting", "reported", "note"))
    return said.phase != "phase2" or bool(value.get("no_error") or value.get("phenomena"))


# --- errors and scores ---------------------------------------------------------------------------


def _esa(records: Iterable[Record]) -> Iterator[Said]:
    for record in records:
        system, document = _name(record, "system"), record.get("doc", str)
        segment = record.get("segment", int)
        phase = record.get("phase", str, needed=False) or "spans"
        yield Said(
            record,
            _name(record, "annotator"),
            _known_phase(record, phase),
            (phase, document, str(segment), system),
            system,
            document,
            segment,
            record,
            record.get("source", str),
            record.get("target", str, needed=False),
        )


def _rows(path: Path, lines: Sequence[str]) -> Iterator[Record]:
    header = lines[0].split("\t")
    for number, line in enumerate(lines[1:], 2):
        cells = line.split("\t")
        if len(cells) != len(header):
            what = f"{len(cells)} columns, the header has {len(header)}"
            raise FormatError(what, path=path, line=number)
        yield Record(path, number, number, dict(zip(header, cells, strict=True)))


def _scores(rows: Iterable[Record]) -> Iterator[Said]:
    """A row is a score; adequacy and fluency of a line, which have a row each, are one answer."""
    answers: dict[tuple[str, Unit], tuple[Record, dict[str, str]]] = {}
    for record in rows:
        kind = record.get("kind", str)
        phase, field = _IN_TABLE.get(kind, (kind, "score"))
        segment = record.get("segment", (int, str), needed=False)
        number = "" if segment is None else str(segment)
        place = _name(record, "doc"), number, _name(record, "system")
        key = (_name(record, "annotator"), (_known_phase(record, phase), *place))
        _, value = answers.setdefault(key, (record, {}))
        if field in value:
            raise record.fault(f"{key[0]!r} has a score of this kind for the segment already")
        value[field] = str(record.get("score", (int, float, str)))
    for (annotator, unit), (record, value) in answers.items():
        phase, document, segment, system = unit
        index = None if phase == "document" else _index(record, segment)
        said = record.inner(value)
        yield Said(record, annotator, phase, unit, system, document, index, said)


_IN_TABLE = {"adequacy": ("phase1", "adequacy"), "fluency": ("phase1", "fluency")}


def _index(record: Record, cell: str) -> int:
    if not (cell.isascii() and cell.isdecimal() and len(cell) < 19):
        raise record.fault(f"{cell!r:.60} is no number of a segment, counted from 0")
    return int(cell)


# --- studies -------------------------------------------------------------------------------------


def _study(records: Iterable[Record]) -> Iterator[Said]:
    """Of several events of one annotator on one place the last one counts."""
    texts: dict[str, Record] = {}
    terms: dict[tuple[str, str], list[Any]] = {}
    last: dict[tuple[str, Unit], Said] = {}
    for record in records:
        if "study" in record.content:
            continue
        if "text" in record.content:
            texts[record.get("text", str)] = record
        elif "term" in record.content:
            term = (record.get("document", str), record.get("term", str))
            terms[term] = record.get("occurrences", list)
        else:
            said = _event(record, texts, terms)
            last[said.annotator, said.unit] = said
    yield from filter(_says_something, last.values())


def _event(
    record: Record, texts: Mapping[str, Record], terms: Mapping[tuple[str, str], list[Any]]
) -> Said:
    document, system = record.get("document", str), _name(record, "system")
    text = texts.get(document)
    if text is None:
        raise record.fault(f"there is no text of document {document!r:.60}")
    if "rating" in record.content:
        phase, markable, number = "phase1", "", record.get("line", int)
        segment, occurrence = number, None
        value = dict(record.get("rating", dict))
        value["note"] = value.pop("reported", "")  # words without their places
    else:
        phase, markable = "phase2", record.get("markable", str)
        number = record.get("occurrence", int)
        segment, occurrence = _place_of_term(record, terms.get((document, markable), []), number)
        marks = record.get("marks", dict)
        value = {"no_error": not marks, "phenomena": marks}
    return Said(
        record,
        _name(record, "annotator"),
        phase,
        (phase, document, str(number), system, markable),
        system,
        document,
        segment,
        record.inner(value),
        *_texts_of(record, text, system, segment),
        markable,
        occurrence,
        (text.content.get("source_language"), text.content.get("target_language")),
    )


def _place_of_term(
    record: Record, places: Sequence[Any], number: int
) -> tuple[int, tuple[int, int]]:
    place = places[number] if 0 <= number < len(places) else None
    if not isinstance(place, list) or [type(each) for each in place] != [int, int, int]:
        raise record.fault(f"there is no place {number} of {record.content['markable']!r:.60}")
    return place[0], (place[1], place[2])


def _texts_of(record: Record, text: Record, system: str, segment: int) -> tuple[str, str | None]:
    source, outputs = text.get("source", list), text.inner(text.content.get("outputs"))
    lines = outputs.get(system, list)
    if not 0 <= segment < min(len(source), len(lines)):
        raise record.fault(f"segment {segment} is not in the text of the document")
    return str(source[segment]), lines[segment]


_READERS: Mapping[str | None, Callable[[Iterable[Record]], Iterator[Said]]] = {
    "answers": _answers,
    "decisions": _decisions,
    "esa": _esa,
    "study": _study,
}
