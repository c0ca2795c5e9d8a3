"""What stands beside scores: people's judgements, as scores; the texts that were scored."""

from collections.abc import Iterable

import numpy as np

from isogloss.documents import Collection, Document, TestSet
from isogloss.errors import InputError, MismatchError
from isogloss.formula import MeanFormula
from isogloss.judgements import Judgements
from isogloss.scores import DocumentScore, Measurement, MetricInfo, ScoreTable, SystemScore

_MEAN = MeanFormula()


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
    told = "people: mean over annotators, then over judged segments"
    info = MetricInfo(judgements.kind, told, formula=_MEAN)
    return ScoreTable(table.provenance, (info,), tuple(rows))


def _judged_document(
    means: dict[tuple[str, str, int], float], system: str, document: Document
) -> DocumentScore:
    scores = tuple(means.get((system, document.id, i)) for i in range(len(document)))
    rows = np.array([[np.nan, np.nan] if score is None else [score, 1.0] for score in scores])
    statistics = np.nansum(rows, axis=0)
    measured = Measurement(statistics, int(statistics[1]), len(document), rows, scores)
    return DocumentScore(document.id, _MEAN.score(statistics), measured, document.domain)


def scored_texts(collection: Collection, table: ScoreTable, systems: Iterable[str]) -> Collection:
    """The collection with these systems and the references of the table, if they fit together."""
    if not fits(collection, table):
        raise MismatchError(
            f"the scores on {table.provenance.testset!r} are not of test set "
            f"{collection.testset.name!r}: documents or their lengths differ"
        )
    chosen = collection.with_systems(systems)
    return chosen.with_references(table.provenance.references)


def fits(collection: Collection, table: ScoreTable) -> bool:
    """Whether scores are of the documents of a test set."""
    scored = [(d.document, d.measurement.total) for d in table.rows[0].documents]
    return scored == [(document.id, len(document)) for document in collection.testset.documents]
