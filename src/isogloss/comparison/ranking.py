"""Which differences between systems are real: intervals, paired tests and rank clusters.

The unit of resampling is the document, because the segments of a document depend on each other;
segments can be chosen instead, which is what sacrebleu does. Two systems are compared on the
segments that both have scores for.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations

from isogloss.comparison.result import Comparison, PairTest, Settings, Standing
from isogloss.comparison.sample import Formula, Samples, Units
from isogloss.metrics.registry import from_signature
from isogloss.resampling import rank_clusters
from isogloss.scores import MetricInfo, ScoreTable, SystemScore
from isogloss.verdicts import Correction, corrected


def compare(
    table: ScoreTable,
    metrics: Iterable[str] | None = None,
    settings: Settings | None = None,
    formula: Formula | None = None,
) -> tuple[Comparison, ...]:
    """Compare all pairs of systems under each metric of the table (or those named).

    A metric's signature says how its statistics become a score; `formula` does so for scores that
    no metric of isogloss made. Every metric's pairs are corrected by themselves.
    """
    names = [metric.name for metric in table.metrics] if metrics is None else list(metrics)
    settings = settings or Settings()
    return tuple(_comparison(table, table.metric(name), settings, formula) for name in names)


def _comparison(
    table: ScoreTable, info: MetricInfo, settings: Settings, formula: Formula | None
) -> Comparison:
    rows = _ranked(table.of_metric(info.name), info.higher_is_better)
    units = {row.system: Units.of(row, settings.blocks) for row in rows}
    samples = Samples(formula or from_signature(info.signature), settings, units)
    scored = [row.system for row in rows if row.score is not None]
    intervals = samples.intervals(scored)
    pairs = _corrected(samples.tests(list(combinations(scored, 2))), settings.correction)
    machines = [row.system for row in rows if not row.human and row.score is not None]
    clusters = _clusters(machines, pairs, info, settings.alpha)
    standings = tuple(
        Standing(
            row.system,
            row.score,
            intervals.get(row.system),
            clusters.get(row.system),
            row.scored,
            row.total,
            row.human,
        )
        for row in rows
    )
    return Comparison(info, settings, standings, pairs)


def _ranked(rows: Sequence[SystemScore], higher_is_better: bool) -> list[SystemScore]:
    """Best first, unscored systems last; ties keep the order of the table."""
    sign = -1.0 if higher_is_better else 1.0
    return sorted(rows, key=lambda row: float("inf") if row.score is None else sign * row.score)


def _corrected(tests: Sequence[PairTest], correction: Correction | None) -> tuple[PairTest, ...]:
    p_values = [test.p for test in tests]
    adjusted = corrected(p_values, correction) if correction else p_values
    return tuple(replace(test, corrected_p=p) for test, p in zip(tests, adjusted, strict=True))


def _clusters(
    ranked: Sequence[str], pairs: Sequence[PairTest], metric: MetricInfo, alpha: float
) -> dict[str, int]:
    """The cluster of each machine system; people are never ranked among them."""
    tests = {(test.first, test.second): test for test in pairs}

    def beats(first: str, second: str) -> bool:
        test = tests[first, second]
        if test.corrected_p is None or test.difference is None:
            return False
        # On the segments both have, the better-ranked system may yet be the worse one.
        ahead = test.difference > 0 if metric.higher_is_better else test.difference < 0
        return ahead and test.corrected_p <= alpha

    return dict(zip(ranked, rank_clusters(ranked, beats), strict=True))
