"""Paraphrases of words and phrases (Denkowski & Lavie 2010) in many texts at once.

The texts are one array of the table's own word numbers, with `UNKNOWN` for words that the table
does not have and between two texts.

A paraphrase table as a few arrays, made once and kept in the cache folder.

The phrases are a trie: an *edge* is a node's number times the number of words, plus a word; the
node that it leads to is the place of the edge among all, counted from 1 (0 is the root). For every
node there are the nodes of the phrases that it becomes, in the order of the table.
"""

import gzip
import os
import shutil
import tempfile
import zlib
from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np

from isogloss.arrays import Integers, Mask
from isogloss.errors import FormatError
from isogloss.metrics.meteor.flat import find, spread
from isogloss.metrics.meteor.profile import file_digest
from isogloss.runtime import default_cache_folder

MOST_REPLACEMENTS = 1 << 14  # of one phrase
LONGEST_PHRASE = 1 << 4
_VERSION = 1  # of the form of the arrays
_WORDS = "words.txt"


@dataclass(frozen=True)
class Index:
    """What a node becomes begins at ``becomes_start[node]`` and ends where the next one's does."""

    edges: Integers
    becomes_start: Integers
    becomes: Integers


@dataclass(frozen=True)
class Stored:
    """An index with the words that it numbers and the digest of the table it was made from."""

    words: Mapping[str, int]
    index: Index
    digest: str


def load(table: Path) -> Stored:
    """The index of a table: mapped into memory from the cache, where it is put if it is new."""
    digest = file_digest(table)
    folder = default_cache_folder() / "meteor" / f"paraphrases-{digest}-{_VERSION}"
    if not folder.is_dir():
        words, index = build(table)
        try:
            _save(folder, words, index)
        except OSError:  # no place for a cache: the arrays will do for as long as we run
            return Stored({word: n for n, word in enumerate(words)}, index, digest)
    arrays = {
        field.name: np.load(folder / f"{field.name}.npy", mmap_mode="r") for field in fields(Index)
    }
    words = (folder / _WORDS).read_text(encoding="utf-8").split("\n")
    return Stored({word: n for n, word in enumerate(words)}, Index(**arrays), digest)


