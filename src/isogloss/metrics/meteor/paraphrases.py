"""Paraphrases of words and phrases (Denkowski & Lavie 2010) in many texts at once.

The texts are one array of the table's own word numbers, with `UNKNOWN` for words that the table
does not have and between two texts.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np

from isogloss.metrics.meteor.flat import Bools, Ints, find, spread
from isogloss.metrics.meteor.paraphrase_index import Index, load

UNKNOWN = -1


@dataclass(frozen=True)
class Phrases:
    """Phrases of the table that occur: where they begin, how long they are, their nodes."""

    start: Ints
    length: Ints
    node: Ints


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
    def _first_nodes(self) -> Ints:
        """The nodes of single words, by their numbers; 0 for words that begin no phrase."""
        at_root = int(np.searchsorted(self.index.edges, len(self.words)))
        nodes = np.zeros(len(self.words), np.int64)
        nodes[self.index.edges[:at_root]] = np.arange(1, at_root + 1)
        return nodes

    def phrases(self, numbers: Ints) -> Phrases:
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
        self, starts: Ints, nodes: Ints, length: int, numbers: Ints
    ) -> tuple[Ints, Ints]:
        words = numbers[np.minimum(starts + length, len(numbers) - 1)]
        inside = (starts + length < len(numbers)) & (words != UNKNOWN)
        starts, edges = starts[inside], (nodes * len(self.words) + words)[inside]
        places, there = find(self.index.edges, edges)
        return starts[there], places[there] + 1

    def replacements(self, node: Ints, wanted: Bools) -> tuple[Ints, Ints, Ints]:
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
