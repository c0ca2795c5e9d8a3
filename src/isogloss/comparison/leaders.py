"""Who stands first under several metrics at once, and how far ahead of the others."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean

from isogloss.comparison.result import Comparison, PairTest, Standing
from isogloss.tables import decimals
from isogloss.verdicts import Interval


@dataclass(frozen=True, slots=True)
class Lead:
    """How far the first systems are ahead of the rest under a metric that parts them.

    Between the last of the first, `ahead`, and the best of the rest, `behind`. `by` is positive
    whichever way is better.
    """

    metric: str
    ahead: str
    behind: str
    by: float
    interval: Interval | None
    p: float | None
    digits: int

    @property
    def size(self) -> str:
        """How much it is, in points of the metric."""
        return f"{self.by:.{self.digits}f} {self.metric}"

    @property
    def reaches_zero(self) -> bool:
        """Whether the interval reaches to no difference at all.

        With few documents it can while the test is sure: a randomisation test asks whether there is
        a difference, the interval, which has to allow for blocks unlike these, how large it is.
        """
        return self.interval is not None and self.interval[0] <= 0 <= self.interval[1]

    @property
    def distance(self) -> str:
        """How much it is, with its interval."""
        between = self.interval and ", ".join(f"{end:.{self.digits}f}" for end in self.interval)
        by = f"{self.by:.{self.digits}f}"
        return f"{by} [{between}]" if between else by


def ranked_by_all(comparisons: Sequence[Comparison]) -> tuple[str, ...]:
    """Every system, best first by its rank clusters over all metrics, then by its places.

    Human translations stand among the others by their places alone: they have no rank cluster.
    """
    return Leaders(comparisons).order()


class Leaders:
    """The machine systems that every metric scored, and their rank clusters."""

    def __init__(self, comparisons: Sequence[Comparison]) -> None:
        self.comparisons = comparisons
        self._standing = {
            (comparison.metric.name, standing.system): standing
            for comparison in comparisons
            for standing in comparison.standings
        }

    @cached_property
    def named(self) -> tuple[str, ...]:
        """Every system, people among them."""
        return tuple(dict.fromkeys(system for _, system in self._standing))

    @cached_property
    def systems(self) -> tuple[str, ...]:
        return tuple(name for name in self.named if all(self._clusters(name)))

    @cached_property
    def unscored(self) -> tuple[str, ...]:
        """Machine systems that some metric did not score."""
        return tuple(
            name
            for name in self.named
            if not all(self._clusters(name)) and not any(s.human for s in self._standings(name))
        )

    def _standings(self, system: str) -> list[Standing]:
        found = (self._standing.get((c.metric.name, system)) for c in self.comparisons)
        return [standing for standing in found if standing is not None]

    def _clusters(self, system: str) -> list[int]:
        """The rank clusters of a system; 0 where a metric gives it none."""
        found = (self._standing.get((c.metric.name, system)) for c in self.comparisons)
        return [0 if each is None else each.cluster or 0 for each in found]

    def best_under(self, comparison: Comparison) -> frozenset[str]:
        """The systems that a metric puts first."""
        clusters = {name: self._cluster(comparison, name) for name in self.systems}
        least = min(clusters.values())
        return frozenset(name for name, cluster in clusters.items() if cluster == least)

    def _cluster(self, comparison: Comparison, system: str) -> int:
        return self._standing[comparison.metric.name, system].cluster or 0

    @cached_property
    def first(self) -> tuple[str, ...]:
        if not self.systems:
            return ()
        everywhere = frozenset.intersection(*map(self.best_under, self.comparisons))
        return tuple(name for name in self.order() if name in everywhere)

    @cached_property
    def parting(self) -> list[Comparison]:
        """The metrics under which every one of the first beats every other system."""
        return [each for each in self.comparisons if self.best_under(each) == set(self.first)]

    @cached_property
    def deciding(self) -> list[Comparison]:
        """The metrics that put some systems before others."""
        every = set(self.systems)
        return [each for each in self.comparisons if self.best_under(each) != every]

    def pairs(self, comparison: Comparison) -> list[PairTest]:
        """The tests between the systems that count."""
        known = set(self.systems)
        return [test for test in comparison.pairs if {test.first, test.second} <= known]

    @cached_property
    def unbeaten(self) -> tuple[str, ...]:
        """Those of the first that no other system is significantly ahead of, on any metric."""
        beaten = {
            test.second if self._first_is_ahead(comparison, test) else test.first
            for comparison in self.comparisons
            for test in self.pairs(comparison)
            if comparison.is_real(test)
        }
        return tuple(name for name in self.first if name not in beaten)

    @staticmethod
    def _first_is_ahead(comparison: Comparison, test: PairTest) -> bool:
        return ((test.difference or 0.0) > 0) == comparison.metric.higher_is_better

    def leads(self) -> Iterator[Lead]:
        if len(self.first) == len(self.systems):
            return
        for comparison in self.parting:
            ranked = [s.system for s in comparison.standings if s.system in self.systems]
            ahead = [name for name in ranked if name in self.first]
            behind = [name for name in ranked if name not in self.first]
            yield lead_between(comparison, ahead[-1], behind[0])

    def order(self) -> tuple[str, ...]:
        machines = [name for name in self.named if not self._is_human(name)]
        ordered = sorted(machines, key=lambda name: (self._mean_cluster(name), self._place(name)))
        for name in self.named:
            if self._is_human(name):
                better = sum(self._place(other) < self._place(name) for other in machines)
                ordered.insert(better, name)
        return tuple(ordered)

    def _is_human(self, system: str) -> bool:
        return any(standing.human for standing in self._standings(system))

    def _mean_cluster(self, system: str) -> float:
        ranked = [cluster for cluster in self._clusters(system) if cluster]
        return fmean(ranked) if ranked else float("inf")

    def _place(self, system: str) -> float:
        """The mean place among all systems; last where a metric does not score it."""
        return fmean(
            next(
                (place for place, s in enumerate(each.standings) if s.system == system),
                len(self.named),
            )
            for each in self.comparisons
        )


def lead_between(comparison: Comparison, ahead: str, behind: str) -> Lead:
    """How much better one system is than another under a metric: negative where it is worse."""
    test = comparison.pair(ahead, behind)
    turn = 1.0 if comparison.metric.higher_is_better else -1.0
    turn = turn if test.first == ahead else -turn
    by = turn * (test.difference or 0.0)
    ends = None if test.interval is None else sorted(turn * end for end in test.interval)
    return Lead(
        comparison.metric.name,
        ahead,
        behind,
        by,
        None if ends is None else (ends[0], ends[1]),
        test.corrected_p,
        decimals(standing.score for standing in comparison.standings),
    )
