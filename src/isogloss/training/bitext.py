"""Parallel text: rows of sentences that mean the same, one column per language.

A row may have any number of columns (multi-parallel text), and an empty cell is a missing
sentence. Any two filled cells of a row are a translation pair. Files are streamed, never held.
A TSV file whose first column is called ``doc`` says which document each row belongs to; such text
is in order, and a row of empty cells stands between two documents.
"""

import gzip
import lzma
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from typing import IO, Any, cast
from xml.etree.ElementTree import Element, ParseError, iterparse

from isogloss.errors import FormatError, InputError, MissingExtraError

Row = tuple[str, ...]
_DOCUMENT = "doc"  # the header of a column that names documents; no language is called so


@dataclass(frozen=True)
class Bitext:
    """Named parallel text that can be read again and again.

    `languages` has one code per column; a code may stand twice (pairs of paraphrases).
    `block` says how many consecutive rows belong to one document: None where the order of the
    rows means nothing, 0 where the whole text is in order.
    """

    name: str
    languages: tuple[str, ...]
    rows: Callable[[], Iterator[Row]]
    block: int | None = None


def read_bitext(path: Path, block: int | None = None) -> Bitext:
    """A TSV, TMX or parquet file as bitext; its suffix (before .gz, .xz, .zst) decides."""
    name, suffix = _stem_and_suffix(path)
    match suffix:
        case ".tsv":
            return _read_tsv(path, name, block)
        case ".tmx":
            return _read_tmx(path, name, block)
        case ".parquet":
            return _read_parquet(path, name, block)
    raise FormatError(
        "not a known bitext format", path=path, remedy="give .tsv, .tmx, .parquet or a Moses pair"
    )


def read_moses(
    first: tuple[Path, str], second: tuple[Path, str], block: int | None = None
) -> Bitext:
    """Two line-aligned files, each with its language code."""
    (path_a, language_a), (path_b, language_b) = first, second

    def rows() -> Iterator[Row]:
        with open_lines(path_a) as lines_a, open_lines(path_b) as lines_b:
            try:
                yield from zip(lines_a, lines_b, strict=True)
            except ValueError:
                raise FormatError(
                    f"has not as many lines as {path_a}",
                    path=path_b,
                    remedy="line-aligned files are needed",
                ) from None

    name, _ = _stem_and_suffix(path_a)
    return Bitext(name, (language_a, language_b), rows, block)


def _read_tsv(path: Path, name: str, block: int | None) -> Bitext:
    with open_lines(path) as lines:
        header = next(lines, "")
    columns = tuple(header.split("\t"))
    has_documents = columns[0] == _DOCUMENT
    languages = columns[1:] if has_documents else columns
    if len(languages) < 2 or not all(languages):
        raise FormatError(
            "the header does not name two or more languages",
            path=path,
            line=1,
            remedy="the first line holds one language code per column",
        )

    def rows() -> Iterator[Row]:
        with open_lines(path) as lines:
            next(lines)
            for number, line in enumerate(lines, start=2):
                cells = tuple(line.split("\t"))
                if len(cells) != len(columns):
                    raise FormatError(
                        f"{len(cells)} cells, the header has {len(columns)}",
                        path=path,
                        line=number,
                    )
                yield cells

    if has_documents:
        return Bitext(name, languages, lambda: _documents_apart(rows()), 0)
    return Bitext(name, languages, rows, block)


def _documents_apart(rows: Iterator[Row]) -> Iterator[Row]:
    """The rows without the document's name, and a row without text between two documents.

    Where a cell is missing no example goes on, so none joins sentences of two documents.
    """
    before: str | None = None
    for document, *cells in rows:
        if before not in (None, document):
            yield ("",) * len(cells)
        before = document
        yield tuple(cells)


