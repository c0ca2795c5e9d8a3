"""A difference of two scores as a sum over segments, exact for every metric.

A score is a function f of summed statistics, and a system's sum B becomes the other's sum A along
the straight line between them. What the line gains is put down to the statistics that change on it
(Aumann & Shapley 1974: the gradient of f, averaged over the line, times the change), and as
sums are made of segments, to the segments: segment i carries g · (a_i - b_i), g being that average.
The parts of a mean are (a_i - b_i) / n, as they should be; those of BLEU and chrF add up to the
difference of the corpus scores, whatever they are grouped by, and change sign with the systems.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from isogloss.arrays import Floats, Mask
from isogloss.comparison import ComparisonSettings, Units
from isogloss.explanation.result import MeasuredNumber
from isogloss.formula import Formula
from isogloss.verdicts import Studentised, bounded

ScoreRows = Callable[[Floats], Floats]

_STEPS = 16  # of the line; what is left of their rounding is spread over the step
_NUDGE = 1e-4  # relative, of central differences: their error is its square
_FEWEST_DOCUMENTS = 6  # in which a thing must differ before anything is claimed of it


def path_gradients(score_rows: ScoreRows, start: Floats, end: Floats) -> Floats:
    """Of each pair of rows (n x k) the gradient averaged over the line between them.

    Its product with ``end - start`` is the difference of their scores to the last digits: what the
    middle of a step leaves out (at a kink, as BLEU's brevity penalty has) goes to the statistics
    that move, in proportion to what they did anyway.
    """
    step = (end - start) / _STEPS
    nudge = _NUDGE * np.maximum(np.abs(start), np.abs(end))
    nudge[nudge == 0] = _NUDGE
    mean = np.zeros_like(start)
    low = score_rows(start)
    for number in range(_STEPS):
        slope = _gradients(score_rows, start + (number + 0.5) * step, nudge)
        high = score_rows(start + (number + 1) * step)
        moved = np.abs(slope * step).sum(axis=1)
        left_out = high - low - (slope * step).sum(axis=1)
        spread = np.divide(left_out, moved, out=np.zeros_like(moved), where=moved > 0)
        mean += slope + np.sign(step) * np.abs(slope) * spread[:, None]
        low = high
    return mean / _STEPS


def _gradients(score_rows: ScoreRows, rows: Floats, nudge: Floats) -> Floats:
    # All columns at once: one call costs little more than one of so many.
    moved = nudge[None] * np.eye(rows.shape[1])[:, None, :]  # columns x rows x columns
    ends = np.concatenate([rows[None] + moved, rows[None] - moved]).reshape(-1, rows.shape[1])
    high, low = score_rows(ends).reshape(2, rows.shape[1], len(rows))
    return np.asarray(((high - low) / (2 * nudge.T)).T)


@dataclass(frozen=True, eq=False)
class Attribution:
    """Two systems' statistics by unit (segment, or document where no segment is known).

    Only units that both were scored on; `document` numbers the document of each, and `unit` tells
    which of the table's units it is.
    """

    formula: Formula
    first: Floats  # units x k
    second: Floats
    document: NDArray[np.intp]
    unit: NDArray[np.intp]

    @classmethod
    def of(cls, formula: Formula, first: Units, second: Units) -> "Attribution":
        """Of what both systems were scored on."""
        shared = np.flatnonzero(first.scored & second.scored)
        return cls(
            formula,
            first.statistics[shared],
            second.statistics[shared],
            first.block[shared],
            shared,
        )

    @cached_property
    def difference(self) -> float:
        """First minus second."""
        return float(self._scores(self.first.sum(axis=0), self.second.sum(axis=0)))

    @cached_property
    def carried(self) -> Floats:
        """What each unit carries of the difference."""
        ends = self.second.sum(axis=0)[None, :], self.first.sum(axis=0)[None, :]
        slope = path_gradients(self.formula.score_rows, *ends)[0]
        return np.asarray((self.first - self.second) @ slope)

    @property
    def remainder(self) -> float:
        """What the parts leave of the difference: rounding, unless a score is undefined midway."""
        return self.difference - float(self.carried.sum())

    @cached_property
    def weights(self) -> Floats:
        """How much of the text each unit is, in the eyes of the metric; 1 in all.

        That is told by the statistics that no system can change: how many segments or reference
        words or characters there are. Where there are none such, all units weigh the same.
        """
        fixed = (self.first == self.second).all(axis=0) & (self.first >= 0).all(axis=0)
        sums = self.first.sum(axis=0)
        columns = np.flatnonzero(fixed & (sums > 0))
        if not len(columns):
            return np.full(len(self.first), 1 / max(len(self.first), 1))
        return np.asarray((self.first[:, columns] / sums[columns]).mean(axis=1))

    @property
    def weighs_all_alike(self) -> bool:
        """Whether every unit counts the same."""
        return bool(np.allclose(self.weights, self.weights[:1]))

    def scores_within(self, members: Mask) -> tuple[float | None, float | None]:
        """The scores of both systems on these units alone."""
        if not members.any():
            return None, None
        return (
            self.formula.score(self.first[members].sum(axis=0)),
            self.formula.score(self.second[members].sum(axis=0)),
        )

    def by_document(self) -> Iterator[tuple[int, float, float | None, float | None]]:
        """Each document that has units: its number, what it carries, and both scores of it."""
        present, positions = np.unique(self.document, return_inverse=True)
        carried = _by_document(self.carried[:, None], positions, len(present))[:, 0]
        scores = [
            self.formula.score_rows(_by_document(rows, positions, len(present)))
            for rows in (self.first, self.second)
        ]
        for number, carries, first, second in zip(present, carried, *scores, strict=True):
            yield int(number), float(carries), _defined(first), _defined(second)

    def without(self, documents: Sequence[int]) -> float:
        """The difference once these documents are left out."""
        kept = ~np.isin(self.document, documents)
        return float(self._scores(self.first[kept].sum(axis=0), self.second[kept].sum(axis=0)))

    def measured(
        self, groups: Sequence[Mask], settings: ComparisonSettings
    ) -> tuple[list[MeasuredNumber], list[MeasuredNumber]]:
        """What each group of units carries, and how far that is beyond its share of the text."""
        columns = [self._left_out.columns(self, members) for members in groups]
        carried = [float(self.carried[members].sum()) for members in groups]
        beyond = [
            value - float(self.weights[members].sum()) * self.difference
            for value, members in zip(carried, groups, strict=True)
        ]
        count = len(groups)
        found = measured(
            [values for values, _ in columns] + [values for _, values in columns],
            carried + beyond,
            [self._differing(members) for members in groups] * 2,
            settings,
        )
        return found[:count], found[count:]

    @cached_property
    def _left_out(self) -> "_LeftOut":
        return _LeftOut.of(self)

    def _differing(self, members: Mask) -> int:
        """In how many documents the systems differ in these units."""
        differ = (self.first[members] != self.second[members]).any(axis=1)
        return len(np.unique(self.document[members][differ]))

    def _scores(self, first: Floats, second: Floats) -> Floats:
        both = self.formula.score_rows(np.stack([first, second]))
        return np.asarray(both[0] - both[1])


@dataclass(frozen=True, eq=False)
class _LeftOut:
    """The same without one document at a time: for intervals over documents."""

    positions: NDArray[np.intp]  # of each unit's document among those that have units
    count: int
    differences: Floats
    slopes: Floats  # documents x k

    @classmethod
    def of(cls, whole: Attribution) -> "_LeftOut":
        present, positions = np.unique(whole.document, return_inverse=True)
        count, score_rows = len(present), whole.formula.score_rows
        rests = [
            rows.sum(axis=0) - _by_document(rows, positions, count)
            for rows in (whole.second, whole.first)
        ]
        differences = score_rows(rests[1]) - score_rows(rests[0])
        return cls(positions, count, differences, path_gradients(score_rows, *rests))

    def columns(self, whole: Attribution, members: Mask) -> tuple[Floats, Floats]:
        """Jackknife values of what the members carry, and of how far that exceeds their share."""
        moved = (whole.first - whole.second) * members[:, None]
        rest = moved.sum(axis=0) - _by_document(moved, self.positions, self.count)
        carried = (rest * self.slopes).sum(axis=1)
        weight = _by_document(whole.weights[:, None], self.positions, self.count)[:, 0]
        inside = whole.weights * members
        own = _by_document(inside[:, None], self.positions, self.count)[:, 0]
        with np.errstate(divide="ignore", invalid="ignore"):
            share = (inside.sum() - own) / (whole.weights.sum() - weight)
        beyond = carried - share * self.differences
        all_carried = float(whole.carried[members].sum())
        all_beyond = all_carried - float(inside.sum()) * whole.difference
        return self._values(all_carried, carried), self._values(all_beyond, beyond)

    def _values(self, whole: float, without: Floats) -> Floats:
        return np.asarray(self.count * whole - (self.count - 1) * without)


def _defined(score: float) -> float | None:
    return float(score) if np.isfinite(score) else None


def _by_document(rows: Floats, positions: NDArray[np.intp], count: int) -> Floats:
    sums = np.zeros((count, rows.shape[1]))
    np.add.at(sums, positions, rows)
    return sums


def measured(
    columns: Sequence[Floats],
    estimates: Sequence[float],
    documents: Sequence[int],
    settings: ComparisonSettings,
) -> list[MeasuredNumber]:
    """Each estimate with its interval and p-value, from jackknife values of documents.

    What shows in fewer than six `documents` gets neither: nothing could be said of it.
    """
    if not columns:
        return []
    drawn = Studentised.of(np.stack(columns, axis=1), settings.resamples, settings.seed)
    found = []
    for column, (value, count) in enumerate(zip(estimates, documents, strict=True)):
        if count < _FEWEST_DOCUMENTS:
            found.append(MeasuredNumber(value))
            continue
        reach = drawn.half_width(column, settings.confidence)
        found.append(MeasuredNumber(value, bounded(value, reach), drawn.p(column, value)))
    return found
