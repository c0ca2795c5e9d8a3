"""A test set in the folder layout of mt-metrics-eval (MTME v2), one or more language pairs.

    documents/PAIR.docs                       domain and document of every segment
    sources/PAIR.txt                          one segment per line
    references/PAIR.NAME.txt
    system-outputs/PAIR/NAME.txt
    human-scores/PAIR.KIND.LEVEL.score        system and score, or ``None``
    metric-scores/PAIR/METRIC-REF.LEVEL.score

LEVEL is ``seg``, ``doc`` or ``sys``; at ``seg`` and ``doc`` a system has one line per segment or
document, in the order of the test set. (Files of level ``domain`` are let alone.) A segment with
line breaks needs ``.jsonl`` in place of ``.txt``, with the text as ``source``, ``target`` (of a
reference) or ``hypothesis``. The line ``[No translation supplied]`` is an absent segment. A
reference that is also among the outputs was scored as a system, and is human.
"""

import json
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from isogloss.documents import Collection, Document, Segments, SystemOutput, TestSet, counted
from isogloss.errors import FormatError, InputError
from isogloss.formats.files import read_lines, write_folder_of_lines
from isogloss.formats.protocol import (
    Block,
    Direction,
    ReadOptions,
    StoredJudgements,
    TestSetFormat,
    named_testset,
)
from isogloss.formats.score_table import StoredScores, Values, table_of_stored
from isogloss.formats.text import read_documents
from isogloss.judgements import Judgement, Judgements
from isogloss.notation import json_value
from isogloss.scores import ScoreTable

LEVELS = ("seg", "doc", "sys")
_ABSENT = "[No translation supplied]"
_NO_DOMAIN = "-"  # MTME reads two fields on every line, so that a document without one needs it
_SUFFIXES = (".txt", ".jsonl")
_NOT_A_REFERENCE = ("all", "src")


def recognises(path: Path, head: str) -> bool:  # noqa: ARG001 - every format is asked the same way
    """A folder that tells the documents of at least one of its sources."""
    return path.is_dir() and any(
        (path / "documents" / f"{pair}.docs").is_file() for pair in pairs(path)
    )


def pairs(path: Path) -> tuple[str, ...]:
    """The language pairs of a folder, as its files are named: ``en-de``, ``en-zh_CN``."""
    stems = {file.stem for file in _files(path / "sources", suffixes=_SUFFIXES)}
    return tuple(sorted(stem for stem in stems if "-" in stem))


def _files(folder: Path, prefix: str = "", suffixes: tuple[str, ...] = ("",)) -> list[Path]:
    """The files of a folder (none if there is no such folder) whose names begin and end so."""
    files = sorted(folder.iterdir()) if folder.is_dir() else []
    return [each for each in files if each.name.startswith(prefix) and each.name.endswith(suffixes)]


def _chosen_pair(path: Path, wanted: str | None) -> str:
    found = pairs(path)
    if not found:
        raise FormatError("there are no sources/SOURCE-TARGET.txt", path=path)
    if wanted is None and len(found) > 1:
        known = ", ".join(found)
        raise FormatError(
            f"there are several language pairs: {known}",
            path=path,
            remedy="choose the pair to read",
        )
    # "zh-CN" is how BCP 47 writes what a file name calls "zh_CN".
    fitting = [each for each in found if wanted in (None, each, _bcp47(each))]
    if not fitting:
        known = ", ".join(found)
        raise FormatError(f"there is no language pair {wanted!r}; there are: {known}", path=path)
    return fitting[0]


def _bcp47(pair: str) -> str:
    return pair.replace("_", "-")


# --- texts ---------------------------------------------------------------------------------------


