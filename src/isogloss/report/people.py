"""What people said, as a column beside the metrics, and how well the metrics agree with it."""

from collections.abc import Iterator

import numpy as np

from isogloss.comparison import Comparison, MeanFormula, Settings, compare
from isogloss.documents import Collection, Document, TestSet
from isogloss.errors import InputError
from isogloss.judgements import Judgements
from isogloss.metaeval.differences import Differences
from isogloss.metaeval.judging import Column, Judged, judge
from isogloss.metaeval.judging import Settings as JudgingSettings
from isogloss.metaeval.matching import Level, Study, study_of
from isogloss.metaeval.tasks import DEFAULT, load_task
from isogloss.report.model import (
    Finding,
    MetricPreferences,
    MetricTest,
    People,
    PreferenceBin,
    StatisticColumn,
)
from isogloss.scores import DocumentScore, Measurement, MetricInfo, ScoreTable, SystemScore

_MEAN = MeanFormula()
_PREFERENCE_LEVELS: tuple[Level, ...] = ("segment", "document")


def judged_table(judgements: Judgements, testset: TestSet, table: ScoreTable) -> ScoreTable:
    """The judgements of the table's systems as scores: means over annotators and segments."""
    means = judgements.segment_means()
    judged = {system for system, _, _ in means}
    human = {row.system for row in table.rows if row.human}
    rows = []
    for system in (system for system in table.systems if system in judged):
        documents = tuple(_judged_document(means, system, each) for each in testset.documents)
        summed = np.sum([document.measurement.statistics for document in documents], axis=0)
        name = judgements.kind
        rows.append(SystemScore(name, system, _MEAN.score(summed), documents, system in human))
    if not rows:
        raise InputError(
            f"people ({judgements.kind}) judged none of the scored systems; "
            f"they judged: {', '.join(judgements.systems) or 'none'}"
        )
    # No metric may be called as the judgements are, or the two could not be told apart.
    if any(metric.name == judgements.kind for metric in table.metrics):
        raise InputError(f"a metric is called {judgements.kind!r}, as the judgements are")
    info = MetricInfo(judgements.kind, "people: mean over annotators, then over judged segments")
    return ScoreTable(table.provenance, (info,), tuple(rows))


def _judged_document(
    means: dict[tuple[str, str, int], float], system: str, document: Document
) -> DocumentScore:
    scores = tuple(means.get((system, document.id, i)) for i in range(len(document)))
    rows = np.array([[np.nan, np.nan] if score is None else [score, 1.0] for score in scores])
    statistics = np.nansum(rows, axis=0)
    measured = Measurement(statistics, int(statistics[1]), len(document), rows, scores)
    return DocumentScore(document.id, _MEAN.score(statistics), measured, document.domain)


def people_compared(table: ScoreTable, settings: Settings) -> Comparison:
    """The systems by what people said of them."""
    (comparison,) = compare(table, settings=settings, formula=_MEAN)
    return comparison


def people_of(judgements: Judgements, table: ScoreTable, collection: Collection) -> People:
    """The metrics' agreement with people: every statistic of the overview, and preferences."""
    study = study_of([table], judgements, collection)
    judged = judge([study], load_task(DEFAULT), JudgingSettings())
    settings = judged.settings
    return People(
        kind=judgements.kind,
        annotators=len(judgements.annotators),
        task=judged.task.description,
        settings=f"{settings.confidence:.0%} intervals, studentised bootstrap of "
        f"documents; {settings.draws:,} permutations of documents, p ≤ {settings.alpha:g}",
        averages=_by_rank(judged),
        columns=tuple(map(_column, judged.columns)),
        preferences=tuple(_preferences(study)),
    )


def _by_rank(judged: Judged) -> dict[str, float | None]:
    return {name: judged.averages[name] for name in judged.metrics}


def _column(column: Column) -> StatisticColumn:
    baselines = (finding.baseline for finding in column.findings if finding.baseline is not None)
    tests = column.significance.tests.values() if column.significance else ()
    return StatisticColumn(
        statistic=str(column.statistic),
        level=column.statistic.level,
        baseline=next(baselines, None),
        findings=tuple(
            Finding(f.metric, f.value, f.interval.low, f.interval.high, f.rank)
            for f in column.findings
        ),
        tests=tuple(MetricTest(test.first, test.second, test.p) for test in tests),
    )


def _preferences(study: Study) -> Iterator[MetricPreferences]:
    for level in _PREFERENCE_LEVELS:
        matched = study.at(level)
        for metric in matched.metrics:
            bins = Differences.of(matched, metric).bins()
            shown = tuple(
                PreferenceBin(b.low, b.high, b.pairs, b.same, b.tied, b.opposite) for b in bins
            )
            if shown:
                yield MetricPreferences(metric, level, shown)
