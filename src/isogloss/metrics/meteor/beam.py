"""METEOR's beam search for the alignment with the most matches in the fewest chunks.

The original searches one pair of texts after another; here thousands go ahead together, those
whose next steps are alike at the same time. A path is its sorting key and a little state: the
words of the output that it has used, the word after its last match, and how far in the reference
that match reaches. What survives, and in which order, is the original's to the last tie, its
peculiarities included: a path that skips a word pays the distances of all the matches that it
could have had there.

In arrays the pairs come last while continuations are weighed, and first while they are sorted and
kept: there are more pairs than anything else, and numpy is fast along what is long.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.arrays import Integers, Mask
from isogloss.metrics.meteor.itinerary import (
    DONE,
    STRETCH,
    Bounds,
    Itinerary,
    Keys,
    OpenWords,
    SortUnits,
    Stretches,
    bounds,
    itinerary,
    smallest,
)
from isogloss.metrics.meteor.steps import ALWAYS_USED, NOWHERE, Masks, Options, Places, Steps

BEAM = 40  # paths that go on from every word, as in METEOR
_PAIRS_AT_ONCE = 4_096  # that go ahead together: those that have about as many steps
_FAR = 1 << 24  # distances that need long keys; pairs with shorter ones are not kept waiting


def search(steps: Steps, options: Options) -> Integers:
    """The options that the best path of every pair takes."""
    most = bounds(steps, options)
    order = np.lexsort([np.diff(steps.starts), options.mask_words, most.distance > _FAR])
    is_far = most.distance[order] > _FAR
    parts = [
        part
        for some in (order[~is_far], order[is_far])
        for part in np.array_split(some, -(-len(some) // _PAIRS_AT_ONCE) or 1)
    ]
    taken = [_Search(steps, options, pairs, most).run() for pairs in parts if len(pairs)]
    return np.concatenate([np.empty(0, np.int64), *taken])


@dataclass(frozen=True, slots=True)
class _Paths:
    """Paths by their place in the list and by pair.

    `used` has one array for each 64 words, and only the last pairs may have more than the first.
    """

    key: Keys
    last: Places
    reach: Places
    used: Sequence[Masks]


class _Search:
    """The search in some of the pairs."""

    def __init__(self, steps: Steps, options: Options, pairs: Integers, most: Bounds) -> None:
        self.way: Itinerary = itinerary(steps, pairs)
        self.units = SortUnits.fitting(most, pairs, BEAM, self.way.most_columns)
        masks = options.masks_for(pairs)
        self.stretches = Stretches.of(self.way, steps, self.units)
        self.words = {
            kind: OpenWords.of(self.way, kind, steps, options, masks, self.units)
            for kind in range(STRETCH + 1, len(self.way.columns))
        }
        shape = len(pairs), BEAM
        self.key = np.full(shape, self.units.nothing, self.units.key_type)
        self.key[:, 0] = -self.units.matches(most.matches[pairs])
        self.last = np.full(shape, NOWHERE, options.end.dtype)
        self.reach = np.zeros(shape, options.end.dtype)
        self.fewer = np.searchsorted(
            options.mask_words[pairs], np.arange(len(masks)), "right"
        ).tolist()
        self.used = [np.zeros((len(pairs) - n, BEAM), masks.dtype) for n in self.fewer]
        self.used[0][:] = ALWAYS_USED
        self.alive = np.ones(len(pairs), np.int64)
        self.came_from = np.zeros((len(self.way.step), BEAM), self.units.place_type)

    def run(self) -> Integers:
        """Search to the end; then the options that the best paths have taken."""
        way = self.way
        ends, at = way.starts[1:], way.starts[:-1].copy()
        waiting = np.full(len(at), DONE)
        waiting[at < ends] = way.kind[at[at < ends]]
        while True:
            # Who has the longest way to go decides, and all that need the same come along.
            kind = int(waiting[np.argmax(ends - at)])
            if kind == DONE:
                return self._taken()
            rows = np.flatnonzero(waiting == kind)
            step = at[rows]
            number = way.number[step]
            if kind == STRETCH:
                place = self._pass(rows, self.stretches.at(number))
            else:
                place = self._choose(rows, self.words[kind], number)
            self.came_from[step, : place.shape[1]] = place
            at[rows] += 1
            waiting[rows] = way.next_kind[step]

    def _some(self, rows: Integers) -> _Paths:
        """The paths of these pairs, without the places that are empty in all of them."""
        places = int(self.alive[rows].max())
        return _Paths(
            _turned(self.key, rows, places),
            _turned(self.last, rows, places),
            _turned(self.reach, rows, places),
            [_turned(used, own, places) for used, own in self._used(rows)],
        )

    def _used(self, rows: Integers) -> list[tuple[Masks, Integers]]:
        """The words that are used, 64 by 64, and there the rows of those pairs that have more."""
        own = [rows[np.searchsorted(rows, n) :] - n if n else rows for n in self.fewer]
        return [(used, some) for used, some in zip(self.used, own, strict=True) if len(some)]

    def _pass(self, rows: Integers, stretches: Stretches) -> Integers:
        """Go through stretches in which nothing is to be decided; where the paths came from."""
        units, paths = self.units, self._some(rows)
        is_break = (paths.last != NOWHERE) & (paths.last != stretches.entry)
        key = paths.key + units.penalty(is_break)
        key += stretches.cost
        key += units.path_places(len(key))
        ordered = smallest(key[None], BEAM)
        place = units.place(ordered)
        kept = slice(place.shape[1])
        self.key[rows, kept] = ordered - place
        self.last[rows, kept] = stretches.exit[:, None]
        path = units.path(place)
        for (all_used, own), used in zip(self._used(rows), paths.used, strict=True):
            all_used[own, kept] = used.reshape(-1)[_flat(path[-len(own) :])]
        return place

    def _choose(self, rows: Integers, table: OpenWords, number: Integers) -> Integers:
        """Let every path take each option that it can take, or skip; where the paths came from."""
        units, paths = self.units, self._some(rows)
        words = table.at(number, [used.shape[1] for used in paths.used])
        busy = paths.reach > words.word
        key = smallest(self._continuations(paths, words, busy), BEAM)
        alive = np.full(len(rows), key.shape[1])
        few = np.flatnonzero(key[:, -1] >= units.dead)
        alive[few] = np.count_nonzero(key[few] < units.dead, axis=1)
        self.alive[rows] = alive
        key = key[:, : alive.max()]
        place = units.place(key)
        self.key[rows, : key.shape[1]] = key - place
        self.key[rows, key.shape[1] : len(paths.key)] = units.nothing
        self._keep(rows, paths, words, busy, place)
        return place

    def _continuations(self, paths: _Paths, words: OpenWords, busy: Mask) -> Keys:
        """The keys of all continuations, by option and then by path; dead ones for what cannot be.

        A path that is busy with a match of several words goes on with that, as the last option.
        """
        units = self.units
        taken = _overlap(paths.used, words.mask)
        if busy.any():
            taken |= busy
        so_far = paths.key + units.penalty((paths.last != NOWHERE) > busy)
        so_far += units.path_places(len(so_far))
        keys = np.asarray(so_far + words.cost[:, None])
        # What goes on where the path's last match ends is no new chunk.
        keys.reshape(-1)[np.flatnonzero(paths.last == words.begin[:, None])] -= units.chunk
        # METEOR charges a path for the options that it has tried before, not for all of them.
        spared = np.multiply(taken, words.distance[:, None], dtype=units.key_type)
        for column in range(1, len(spared)):
            spared[column] += spared[column - 1]
        keys[1:] -= spared
        np.putmask(keys[:-1], taken, units.nothing)
        return keys

    def _keep(
        self, rows: Integers, paths: _Paths, words: OpenWords, busy: Mask, place: Integers
    ) -> None:
        """Make the continuations at these places the paths of their pairs."""
        path, column = self.units.path(place), self.units.column(place)
        kept, before, way = slice(place.shape[1]), _flat(path), _flat(column)
        last, reach = words.end.reshape(-1)[way], words.reach.reshape(-1)[way]
        if busy.any():
            goes_on = busy.reshape(-1)[before]
            last[goes_on] = paths.last.reshape(-1)[before[goes_on]]
            reach[goes_on] = paths.reach.reshape(-1)[before[goes_on]]
        self.last[rows, kept] = last
        self.reach[rows, kept] = reach
        for (all_used, own), used, mask in zip(
            self._used(rows), paths.used, words.mask, strict=True
        ):
            if len(own) < len(rows):
                before, way = _flat(path[-len(own) :]), _flat(column[-len(own) :])
            all_used[own, kept] = used.reshape(-1)[before] | mask.reshape(-1)[way]

    def _taken(self) -> Integers:
        """The options on the way back from the best path of each pair."""
        way = self.way
        ends = self.key + self.units.penalty(self.last != NOWHERE)
        place = np.argmin(ends, axis=1)
        at = way.starts[1:].copy()
        taken = [np.empty(0, np.int64)]
        rows = np.flatnonzero(at > way.starts[:-1])
        while len(rows):
            at[rows] -= 1
            step = at[rows]
            came_from = self.came_from[step, place[rows]].astype(np.int64)
            place[rows] = self.units.path(came_from)
            column = self.units.column(came_from)
            is_match = column < way.option_count[step]
            taken.append((way.first_option[step] + column)[is_match])
            rows = rows[step > way.starts[rows]]
        return np.concatenate(taken)


def _overlap(used: Sequence[Masks], mask: Sequence[Masks]) -> Mask:
    """For each option, path and pair: whether words that the option needs are used."""
    taken = np.asarray((used[0] & mask[0][:-1, None]) != 0)
    for more, more_mask in zip(used[1:], mask[1:], strict=True):
        taken[..., -more.shape[1] :] |= (more & more_mask[:-1, None]) != 0
    return taken


def _turned(values: NDArray[Any], rows: Integers, places: int) -> NDArray[Any]:
    """The first places of these rows, with the rows last."""
    return np.ascontiguousarray(np.take(values, rows, axis=0)[:, :places].T)


def _flat(place: Integers) -> Integers:
    """Places of each pair as places in a whole array that has the pairs last."""
    pairs = len(place)
    return np.asarray(place * pairs + np.arange(pairs)[:, None])