def read(path: Path, options: ReadOptions) -> Collection:
    """The test set of one language pair with its systems."""
    pair = _chosen_pair(path, options.pair)
    source = _source(path, pair)
    blocks = _blocks(path / "documents" / f"{pair}.docs", len(source))
    references = {
        name: _side(file, "target", len(source))
        for name, file in _texts_in(path / "references", f"{pair}.").items()
    }
    documents = [
        Document(
            block.id,
            source[lines],
            {name: segments[lines] for name, segments in references.items()},
            block.domain,
        )
        for block, lines in _slices(blocks)
    ]
    source_language, _, target_language = pair.partition("-")
    direction = Direction(_bcp47(source_language), _bcp47(target_language))
    testset = named_testset(documents, path.resolve().name, direction, options)
    return Collection(testset, tuple(_outputs(path, pair, blocks, len(source), references)))


def _outputs(
    path: Path, pair: str, blocks: Sequence[Block], count: int, references: Iterable[str]
) -> Iterator[SystemOutput]:
    for name, file in _texts_in(path / "system-outputs" / pair).items():
        segments = _side(file, "hypothesis", count)
        documents = {block.id: segments[lines] for block, lines in _slices(blocks)}
        yield SystemOutput(name, documents, human=name in references)


def _texts_in(folder: Path, prefix: str = "") -> dict[str, Path]:
    """The text files of a folder by what their names say between prefix and suffix."""
    texts: dict[str, Path] = {}
    for file in _files(folder, prefix, _SUFFIXES):
        name = file.name.removeprefix(prefix).removesuffix(file.suffix)
        if name in texts:
            what = f"{texts[name].name} gives the same text"
            raise FormatError(what, path=file, remedy="remove one of them")
        texts[name] = file
    return texts


def _slices(blocks: Iterable[Block]) -> Iterator[tuple[Block, slice]]:
    begin = 0
    for block in blocks:
        yield block, slice(begin, begin + block.segments)
        begin += block.segments


def _blocks(path: Path, count: int) -> list[Block]:
    return [_with_domain(block) for block in read_documents(path, count)]


def _with_domain(block: Block) -> Block:
    """The fields may be separated by any white space, which `read_documents` leaves in the id."""
    domain, id = block.domain, block.id
    if domain is None and len(id.split()) == 2:
        domain, id = id.split()
    return replace(block, id=id, domain=None if domain == _NO_DOMAIN else domain)


def _source(path: Path, pair: str) -> tuple[str, ...]:
    files = [path / "sources" / f"{pair}{suffix}" for suffix in _SUFFIXES]
    file = next(each for each in files if each.is_file())
    segments: list[str] = []
    for number, segment in enumerate(_segments(file, "source"), 1):
        if segment is None:
            raise FormatError("the source is absent", path=file, line=number)
        segments.append(segment)
    return tuple(segments)


def _side(path: Path, field: str, count: int) -> Segments:
    segments = _segments(path, field)
    if len(segments) != count:
        what = f"has {counted(len(segments), 'line')}, the source has {count:,}"
        raise FormatError(what, path=path)
    return segments


def _segments(path: Path, field: str) -> Segments:
    lines = read_lines(path)
    if path.suffix == ".jsonl":
        return tuple(_from_json(path, n, line, field) for n, line in enumerate(lines, 1))
    return tuple(None if line.rstrip() == _ABSENT else line for line in lines)


def _from_json(path: Path, number: int, line: str, field: str) -> str | None:
    record = json_value(line, path, number)
    if not isinstance(record, dict) or field not in record:
        raise FormatError(f"this is no JSON object with {field!r}", path=path, line=number)
    text = record[field]
    if text is not None and not isinstance(text, str):
        raise FormatError(f"{field!r} is not a text", path=path, line=number)
    return text


# --- writing -------------------------------------------------------------------------------------


def write(collection: Collection, path: Path) -> None:
    """Write a test set with its systems into a folder, which may hold other pairs already."""
    testset = collection.testset
    pair = pair_of(testset)
    if pair in pairs(path):
        raise InputError(f"{path} holds {pair} already; remove it or choose another folder")
    _check_names(collection)
    write_folder_of_lines(path, dict(_contents(collection, pair)))


