"""What the comparisons under several metrics say together: who comes first, and do people agree.

It is made of what was tested, and claims no more. A system comes first that stands in the first
rank cluster under every metric. "Ahead of all others on every metric" needs no correction for how
many metrics there are: each of them has to carry it alone (an intersection-union test, Berger
1982); for how many pairs there are, each metric's comparison is corrected already.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from isogloss.comparison.appraisal import Appraiser
from isogloss.comparison.leaders import Lead, Leaders, lead_between
from isogloss.comparison.result import Comparison
from isogloss.documents import counted
from isogloss.metaeval import Worth

_MOST_NAMES = 4  # that a reader takes in at once
_MOST_LEADS = 3


@dataclass(frozen=True, slots=True)
class Conclusion:
    """Who comes first, in words and as what the words are made of.

    `order` has every system, best first by its rank clusters and places over all metrics. `first`
    are the systems in the first cluster of every metric: none where metrics contradict each other,
    all where nothing is decided. `leads` tell how far ahead of the rest they are.
    """

    headline: str
    clauses: tuple[str, ...]
    order: tuple[str, ...]
    first: tuple[str, ...]
    leads: tuple[Lead, ...]
    worth: "PairWorth | None" = None

    @property
    def sentence(self) -> str:
        """The whole verdict in one sentence."""
        reasons = "; ".join(self.clauses)
        return f"{self.headline}: {reasons}." if reasons else f"{self.headline}."


@dataclass(frozen=True, slots=True)
class PairWorth:
    """How likely people prefer one system to another."""

    first: str
    second: str
    worth: Worth

    @property
    def clause(self) -> str:
        """The same in words."""
        likely = f"people would prefer {self.first} to {self.second} with probability {self.worth}"
        return f"{likely}, going by {self.worth.source}"


def conclude(
    comparisons: Sequence[Comparison],
    people: Comparison | None = None,
    appraiser: Appraiser | None = None,
) -> Conclusion | None:
    """What comparisons of the same systems say together.

    Args:
        comparisons: one for each metric, as `compare` returns them.
        people: the comparison of the same systems by what people said of them.
        appraiser: tells how likely people prefer the system that is ahead; asked where people did
            not judge.

    Returns:
        The conclusion; `None` where there are no two systems to compare.

    Example:
        >>> import isogloss
        >>> table = isogloss.evaluate(isogloss.load_sample("cs-en"), "bleu,chrf")
        >>> print(isogloss.conclude(isogloss.compare(table)).headline)
        steady comes first
    """
    ground = Leaders([each for each in comparisons if each.metric.not_scored is None])
    if len(ground.systems) < 2:
        return None
    if len(ground.systems) == 2:
        told = _of_two(ground)
    elif not ground.first:
        told = _of_contradiction(ground)
    elif len(ground.first) == len(ground.systems):
        told = _of_indecision(ground)
    else:
        told = _of_leaders(ground)
    worth: PairWorth | None = None
    spoken: tuple[str, ...] = ()
    if people:
        spoken = tuple(_of_people(ground, people))
    elif appraiser is not None:
        worth, spoken = _appraised(ground, appraiser)
    unscored = tuple(_of_unscored(ground))
    return Conclusion(
        told.headline,
        (*told.clauses, *spoken, *unscored),
        ground.order(),
        ground.first,
        tuple(ground.leads()),
        worth,
    )


def _appraised(ground: Leaders, appraiser: Appraiser) -> tuple[PairWorth | None, tuple[str, ...]]:
    """Of two systems, or of the last of the first and the best of the rest; and in words."""
    if len(ground.systems) == 2:
        first, second = (name for name in ground.order() if name in ground.systems)
    elif lead := next(ground.leads(), None):
        first, second = lead.ahead, lead.behind
    else:
        return None, ()
    if silence := appraiser.silence(ground.comparisons):
        return None, (f"how likely people would prefer {first} to {second} is not said: {silence}",)
    worth = appraiser.best(ground.comparisons, first, second)
    if worth is None:
        return None, ()
    pair = PairWorth(first, second, worth)
    return pair, (pair.clause,)


@dataclass(frozen=True, slots=True)
class _Told:
    headline: str
    clauses: tuple[str, ...]


def _of_leaders(ground: Leaders) -> _Told:
    first = ground.first
    come = "comes first" if len(first) == 1 else "share first place"
    return _Told(f"{_listed(first)} {come}", tuple(_lead_clauses(ground)))


def _lead_clauses(ground: Leaders) -> Iterator[str]:
    metrics, parting = len(ground.comparisons), ground.parting
    if not parting:
        yield f"every other system is behind on at least one of {metrics} metrics, ahead on none"
    else:
        if metrics > 1:
            yield f"ahead of all others on {_of_metrics(parting, metrics)}"
        yield from _unbeaten(ground)
        lead = next(ground.leads())
        yield f"on {lead.metric} the next is {lead.behind}, {lead.distance} behind"
        yield from _uncertain([lead])
    open_ = [each for each in ground.comparisons if each not in parting]
    if open_ and parting:
        them = "it" if len(ground.first) == 1 else "them"
        yield f"on {_names(open_)} not all others can be told from {them}"


def _unbeaten(ground: Leaders) -> Iterator[str]:
    """Of several that share first place, those that nobody beats."""
    if 0 < len(ground.unbeaten) < len(ground.first):
        yield f"nobody is ahead of {_listed(ground.unbeaten)} on any metric"


def _of_contradiction(ground: Leaders) -> _Told:
    """No system is among the best of every metric."""
    groups: dict[frozenset[str], list[Comparison]] = {}
    for comparison in ground.deciding:
        groups.setdefault(ground.best_under(comparison), []).append(comparison)
    clauses = []
    for systems, metrics in sorted(groups.items(), key=lambda group: -len(group[1])):
        put = "puts" if len(metrics) == 1 else "put"
        best = [name for name in ground.order() if name in systems]
        clauses.append(f"{_names(metrics)} {put} {_listed(best)} first")
    if len(clauses) > _MOST_LEADS:
        more = counted(len(clauses) - _MOST_LEADS, "other answer")
        clauses = [*clauses[:_MOST_LEADS], f"and there are {more}"]
    return _Told("The metrics disagree about who comes first", tuple(clauses))


def _of_indecision(ground: Leaders) -> _Told:
    """No metric draws a line between the systems."""
    number = len(ground.systems)
    apart = [c for c in ground.comparisons if any(c.is_real(t) for t in ground.pairs(c))]
    if not apart:
        headline = f"None of the {number} systems can be told from another"
        limits = dict.fromkeys(limit for c in ground.comparisons for limit in c.limits())
        metrics = len(ground.comparisons)
        under = (
            _names(ground.comparisons) if metrics <= _MOST_LEADS else f"any of {metrics} metrics"
        )
        return _Told(headline, tuple(limits) or (f"no difference is significant on {under}",))
    real = sum(apart[0].is_real(test) for test in ground.pairs(apart[0]))
    pairs = len(ground.pairs(apart[0]))
    return _Told(
        f"No first place can be given among the {number} systems",
        (
            f"some can be told apart ({real} of {pairs} pairs on {apart[0].metric.name}), but none "
            "is ahead of all others",
        ),
    )


def _of_two(ground: Leaders) -> _Told:
    """Which of two is better, under which metrics, and by how much."""
    ahead, behind = [name for name in ground.order() if name in ground.systems]
    real = [c for c in ground.comparisons if c.is_real(c.pair(ahead, behind))]
    leads = {c.metric.name: lead_between(c, ahead, behind) for c in ground.comparisons}
    better = [c for c in real if leads[c.metric.name].by > 0]
    worse = [c for c in real if leads[c.metric.name].by < 0]
    open_ = [c for c in ground.comparisons if c not in real]
    metrics = len(ground.comparisons)
    if not real:
        limits = dict.fromkeys(limit for c in ground.comparisons for limit in c.limits())
        return _Told(
            f"{ahead} and {behind} cannot be told apart",
            (f"no difference is significant on {_names(ground.comparisons)}", *limits),
        )
    if better and worse:
        headline = f"The metrics disagree about {ahead} and {behind}"
        on = (f"{ahead} is better on {_names(better)}", f"worse on {_names(worse)}")
        return _Told(headline, (*on, *_left_open(open_)))
    winner, loser = (ahead, behind) if better else (behind, ahead)
    found = [lead_between(c, winner, loser) for c in real]
    by = _listed(lead.size for lead in found)
    return _Told(
        f"{winner} is better than {loser} on {_of_metrics(real, metrics)}",
        (f"by {by}", *_uncertain(found), *_left_open(open_)),
    )


def _uncertain(leads: Sequence[Lead]) -> Iterator[str]:
    wide = [lead.metric for lead in leads if lead.reaches_zero]
    if len(wide) == 1:
        told = "its size uncertain (its interval reaches 0)"
        yield f"the lead on {wide[0]} is significant, {told}"
    elif wide:
        told = "their sizes uncertain (their intervals reach 0)"
        yield f"the leads on {_listed(wide)} are significant, {told}"


def _left_open(comparisons: Sequence[Comparison]) -> tuple[str, ...]:
    do = "does" if len(comparisons) == 1 else "do"
    return (f"{_names(comparisons)} {do} not tell them apart",) if comparisons else ()


def _of_people(ground: Leaders, people: Comparison) -> Iterator[str]:
    judged = Leaders([people])
    if len(judged.systems) < 2:
        return
    best = judged.best_under(people)
    first = [name for name in ground.first if name in judged.systems]
    if len(best) == len(judged.systems):
        yield "people tell none of them from another"
    elif ground.first and not first:
        yield f"people did not judge {_listed(ground.first)}"
    elif set(first) == best:
        yield "people agree"
    elif first and len(ground.first) < len(ground.systems) and set(first) < best:
        others = [name for name in judged.order() if name in best and name not in first]
        yield f"people do not tell {_listed(others)} from {'it' if len(first) == 1 else 'them'}"
    elif best < set(first):
        lower = [name for name in first if name not in best]
        yield f"people agree, but for {_listed(lower)}, which they put lower"
    else:
        but = "but " if first and not best & set(first) else ""
        yield f"{but}people put {_listed(n for n in judged.order() if n in best)} first"


def _of_unscored(ground: Leaders) -> Iterator[str]:
    if ground.unscored:
        yield f"not counted: {_listed(ground.unscored)}, which not every metric scored"


def _of_metrics(some: Sequence[Comparison], every: int) -> str:
    """'bleu', 'all 4 metrics', '2 of 4 metrics (bleu and chrf)'."""
    if every == 1:
        return some[0].metric.name
    if len(some) == every:
        return f"all {every} metrics" if every > 2 else f"both {_names(some)}"
    few = f" ({_names(some)})" if len(some) <= _MOST_LEADS else ""
    return f"{len(some)} of {every} metrics{few}"


def _names(comparisons: Sequence[Comparison]) -> str:
    return _listed(comparison.metric.name for comparison in comparisons)


def _listed(names: Iterable[str]) -> str:
    """'a', 'a and b', 'a, b and c', 'a, b, c and 9 more'."""
    *others, last = list(names)
    if len(others) >= _MOST_NAMES:
        others, last = others[: _MOST_NAMES - 1], f"{len(others) + 2 - _MOST_NAMES} more"
    return f"{', '.join(others)} and {last}" if others else last
