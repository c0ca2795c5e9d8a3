"""Agreement with people on parts of the material, beside agreement on all of it.

* The best systems: a statistic of systems over the n that people scored best, for n from four to
  all (after Thompson & Post 2020, Mathur et al. 2020). One weak system can lift the correlation of
  a poor metric; among the best systems it cannot.
* Pairs of systems by how far apart people see them: what is far worse is found by any metric.
* Parts of the items: each domain, thirds of the documents by their length, thirds of a document by
  position; a statistic of segments or documents over those items alone.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from isogloss.arrays import Floats, Integers, Mask
from isogloss.documents import counted
from isogloss.errors import InputError
from isogloss.metaeval.findings import Column, JudgingSettings, StatisticFinding, judge
from isogloss.metaeval.intervals import Interval
from isogloss.metaeval.matrix import Value, rounded
from isogloss.metaeval.study import Study
from isogloss.metaeval.tasks import LEAST_SYSTEMS, Statistic, Task

PartOfItems = Literal["domain", "length", "position"]
SliceBy = Literal[PartOfItems, "distance"]

LEAST_PAIRS = 30
"""Of fewer scores (or pairs of scores, for acc-eq) nothing is said."""

LEAST_SYSTEM_PAIRS = 6
"""As many as four systems have."""


@dataclass(frozen=True, slots=True)
class Slice:
    """One statistic on one part of a test set, for all metrics.

    `size` is how many systems, or items of the statistic's level, the part has.
    """

    name: str
    size: int
    column: Column


@dataclass(frozen=True, slots=True)
class Slices:
    """One statistic on every part of a test set; `by` says which parts.

    ``top-n`` are parts of the systems, ``distance`` of the pairs of systems.
    """

    testset: str
    languages: str
    by: SliceBy | Literal["top-n"]
    statistic: Statistic
    slices: tuple[Slice, ...]


# --- the best systems ----------------------------------------------------------------------------


def top_systems(
    study: Study, task: Task, settings: JudgingSettings | None = None
) -> tuple[Slices, ...]:
    """Each statistic of systems over the n best of them, n from four to all."""
    return tuple(
        Slices(*_place(study), "top-n", statistic, tuple(_by_number(study, statistic, settings)))
        for statistic in task.of_levels("system")
        if statistic.best is None
    )


def _by_number(
    study: Study, statistic: Statistic, settings: JudgingSettings | None
) -> Iterator[Slice]:
    every = study.at("system")
    if statistic.without_outliers:
        every = every.without_outliers()
    there = int(np.count_nonzero(~np.isnan(every.human)))
    for number in range(LEAST_SYSTEMS, there + 1):
        column = _column(study, replace(statistic, best=number), settings)
        have = {
            name: int(np.count_nonzero(~np.isnan(scores)))
            for name, scores in every.best(number).metrics.items()
        }
        # Over other systems than those of the other metrics, a value would mislead.
        reasons = {
            name: f"the metric has scores of {known} of the {number} systems"
            for name, known in have.items()
            if known < number
        }
        yield Slice(str(number), number, _blanked(column, reasons))


# --- pairs of systems ----------------------------------------------------------------------------


def by_distance(study: Study, *, without_outliers: bool = False) -> Slices:
    """Pairwise accuracy of systems in thirds of the pairs, by how far apart people see them."""
    every = study.at("system")
    if without_outliers:
        every = every.without_outliers()
    left, right = np.triu_indices(len(every.systems), 1)
    people = (every.human[left] - every.human[right])[:, 0]
    known = ~np.isnan(people)
    left, right, people = left[known], right[known], people[known]
    apart = np.abs(rounded(people))
    statistic = Statistic("system", "pairwise-accuracy", without_outliers=without_outliers)
    slices = []
    for third in _thirds(apart):
        ends = f"{apart[third].min():.3g}–{apart[third].max():.3g}"
        findings = tuple(
            StatisticFinding(
                name,
                study.testset.name,
                statistic,
                Interval(
                    _agreeing(people[third], (scores[left] - scores[right])[third, 0]), None, None
                ),
            )
            for name, scores in every.metrics.items()
        )
        column = Column(study.testset.name, statistic, findings)
        slices.append(Slice(ends, int(np.count_nonzero(third)), column))
    return Slices(*_place(study), "distance", statistic, tuple(slices))


def _agreeing(people: Floats, metric: Floats) -> Value:
    """In how many pairs a metric's difference has the sign of people's."""
    known = int(np.count_nonzero(~np.isnan(metric)))
    if known < len(metric):
        return Value(None, known, reason=f"the metric has scores of {known} of {len(metric)} pairs")
    if known < LEAST_SYSTEM_PAIRS:
        few = counted(known, "pair")
        return Value(None, known, reason=f"{few}, fewer than {LEAST_SYSTEM_PAIRS}")
    return Value(float(np.mean(np.sign(rounded(people)) == np.sign(metric))), known)


# --- parts of the items --------------------------------------------------------------------------


def by_slices(
    study: Study, task: Task, by: SliceBy, settings: JudgingSettings | None = None
) -> tuple[Slices, ...]:
    """Each statistic of segments or documents on every part of the test set.

    Soft pairwise accuracy, which ranks systems, is not taken; by distance only pairs of systems are
    sorted, whatever the task.
    """
    if by == "distance":
        outliers = any(each.without_outliers for each in task.statistics)
        return (by_distance(study, without_outliers=outliers),)
    parts = {name: study.of_items(chosen) for name, chosen in parts_of(study, by).items()}
    if not parts:
        raise InputError(f"{study.testset.name}: {_NO_PARTS[by]}")
    taken = (s for s in task.of_levels("segment", "document") if s.name != "soft-pairwise-accuracy")
    return tuple(
        Slices(
            *_place(study),
            by,
            statistic,
            tuple(_part(name, part, statistic, by, settings) for name, part in parts.items()),
        )
        for statistic in taken
    )


_NO_PARTS = {
    "domain": "no judged document has a domain",
    "length": "there are no judged documents",
    "position": "no judged document has three segments, to have a beginning, a middle and an end",
}


def parts_of(study: Study, by: PartOfItems) -> Mapping[str, Mask]:
    """Which judged items belong to which part; an item may belong to none."""
    if by == "domain":
        domains = np.array([each or "" for each in study.human.domains])
        return {str(name): domains == name for name in dict.fromkeys(domains.tolist()) if name}
    if by == "length":
        return _thirds_by_length(_lengths(study))
    if study.judged_level == "document":
        raise InputError(f"{study.kind} are scores of whole documents; they have no positions")
    return _thirds_by_position(_lengths(study), [segment or 0 for _, segment in study.human.items])


def _lengths(study: Study) -> Integers:
    """How many segments the document of each judged item has."""
    lengths = {document.id: len(document) for document in study.testset.documents}
    return np.array([lengths[document] for document, _ in study.human.items], dtype=np.int64)


def _thirds_by_length(lengths: Integers) -> dict[str, Mask]:
    """Items of short, middling and long documents: a third of the segments in each, nearly.

    Documents of one length stay together, so that thirds may be uneven, or fewer than three.
    """
    found = {}
    for chosen in _thirds(lengths):
        low, high = int(lengths[chosen].min()), int(lengths[chosen].max())
        name = str(low) if low == high else f"{low}–{high}"
        found[f"{name} {'segment' if high == 1 else 'segments'}"] = chosen
    return found


def _thirds(values: Integers | Floats) -> list[Mask]:
    """The lower, middle and upper third, nearly: equal values stay together."""
    if not len(values):
        return []
    cuts = np.quantile(values, [1 / 3, 2 / 3], method="inverted_cdf")
    third = np.searchsorted(cuts, values)
    return [third == number for number in np.unique(third)]


def _thirds_by_position(lengths: Integers, segments: Sequence[int]) -> dict[str, Mask]:
    """Items in the first, second and last third of their document, where it has three segments."""
    # The middle of the segment decides: of four segments, the two inner ones are the middle.
    third = (3 * (2 * np.array(segments, dtype=np.int64) + 1)) // (2 * lengths)
    enough = lengths >= 3
    names = ("beginning", "middle", "end")
    parts = {name: enough & (third == number) for number, name in enumerate(names)}
    return {name: chosen for name, chosen in parts.items() if chosen.any()}


def _part(
    name: str, part: Study, statistic: Statistic, by: PartOfItems, settings: JudgingSettings | None
) -> Slice:
    column = _column(part, statistic, settings)
    own = part.documents == "own" and statistic.level == "document"
    reasons = {}
    for finding in column.findings:
        count = finding.interval.value.count
        if by == "position" and (own or not part.scores_segments(finding.metric)):
            reasons[finding.metric] = "the metric scores documents, not parts of them"
        elif count < LEAST_PAIRS:
            what = "pair" if statistic.name == "acc-eq" else "score"
            reasons[finding.metric] = f"{counted(count, what)}, fewer than {LEAST_PAIRS}"
    size = part.at(statistic.level).human.shape[1]
    return Slice(name, size, _blanked(column, reasons))


# --- both ----------------------------------------------------------------------------------------


def _place(study: Study) -> tuple[str, str]:
    """The test set and its languages; the test sets of a campaign may differ in these alone."""
    testset = study.testset
    return testset.name, f"{testset.source_language or '?'}-{testset.target_language or '?'}"


def _column(study: Study, statistic: Statistic, settings: JudgingSettings | None) -> Column:
    """A single statistic with intervals; without tests, of which there would be too many."""
    chosen = replace(settings or JudgingSettings(), draws=0, ceiling_splits=0)
    return judge([study], Task("part", "", (statistic,)), chosen).columns[0]


def _blanked(column: Column, reasons: Mapping[str, str]) -> Column:
    """The column without the values of some metrics, for which reasons are given."""

    def blank(finding: StatisticFinding) -> StatisticFinding:
        if finding.value is None or finding.metric not in reasons:
            return finding
        value = Value(None, finding.interval.value.count, None, reasons[finding.metric])
        return replace(finding, interval=Interval(value, None, None))

    return replace(column, findings=tuple(map(blank, column.findings)))