def _contents(collection: Collection, pair: str) -> Iterator[tuple[str, list[str]]]:
    """The files to write, by name, and their lines."""
    documents = collection.testset.documents
    yield (
        f"documents/{pair}.docs",
        [_document_line(each) for each in documents for _ in each.source],
    )
    source = [text for document in documents for text in document.source]
    yield _written(f"sources/{pair}", "source", source)
    for name in collection.testset.reference_names:
        texts = [text for document in documents for text in document.references[name]]
        yield _written(f"references/{pair}.{name}", "target", texts)
    for output in collection.outputs:
        texts = [text for segments in output.documents.values() for text in segments]
        yield _written(f"system-outputs/{pair}/{output.name}", "hypothesis", texts)


def pair_of(testset: TestSet) -> str:
    """The language pair as files are named by it."""
    languages = (testset.source_language, testset.target_language)
    if None in languages:
        raise InputError(f"test set {testset.name!r}: say its languages, files are named by them")
    return "-".join(str(language).replace("-", "_") for language in languages)


def _document_line(document: Document) -> str:
    domain = _NO_DOMAIN if document.domain is None else document.domain
    if document.domain == _NO_DOMAIN or [domain, document.id] != f"{domain} {document.id}".split():
        raise InputError(
            f"document {document.id!r}: MTME separates domain and document by white space, so "
            f"neither may hold any or be empty; nor may a domain be {_NO_DOMAIN!r}"
        )
    return f"{domain}\t{document.id}"


def _check_names(collection: Collection) -> None:
    references = collection.testset.reference_names
    for name in references:
        if name in _NOT_A_REFERENCE or any(sign in name for sign in ".-"):
            raise InputError(
                f"MTME cannot hold a reference called {name!r}: it may not be "
                f"{' or '.join(_NOT_A_REFERENCE)}, nor hold a dot or a dash"
            )
    for name in (*references, *collection.system_names):
        if "/" in name or "\0" in name:
            raise InputError(f"no file can be called like {name!r}")
    for output in collection.outputs:
        if output.human != (output.name in references):
            raise InputError(
                f"system {output.name!r}: MTME takes for human what has the name of a reference, "
                "and nothing else"
            )


def _written(stem: str, field: str, texts: Sequence[str | None]) -> tuple[str, list[str]]:
    present = [text for text in texts if text is not None]
    # A text file cannot hold these; nor a text that reads like the mark of an absent one.
    if any("\n" in t or t.endswith("\r") or t.rstrip() == _ABSENT for t in present):
        records = [json.dumps({field: text}, ensure_ascii=False) for text in texts]
        return f"{stem}.jsonl", records
    return f"{stem}.txt", [_ABSENT if text is None else text for text in texts]


# --- scores --------------------------------------------------------------------------------------


def judgement_kinds(path: Path, level: str = "seg", pair: str | None = None) -> tuple[str, ...]:
    """The kinds of human scores of one level (``seg``, ``doc`` or ``sys``): ``mqm``, ``wmt-z``."""
    pair = _chosen_pair(path, pair)
    return tuple(name for name, _ in _score_files(path / "human-scores", f"{pair}.", level))


def read_judgements(
    path: Path,
    kind: str,
    known: TestSet | Collection,
    level: str | None = None,
    pair: str | None = None,
) -> Judgements:
    """The human scores of one kind and level; what nobody judged is left out.

    Without a level it is that of segments, or of documents where only these were scored.
    """
    testset = known.testset if isinstance(known, Collection) else known
    pair = _chosen_pair(path, pair or _pair_among(path, testset))
    if level is None:
        whole = dict(_score_files(path / "human-scores", f"{pair}.", "doc"))
        of_segments = dict(_score_files(path / "human-scores", f"{pair}.", "seg"))
        level = "doc" if kind in whole and kind not in of_segments else "seg"
    files = dict(_score_files(path / "human-scores", f"{pair}.", level))
    if kind not in files:
        listed = ", ".join(files) or "none"
        what = f"{pair} has no human scores {kind!r} at level {level!r}; there are: {listed}"
        raise FormatError(what, path=path)
    places = list(_places(testset, level))
    items = [
        Judgement(system, *place, score=score, human=system in testset.reference_names)
        for system, scores in scores_in(files[kind], testset, level).items()
        for place, score in zip(places, scores, strict=True)
        if score is not None
    ]
    return Judgements(kind, tuple(items))


