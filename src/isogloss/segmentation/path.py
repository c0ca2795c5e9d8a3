"""The best way through a text: for each sentence of the source, in order, a run of pieces.

A run may be empty (the sentence was left out), and between runs whole sentences of the output may
belong to nobody (they were added). One pass of dynamic programming finds the way that all pieces,
the lengths and the places of the cuts speak for most.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from isogloss.arrays import Floats, Integers, Mask

_LENGTH, _SPREAD, _FLAT = 0.8, 4.0, 32.0  # weight, variance per piece, and where it stops counting
_LONGEST, _AT_LEAST = 4, 40  # a run is at most so many times as long as expected, and so many more
_LEAST = -1e9


@dataclass(frozen=True, slots=True, eq=False)
class Terrain:
    """All that decides the way.

    `evidence` has a row a sentence and a column a piece; `added` tells what each piece costs if it
    belongs to nobody, `left_out` what each sentence costs if it is not rendered, and `cuts` what it
    costs to end its run in each gap.
    """

    evidence: Floats
    expected: Floats
    cuts: Floats
    starts: Mask
    added: Floats
    left_out: Floats
    opening: float

    def expecting(self, lengths: Floats) -> "Terrain":
        """The same where sentences are expected to have runs of these lengths."""
        return replace(self, expected=lengths)


@dataclass(frozen=True, slots=True)
class Way:
    """The run of each sentence, and the runs that belong to nobody, as gaps from and to."""

    runs: tuple[tuple[int, int], ...]
    added: tuple[tuple[int, int], ...]


def best_way(terrain: Terrain) -> Way:
    """The way with the highest score."""
    pieces = terrain.evidence.shape[1]
    standing = np.concatenate([[0.0], np.cumsum(terrain.added)])
    score = np.full(pieces + 1, _LEAST)
    score[0] = 0.0
    steps: list[tuple[Integers, Integers]] = []
    for sentence in range(len(terrain.evidence)):
        score, skipped = _over_added(score, standing, terrain)
        score, lengths = _through(score, sentence, terrain)
        steps.append((skipped, lengths))
    score, last = _over_added(score, standing, terrain)
    return _traced(steps, last)


def _through(score: Floats, sentence: int, terrain: Terrain) -> tuple[Floats, Integers]:
    """The score in each gap once the sentence has its run, and how long the run is."""
    pieces = len(score) - 1
    reach = np.concatenate([[0.0], np.cumsum(terrain.evidence[sentence])])
    expected = terrain.expected[sentence]
    longest = int(min(pieces, _LONGEST * expected + _AT_LEAST))
    length = np.arange(longest + 1)
    unlikely = _LENGTH * np.minimum((length - expected) ** 2 / (_SPREAD * expected + 4), _FLAT)
    padded = np.concatenate([np.full(longest, _LEAST), score - reach])
    # Row: the gap where the run ends. Column: how long it is, the longest first.
    options = sliding_window_view(padded, longest + 1) - unlikely[::-1]
    options[:, -1] = _LEAST
    chosen = options.argmax(axis=1)
    best = options[np.arange(pieces + 1), chosen] + reach - terrain.cuts[sentence]
    empty = score - terrain.left_out[sentence]
    is_empty = empty >= best
    return np.where(is_empty, empty, best), np.where(is_empty, 0, longest - chosen)


def _over_added(score: Floats, standing: Floats, terrain: Terrain) -> tuple[Floats, Integers]:
    """The score in each gap if sentences may be passed over, and how many pieces that passes."""
    gaps = np.flatnonzero(terrain.starts)
    entered = score[gaps] + standing[gaps]
    highest = np.maximum.accumulate(entered)
    origin = np.maximum.accumulate(np.where(entered == highest, np.arange(len(gaps)), 0))
    passed = highest - standing[gaps] - terrain.opening
    better = passed > score[gaps]
    skipped = np.zeros(len(score), dtype=np.int64)
    skipped[gaps[better]] = (gaps - gaps[origin])[better]
    risen = score.copy()
    risen[gaps[better]] = passed[better]
    return risen, skipped


def _traced(steps: list[tuple[Integers, Integers]], last: Integers) -> Way:
    gap = len(last) - 1
    runs: list[tuple[int, int]] = []
    added: list[tuple[int, int]] = []

    def step_back(over: int) -> int:
        if over:
            added.append((gap - over, gap))
        return gap - over

    gap = step_back(int(last[gap]))
    for skipped, lengths in reversed(steps):
        length = int(lengths[gap])
        runs.append((gap - length, gap))
        gap -= length
        gap = step_back(int(skipped[gap]))
    return Way(tuple(reversed(runs)), tuple(reversed(added)))
