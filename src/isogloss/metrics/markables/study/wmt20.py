"""The WMT20 study's folder: texts, experiment, annotations and names, as its authors released them.

processing/doc_data/<document>/{src,ref,<system>}.txt    processing/experiment.yaml
processing/line_mapping.json    collected_data/p1/*.json    collected_data/p2/*.json

The study's own JSON: one file an annotator, phase 1 and phase 2.

    {"<document>": {"<line>": {"<system>": {"conflicting": ..., "fluency": "0.8"}, "time": ms}}}
    {"<document>-<head>": {"<occurrence>": {"<system>": {"<phenomenon>": "0.25"}, "time": ms}}}

Numbers are strings there. What is read is written again byte for byte, but for the line break at
the end of a file, which some have and some have not.

The study's experiment.yaml: systems, documents, accounts, and the forms of the markables.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from isogloss.documents import Collection, Document, SystemOutput, TestSet
from isogloss.errors import FormatError, InputError, MissingExtraError
from isogloss.formats import plain_stem, read_lines, read_text, write_text
from isogloss.metrics.markables.markable import Markable, Phenomenon, Term, markables_in
from isogloss.metrics.markables.study.study import (
    LineRating,
    LineScreen,
    LineSheet,
    MarkableStudy,
    MarkScreen,
    MarkSheet,
)
from isogloss.notation import in_words, json_value

Renaming = Callable[[str, str], str]
"""(document, name of a system) to another name of that system."""


def _unchanged(document: str, system: str) -> str:  # noqa: ARG001
    return system


def read_line_sheet(path: Path, named: Renaming = _unchanged) -> LineSheet:
    """An annotator's file of phase 1."""
    screens = tuple(
        LineScreen(
            document,
            number,
            {named(document, system): rating for system, rating in systems.items()},
            time,
        )
        for document, number, systems, time in _screens(path, _rating)
    )
    return LineSheet(plain_stem(path), screens)


def read_mark_sheet(path: Path, named: Renaming = _unchanged) -> MarkSheet:
    """An annotator's file of phase 2."""
    screens = []
    for key, number, systems, time in _screens(path, _marks):
        document, _, head = key.partition("-")
        marks = {named(document, system): given for system, given in systems.items()}
        screens.append(MarkScreen(document, head, number, marks, time))
    return MarkSheet(plain_stem(path), tuple(screens))


Said = TypeVar("Said")


def _screens(
    path: Path, parse: Callable[[Mapping[str, Any]], Said]
) -> Iterator[tuple[str, int, dict[str, Said], int]]:
    """Outer key, number, what was said of each system, and time of every screen of a file."""
    place, content = "the file", json_value(read_text(path), path)
    try:
        for key, screens in content.items():
            for number, cells in screens.items():
                place = f"{key!r}, screen {number!r}"
                said = {name: parse(cell) for name, cell in cells.items() if name != "time"}
                yield key, int(number), said, int(cells["time"])
    except (ValueError, AttributeError, LookupError, TypeError, OverflowError, InputError) as error:
        if isinstance(error, FormatError):
            raise
        raise FormatError(
            f"{place} holds no annotations of the markable study ({in_words(error)})",
            path=path,
            remedy="expected {document: {number: {system: {...}, time: ...}}}",
        ) from error


def _rating(cells: Mapping[str, Any]) -> LineRating:
    scores = {name: _number(cells.get(name)) for name in ("fluency", "adequacy")}
    return LineRating(cells["conflicting"], cells["errors"], **scores)


def _number(text: str | None) -> float | None:
    return None if text is None else float(text)


def _marks(cells: Mapping[str, str]) -> dict[Phenomenon, float | None]:
    return {Phenomenon.of_key(key): _number(value) for key, value in cells.items()}


def write_line_sheet(
    sheet: LineSheet, path: Path, named: Renaming = _unchanged, *, end: str = "\n"
) -> None:
    """Write an annotator's file of phase 1."""
    content: dict[str, dict[str, Any]] = {}
    for screen in sheet.screens:
        cells: dict[str, Any] = {
            named(screen.document, system): _rating_cells(rating)
            for system, rating in screen.ratings.items()
        }
        cells["time"] = screen.time
        content.setdefault(screen.document, {})[str(screen.line)] = cells
    write_text(path, _json(content) + end)


