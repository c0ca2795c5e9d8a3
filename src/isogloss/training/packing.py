"""Packed data: every sentence of a set as 16-bit piece ids in one memory-mapped file.

``ids.bin`` holds the pieces of column 0, then of column 1 and so on, sentence after sentence;
``lengths.npy`` says how many pieces each cell has (0 = no sentence there). No tags and no end
marks are stored: the sampler adds them.

Paraphrases by pivoting (Bannard & Callison-Burch 2005): sentences with a common translation.

Prism asks a model for translations into the language of its input, which bitext of two languages
never shows. Where a set has several translations of one sentence, any two of them do.
"""

import json
import random
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from itertools import islice, pairwise
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from isogloss.errors import FormatError, InputError
from isogloss.training.cleaning import SET_FILE, CleanSet, finished_sets, read_column, read_set
from isogloss.training.vocabulary import Vocabulary

Ids = NDArray[np.uint16]
_IDS, _LENGTHS = "ids.bin", "lengths.npy"
_AT_ONCE = 20_000  # sentences handed to SentencePiece in one call


@dataclass(frozen=True)
class PackedSet:
    """One packed set; `lengths` and `starts` are (column, row), `ids` is memory-mapped."""

    name: str
    languages: tuple[str, ...]
    block: int | None
    lengths: NDArray[np.uint16]
    starts: NDArray[np.int64]
    ids: Ids

    @property
    def rows(self) -> int:
        return int(self.lengths.shape[1])

    def sentence(self, column: int, row: int) -> Ids:
        """The pieces of one cell."""
        start = self.starts[column, row]
        return self.ids[start : start + self.lengths[column, row]]


def open_packed(folder: Path) -> PackedSet:
    """Open one packed set without reading its ids."""
    clean = read_set(folder)
    lengths = np.load(folder / _LENGTHS)
    ends = np.cumsum(lengths.ravel(), dtype=np.int64).reshape(lengths.shape)
    ids = np.memmap(folder / _IDS, dtype=np.uint16, mode="r")
    if ends.size and ends[-1, -1] != len(ids):
        raise FormatError(
            f"{len(ids)} ids, but the lengths add up to {ends[-1, -1]}",
            path=folder / _IDS,
            remedy="pack the set again",
        )
    return PackedSet(clean.name, clean.languages, clean.block, lengths, ends - lengths, ids)


def pack_all(
    cleaned: Path,
    packed: Path,
    vocabulary: Path,
    processes: int = 2,
    progress: Callable[[str], None] | None = None,
) -> list[Path]:
    """Encode every cleaned set that is not packed yet, one process for each column at a time."""
    if Vocabulary(vocabulary).size > 1 << 16:
        raise InputError(f"{vocabulary}: more than 65,536 pieces do not fit 16-bit ids")
    todo = [folder for folder in finished_sets(cleaned) if not (packed / folder.name).is_dir()]
    # Not forked: a forked child of a threaded parent may hang.
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        jobs = {folder: _submit_columns(pool, folder, vocabulary) for folder in todo}
        for folder, columns in jobs.items():
            encoded = (column.result() for column in columns)
            write_packed(packed / folder.name, read_set(folder), encoded)
            if progress is not None:
                progress(folder.name)
    return finished_sets(packed)


_Column = tuple[NDArray[np.uint16], Ids]


def _submit_columns(
    pool: ProcessPoolExecutor, folder: Path, vocabulary: Path
) -> list["Future[_Column]"]:
    columns = range(len(read_set(folder).languages))
    return [pool.submit(encode_column, folder, column, vocabulary) for column in columns]


def encode_column(folder: Path, column: int, vocabulary: Path) -> _Column:
    """The lengths and the ids of one column of a cleaned set."""
    clean, pieces = read_set(folder), Vocabulary(vocabulary)
    sentences = list(read_column(folder, clean, column))
    lengths: list[int] = []
    parts: list[Ids] = [np.empty(0, np.uint16)]
    for first in range(0, len(sentences), _AT_ONCE):
        encoded = pieces.encode(sentences[first : first + _AT_ONCE])
        lengths += map(len, encoded)
        flat = [number for sentence in encoded for number in sentence]
        parts.append(np.array(flat, dtype=np.uint16))
    # A cell of more pieces than 16 bits count would shift all that follow; filters forbid it.
    return np.array(lengths, dtype=np.uint16), np.concatenate(parts)


