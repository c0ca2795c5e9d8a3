"""How large must a difference in a metric be before people see it too?

Pairs of systems are compared on the same item (or as wholes, at system level). Among pairs whose
metric scores differ by about some amount, how often do people prefer the same one, how often the
other, how often neither? (After Kocmi et al. 2024, "Navigating the Metrics Maze".)
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isogloss.arrays import Floats
from isogloss.errors import InputError
from isogloss.metaeval.matrix import paired
from isogloss.metaeval.study import Matched
from isogloss.verdicts import Interval, score_interval

_NEAREST_SHARE = 0.05
_NEAREST_LEAST = 10
_RESAMPLES, _SEED, _CONFIDENCE = 10_000, 12345, 0.95


@dataclass(frozen=True, slots=True)
class Preference:
    """What people say of pairs whose metric differences lie between `low` and `high`.

    `interval` is of the share `same`, over documents; `None` where it was not asked for, or where
    nothing can be said (of whole systems there are no documents to leave out).
    """

    low: float
    high: float
    pairs: int
    same: float
    tied: float
    opposite: float
    interval: Interval | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Differences:
    """All pairs: by how much the metric prefers one output, and what people prefer (1, 0, -1).

    `document` numbers the document of each pair; `None` for whole systems.
    """

    metric: Floats
    human: Floats
    document: NDArray[np.intp] | None = None

    @classmethod
    def of(cls, matched: Matched, metric: str) -> "Differences":
        """The pairs of systems on each item of a level."""
        if metric not in matched.metrics:
            there = ", ".join(matched.metrics)
            raise InputError(f"there are no scores of {metric!r}; there are: {there}")
        people, scores = paired(matched.human, matched.metrics[metric])
        left, right = np.triu_indices(len(scores), 1)
        ahead = (scores[left] - scores[right]).ravel()
        liked = np.sign(people[left] - people[right]).ravel()
        known = ~np.isnan(ahead)
        documents = np.tile(matched.blocks, len(left))[known]
        # A pair has no first and second: it is turned so that the metric prefers the first.
        return cls(
            np.abs(ahead[known]),
            (liked * np.where(ahead < 0, -1.0, 1.0))[known],
            None if matched.level == "system" else documents,
        )

    def near(self, size: float) -> Preference:
        """People's preference among the pairs whose difference is nearest to this size."""
        if size < 0:
            raise InputError(f"a difference has a size of 0 or more, not {size}")
        if not len(self.metric):
            raise InputError("there are no pairs of systems with scores to compare")
        count = max(_NEAREST_LEAST, round(_NEAREST_SHARE * len(self.metric)))
        nearest = np.argsort(np.abs(self.metric - size), kind="stable")[:count]
        return self._preference(nearest, with_interval=True)

    def bins(self, count: int = 10, *, with_intervals: bool = False) -> tuple[Preference, ...]:
        """Preferences from the smallest to the largest differences, in bins of equal size."""
        order = np.argsort(self.metric, kind="stable")
        return tuple(
            self._preference(part, with_intervals)
            for part in np.array_split(order, count)
            if len(part)
        )

    def _preference(self, chosen: NDArray[np.intp], with_interval: bool) -> Preference:
        sizes, liked = self.metric[chosen], self.human[chosen]
        same, tied, opposite = (float((liked == sign).mean()) for sign in (1, 0, -1))
        return Preference(
            float(sizes.min()),
            float(sizes.max()),
            len(chosen),
            same,
            tied,
            opposite,
            self._interval(chosen) if with_interval else None,
        )

    def _interval(self, chosen: NDArray[np.intp]) -> Interval | None:
        """Of the share of pairs on which people agree: pairs of one document go together."""
        if self.document is None:
            return None
        _, document = np.unique(self.document[chosen], return_inverse=True)
        agreeing = np.bincount(document, weights=self.human[chosen] == 1)
        counts = np.stack([agreeing, np.bincount(document)], axis=1).astype(np.float64)
        return score_interval(counts, _share, _RESAMPLES, _SEED, _CONFIDENCE, (0.0, 1.0))


def _share(counts: Floats) -> Floats:
    return np.asarray(counts[:, 0] / counts[:, 1])
