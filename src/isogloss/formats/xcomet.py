"""What XCOMET marks, as ``comet-score --to_json`` writes it: scores with error spans.

An object with a list for each file of translations; a translation is an object of ``src``, ``mt``,
perhaps ``ref``, the score ``COMET``, and ``errors`` where there are any::

    {"out/good.txt": [{"src": ..., "mt": ..., "ref": ..., "COMET": 0.93, "errors": [
        {"text": "völlig in der Gunst", "confidence": 0.4, "severity": "minor",
         "start": 13, "end": 47}]}]}

A system goes by the name of its file. ``start`` and ``end`` count code points of ``mt``, from
which the white space around it was taken. The lists follow the test set, or a part of it in which
every source text occurs once. Unknown keys are refused: they would be judgements that nobody reads.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from isogloss.documents import Collection, Document, TestSet
from isogloss.errors import FormatError
from isogloss.formats.files import read_text
from isogloss.formats.places import JudgedPlace, Places, Record
from isogloss.formats.protocol import JudgementsFormat, StoredJudgements
from isogloss.judgements import ErrorMark, Judgement, Judgements
from isogloss.notation import json_value

KIND = "xcomet"
_KEYS = ("src", "mt", "ref", "COMET", "errors")
_MARK_KEYS = ("text", "confidence", "severity", "start", "end")


def recognises(path: Path, head: str) -> bool:
    """An object whose records have a score of COMET beside a translation."""
    return not path.is_dir() and head.lstrip()[:1] == "{" and '"mt"' in head and '"COMET"' in head


def read(path: Path, known: TestSet | Collection) -> Judgements:
    """One judgement for each translation; marks keep their places if outputs are known."""
    content = json_value(read_text(path), path)
    lists = content if isinstance(content, dict) else {}
    if not lists or not all(isinstance(records, list) for records in lists.values()):
        raise FormatError("an object of lists is needed, one for each system", path=path)
    places = Places(known)
    items = [
        _judgement(record, _keyed(places, name), place)
        for name, records in lists.items()
        for record, place in _placed(path, places, records)
    ]
    if not any(item.errors for item in items):
        what = "no errors are marked"
        raise FormatError(what, path=path, remedy="only models such as XCOMET mark errors")
    return Judgements(KIND, tuple(items))


def _keyed(places: Places, file: str) -> JudgedPlace:
    """The system that a file of translations is of."""
    name = Path(file).name
    candidates = (file, name, name.rpartition(".")[0], name.partition(".")[0])
    judged = [places.judged(candidate) for candidate in candidates if candidate]
    return next((each for each in judged if each.documents), judged[-1])


def _placed(
    path: Path, places: Places, records: list[Any]
) -> Iterator[tuple[Record, tuple[Document, int]]]:
    """Each record with its segment: the records of all segments are in order."""
    every = [(document, n) for document in places.testset.documents for n in range(len(document))]
    whole = len(records) == len(every)
    for number, content in enumerate(records, 1):
        record = Record(path, None, number, {}).inner(content)
        _check_keys(record, _KEYS)
        source = record.get("src", str)
        place: tuple[Document, int] | None = None
        if whole:
            document, within = every[number - 1]
            segment = places.segment(document, source, within)
            place = None if segment is None else (document, segment)
        place = place or places.anywhere(source)
        if place is None:
            what = "the test set has no segment, or more than one, with this source text"
            raise record.fault(what, "is this the right test set?")
        yield record, place


def _check_keys(record: Record, known: tuple[str, ...]) -> None:
    for key in record.content:
        if key not in known:
            raise record.fault(f"unknown key {key!r}; the keys are: {', '.join(known)}")


def _judgement(record: Record, judged: JudgedPlace, place: tuple[Document, int]) -> Judgement:
    document, segment = place
    text = judged.text(document.id, segment)
    fits = text is not None and text.strip() == record.get("mt", str).strip()
    indent = len(text) - len(text.lstrip()) if text else 0
    marks = record.get("errors", list, needed=False) or []
    errors = tuple(
        _mark(record.inner(mark), judged, place, indent if fits else None) for mark in marks
    )
    score = float(record.get("COMET", (int, float)))
    return Judgement(judged.name, document.id, segment, None, score, errors, judged.human)


def _mark(
    mark: Record, judged: JudgedPlace, place: tuple[Document, int], indent: int | None
) -> ErrorMark:
    _check_keys(mark, _MARK_KEYS)
    start, end = mark.get("start", int), mark.get("end", int)
    severity = mark.get("severity", str)
    document, segment = place
    text = judged.text(document.id, segment) or ""
    if not 0 <= start <= end:
        raise mark.fault(f"{start} to {end} is no place in a text")
    if indent is None or indent + end > len(text):
        return ErrorMark("", severity)
    span = judged.span(document.id, segment, indent + start, indent + end)
    return ErrorMark("", severity, span)


FORMAT = JudgementsFormat(
    name="xcomet",
    description="XCOMET's scores and error spans as JSON (comet-score --to_json)",
    recognises=recognises,
    judgements=StoredJudgements.of_one_kind(KIND, read),
)
