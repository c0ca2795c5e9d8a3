"""An output after some shifts, compared with its reference: distance, and which words are partners.

sacrebleu compares words inside a band around the diagonal of the matrix of distances alone. Where
texts are near enough to each other no cheapest way leaves the band, and the matrix is computed
without it, a row in a few operations on whole numbers with a bit for each word of the reference
(Myers 1999, Hyyrö 2003). Elsewhere the cells inside the band are computed, a row at a time.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

_BEAM = 25
_UNREACHED = 1 << 29
_NO_WORD = np.zeros(1, dtype=np.int32)  # before the first

Distances = NDArray[np.int32]
Words = NDArray[np.int32]
"""Words as numbers."""
Shift = tuple[int, int, int]
"""Length of a run, where it begins, and where it goes to."""
Bits = tuple[int, int, int, int]
"""What sets a row apart from its neighbours, a bit for each word of the reference: the distance of
a cell is that of the cell before both words; one more than without the output's word; one more, or
one less, than without the reference's word."""


@dataclass(frozen=True, slots=True)
class Alignment:
    """For each word of the reference its partner in the output, or the word before it; and how many
    words are wrong before each place of either side."""

    partners: Sequence[int]
    output_errors: Sequence[int]
    reference_errors: Sequence[int]


class Task:
    """An output and a reference, a letter for each word; the band in which both are compared.

    Of every row of the matrix of distances the columns from `firsts` to before `ends` are reached.
    """

    def __init__(self, output: str, reference: str) -> None:
        self.output, self.reference = output, reference
        ratio = len(reference) / len(output)
        self.beam = math.ceil(ratio / 2 + _BEAM) if ratio / 2 > _BEAM else _BEAM
        self._ratio = ratio

    @cached_property
    def places(self) -> dict[str, list[int]]:
        """Where each word of the reference stands."""
        found: dict[str, list[int]] = {}
        for place, word in enumerate(self.reference):
            found.setdefault(word, []).append(place)
        return found

    @cached_property
    def bits(self) -> dict[str, int]:
        """Where each word of the reference stands, as bits."""
        return {word: sum(1 << place for place in at) for word, at in self.places.items()}

    @cached_property
    def _middle(self) -> list[int]:
        return [math.floor(row * self._ratio) for row in range(len(self.output) + 1)]

    @cached_property
    def firsts(self) -> list[int]:
        """The first column that is reached in each row."""
        return [0, *[max(0, place - self.beam) for place in self._middle[1:]]]

    @cached_property
    def ends(self) -> list[int]:
        """What comes after the last column that is reached in each row."""
        most = len(self.reference) + 1
        return [most, *[min(most, place + self.beam) for place in self._middle[1:-1]], most]

    @cached_property
    def first_row(self) -> Distances:
        """Insertions alone."""
        return np.zeros(len(self.reference) + 1, dtype=np.int32)

    @cached_property
    def _words(self) -> Words:
        return np.concatenate([_NO_WORD, _code_points(self.reference)])

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


class State(ABC):
    """The output after some shifts, compared with the reference.

    Rows of the matrix before the first word that a shift has moved are those of the state before.
    """

    def __init__(self, task: Task, text: str) -> None:
        self.task, self.text = task, text

    @property
    @abstractmethod
    def distance(self) -> int:
        """How many edits make the text the reference, without any more shifts."""

    @abstractmethod
    def shifted(self, shift: Shift) -> "State":
        """The state after a shift."""

    @abstractmethod
    def distances_after(self, shifts: Sequence[Shift]) -> list[int]:
        """The distances after each of some shifts."""

    @abstractmethod
    def _replaced(self, row: int, column: int) -> bool:
        """Whether a cheapest way to a cell comes from the one before both words, which differ."""

    @abstractmethod
    def _kept(self, row: int, column: int) -> bool:
        """The same where they are equal."""

    @abstractmethod
    def _deleted(self, row: int, column: int) -> bool:
        """Whether a cheapest way to a cell comes from the one without the output's word."""

    @cached_property
    def alignment(self) -> Alignment:
        """The cheapest way from the end to the beginning; of equals, as Tercom prefers them."""
        text, reference = self.text, self.task.reference
        row, column = len(text), len(reference)
        partners, output_errors, reference_errors = [0] * column, [0] * row, [0] * column
        while row or column:
            wrong = not row or not column or text[row - 1] != reference[column - 1]
            if row and column and (self._replaced if wrong else self._kept)(row, column):
                row, column = row - 1, column - 1
                partners[column] = row
                output_errors[row] = reference_errors[column] = int(wrong)
            elif row and self._deleted(row, column):
                row -= 1
                output_errors[row] = 1
            else:
                column -= 1
                partners[column] = row - 1
                reference_errors[column] = 1
        return Alignment(
            partners,
            [0, *accumulate(output_errors)],
            [0, *accumulate(reference_errors)],
        )