def _rating_cells(rating: LineRating) -> dict[str, Any]:
    scores = {"fluency": rating.fluency, "adequacy": rating.adequacy}
    given = {name: f"{value:g}" for name, value in scores.items() if value is not None}
    return {"conflicting": rating.conflicting, **given, "errors": rating.reported}


def write_mark_sheet(
    sheet: MarkSheet, path: Path, named: Renaming = _unchanged, *, end: str = "\n"
) -> None:
    """Write an annotator's file of phase 2; it cannot hold a phenomenon without a severity."""
    content: dict[str, dict[str, Any]] = {}
    for screen in sheet.screens:
        cells: dict[str, Any] = {
            named(screen.document, system): {
                phenomenon.key: _severity_cell(phenomenon, severity, path)
                for phenomenon, severity in marks.items()
            }
            for system, marks in screen.marks.items()
        }
        cells["time"] = screen.time
        key = f"{screen.document}-{screen.head}"
        content.setdefault(key, {})[str(screen.occurrence)] = cells
    write_text(path, _json(content) + end)


def _severity_cell(phenomenon: Phenomenon, severity: float | None, path: Path) -> str:
    if severity is None:
        raise FormatError(
            f"{phenomenon} is marked without a severity, which the study's files cannot hold",
            path=path,
            remedy="write the event log instead",
        )
    return f"{severity:g}"


def _json(content: object) -> str:
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"))


_LISTS = ("mts", "docs", "users")


@dataclass(frozen=True, slots=True)
class Experiment:
    """What an annotation experiment consists of; names are those of files."""

    systems: tuple[str, ...]
    documents: tuple[str, ...]
    users: tuple[str, ...]
    terms: tuple[Term, ...]


def _yaml() -> Any:
    """The library, which nothing but the files of the study needs."""
    try:
        import yaml
    except ImportError as error:
        what = "the study's experiment.yaml needs PyYAML, which is not installed"
        raise MissingExtraError(what, "study") from error
    return yaml


