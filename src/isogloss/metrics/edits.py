"""The edits of TER (Snover et al. 2006), as sacrebleu counts them, only faster.

An edit inserts, deletes or replaces a word, or shifts a run of words to another place. Shifts are
searched for greedily, after Tercom: of all runs that stand elsewhere in the reference, the one
whose shift saves most edits is taken, until none saves any or a thousand were tried.

What takes the time is the edit distance of every candidate. sacrebleu's is limited to a band
around the diagonal, and can only be larger than the distance without that limit, which rapidfuzz
computes some thousand times faster. So candidates are ranked by the latter, and the banded
distance is computed of the first ones only, until none of the others can be better.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein

_LONGEST_SHIFT = 10
_FARTHEST_SHIFT = 50
_BEAM = 25
_MOST_CANDIDATES = 1_000
_UNREACHED = 1 << 29
_NO_WORD = np.zeros(1, dtype=np.int32)  # before the first
_AT_ONCE = 64  # candidates that are compared together

Distances = NDArray[np.int32]
Words = NDArray[np.int32]
"""Words as numbers."""
Shift = tuple[int, int, int]
"""Length of a run, where it begins, and where it goes to."""
Rank = tuple[int, int, int, int]
"""A distance and a shift, the best first: of equals the longest, then the earliest."""


def edits(output: Sequence[str], reference: Sequence[str]) -> int:
    """How many edits turn the words of an output into those of a reference."""
    if not reference or not output:
        return len(reference) + len(output)
    letters = _Letters()
    task = _Task(letters.text(output), letters.text(reference))
    shifts, tried = 0, 0
    state = _State.unshifted(task)
    while True:
        candidates, tried = _candidates(state, tried)
        if tried >= _MOST_CANDIDATES:
            break
        better = _best(state, candidates)
        if better is None:
            break
        state = better
        shifts += 1
    return shifts + state.distance


class _Letters:
    """A letter for each word, so that texts are strings, which C++ compares."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def text(self, words: Sequence[str]) -> str:
        known = self._known
        return "".join([known.setdefault(word, chr(len(known) + 1)) for word in words])


class _Task:
    """An output and a reference; the band in which the words of both are compared.

    Of every row of the matrix of distances the columns from `firsts` to before `ends` are reached.
    """

    def __init__(self, output: str, reference: str) -> None:
        self.output, self.reference = output, reference
        ratio = len(reference) / len(output)
        beam = math.ceil(ratio / 2 + _BEAM) if ratio / 2 > _BEAM else _BEAM
        middle = [math.floor(row * ratio) for row in range(len(output) + 1)]
        self.firsts = [max(0, place - beam) for place in middle]
        self.ends = [min(len(reference) + 1, place + beam) for place in middle]
        self.firsts[0], self.ends[0], self.ends[-1] = 0, *[len(reference) + 1] * 2
        self.first_row = np.zeros(len(reference) + 1, dtype=np.int32)  # insertions alone
        self._words = np.concatenate([_NO_WORD, _code_points(reference)])

    @cached_property
    def places(self) -> dict[str, list[int]]:
        """Where each word of the reference stands."""
        found: dict[str, list[int]] = {}
        for place, word in enumerate(self.reference):
            found.setdefault(word, []).append(place)
        return found

    def rows(self, words: Words, known: int, begun: Distances) -> Iterator[Distances]:
        """The rows after one that is known, of a text or of many that are the same up to there.

        `words` has a row for each word: of one text, or a column of those of all texts. The cells
        that come are those inside the band, each without its column's number: what would be so
        many insertions, so that going right costs nothing.
        """
        # A column that is never reached comes first, so that every cell has one before it.
        above = np.full((*words.shape[1:-1], len(self.reference) + 2), _UNREACHED, dtype=np.int32)
        above[..., self.firsts[known] + 1 : self.ends[known] + 1] = begun
        for row in range(known + 1, len(words) + 1):
            first, end = self.firsts[row], self.ends[row]
            # Kept or replaced, or deleted; then, from left to right, inserted.
            kept = self._words[first:end] == words[row - 1]
            cells = np.minimum(above[..., first:end] - kept, above[..., first + 1 : end + 1] + 1)
            np.minimum.accumulate(cells, axis=-1, out=cells)
            yield cells
            above[..., first + 1 : end + 1] = cells
            # What lies outside of this row's band is not reached any more.
            if first > self.firsts[row - 1]:
                above[..., self.firsts[row - 1] + 1 : first + 1] = _UNREACHED
            if end < self.ends[row - 1]:
                above[..., end + 1 : self.ends[row - 1] + 1] = _UNREACHED


def _code_points(text: str) -> Words:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<i4")