def write_packed(folder: Path, clean: CleanSet, columns: Iterable[_Column]) -> None:
    """Write a packed set, all of it or nothing; a column is its lengths and its ids."""
    unfinished = folder.with_name(folder.name + ".part")
    unfinished.mkdir(parents=True, exist_ok=True)
    lengths = []
    with (unfinished / _IDS).open("wb") as file:
        for column_lengths, ids in columns:
            lengths.append(column_lengths)
            ids.tofile(file)
    np.save(unfinished / _LENGTHS, np.stack(lengths))
    described = {
        "name": clean.name,
        "languages": clean.languages,
        "rows": clean.rows,
        "block": clean.block,
    }
    (unfinished / SET_FILE).write_text(json.dumps(described), encoding="utf-8")
    unfinished.rename(folder)


class PackedFolder:
    """All packed sets of a folder. The folder may grow while it is in use; `refresh` looks."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.sets: list[PackedSet] = []
        self.refresh()
        if not self.sets:
            raise InputError(f"{folder}: no packed data; run the step 'pack' first")

    def refresh(self) -> bool:
        """Open sets that have arrived since; did any?"""
        known = {packed.name for packed in self.sets}
        # A set is renamed into place when it is whole; until then it ends in .part.
        folders = [path for path in finished_sets(self.folder) if path.suffix != ".part"]
        arrived = [open_packed(path) for path in folders if path.name not in known]
        self.sets += arrived
        self.sets.sort(key=lambda packed: packed.name)
        return bool(arrived)

    @property
    def languages(self) -> tuple[str, ...]:
        return tuple(sorted({code for packed in self.sets for code in packed.languages}))


_FEWEST_PIECES = 4  # shorter sentences have too many meanings
_OF_ONE_PIVOT = 3
Pairs = list[tuple[bytes, bytes]]


def write_paraphrases(
    sets: Iterable[PackedSet], folder: Path, fewest: int = 500, seed: int = 1
) -> dict[str, int]:
    """Write a set ``par.XX-XX`` for each language with enough pairs; returns how many each has."""
    found: dict[str, int] = {}
    for language, pivots in sorted(_by_pivot(sets).items()):
        pairs = list(_pairs(pivots, random.Random(seed)))  # noqa: S311 (sampling, not secrecy)
        if len(pairs) >= fewest:
            name = f"par.{language}-{language}"
            clean = CleanSet(name, (language, language), len(pairs), None)
            write_packed(folder / name, clean, (_column(pairs, side) for side in (0, 1)))
            found[language] = len(pairs)
    return found


_Pivots = dict[tuple[str, bytes], set[bytes]]


def _by_pivot(sets: Iterable[PackedSet]) -> dict[str, _Pivots]:
    """For each language: a sentence of another one, and all its translations."""
    languages: dict[str, _Pivots] = {}
    for packed in sets:
        if len(packed.languages) != 2 or packed.languages[0] == packed.languages[1]:
            continue
        for row in map(int, np.flatnonzero((packed.lengths > 0).all(axis=0))):
            cells = [packed.sentence(column, row).tobytes() for column in (0, 1)]
            for here, there in ((0, 1), (1, 0)):
                pivots = languages.setdefault(packed.languages[here], {})
                pivots.setdefault((packed.languages[there], cells[there]), set()).add(cells[here])
    return languages


def _pairs(pivots: _Pivots, draw: random.Random) -> Iterator[tuple[bytes, bytes]]:
    """Pairs that share a pivot and at least one piece, each once, in random order."""
    found: set[tuple[bytes, bytes]] = set()
    for translations in pivots.values():
        several = sorted(translations)
        draw.shuffle(several)
        for one, other in islice(pairwise(several), _OF_ONE_PIVOT):
            if (other, one) not in found and _alike(one, other):
                found.add((one, other))
    mixed = sorted(found)
    draw.shuffle(mixed)
    yield from mixed


def _alike(one: bytes, other: bytes) -> bool:
    pieces, others = _ids(one), _ids(other)
    long_enough = min(len(pieces), len(others)) >= _FEWEST_PIECES
    return long_enough and bool(set(pieces.tolist()) & set(others.tolist()))


def _ids(sentence: bytes) -> Ids:
    return np.frombuffer(sentence, dtype=np.uint16)


def _column(pairs: Pairs, side: int) -> tuple[Ids, Ids]:
    sentences = [_ids(pair[side]) for pair in pairs]
    lengths = np.array([len(sentence) for sentence in sentences], dtype=np.uint16)
    return lengths, np.concatenate(sentences)