def _read_tmx(path: Path, name: str, block: int | None) -> Bitext:
    languages = tuple(sorted({code for unit in _tmx_units(path) for code in unit}))
    if len(languages) < 2:
        raise FormatError("holds fewer than two languages", path=path)

    def rows() -> Iterator[Row]:
        for unit in _tmx_units(path):
            yield tuple(unit.get(language, "") for language in languages)

    return Bitext(name, languages, rows, block)


def _tmx_units(path: Path) -> Iterator[dict[str, str]]:
    try:
        with open_bytes(path) as stream:
            for _, element in iterparse(stream):  # noqa: S314 (expat expands no external entity)
                if element.tag == "tu":
                    yield _tmx_unit(element)
                    element.clear()
    except ParseError as error:
        line = error.position[0]
        raise FormatError(f"not well-formed XML ({error})", path=path, line=line) from error


def _tmx_unit(unit: Element) -> dict[str, str]:
    texts: dict[str, str] = {}
    for variant in unit.iter("tuv"):
        code = variant.get("{http://www.w3.org/XML/1998/namespace}lang") or variant.get("lang", "")
        segment = variant.find("seg")
        text = "" if segment is None else " ".join("".join(segment.itertext()).split())
        if code and text:
            texts.setdefault(code.split("-")[0].lower(), text)
    return texts


def _read_parquet(path: Path, name: str, block: int | None) -> Bitext:
    try:
        parquet: Any = import_module("pyarrow.parquet")
    except ImportError as error:
        raise MissingExtraError(f"{path}: reading parquet needs pyarrow", "train") from error
    languages = tuple(parquet.ParquetFile(path).schema_arrow.names)

    def rows() -> Iterator[Row]:
        for batch in parquet.ParquetFile(path).iter_batches():
            columns = [batch.column(index).to_pylist() for index in range(len(languages))]
            for cells in zip(*columns, strict=True):
                yield tuple(_one_line(cell or "") for cell in cells)

    return Bitext(name, languages, rows, block)


def _one_line(text: str) -> str:
    return " ".join(text.split()) if "\n" in text or "\t" in text else text


@contextmanager
def open_lines(path: Path) -> Iterator[Iterator[str]]:
    r"""The lines of a text file one by one, without their ends; only ``\n`` ends a line."""
    with open_bytes(path) as stream:
        text = TextIOWrapper(stream, encoding="utf-8-sig", newline="\n")
        yield _lines_of(text, path)


def _lines_of(text: TextIOWrapper, path: Path) -> Iterator[str]:
    number = 0
    try:
        for line in text:
            number += 1
            yield line.removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError as error:
        raise FormatError(
            "is not UTF-8", path=path, line=number + 1, remedy="expected UTF-8 text"
        ) from error


@contextmanager
def open_bytes(path: Path) -> Iterator[IO[bytes]]:
    """The decompressed bytes of a file (.gz, .xz and .zst are told by their suffix)."""
    if not path.is_file():
        raise FormatError("no such file", path=path)
    match path.suffix:
        case ".gz":
            with gzip.open(path) as stream:
                yield cast(IO[bytes], stream)
        case ".xz":
            with lzma.open(path) as stream:
                yield cast(IO[bytes], stream)
        case ".zst":
            # Imported here: the machine that trains need not have it.
            zstandard = import_module("zstandard")
            with path.open("rb") as raw:
                yield zstandard.ZstdDecompressor().stream_reader(raw, read_across_frames=True)
        case _:
            with path.open("rb") as stream:
                yield stream


def _stem_and_suffix(path: Path) -> tuple[str, str]:
    plain = path.with_suffix("") if path.suffix in (".gz", ".xz", ".zst") else path
    return plain.stem, plain.suffix.lower()


def languages_of(bitexts: list[Bitext]) -> tuple[str, ...]:
    """All language codes of several bitexts, sorted."""
    if not bitexts:
        raise InputError("no bitext was given; name at least one file")
    return tuple(sorted({language for bitext in bitexts for language in bitext.languages}))