class _State:
    """The output after some shifts, compared with the reference inside the band.

    A cell of the rows is the least number of edits between the first words of both, less the
    number of its column. Rows before the first word that a shift has moved are those of the state
    before.
    """

    def __init__(self, task: _Task, text: str, rows: Sequence[Distances]) -> None:
        self.task, self.text = task, text
        self._rows = [*rows, *task.rows(_code_points(text), len(rows) - 1, rows[-1])]

    @classmethod
    def unshifted(cls, task: _Task) -> "_State":
        """The output as it is."""
        return cls(task, task.output, [task.first_row])

    @property
    def distance(self) -> int:
        return int(self._rows[-1][-1]) + len(self.task.reference)

    def _cell(self, row: int, column: int) -> int:
        place = column - self.task.firsts[row]
        cells = self._rows[row]
        return int(cells[place]) + column if 0 <= place < len(cells) else _UNREACHED

    @cached_property
    def alignment(self) -> "_Alignment":
        """The cheapest way from the end to the beginning; of equals, as Tercom prefers them."""
        text, reference = self.text, self.task.reference
        row, column = len(text), len(reference)
        partners, output_errors, reference_errors = [0] * column, [0] * row, [0] * column
        here = self.distance
        while row or column:
            wrong = row > 0 and column > 0 and text[row - 1] != reference[column - 1]
            if row and column and self._cell(row - 1, column - 1) + wrong == here:
                row, column = row - 1, column - 1
                partners[column] = row
                output_errors[row] = reference_errors[column] = int(wrong)
                here -= wrong
            elif row and self._cell(row - 1, column) + 1 == here:
                row, here = row - 1, here - 1
                output_errors[row] = 1
            else:
                column, here = column - 1, here - 1
                partners[column] = row - 1
                reference_errors[column] = 1
        return _Alignment(
            partners,
            [0, *accumulate(output_errors)],
            [0, *accumulate(reference_errors)],
        )

    def shifted(self, shift: Shift) -> "_State":
        """The state after a shift."""
        return _State(self.task, _moved(self.text, shift), self._rows[: _untouched(shift) + 1])

    def distances_after(self, shifts: Sequence[Shift]) -> list[int]:
        """The distances after each of some shifts."""
        known = min(map(_untouched, shifts))
        texts = np.array([_code_points(_moved(self.text, shift)) for shift in shifts])
        *_, last = self.task.rows(texts.T[:, :, None], known, self._rows[known])
        return [int(cells[-1]) + len(self.task.reference) for cells in last]


@dataclass(frozen=True, slots=True)
class _Alignment:
    """For each word of the reference its partner in the output, or the word before it; and how many
    words are wrong before each place of either side."""

    partners: Sequence[int]
    output_errors: Sequence[int]
    reference_errors: Sequence[int]


def _candidates(state: _State, tried: int) -> tuple[set[Shift], int]:
    """The shifts that are tried, and how many were tried in all; some are tried several times."""
    found: set[Shift] = set()
    partners = state.alignment.partners
    for start, place, length in _runs(state):
        previous = -1
        for column in range(place - 1, place + length):
            target = partners[column] + 1 if column >= 0 else 0
            if target != previous:
                previous = target
                found.add((length, start, target))
                tried += 1
        if tried >= _MOST_CANDIDATES:
            break
    return found, tried


def _runs(state: _State) -> Iterator[tuple[int, int, int]]:
    """Runs of words that stand elsewhere in the reference: start, place there and length.

    Both the run and the place where it should stand have to be wrong, and the run must not
    be aligned with itself.
    """
    text, reference, places = state.text, state.task.reference, state.task.places
    alignment = state.alignment
    wrong, wrong_there = alignment.output_errors, alignment.reference_errors
    for start, word in enumerate(text):
        if wrong[min(start + _LONGEST_SHIFT, len(text))] == wrong[start]:
            continue
        for place in places.get(word, ()):
            partner = alignment.partners[place]
            if partner == start or abs(place - start) > _FARTHEST_SHIFT:
                continue
            for length in range(1, _common(text, reference, start, place) + 1):
                if (
                    wrong[start + length] > wrong[start]
                    and wrong_there[place + length] > wrong_there[place]
                    and not start <= partner < start + length
                ):
                    yield start, place, length


def _common(text: str, reference: str, start: int, place: int) -> int:
    """How many words in a row are the same from two places on, as far as it matters."""
    most = min(_LONGEST_SHIFT, len(text) - start, len(reference) - place)
    for length in range(1, most):
        if text[start + length] != reference[place + length]:
            return length
    return most


def _moved(text: str, shift: Shift) -> str:
    length, start, target = shift
    end = start + length
    if target < start:
        return text[:target] + text[start:end] + text[target:start] + text[end:]
    after = target if target > end else length + target
    return text[:start] + text[end:after] + text[start:end] + text[after:]


def _untouched(shift: Shift) -> int:
    """How many words stand before everything that is moved."""
    return min(shift[1:])


def _best(state: _State, candidates: set[Shift]) -> _State | None:
    """What the shift makes that saves most: of equals the longest, the first, the nearest to the
    beginning; `None` where none saves anything."""
    ranked = sorted(_hopeful(state, candidates))
    if not ranked:
        return None
    hoped, shift = ranked[0][0], _shift(ranked[0])
    first = state.shifted(shift)
    if first.distance == hoped:  # nothing limits it, so that none of the others can be better
        return first
    best = _least(state, ranked)
    return None if best is None else first if best == shift else state.shifted(best)


def _hopeful(state: _State, candidates: set[Shift]) -> Iterator[Rank]:
    """The candidates that would save something, were there no band."""
    reference, least = state.task.reference, state.distance
    for shift in candidates:
        distance = Levenshtein.distance(_moved(state.text, shift), reference, score_cutoff=least)
        if distance < least:
            length, start, target = shift
            yield distance, -length, start, target


def _shift(rank: Rank) -> Shift:
    _, length, start, target = rank
    return -length, start, target


def _least(state: _State, ranked: Sequence[Rank]) -> Shift | None:
    """The shift that saves most inside the band, if any does."""
    best: Rank | None = None
    for begin in range(0, len(ranked), _AT_ONCE):
        some = ranked[begin : begin + _AT_ONCE]
        if best is not None and best <= some[0]:
            break
        distances = state.distances_after([_shift(rank) for rank in some])
        true = [(distance, *rank[1:]) for distance, rank in zip(distances, some, strict=True)]
        best = min([*true, *([best] if best else [])])
    return _shift(best) if best and best[0] < state.distance else None
