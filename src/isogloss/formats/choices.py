"""Preferences: which of two translations of a document, or of a part of it, people find better.

JSON lines of objects, or TSV or CSV with a header, one choice each::

    doc     segments  first  second  preferred  annotator
    news-1            good   fast    good       anna
    news-1  3-5       good   fast    tie        anna

``preferred`` is the name of one of the two systems, or ``tie``. ``segments`` are numbers from 1 of
the first and the last that were compared, or one number; without them it is the whole document.
``annotator`` may be wanting, and ``reasons``, which are words with commas between them. A ``note``
is for people and not read. Other columns are refused: they would be judgements that nobody reads.

Campaigns export this as ``preferences.tsv``. What their organiser decided is the only choice of its
pair, by an annotator called ``organiser``.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from isogloss.documents import Collection, Document, TestSet, counted
from isogloss.errors import FormatError, InputError
from isogloss.formats.campaign_files import ORGANISER
from isogloss.formats.files import read_lines
from isogloss.formats.flat import flat_records, keys_of
from isogloss.formats.places import Places, Record, read_records
from isogloss.formats.protocol import ChoicesFormat
from isogloss.judgements import Choice, Choices

_NEEDED = ("doc", "first", "second", "preferred")
_COLUMNS = (*_NEEDED, "segments", "annotator", "reasons", "note")
TIE = "tie"
"""What is preferred where neither is."""


def recognises(path: Path, head: str) -> bool:
    """A header, or a first object, with two systems and which of them is preferred."""
    if path.is_dir():
        return False
    first = head.lstrip().partition("\n")[0]
    if first.startswith(("{", "[")):
        return all(f'"{key}"' in head for key in _NEEDED)
    return set(_NEEDED) <= set(first.split("\t")) or set(_NEEDED) <= keys_of(first)


def read(path: Path, known: TestSet | Collection) -> Choices:
    """The choices of a file."""
    places = Places(known)
    there = known.all_system_names if isinstance(known, Collection) else None
    references = places.testset.reference_names
    items = [_choice(record, places, there, references) for record in _records(path)]
    if not items:
        raise FormatError("there are no choices", path=path)
    return Choices(tuple(_with_decisions(items)))


def _with_decisions(choices: Sequence[Choice]) -> Iterator[Choice]:
    """What counts: the decision where there is one, and elsewhere what annotators said."""
    decided = {_compared(choice) for choice in choices if choice.annotator == ORGANISER}
    for choice in choices:
        if choice.annotator == ORGANISER or _compared(choice) not in decided:
            yield choice


def _compared(choice: Choice) -> tuple[object, ...]:
    return choice.document, choice.segments, frozenset(choice.systems)


def _records(path: Path) -> Iterator[Record]:
    lines = read_lines(path)
    if not lines or lines[0].lstrip().startswith(("{", "[")):
        yield from read_records(path)
        return
    if keys_of(lines[0]):
        yield from flat_records(path)
        return
    columns = lines[0].split("\t")
    for number, line in enumerate(lines[1:], 2):
        cells = line.split("\t")
        if len(cells) != len(columns):
            what = f"has {counted(len(cells), 'column')}, the header has {len(columns)}"
            raise FormatError(what, path=path, line=number)
        filled = {name: cell for name, cell in zip(columns, cells, strict=True) if cell}
        yield Record(path, number, number, filled)


def _choice(
    record: Record, places: Places, there: Sequence[str] | None, references: Sequence[str]
) -> Choice:
    for key in record.content:
        if key not in _COLUMNS:
            raise record.fault(f"unknown column {key!r}; there are: {', '.join(_COLUMNS)}")
    name = record.get("doc", str)
    document = places.document(name)
    if document is None:
        raise record.fault(f"document {name!r} is not in test set {places.testset.name!r}")
    systems = {key: record.get(key, str) for key in ("first", "second")}
    for system in systems.values():
        if there is not None and system not in (*there, *references):
            raise record.fault(f"there is no system {system!r}; there are: {', '.join(there)}")
    preferred = record.get("preferred", str)
    try:
        return Choice(
            systems["first"],
            systems["second"],
            document.id,
            None if preferred == TIE else preferred,
            _segments(record, document),
            record.get("annotator", str, needed=False),
            _reasons(record),
        )
    except InputError as error:
        raise record.fault(str(error), f"'preferred' is one of the two, or {TIE!r}") from None


def _reasons(record: Record) -> tuple[str, ...]:
    given = record.get("reasons", str, needed=False) or ""
    return tuple(filter(None, map(str.strip, given.split(","))))


def _segments(record: Record, document: Document) -> tuple[int, int] | None:
    """From one segment up to before another, counted from 0."""
    given = record.get("segments", (str, int), needed=False)
    if given is None:
        return None
    first, _, last = str(given).partition("-")
    last = last or first
    if not all(n.isascii() and n.isdecimal() and len(n) < 10 for n in (first, last)):
        raise record.fault(f"segments {given!r:.40} are no numbers", "such as 3-5, or 3")
    start, end = int(first) - 1, int(last)
    if not 0 <= start < end <= len(document):
        has = counted(len(document), "segment")
        raise record.fault(f"document {document.id!r} has {has}, no segments {given}")
    return start, end


FORMAT = ChoicesFormat(
    name="choices",
    description="preferences between two translations, as TSV, CSV or JSON lines",
    recognises=recognises,
    read=read,
)
