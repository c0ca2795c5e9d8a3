"""Error spans as a table, as WMT25's task on them has it: one row for each translation.

The columns of a submission or of its gold standard: ``doc_id``, ``segment_id``, ``source_lang``,
``target_lang``, ``system_id``, ``source_segment``, ``hypothesis_segment``, and, with a blank
between one mark and the next, ``start_indices``, ``end_indices`` and ``error_types``; others are
let alone. ``no-error`` as type says that nothing is marked, ``missing`` as index that something is
left out of the translation. Indices are code points of the hypothesis, the end is exclusive. Rows
of other language pairs, and of sets other than ``official`` where a column ``set_id`` says so, are
left out.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

from isogloss.documents import Collection, TestSet, counted
from isogloss.errors import FormatError
from isogloss.formats.files import read_lines
from isogloss.formats.places import JudgedPlace, Places, Record, placed
from isogloss.formats.protocol import JudgementsFormat, StoredJudgements
from isogloss.judgements import ErrorMark, Judgement, Judgements
from isogloss.language import primary

KIND = "spans"
_NEEDED = (
    "doc_id",
    "segment_id",
    "system_id",
    "source_segment",
    "hypothesis_segment",
    "start_indices",
    "end_indices",
    "error_types",
)
_NO_ERROR, _MISSING, _OMISSION, _OFFICIAL = "no-error", "missing", "omission", "official"


def recognises(path: Path, head: str) -> bool:
    """A header with the columns of marks."""
    return not path.is_dir() and set(_NEEDED) <= set(head.partition("\n")[0].split("\t"))


def read(path: Path, known: TestSet | Collection) -> Judgements:
    """One judgement for each row; marks keep their places if outputs are known."""
    places = Places(known)
    items = [_judgement(row, places) for row in _rows(path) if _is_asked(row, places.testset)]
    if not items:
        testset = places.testset.name
        raise FormatError(f"no row is about the languages of test set {testset!r}", path=path)
    return Judgements(KIND, tuple(items))


def _rows(path: Path) -> Iterator[Record]:
    header, *lines = read_lines(path)
    columns = header.split("\t")
    for number, line in enumerate(lines, 2):
        cells = line.split("\t")
        if len(cells) != len(columns):
            what = f"has {counted(len(cells), 'column')}, the header has {len(columns)}"
            raise FormatError(what, path=path, line=number)
        yield Record(path, number, number, dict(zip(columns, cells, strict=True)))


def _is_asked(row: Record, testset: TestSet) -> bool:
    """Whether a row is of the official set and of the test set's languages, where it says so."""
    cells: Mapping[str, str] = row.content
    pairs = (
        (cells.get("source_lang"), testset.source_language),
        (cells.get("target_lang"), testset.target_language),
    )
    ours = all(
        not theirs or own is None or primary(theirs.replace("_", "-")) == primary(own)
        for theirs, own in pairs
    )
    return ours and cells.get("set_id", _OFFICIAL) == _OFFICIAL


def _judgement(row: Record, places: Places) -> Judgement:
    number = row.get("segment_id", str)
    within = int(number) if number.isdecimal() and len(number) < 19 else None
    place = placed(places, row, row.get("doc_id", str), row.get("source_segment", str), within)
    judged = places.judged(row.get("system_id", str))
    document, segment = place[0].id, place[1]
    text = judged.text(document, segment)
    shown = row.get("hypothesis_segment", str)
    fits = text is not None and shown.strip() == text.strip()
    shift = _indent(text or "") - _indent(shown)
    errors = tuple(
        _mark(row, judged, (document, segment), mark, shift if fits else None)
        for mark in _marks(row)
    )
    return Judgement(judged.name, document, segment, None, None, errors, judged.human)


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())


def _marks(row: Record) -> Iterator[tuple[str, str, str]]:
    """Start, end and severity of each mark."""
    types = row.get("error_types", str).split()
    if types in ([], [_NO_ERROR]):
        return
    starts, ends = (row.get(key, str).split() for key in ("start_indices", "end_indices"))
    if not len(starts) == len(ends) == len(types):
        raise row.fault(
            f"{len(starts)} start_indices, {len(ends)} end_indices and {len(types)} error_types"
        )
    yield from zip(starts, ends, types, strict=True)


def _mark(
    row: Record,
    judged: JudgedPlace,
    place: tuple[str, int],
    mark: tuple[str, str, str],
    shift: int | None,
) -> ErrorMark:
    first, last, severity = mark
    if _MISSING in (first, last):
        return ErrorMark(_OMISSION, severity)
    if not (first.isdecimal() and last.isdecimal() and int(first[:9]) <= int(last[:9])):
        raise row.fault(f"{first!r:.20} to {last!r:.20} is no place in a text")
    text = judged.text(*place) or ""
    start = int(first[:9]) + (shift or 0)
    end = min(int(last[:9]) + (shift or 0), len(text))  # the task's scorer cuts marks, too
    if shift is None or not 0 <= start <= end:
        return ErrorMark("", severity)
    return ErrorMark("", severity, judged.span(*place, start, end))


FORMAT = JudgementsFormat(
    name="wmt-spans",
    description="Error spans as a table, as in WMT25",
    recognises=recognises,
    judgements=StoredJudgements.of_one_kind(KIND, read),
)