def _save(folder: Path, words: list[str], index: Index) -> None:
    """All of it or nothing: another process may be doing the same."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    unfinished = Path(tempfile.mkdtemp(dir=folder.parent))
    try:
        for field in fields(Index):
            np.save(unfinished / f"{field.name}.npy", getattr(index, field.name))
        (unfinished / _WORDS).write_text("\n".join(words), encoding="utf-8")
        if not folder.is_dir():
            os.replace(unfinished, folder)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def build(table: Path) -> tuple[list[str], Index]:
    """The words of a table and its index."""
    phrases, left, right = _pairs(table)
    words, numbers, lengths = _numbered(phrases)
    edges, nodes = _trie(numbers, lengths, len(words))
    source, target = nodes[left], nodes[right]
    counts = np.bincount(source, minlength=len(edges) + 1)
    if counts.max() >= MOST_REPLACEMENTS or lengths.max() >= LONGEST_PHRASE:
        raise FormatError(
            f"phrases of {lengths.max()} words with {counts.max():,} paraphrases are too many",
            path=table,
        )
    index = Index(
        edges,
        np.concatenate([[0], np.cumsum(counts)]).astype(np.int32),
        target[np.argsort(source, kind="stable")].astype(np.int32),
    )
    return words, index


def _pairs(table: Path) -> tuple[list[bytes], Integers, Integers]:
    """The distinct phrases, and of each entry which one becomes which."""
    numbers: dict[bytes, int] = {}
    left, right = array("i"), array("i")
    for phrase, other in _entries(table):
        left.append(numbers.setdefault(phrase, len(numbers)))
        right.append(numbers.setdefault(other, len(numbers)))
    return list(numbers), np.array(left, np.int64), np.array(right, np.int64)


def _entries(table: Path) -> Iterator[tuple[bytes, bytes]]:
    """Entries are three lines: a probability, a phrase, what it becomes."""
    try:
        with gzip.open(table, "rb") as file:
            lines = iter(file)
            for _ in lines:
                yield next(lines), next(lines)
    except (OSError, EOFError, StopIteration, zlib.error) as error:
        raise FormatError("this is no whole paraphrase table", path=table) from error


def _numbered(phrases: list[bytes]) -> tuple[list[str], Integers, Integers]:
    """The words, all phrases' words as numbers one after another, and the phrases' lengths."""
    known: dict[bytes, int] = {}
    numbers, lengths = array("i"), array("i")
    for phrase in phrases:
        words = phrase.split()
        lengths.append(len(words))
        numbers.extend([known.setdefault(word, len(known)) for word in words])
    texts = [word.decode("utf-8", "replace") for word in known]
    return texts, np.array(numbers, np.int64), np.array(lengths, np.int64)


def _trie(numbers: Integers, lengths: Integers, words: int) -> tuple[Integers, Integers]:
    """The edges, and the node of every phrase. Level by level, the edges come out sorted."""
    begin = np.cumsum(lengths) - lengths
    nodes = np.zeros(len(lengths), np.int64)
    levels: list[Integers] = []
    count = 0
    for depth in range(int(lengths.max(initial=0))):
        going_on = np.flatnonzero(lengths > depth)
        wanted = nodes[going_on] * words + numbers[begin[going_on] + depth]
        edges, which = np.unique(wanted, return_inverse=True)
        nodes[going_on] = count + 1 + which
        count += len(edges)
        levels.append(edges)
    return np.concatenate(levels) if levels else np.empty(0, np.int64), nodes


UNKNOWN = -1


@dataclass(frozen=True)
class Phrases:
    """Phrases of the table that occur: where they begin, how long they are, their nodes."""

    start: Integers
    length: Integers
    node: Integers


@dataclass(frozen=True, eq=False)
class ParaphraseTable:
    """A table that is ready for use."""

    name: str
    words: Mapping[str, int] = field(repr=False)
    index: Index = field(repr=False)

    @property
    def nodes(self) -> int:
        """How many there are, with the root."""
        return len(self.index.edges) + 1

    @cached_property
    def _first_nodes(self) -> Integers:
        """The nodes of single words, by their numbers; 0 for words that begin no phrase."""
        at_root = int(np.searchsorted(self.index.edges, len(self.words)))
        nodes = np.zeros(len(self.words), np.int64)
        nodes[self.index.edges[:at_root]] = np.arange(1, at_root + 1)
        return nodes

    def phrases(self, numbers: Integers) -> Phrases:
        """Every phrase in the texts, short or long, that the table knows, by where it begins."""
        starts = np.flatnonzero(numbers != UNKNOWN)
        nodes = self._first_nodes[numbers[starts]]
        starts, nodes = starts[nodes > 0], nodes[nodes > 0]
        levels = [(starts, nodes)]
        while len(starts):
            starts, nodes = self._one_word_longer(starts, nodes, len(levels), numbers)
            levels.append((starts, nodes))
        lengths = np.repeat(np.arange(1, len(levels) + 1), [len(level) for level, _ in levels])
        start, node = (np.concatenate(parts) for parts in zip(*levels, strict=True))
        order = np.argsort(start, kind="stable")
        return Phrases(start[order], lengths[order], node[order])

    def _one_word_longer(
        self, starts: Integers, nodes: Integers, length: int, numbers: Integers
    ) -> tuple[Integers, Integers]:
        words = numbers[np.minimum(starts + length, len(numbers) - 1)]
        inside = (starts + length < len(numbers)) & (words != UNKNOWN)
        starts, edges = starts[inside], (nodes * len(self.words) + words)[inside]
        places, there = find(self.index.edges, edges)
        return starts[there], places[there] + 1

    def replacements(self, node: Integers, wanted: Mask) -> tuple[Integers, Integers, Integers]:
        """What the phrases become, of nodes that are wanted.

        That is: of which of the phrases, the node, its place in the table's list.
        """
        start = self.index.becomes_start[node]
        phrase, place = spread(start, self.index.becomes_start[node + 1])
        kept = np.flatnonzero(wanted[self.index.becomes[place]])
        phrase, place = phrase[kept], place[kept]
        return phrase, self.index.becomes[place], place - start[phrase]


@lru_cache(maxsize=4)
def paraphrase_table(file: Path) -> ParaphraseTable:
    """The table of that file; asked for again, it is the same object."""
    stored = load(file)
    name = f"{file.name.removesuffix('.gz')}-{stored.digest}"
    return ParaphraseTable(name, stored.words, stored.index)