def read_experiment(path: Path) -> Experiment:
    """The experiment that the file describes."""
    yaml = _yaml()
    try:
        content = yaml.safe_load(read_text(path))
    except RecursionError as error:
        raise FormatError(in_words(error), path=path) from None
    except (yaml.YAMLError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        raise FormatError(
            f"not YAML: {getattr(error, 'problem', None) or error}",
            path=path,
            line=mark.line + 1 if mark else None,
        ) from error
    if not isinstance(content, Mapping):
        raise FormatError("no experiment: expected mts, docs, users and markables", path=path)
    names = [_strings(content, key, path) for key in _LISTS]
    try:
        terms = tuple(Term(tuple(map(str, forms))) for forms in content["markables"])
    except (KeyError, TypeError, InputError) as error:
        raise FormatError(
            f"markables should be lists of forms ({in_words(error)})", path=path
        ) from error
    return Experiment(names[0], names[1], names[2], terms)


def _strings(content: Mapping[str, Any], key: str, path: Path) -> tuple[str, ...]:
    values = content.get(key)
    if not isinstance(values, list):
        raise FormatError(f"{key!r} should be a list of names", path=path)
    return tuple(map(str, values))


def write_experiment(experiment: Experiment, path: Path) -> None:
    """Write the experiment; comments of a file that was read are not kept."""
    content = {
        "mts": list(experiment.systems),
        "docs": list(experiment.documents),
        "users": list(experiment.users),
        "markables": [list(term.forms) for term in experiment.terms],
    }
    write_text(path, _yaml().safe_dump(content, allow_unicode=True, sort_keys=False))


REFERENCE = "Reference"
_SOURCE_FILE, _REFERENCE_FILE = "src", "ref"
_DOMAINS = {"kufr": "lease", "auto": "news", "euro": "news", "brouk": "audit"}
_DIRECTIONS = {"c": ("cs", "en"), "e": ("en", "cs")}
_JOINED = "PROMT_NMT-eTranslation"  # two systems with one direction each share this name
_JOINED_NAMES = {"c": "PROMT_NMT", "e": "eTranslation"}
_NAMES = {
    "newstest2020-online-a.sgm": "Online-A",
    "newstest2020-online-b.sgm": "Online-B",
    "newstest2020-online-z.sgm": "Online-Z",
    _REFERENCE_FILE: REFERENCE,
}


def our_name(document: str, file_name: str) -> str:
    """The system behind a file's name."""
    if file_name == _JOINED:
        if document[-1:] not in _JOINED_NAMES:
            raise InputError(f"document {document!r} is none of the study's")
        return _JOINED_NAMES[document[-1]]
    return _NAMES.get(file_name, file_name)


def file_name(document: str, our_name: str) -> str:
    """The file's name of a system."""
    if our_name == _JOINED_NAMES[document[-1]]:
        return _JOINED
    return next((file for file, name in _NAMES.items() if name == our_name), our_name)


def read_study(folder: Path) -> MarkableStudy:
    """The whole study."""
    processing, collected = folder / "processing", folder / "collected_data"
    experiment = read_experiment(processing / "experiment.yaml")
    directions = dict.fromkeys(_direction(id, folder) for id in experiment.documents)
    collections = tuple(_collection(processing, experiment, letter) for letter in directions)
    documents = [d for c in collections for d in c.testset.documents]
    markables = [m for d in documents for m in markables_in(d, experiment.terms)]
    index_lines, shown = _index_lines(processing / "line_mapping.json")
    return MarkableStudy(
        "ELITR WMT20 markables",
        collections,
        tuple(_shown_markables(markables, shown)),
        tuple(read_line_sheet(path, our_name) for path in _files(collected / "p1")),
        tuple(read_mark_sheet(path, our_name) for path in _files(collected / "p2")),
        index_lines,
    )


def _direction(document: str, folder: Path) -> str:
    letter = document[-1:]
    if letter not in _DIRECTIONS or document[:-1] not in _DOMAINS:
        raise FormatError(
            f"document {document!r} is none of the study's", path=folder / "processing"
        )
    return letter


def _files(folder: Path) -> list[Path]:
    files = sorted(folder.glob("*.json"))
    if not files:
        raise FormatError("there are no annotations (*.json)", path=folder)
    return files


def _collection(processing: Path, experiment: Experiment, letter: str) -> Collection:
    ids = [id for id in experiment.documents if id[-1] == letter]
    source, target = _DIRECTIONS[letter]
    texts = {id: processing / "doc_data" / id for id in ids}
    documents = tuple(
        Document(
            id,
            tuple(_lines(texts[id], _SOURCE_FILE)),
            {REFERENCE: tuple(_lines(texts[id], _REFERENCE_FILE))},
            _DOMAINS[id[:-1]],
        )
        for id in ids
    )
    outputs = tuple(
        SystemOutput(
            our_name(ids[0], system),
            {id: tuple(_lines(texts[id], system)) for id in ids},
            human=system == _REFERENCE_FILE,
        )
        for system in experiment.systems
    )
    return Collection(TestSet(f"markables-{source}-{target}", source, target, documents), outputs)


def _lines(folder: Path, system: str) -> list[str]:
    return read_lines(folder / f"{system}.txt")


def _index_lines(path: Path) -> tuple[dict[tuple[str, str, int], int], set[tuple[str, str]]]:
    """The line of every index of every markable, and which markables each document has."""
    content = json_value(read_text(path), path)
    try:
        lines = {
            (document, head, int(index)): int(line)
            for document, heads in content.items()
            for head, indices in heads.items()
            for index, line in indices.items()
        }
    except (ValueError, AttributeError, TypeError, OverflowError) as error:
        raise FormatError(f"no line mapping ({in_words(error)})", path=path) from error
    return lines, {(document, head) for document, head, _ in lines}


def _shown_markables(markables: list[Markable], shown: set[tuple[str, str]]) -> Iterator[Markable]:
    """Those markables that the study asked about."""
    return (m for m in markables if (m.document, m.head) in shown)


def terms_of(study: MarkableStudy) -> tuple[Term, ...]:
    """The terms of a study's markables, each once."""
    return tuple(dict.fromkeys(Term(markable.forms) for markable in study.markables))