def unshifted(task: Task) -> State:
    """The output as it is.

    Whoever leaves the band and comes back inserts and deletes at least twice its width, less what
    the lengths differ by; so a distance below that is the same with the band and without, and so
    are those after shifts, which only make it smaller.
    """
    free = _Free(task, task.output, [(0, 0, (1 << len(task.reference)) - 1, 0)])
    if free.distance < 2 * task.beam - abs(len(task.output) - len(task.reference)):
        return free
    return _Banded(task, task.output, [task.first_row])


class _Free(State):
    """Compared without the band, which would make no difference."""

    def __init__(self, task: Task, text: str, rows: Sequence[Bits]) -> None:
        super().__init__(task, text)
        self._rows = [*rows, *self._rows_after(len(rows) - 1, rows[-1])]

    def _rows_after(self, known: int, begun: Bits) -> Iterator[Bits]:
        """The rows after one that is known."""
        at, every = self.task.bits, (1 << len(self.task.reference)) - 1
        _, _, more, less = begun
        for word in self.text[known:]:
            same = at.get(word, 0)
            level = ((((same & more) + more) ^ more) | same | less) & every
            longer = less | (every ^ (level | more))
            carried = (longer << 1 | 1) & every
            more, less = (
                ((level & more) << 1 & every) | (every ^ (level | carried)),
                level & carried,
            )
            yield level, longer, more, less

    @property
    def distance(self) -> int:
        _, _, more, less = self._rows[-1]
        return len(self.text) + more.bit_count() - less.bit_count()

    def _kept(self, row: int, column: int) -> bool:  # noqa: ARG002
        return True  # nothing is cheaper than what costs nothing

    def _replaced(self, row: int, column: int) -> bool:
        return not self._rows[row][0] >> (column - 1) & 1

    def _deleted(self, row: int, column: int) -> bool:
        return column == 0 or bool(self._rows[row][1] >> (column - 1) & 1)

    def shifted(self, shift: Shift) -> State:
        return _Free(self.task, moved(self.text, shift), self._rows[: _untouched(shift) + 1])

    def distances_after(self, shifts: Sequence[Shift]) -> list[int]:
        return [self.shifted(shift).distance for shift in shifts]


class _Banded(State):
    """Compared inside the band: a cell is a distance, less the number of its column."""

    def __init__(self, task: Task, text: str, rows: Sequence[Distances]) -> None:
        super().__init__(task, text)
        self._rows = [*rows, *task.rows(_code_points(text), len(rows) - 1, rows[-1])]

    @property
    def distance(self) -> int:
        return int(self._rows[-1][-1]) + len(self.task.reference)

    def _cell(self, row: int, column: int) -> int:
        place = column - self.task.firsts[row]
        cells = self._rows[row]
        return int(cells[place]) + column if 0 <= place < len(cells) else _UNREACHED

    def _kept(self, row: int, column: int) -> bool:
        return self._cell(row - 1, column - 1) == self._cell(row, column)

    def _replaced(self, row: int, column: int) -> bool:
        return self._cell(row - 1, column - 1) + 1 == self._cell(row, column)

    def _deleted(self, row: int, column: int) -> bool:
        return self._cell(row - 1, column) + 1 == self._cell(row, column)

    def shifted(self, shift: Shift) -> State:
        return _Banded(self.task, moved(self.text, shift), self._rows[: _untouched(shift) + 1])

    def distances_after(self, shifts: Sequence[Shift]) -> list[int]:
        known = min(map(_untouched, shifts))
        texts = np.array([_code_points(moved(self.text, shift)) for shift in shifts])
        *_, last = self.task.rows(texts.T[:, :, None], known, self._rows[known])
        return [int(cells[-1]) + len(self.task.reference) for cells in last]


def moved(text: str, shift: Shift) -> str:
    """A text after a shift."""
    length, start, target = shift
    end = start + length
    if target < start:
        return text[:target] + text[start:end] + text[target:start] + text[end:]
    after = target if target > end else length + target
    return text[:start] + text[end:after] + text[start:end] + text[after:]


def _untouched(shift: Shift) -> int:
    """How many words stand before everything that is moved."""
    return min(shift[1:])
