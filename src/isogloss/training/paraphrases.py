"""Paraphrases by pivoting (Bannard & Callison-Burch 2005): sentences with a common translation.

Prism asks a model for translations into the language of its input, which bitext of two languages
never shows. Where a set has several translations of one sentence, any two of them do.
"""

import random
from collections.abc import Iterable, Iterator
from itertools import islice, pairwise
from pathlib import Path

import numpy as np

from isogloss.training.cleaning import CleanSet
from isogloss.training.packing import Ids, PackedSet, write_packed

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