def read_metric_scores(
    path: Path, known: TestSet | Collection, pair: str | None = None
) -> ScoreTable:
    """The stored scores of every metric, at all levels."""
    testset = known.testset if isinstance(known, Collection) else known
    pair = _chosen_pair(path, pair or _pair_among(path, testset))
    folder = path / "metric-scores" / pair
    by_level: dict[str, dict[str, dict[str, Values]]] = {}
    for level in LEVELS:
        files = _score_files(folder, "", level)
        by_level[level] = {metric: scores_in(file, testset, level) for metric, file in files}
    metrics = sorted({metric for stored in by_level.values() for metric in stored})
    if not metrics:
        raise FormatError("there are no files METRIC-REF.LEVEL.score", path=folder)
    rows = []
    for metric in metrics:
        stored = {level: by_level[level].get(metric, {}) for level in LEVELS}
        for system in dict.fromkeys(name for level in LEVELS for name in stored[level]):
            segments, documents = stored["seg"].get(system), stored["doc"].get(system)
            score = stored["sys"].get(system, [None])[0]
            rows.append(StoredScores(metric, system, segments, documents, score))
    return table_of_stored(testset, rows)


def _pair_among(path: Path, testset: TestSet) -> str | None:
    """The test set's own pair, where the folder has it."""
    languages = (testset.source_language, testset.target_language)
    pair = None if None in languages else pair_of(testset)
    return pair if pair in pairs(path) else None


def _score_files(folder: Path, prefix: str, level: str) -> Iterator[tuple[str, Path]]:
    """What a folder scores at a level: ``PREFIX NAME .LEVEL.score``, by NAME."""
    if level not in LEVELS:
        raise InputError(f"there is no level {level!r}; there are: {', '.join(LEVELS)}")
    suffix = f".{level}.score"
    for path in _files(folder, prefix, (suffix,)):
        yield path.name.removeprefix(prefix).removesuffix(suffix), path


def _places(testset: TestSet, level: str) -> Iterator[tuple[str | None, int | None]]:
    """What the scores of a level are about, in their order."""
    if level == "sys":
        yield None, None
        return
    for document in testset.documents:
        if level == "doc":
            yield document.id, None
        else:
            yield from ((document.id, index) for index in range(len(document)))


def scores_in(path: Path, testset: TestSet, level: str) -> dict[str, Values]:
    """Every system's scores of a level, in the order of the test set."""
    count = sum(1 for _ in _places(testset, level))
    scores: dict[str, list[float | None]] = {}
    for number, line in enumerate(read_lines(path), 1):
        system, score = _score(path, number, line)
        scores.setdefault(system, []).append(score)
        if len(scores[system]) > count:
            raise FormatError(f"{system!r} has more than {count:,} scores", path=path, line=number)
    for system, values in scores.items():
        if len(values) < count:
            what = f"{system!r} has {counted(len(values), 'score')}, {count:,} are needed"
            raise FormatError(what, path=path)
    return dict(scores)


def _score(path: Path, number: int, line: str) -> tuple[str, float | None]:
    fields = line.split("\t") if "\t" in line else line.split()
    if len(fields) != 2:
        raise FormatError("expected a system and a score", path=path, line=number)
    system, score = (field.strip() for field in fields)
    if score == "None":
        return system, None
    try:
        value = float(score)
    except ValueError:
        value = float("nan")
    if not math.isfinite(value):
        what = f"{score!r} is no score"
        raise FormatError(what, path=path, line=number, remedy="write None where there is none")
    return system, value + 0.0  # no "-0.0" for a flawless segment


FORMAT = TestSetFormat(
    name="mtme",
    description="folder of an mt-metrics-eval test set",
    recognises=recognises,
    read=read,
    write=write,
    judgements=StoredJudgements(kinds=judgement_kinds, read=read_judgements),
    read_metric_scores=read_metric_scores,
)
