"""A study as one file of JSON lines: texts, markables and events, as a campaign exports it.

    {"study": "lease contracts"}
    {"text": "d", "source_language": "cs", "target_language": "en", "domain": "lease",
     "source": [...], "references": {"refA": [...]}, "outputs": {"s": [...]}, "humans": []}
    {"term": "tenant", "document": "d", "occurrences": [[0, 4, 10], ...]}

Everything else is an event. A term may carry ``index_lines``: see `Study.index_lines`.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from isogloss.documents import Collection, Document, SystemOutput, TestSet
from isogloss.errors import FormatError, InputError
from isogloss.formats.files import read_lines
from isogloss.markables.markable import Markable
from isogloss.markables.study.events import event_in, sheets_of
from isogloss.markables.study.study import Study
from isogloss.notation import in_words, json_value
from isogloss.spans import SOURCE, Span

Record = dict[str, Any]


def read_exported(path: Path) -> Study:
    """The study in a file that a campaign exported."""
    name = path.stem
    texts: list[Record] = []
    terms: list[Record] = []
    events = []
    for number, line in enumerate(read_lines(path), 1):
        record = _record(path, number, line)
        if "study" in record:
            name = str(record["study"])
        elif "text" in record:
            texts.append(record)
        elif "term" in record:
            terms.append(record)
        else:
            events.append(event_in(record, path, number))
    if not texts:
        raise FormatError(
            "there are no texts beside the events",
            path=path,
            remedy="export it with 'isogloss annotate export CAMPAIGN study.jsonl'",
        )
    try:
        markables = tuple(map(_markable, terms))
        return Study(name, tuple(_collections(texts)), markables, *sheets_of(events), _lines(terms))
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError, InputError) as error:
        raise FormatError(
            f"texts and markables do not make a study ({in_words(error)})", path=path
        ) from error


def _record(path: Path, number: int, line: str) -> Record:
    record = json_value(line, path, number)
    if not isinstance(record, dict):
        raise FormatError("is no record of a study", path=path, line=number)
    return record


def _markable(record: Record) -> Markable:
    document = str(record["document"])
    spans = tuple(Span(document, SOURCE, *place) for place in record["occurrences"])
    return Markable(document, str(record["term"]), spans)


def _lines(terms: Sequence[Record]) -> dict[tuple[str, str, int], int]:
    return {
        (term["document"], term["term"], index): line
        for term in terms
        for index, line in enumerate(term.get("index_lines", ()))
    }


def _collections(texts: Sequence[Record]) -> Iterator[Collection]:
    """Texts of one direction with the same translations make one collection."""
    groups: dict[tuple[Any, ...], list[Record]] = {}
    for text in texts:
        kind = (text["source_language"], text["target_language"], tuple(text["outputs"]))
        groups.setdefault(kind, []).append(text)
    names: set[str] = set()
    for (source, target, systems), group in groups.items():
        name = _new_name(f"markables-{source}-{target}", names)
        documents = tuple(
            Document(t["text"], tuple(t["source"]), t["references"], t["domain"]) for t in group
        )
        outputs = tuple(
            SystemOutput(
                system,
                {t["text"]: tuple(t["outputs"][system]) for t in group},
                human=system in group[0]["humans"],
            )
            for system in systems
        )
        yield Collection(TestSet(name, source, target, documents), outputs)


def _new_name(wanted: str, taken: set[str]) -> str:
    """The name, with a number where it is taken: files are called by it."""
    number, name = 1, wanted
    while name in taken:
        number += 1
        name = f"{wanted}-{number}"
    taken.add(name)
    return name
