"""METEOR's beam search for the alignment with the most matches in the fewest chunks.

The original searches one pair of texts after another; here thousands go ahead together, those
whose next steps are alike at the same time. A path is its sorting key and a little state: the
words of the output that it has used, the word after its last match, and how far in the reference
that match reaches. What survives, and in which order, is the original's to the last tie, its
peculiarities included: a path that skips a word pays the distances of all the matches that it
could have had there.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.metrics.meteor.flat import Bools, Ints, starts
from isogloss.metrics.meteor.options import ALWAYS_USED, MASK_BITS, Masks, Options, Places
from isogloss.metrics.meteor.sorting import Bounds, Keys, Units, bounds
from isogloss.metrics.meteor.steps import NOWHERE, Steps

BEAM = 40  # paths that go on from every word, as in METEOR
_WIDTHS = (1, 2, 3, 5, 8, 13, 21, 40)  # numbers of options that are done alike
_STRETCH, _DONE = 0, -1  # kinds of steps; those above are open words
_PAIRS_AT_ONCE = 2_048  # that go ahead together: those that have about as many steps


def search(steps: Steps, options: Options) -> Ints:
    """The options that the best path of every pair takes."""
    plan, most = _plan(steps), bounds(steps, options)
    by_length = np.argsort(np.diff(steps.starts), kind="stable")
    simple = options.bits[by_length] <= MASK_BITS
    parts = [
        part
        for some in (by_length[simple], by_length[~simple])
        for part in np.array_split(some, -(-len(some) // _PAIRS_AT_ONCE) or 1)
    ]
    taken = [_Search(plan, options, pairs, most).run() for pairs in parts if len(pairs)]
    return np.concatenate([np.empty(0, np.int64), *taken])


@dataclass(frozen=True, eq=False)
class _Plan:
    """The steps with their kinds and the next ones', and how many options each kind may have."""

    steps: Steps
    kind: Ints
    next_kind: Ints
    option_count: Ints
    widths: Ints

    def columns(self, step: Ints) -> Ints:
        """How many ways each step has to go on from a path."""
        return np.where(self.kind[step] == _STRETCH, 1, self.widths[self.kind[step] - 1] + 1)


def _plan(steps: Steps) -> _Plan:
    option_count = np.diff(steps.option_starts)
    most = int(option_count.max(initial=0))
    widths = np.array([*(width for width in _WIDTHS if width < most), most])
    kind = np.where(steps.is_open, np.searchsorted(widths, option_count) + 1, _STRETCH)
    next_kind = np.append(kind[1:], _DONE)
    ends = steps.starts[1:][np.diff(steps.starts) > 0] - 1
    next_kind[ends] = _DONE
    return _Plan(steps, kind, next_kind, option_count, widths)


@dataclass(frozen=True, slots=True)
class _Paths:
    """The paths of some pairs: one row a pair (and in `used`, one of these for each 64 words)."""

    key: Keys
    last: Places
    reach: Places
    used: Masks


