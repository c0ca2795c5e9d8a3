"""The steps of some pairs as the search takes them: those of one kind in tables of their own.

A stretch is one kind; open words are of one kind if they have about as many options. What a step
does is in columns of its kind's table: one for each option, with some to spare that nobody can
take, and the last for skipping the word. All that does not depend on a path is worked out once.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

import numpy as np

from isogloss.metrics.meteor.flat import Ints, spread, starts
from isogloss.metrics.meteor.options import Masks, Options, Places
from isogloss.metrics.meteor.sorting import Keys, Units
from isogloss.metrics.meteor.steps import Steps

DONE, STRETCH = -1, 0
"""Kinds of steps; those above are open words."""

_COLUMNS = (3, 4, 6, 9, 12, 24)  # of open words that are done alike; the widest have their own


@dataclass(frozen=True, eq=False)
class Itinerary:
    """The steps of some pairs one after another.

    `step` tells which of all steps each is, `number` which of its kind; ``columns`` has how many
    ways to go on there are in each kind.
    """

    starts: Ints
    step: Ints
    kind: Ints
    next_kind: Ints
    number: Ints
    first_option: Ints
    option_count: Ints
    columns: Ints

    @property
    def most_columns(self) -> int:
        return int(self.columns[-1])

    def of_kind(self, kind: int) -> Ints:
        """Which of all steps those of the kind are."""
        return np.asarray(self.step[self.kind == kind])


def itinerary(steps: Steps, pairs: Ints) -> Itinerary:
    """The steps of these pairs."""
    begin, end = steps.starts[pairs], steps.starts[pairs + 1]
    _, step = spread(begin, end)
    first_option = steps.option_starts[step]
    option_count = steps.option_starts[step + 1] - first_option
    most = int(option_count.max(initial=0)) + 1
    columns = np.array([1, *takewhile(lambda number: number < most, _COLUMNS), most])
    kind = np.where(
        steps.is_open[step], np.searchsorted(columns[1:], option_count + 1) + 1, STRETCH
    )
    way_starts = starts(end - begin)
    next_kind = np.append(kind[1:], DONE)
    next_kind[way_starts[1:][end > begin] - 1] = DONE
    number = np.empty(len(step), np.int64)
    for one in range(len(columns)):
        own = np.flatnonzero(kind == one)
        number[own] = np.arange(len(own))
    return Itinerary(way_starts, step, kind, next_kind, number, first_option, option_count, columns)


@dataclass(frozen=True, eq=False, slots=True)
class Stretches:
    """Where stretches are entered and left in the output, and what going through adds to a key."""

    entry: Ints
    exit: Ints
    cost: Keys

    @classmethod
    def of(cls, way: Itinerary, steps: Steps, units: Units) -> "Stretches":
        """All that are on the way."""
        own = way.of_kind(STRETCH)
        cost = units.stretch(steps.gain[own], steps.breaks[own], steps.distance[own])
        return cls(steps.entry[own], steps.exit[own], cost)

    def at(self, numbers: Ints) -> "Stretches":
        """Those with these numbers."""
        return Stretches(self.entry[numbers], self.exit[numbers], self.cost[numbers])


@dataclass(frozen=True, eq=False, slots=True)
class OpenWords:
    """Open words of one kind: for each column and word what going on in this way means.

    `cost` is what it adds to a key if all options before it could have been taken; `distance`
    what each of these adds to that.
    """

    word: Ints
    cost: Keys
    distance: Keys
    begin: Places
    end: Places
    reach: Places
    mask: Sequence[Masks]

    @classmethod
    def of(
        cls, way: Itinerary, kind: int, steps: Steps, options: Options, masks: Masks, units: Units
    ) -> "OpenWords":
        """All of a kind that are on the way."""
        own = way.of_kind(kind)
        column = np.arange(way.columns[kind])[:, None]
        offered = steps.option_starts[own] + column
        offered[offered >= steps.option_starts[own + 1]] = options.skip
        distance = units.distances(options.distance[offered])
        cost = units.matches(options.gain[offered]) + column
        cost[1:] += np.cumsum(distance[:-1], axis=0)
        word = steps.word[own].astype(options.length.dtype)
        return cls(
            word,
            cost,
            distance[:-1],
            options.begin[offered[:-1]],
            options.end[offered],
            options.length[offered] + word,
            [mask[offered] for mask in masks],
        )

    def at(self, numbers: Ints, wide: Sequence[int]) -> "OpenWords":
        """Those with these numbers; of so many, the last, each next part of the masks, too."""
        return OpenWords(
            self.word[numbers],
            np.take(self.cost, numbers, axis=1),
            np.take(self.distance, numbers, axis=1),
            np.take(self.begin, numbers, axis=1),
            np.take(self.end, numbers, axis=1),
            np.take(self.reach, numbers, axis=1),
            [np.take(m, numbers[-n:], axis=1) for m, n in zip(self.mask, wide, strict=False)],
        )
