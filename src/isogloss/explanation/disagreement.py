"""What other metrics and people say of the two systems, and where they say otherwise."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from isogloss.arrays import Floats
from isogloss.comparison import Comparison, PairTest
from isogloss.explanation.result import DisputedSegment, MetricFound
from isogloss.metrics import formula_of
from isogloss.scores import MetricInfo, ScoreTable
from isogloss.verdicts import corrected

_LISTED = 3  # disputed segments for each metric
_CLEAR = 0.5  # of the usual size of a metric's differences


@dataclass(frozen=True, eq=False)
class MetricOpinion:
    """One metric on two systems: the test, and its preferences by document and by segment.

    Preferences are signed so that a positive one is for the first system; NaN where there is none.
    """

    info: MetricInfo
    people: bool
    scores: tuple[float | None, float | None]
    test: PairTest
    documents: Floats
    segments: Floats
    limits: tuple[str, ...]  # what cannot be decided, however large a difference is

    @classmethod
    def of(
        cls,
        table: ScoreTable,
        comparison: Comparison,
        systems: tuple[str, str],
        *,
        people: bool = False,
    ) -> "MetricOpinion":
        """What a metric of a table says; the comparison is of these two systems alone."""
        info = comparison.metric
        first, second = (table[info.name, system] for system in systems)
        sign = 1.0 if info.higher_is_better else -1.0
        formula = formula_of(table, info)
        documents, segments = [], []
        for row in (first, second):
            sums = np.vstack([d.measurement.statistics for d in row.documents])
            documents.append(formula.score_rows(sums))
            scores = [s for document in row.documents for s in document.segment_scores]
            segments.append(np.array(scores, dtype=np.float64))
        return cls(
            info,
            people,
            (first.score, second.score),
            _test(comparison.pairs, systems),
            sign * (documents[0] - documents[1]),
            sign * (segments[0] - segments[1]),
            comparison.limits(),
        )


def _test(pairs: Sequence[PairTest], systems: tuple[str, str]) -> PairTest:
    """The test of the two, first minus second; one that decides nothing if they were not scored."""
    if not pairs:
        return PairTest(*systems, None, None, 0)
    (test,) = pairs
    if test.first == systems[0]:
        return test
    low, high = test.interval or (None, None)
    return replace(
        test,
        first=systems[0],
        second=systems[1],
        difference=None if test.difference is None else 0.0 - test.difference,
        interval=None if low is None or high is None else (0.0 - high, 0.0 - low),
    )


def opinions_found(
    explained: MetricOpinion, others: Sequence[MetricOpinion]
) -> tuple[MetricFound, ...]:
    """All of them side by side; p-values of the others are corrected for how many they are."""
    adjusted = corrected([other.test.p for other in others], "holm")
    tests = [replace(o.test, corrected_p=p) for o, p in zip(others, adjusted, strict=True)]
    return tuple(
        _found(explained, opinion, test)
        for opinion, test in zip([explained, *others], [explained.test, *tests], strict=True)
    )


def _found(explained: MetricOpinion, opinion: MetricOpinion, test: PairTest) -> MetricFound:
    with np.errstate(invalid="ignore"):
        both = np.sign(explained.documents) * np.sign(opinion.documents)
    return MetricFound(
        opinion.info.name,
        opinion.info.higher_is_better,
        opinion.people,
        *opinion.scores,
        test,
        agreeing=int(np.count_nonzero(both > 0)),
        deciding=int(np.count_nonzero(both > 0) + np.count_nonzero(both < 0)),
        explained=opinion is explained,
    )


def disputes(
    explained: MetricOpinion, others: Sequence[MetricOpinion], places: Sequence[tuple[str, int]]
) -> tuple[DisputedSegment, ...]:
    """For each other opinion the segments in which both are clear, and opposed."""
    found = []
    ours = _in_deviations(explained.segments)
    for other in others:
        theirs = _in_deviations(other.segments)
        with np.errstate(invalid="ignore"):
            opposed = np.where(ours * theirs < 0, np.minimum(np.abs(ours), np.abs(theirs)), 0.0)
        clearest = np.argsort(-np.nan_to_num(opposed), kind="stable")[:_LISTED]
        turned = (explained.info.higher_is_better, other.info.higher_is_better)
        signs = [1.0 if higher else -1.0 for higher in turned]
        found += [
            DisputedSegment(
                places[at][0],
                places[at][1],
                other.info.name,
                float(signs[0] * explained.segments[at]),
                float(signs[1] * other.segments[at]),
            )
            for at in clearest
            if opposed[at] > _CLEAR
        ]
    return tuple(found)


def _in_deviations(differences: Floats) -> Floats:
    spread = np.sqrt(np.nanmean(differences**2)) if np.isfinite(differences).any() else 0.0
    return differences / spread if spread else np.zeros_like(differences)