class _Search:
    """The search in some of the pairs."""

    def __init__(self, plan: _Plan, options: Options, pairs: Ints, most: Bounds) -> None:
        self.plan, self.steps, self.options = plan, plan.steps, options
        self.mask = options.masks_for(pairs)
        self.begin, self.end = self.steps.starts[pairs], self.steps.starts[pairs + 1]
        self.next = self.begin.copy()
        self.units = Units.fitting(most, pairs, BEAM * (int(plan.widths[-1]) + 1))
        self.paths = self._beginnings(most.matches[pairs])
        self.alive = np.ones(len(pairs), np.int64)
        self.own = starts(self.end - self.begin)[:-1]  # of the next steps, all that are here
        place_type = np.min_scalar_type(self.units.distance)
        self.came_from = np.zeros((int((self.end - self.begin).sum()), BEAM), place_type)

    def _beginnings(self, matches: Ints) -> _Paths:
        """One path for each pair, and nothing in the other places of its list."""
        shape = len(matches), BEAM
        key = np.full(shape, self.units.nothing, self.units.key_type)
        key[:, 0] = -self.units.matches(matches)
        used = np.zeros((len(self.mask), *shape), self.mask.dtype)
        used[0] = ALWAYS_USED
        places = self.options.end.dtype
        return _Paths(key, np.full(shape, NOWHERE, places), np.zeros(shape, places), used)

    def run(self) -> Ints:
        """Search to the end; then the options that the best paths have taken."""
        waiting = np.full(len(self.begin), _DONE)
        begun = self.begin < self.end
        waiting[begun] = self.plan.kind[self.begin[begun]]
        while True:
            # Who has the longest way to go decides, and all that need the same come along.
            kind = waiting[np.argmax(self.end - self.next)]
            if kind == _DONE:
                return self._taken()
            rows = np.flatnonzero(waiting == kind)
            step = self.next[rows]
            if kind == _STRETCH:
                self._pass(rows, step)
            else:
                self._choose(rows, step, int(self.plan.widths[kind - 1]))
            self.next[rows] += 1
            self.own[rows] += 1
            waiting[rows] = self.plan.next_kind[step]

    def _some(self, rows: Ints) -> _Paths:
        """The paths of these pairs, without the places that are empty in all of them."""
        places, paths = int(self.alive[rows].max()), self.paths
        return _Paths(
            paths.key[rows, :places],
            paths.last[rows, :places],
            paths.reach[rows, :places],
            paths.used[:, rows, :places],
        )

    def _pass(self, rows: Ints, step: Ints) -> None:
        """Go through stretches in which nothing is to be decided."""
        steps, units, paths = self.steps, self.units, self._some(rows)
        is_break = (paths.last != NOWHERE) & (paths.last != steps.entry[step, None])
        key = paths.key + units.penalty(is_break)
        cost = units.stretch(steps.gain[step], steps.breaks[step], steps.distance[step])
        key += cost[:, None]
        key += np.arange(key.shape[1])
        key.sort(axis=1)
        place = units.place(key)
        alive = slice(key.shape[1])
        self.paths.key[rows, alive] = key - place
        self.paths.last[rows, alive] = steps.exit[step, None]
        self.came_from[self.own[rows], alive] = place
        place += _row_starts(place)
        for words, used in zip(self.paths.used, paths.used, strict=True):
            words[rows, alive] = np.take(used, place)

    def _choose(self, rows: Ints, step: Ints, width: int) -> None:
        """Let every path take each option of an open word that it can take, or skip the word."""
        paths = self._some(rows)
        column = np.arange(width + 1)
        offered = self.steps.option_starts[step, None] + column
        offered[column >= self.plan.option_count[step, None]] = self.options.skip
        busy = paths.reach > self.steps.word[step, None]
        key = self._continuations(paths, offered, busy)
        key.sort(axis=1)
        key = key[:, :BEAM]
        self.alive[rows] = alive = np.count_nonzero(key < self.units.dead, axis=1)
        self._keep(rows, step, paths, busy, offered, key[:, : alive.max()])

    def _continuations(self, paths: _Paths, offered: Ints, busy: Bools) -> Keys:
        """The keys of all continuations, by option and then by path; dead ones for what cannot be.

        A path that is busy with a match of several words goes on with that, as the last option.
        """
        units, (pairs, places), width = self.units, paths.key.shape, offered.shape[1] - 1
        options = offered[:, :width]
        taken = _overlap(paths.used, [mask[options] for mask in self.mask])
        if busy.any():
            taken |= busy[:, None]
        is_open = paths.last != NOWHERE
        is_break = (paths.last[:, None] != self.options.begin[options, None]) & is_open[:, None]
        so_far = (paths.key + np.arange(places) * (width + 1))[:, None]
        cost = (units.matches(self.options.gain[options]) + np.arange(width))[:, :, None]
        keys = np.empty((pairs, width + 1, places), units.key_type)
        np.add(so_far, cost, out=keys[:, :width])
        keys[:, :width] += units.penalty(is_break, taken)
        keys[:, width] = so_far[:, 0] + units.penalty(is_open & ~busy) + width
        # METEOR charges a path for the distances of the options that it has already tried.
        distance = units.distances(self.options.distance[options])
        charged = np.where(taken, 0, distance[:, :, None])
        for column in range(1, width):
            charged[:, column] += charged[:, column - 1]
        keys[:, 1:] += charged
        return keys.reshape(pairs, -1)

    def _keep(
        self, rows: Ints, step: Ints, paths: _Paths, busy: Bools, offered: Ints, key: Keys
    ) -> None:
        """Make the best continuations the paths of their pairs."""
        options, place, alive = self.options, self.units.place(key), slice(key.shape[1])
        path, column = np.divmod(place, offered.shape[1])
        path += _row_starts(paths.last)
        column += _row_starts(offered)
        last = np.take(options.end[offered], column)
        reach = np.take(options.length[offered] + self.steps.word[step, None], column)
        if busy.any():
            goes_on = np.take(busy, path)
            last = np.where(goes_on, np.take(paths.last, path), last)
            reach = np.where(goes_on, np.take(paths.reach, path), reach)
        self.paths.key[rows, alive] = key - place
        if alive.stop < paths.key.shape[1]:
            self.paths.key[rows, alive.stop :] = self.units.nothing
        self.paths.last[rows, alive] = last
        self.paths.reach[rows, alive] = reach
        for words, used, mask in zip(self.paths.used, paths.used, self.mask, strict=True):
            words[rows, alive] = np.take(used, path) | np.take(mask[offered], column)
        self.came_from[self.own[rows], alive] = place

    def _taken(self) -> Ints:
        """The options on the way back from the best path of each pair."""
        ends = self.paths.key + self.units.penalty(self.paths.last != NOWHERE)
        place = np.argmin(ends, axis=1)
        taken = [np.empty(0, np.int64)]
        rows = np.flatnonzero(self.next > self.begin)
        while len(rows):
            self.next[rows] -= 1
            self.own[rows] -= 1
            step = self.next[rows]
            came_from = self.came_from[self.own[rows], place[rows]].astype(np.int64)
            place[rows], column = np.divmod(came_from, self.plan.columns(step))
            is_match = self.steps.is_open[step] & (column < self.plan.option_count[step])
            taken.append((self.steps.option_starts[step] + column)[is_match])
            rows = rows[self.next[rows] > self.begin[rows]]
        return np.concatenate(taken)


def _overlap(used: Masks, mask: Sequence[Masks]) -> Bools:
    """For each pair, option and path: whether words that the option needs are used."""
    taken = np.asarray((used[0][:, None] & mask[0][:, :, None]) != 0)
    for more_used, more_mask in zip(used[1:], mask[1:], strict=True):
        taken |= (more_used[:, None] & more_mask[:, :, None]) != 0
    return taken


def _row_starts(rows: NDArray[Any]) -> Ints:
    """Where each row begins in the array as a whole."""
    return np.asarray(np.arange(len(rows))[:, None] * rows.shape[1])
