"""The WMT20 study's folder: texts, experiment, annotations and names, as its authors released them.

processing/doc_data/<document>/{src,ref,<system>}.txt    processing/experiment.yaml
processing/line_mapping.json    collected_data/p1/*.json    collected_data/p2/*.json
"""

from collections.abc import Iterator
from pathlib import Path

from isogloss.documents import Collection, Document, SystemOutput, TestSet
from isogloss.errors import FormatError, InputError
from isogloss.formats.files import read_lines, read_text
from isogloss.markables.markable import Markable, Term, markables_in
from isogloss.markables.study.experiment import Experiment, read_experiment
from isogloss.markables.study.sheets import read_line_sheet, read_mark_sheet
from isogloss.markables.study.study import Study
from isogloss.notation import in_words, json_value

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


def read_study(folder: Path) -> Study:
    """The whole study."""
    processing, collected = folder / "processing", folder / "collected_data"
    experiment = read_experiment(processing / "experiment.yaml")
    directions = dict.fromkeys(_direction(id, folder) for id in experiment.documents)
    collections = tuple(_collection(processing, experiment, letter) for letter in directions)
    documents = [d for c in collections for d in c.testset.documents]
    markables = [m for d in documents for m in markables_in(d, experiment.terms)]
    index_lines, shown = _index_lines(processing / "line_mapping.json")
    return Study(
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


def terms_of(study: Study) -> tuple[Term, ...]:
    """The terms of a study's markables, each once."""
    return tuple(dict.fromkeys(Term(markable.forms) for markable in study.markables))
