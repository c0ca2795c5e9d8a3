"""Score matrices: systems x items, NaN where a score is missing, and how they are grouped.

An item is a segment, a document or a domain; a vector (one score per system) counts as one item.
Human scores are rounded to nine decimals once, here: averages over raters carry float noise
(-25.2 against -25.200000000000003) that would break ties between them.

A statistic as it is reported: its value, what stands behind it, or why there is none.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Literal, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from isogloss.arrays import Floats, Mask
from isogloss.errors import InputError, MismatchError

Grouping = Literal["none", "item", "system"]
"""Which scores are compared: all with all, those of the same item, or those of the same system."""


@dataclass(frozen=True, slots=True)
class Value:
    """One statistic.

    `count` is how many observations, or pairs of them, stand behind it; `groups` how many groups
    were averaged (`None` without grouping). Where a statistic is undefined, `value` is `None` and
    `reason` says why.
    """

    value: float | None
    count: int
    groups: int | None = None
    reason: str | None = None

    def __post_init__(self) -> None:
        if (self.value is None) == (self.reason is None):
            raise InputError("a statistic has either a value or a reason why it has none")
        if self.value is not None and not math.isfinite(self.value):
            raise InputError(f"{self.value} is no value; an undefined statistic states a reason")


Indices = NDArray[np.intp]
Number = TypeVar("Number", bound=np.generic)

DECIMALS = 9
"""Human scores are rounded to this many decimals: noise in the last bits would break their ties."""


def rounded(scores: Floats) -> Floats:
    """Human scores without noise in their last bits, and without -0.0."""
    return np.round(scores, DECIMALS) + 0.0


@dataclass(frozen=True, slots=True)
class Averaging:
    """How the values of items become one: ``macro`` each the same, ``micro`` by its scores.

    An item without a value (its scores are all equal) is left out (``skip``) or counts as ``zero``;
    one with fewer than two scores is always left out.
    """

    average: Literal["macro", "micro"] = "macro"
    undefined: Literal["skip", "zero"] = "skip"

    def __post_init__(self) -> None:
        for name, known in (("average", ("macro", "micro")), ("undefined", ("skip", "zero"))):
            if getattr(self, name) not in known:
                given = getattr(self, name)
                raise InputError(f"{name} must be {' or '.join(known)}, not {given!r}")

    def weighted(self, values: Floats, sizes: NDArray[np.int64]) -> tuple[Floats, Floats]:
        """The values of items with their weights; a weight of 0 leaves an item out."""
        filled = np.where(np.isnan(values) & (sizes > 1), 0.0, values)
        counted = filled if self.undefined == "zero" else values
        defined = ~np.isnan(counted)
        weights = defined * (sizes if self.average == "micro" else 1.0)
        return np.where(defined, counted, 0.0), weights


MACRO = Averaging()


def as_matrix(scores: ArrayLike, what: str = "scores") -> Floats:
    """Scores as a matrix systems x items; a vector becomes a matrix of one item."""
    matrix = np.asarray(scores, dtype=np.float64)
    if matrix.ndim == 1:
        matrix = matrix[:, None]
    if matrix.ndim != 2:
        raise InputError(f"the {what} need systems x items, not {matrix.ndim} dimensions")
    if np.isinf(matrix).any():
        raise InputError(f"the {what} contain infinite values; leave out what was not scored")
    return matrix


def human_matrix(scores: ArrayLike) -> Floats:
    """Human scores as a matrix, free of float noise."""
    return rounded(as_matrix(scores, "human scores"))


def paired(human: ArrayLike, metric: ArrayLike, as_given: bool = False) -> tuple[Floats, Floats]:
    """Both matrices, with NaN in both wherever either has no score.

    `as_given` leaves the noise in the human scores, as mt-metrics-eval does, to reproduce what it
    published.
    """
    people = as_matrix(human, "human scores") if as_given else human_matrix(human)
    scores = as_matrix(metric, "metric scores")
    if people.shape != scores.shape:
        raise MismatchError(
            "human scores are {} systems x {} items, ".format(*people.shape)
            + "metric scores {} x {}".format(*scores.shape)
        )
    missing = np.isnan(people) | np.isnan(scores)
    return np.where(missing, np.nan, people), np.where(missing, np.nan, scores)


def defined_ratio(above: ArrayLike, below: ArrayLike) -> Floats:
    """above / below, NaN where there is nothing below."""
    over, under = np.broadcast_arrays(above, below)
    ratio: Floats = np.full(over.shape, np.nan)
    np.divide(over, under, out=ratio, where=under > 0)
    return ratio


def mean_of_groups(values: Floats) -> Floats:
    """Row by row the mean of the values that are defined, NaN where none is."""
    defined = ~np.isnan(values)
    return defined_ratio(np.where(defined, values, 0.0).sum(axis=1), defined.sum(axis=1))


def judged_items(human: Floats) -> Mask:
    """Which items of a matrix (systems x items) have a score for any system."""
    return np.asarray(~np.isnan(human).all(axis=0))


def in_groups(matrix: NDArray[Number], grouping: Grouping) -> NDArray[Number]:
    """The matrix as groups x members: one group of all cells, items, or systems."""
    if grouping == "none":
        return matrix.reshape(1, -1)
    if grouping == "item":
        return np.ascontiguousarray(matrix.T)
    if grouping == "system":
        return matrix
    raise InputError(f"unknown grouping {grouping!r}; there are: none, item, system")


@dataclass(frozen=True, eq=False)
class Rows:
    """Human and metric scores as groups x members, NaN in both where either is missing."""

    human: Floats
    metric: Floats
    grouping: Grouping

    @classmethod
    def of(
        cls, human: ArrayLike, metric: ArrayLike, grouping: Grouping, as_given: bool = False
    ) -> "Rows":
        """Two score matrices, grouped; human scores rounded, unless they are to stay as given."""
        people, scores = paired(human, metric, as_given)
        return cls(in_groups(people, grouping), in_groups(scores, grouping), grouping)

    @cached_property
    def present(self) -> Mask:
        return ~np.isnan(self.human)

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """How many scores each group has."""
        return np.asarray(self.present.sum(axis=1, dtype=np.int64))

    @property
    def pairs(self) -> NDArray[np.int64]:
        """How many pairs of scores each group has."""
        return self.sizes * (self.sizes - 1) // 2

    @cached_property
    def human_varies(self) -> Mask:
        return varies(self.human, self.present)

    @cached_property
    def metric_varies(self) -> Mask:
        return varies(self.metric, self.present)

    def why_undefined(self) -> str:
        """Why no group has a value."""
        if self.grouping != "none":
            return f"no {self.grouping} has a value: {self._faults()}"
        if self.sizes[0] < 2:
            return "fewer than two scores to compare"
        return "all human scores are equal" if not self.human_varies[0] else _SAME_METRIC

    def _faults(self) -> str:
        few = self.sizes < 2
        flat = ~few & ~self.human_varies
        faults = {
            "with fewer than two scores": few,
            "with equal human scores": flat,
            "with equal metric scores": ~few & ~flat & ~self.metric_varies,
        }
        found = [f"{np.count_nonzero(rows):,} {what}" for what, rows in faults.items() if any(rows)]
        return ", ".join(found) or "there are no groups"


_SAME_METRIC = "all metric scores are equal"


def varies(rows: Floats, present: Mask) -> Mask:
    """Which rows hold two different values; exact, where a variance would carry noise."""
    highest = rows.max(axis=1, where=present, initial=-np.inf)
    return np.asarray(highest > rows.min(axis=1, where=present, initial=np.inf))


@dataclass(frozen=True, slots=True, eq=False)
class Blocks:
    """Which block each item belongs to: what resampling draws as a whole."""

    index: Indices
    count: int

    @classmethod
    def of(cls, blocks: ArrayLike | None, items: int) -> "Blocks":
        """Blocks numbered from 0; without any, each item is a block of its own."""
        if blocks is None:
            return cls(np.arange(items), items)
        given = np.asarray(blocks)
        if given.shape != (items,):
            raise MismatchError(f"{given.size} blocks given for {items} items")
        known, index = np.unique(given, return_inverse=True)
        return cls(index.astype(np.intp), len(known))

    def of_items(self, chosen: Mask) -> "Blocks":
        """The blocks of some of the items only, numbered anew."""
        return Blocks.of(self.index[chosen], int(np.count_nonzero(chosen)))

    def sums(self, values: Floats) -> Floats:
        """Rows (one an item) summed by block."""
        total = np.zeros((self.count, *values.shape[1:]))
        np.add.at(total, self.index, values)
        return total


@dataclass(frozen=True, slots=True, eq=False)
class Common:
    """Metrics on the cells that all of them and the people have, and the pairs to compare there.

    Two metrics are compared on what both scored. Where none lacks a score that another has, there
    is a single `Common` with all pairs, so that they share their draws.
    """

    human: Floats
    metrics: Mapping[str, Floats]
    pairs: tuple[tuple[str, str], ...]


def common_cells(human: ArrayLike, metrics: Mapping[str, ArrayLike]) -> list[Common]:
    """Every pair of metrics, sorted by the cells that both of them have."""
    both = {name: paired(human, scores) for name, scores in metrics.items()}
    missing = {name: np.isnan(scores) for name, (_, scores) in both.items()}
    alike: dict[bytes, list[tuple[str, str]]] = {}
    for first, second in combinations(both, 2):
        key = np.packbits(missing[first] | missing[second]).tobytes()
        alike.setdefault(key, []).append((first, second))
    return [_common(both, missing, tuple(pairs)) for pairs in alike.values()]


def _common(
    both: Mapping[str, tuple[Floats, Floats]],
    missing: Mapping[str, Mask],
    pairs: tuple[tuple[str, str], ...],
) -> Common:
    first, second = pairs[0]
    absent = missing[first] | missing[second]
    names = dict.fromkeys(name for pair in pairs for name in pair)
    return Common(
        np.where(absent, np.nan, both[first][0]),
        {name: np.where(absent, np.nan, both[name][1]) for name in names},
        pairs,
    )
