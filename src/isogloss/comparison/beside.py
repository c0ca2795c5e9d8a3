"""What stands beside scores: people's judgements, as scores; the texts that were scored."""

from collections.abc import Container, Iterable, Mapping, Sequence
from importlib.metadata import version

import numpy as np

from isogloss.documents import Collection, Document, TestSet
from isogloss.errors import InputError, MismatchError
from isogloss.formula import BoundedMean, Bounds, MeanFormula
from isogloss.judgements import Choices, Judgements
from isogloss.scores import (
    DocumentScore,
    Measurement,
    MetricInfo,
    Provenance,
    ScoreTable,
    SystemScore,
)

_MEAN = MeanFormula()
_SHARE, _PERCENT, _PENALTY = (0.0, 1.0), (0.0, 100.0), (None, 0.0)
PREFERENCE = "preference"
"""What the scores are called that come of choices."""
_BOUNDS: Mapping[str, Bounds] = {
    **dict.fromkeys(("fluency-adequacy", "fluency", "adequacy"), _SHARE),
    **dict.fromkeys(("da", "da-document", "document", "esa", "cesa"), _PERCENT),
    **dict.fromkeys(("mqm", "markable-errors"), _PENALTY),
}


def judged_table(judgements: Judgements, testset: TestSet, table: ScoreTable) -> ScoreTable:
    """The judgements of the table's systems as scores: means over annotators and segments."""
    human = {row.system for row in table.rows if row.human}
    # No metric may be called as the judgements are, or the two could not be told apart.
    if any(metric.name == judgements.kind for metric in table.metrics):
        raise InputError(f"a metric is called {judgements.kind!r}, as the judgements are")
    return _table(judgements, testset, table.provenance, table.systems, human, {})


def people_table(
    judgements: Judgements, testset: TestSet, weights: Mapping[str, float] | None = None
) -> ScoreTable:
    """The judgements of every judged system as scores, of whole documents where these were scored.

    `weights` are for documents that were chosen with unequal probabilities: a document stands for
    so many (Hájek's estimate), and scores and tests take it as that.
    """
    human = {item.system for item in judgements.items if item.human}
    provenance = _provenance(testset)
    return _table(judgements, testset, provenance, judgements.systems, human, weights or {})


def choices_table(
    choices: Choices, collection: Collection, weights: Mapping[str, float] | None = None
) -> ScoreTable:
    """What people chose as scores: the share of its comparisons that a system won, ties half.

    A comparison is of two systems on a document; what several annotators say of it is averaged. So
    a document's statistics are the sum of shares and the number of comparisons. `weights` are as
    in `people_table`.
    """
    shares, stands_for = choices.shares(), weights or {}
    human = {output.name for output in collection.outputs if output.human}
    rows = []
    for system in dict.fromkeys(system for choice in choices.items for system in choice.systems):
        documents = tuple(
            _document_compared(
                shares.get((system, each.id), []), each, stands_for.get(each.id, 1.0)
            )
            for each in collection.testset.documents
        )
        summed = np.sum([document.measurement.statistics for document in documents], axis=0)
        rows.append(
            SystemScore(PREFERENCE, system, _MEAN.score(summed), documents, system in human)
        )
    told = "people: share of comparisons won, ties half; mean over annotators, then comparisons"
    info = MetricInfo(PREFERENCE, told, formula=BoundedMean(_SHARE))
    return ScoreTable(_provenance(collection.testset), (info,), tuple(rows))


def _provenance(testset: TestSet) -> Provenance:
    return Provenance(
        testset=testset.name,
        source_language=testset.source_language,
        target_language=testset.target_language,
        references=(),
        testset_digest=testset.digest(),
        created="",
        isogloss=version("isogloss"),
    )


def _table(
    judgements: Judgements,
    testset: TestSet,
    provenance: Provenance,
    systems: Iterable[str],
    human: Container[str],
    weights: Mapping[str, float],
) -> ScoreTable:
    name, of_documents = judgements.kind, judgements.of_documents
    whole, means = judgements.document_means(), judgements.segment_means()
    judged = {place[0] for place in (whole if of_documents else means)}
    rows = []
    for system in (system for system in systems if system in judged):
        documents = tuple(
            _document_judged(whole.get((system, each.id)), each, weights.get(each.id, 1.0))
            if of_documents
            else _judged_document(means, system, each, weights.get(each.id, 1.0))
            for each in testset.documents
        )
        summed = np.sum([document.measurement.statistics for document in documents], axis=0)
        rows.append(SystemScore(name, system, _MEAN.score(summed), documents, system in human))
    if not rows:
        raise InputError(
            f"people ({judgements.kind}) judged none of the scored systems; "
            f"they judged: {', '.join(judgements.systems) or 'none'}"
        )
    over = "documents" if of_documents else "segments"
    told = f"people: mean over annotators, then over judged {over}"
    formula = BoundedMean(_BOUNDS[name]) if name in _BOUNDS else _MEAN
    return ScoreTable(provenance, (MetricInfo(name, told, formula=formula),), tuple(rows))


def _judged_document(
    means: Mapping[tuple[str, str, int], float], system: str, document: Document, weight: float
) -> DocumentScore:
    scores = tuple(means.get((system, document.id, i)) for i in range(len(document)))
    rows = np.array([[np.nan, np.nan] if score is None else [score, 1.0] for score in scores])
    statistics = weight * np.nansum(rows, axis=0)
    scored = sum(score is not None for score in scores)
    measured = Measurement(statistics, scored, len(document), weight * rows, scores)
    return DocumentScore(document.id, _MEAN.score(statistics), measured, document.domain)


def _document_judged(score: float | None, document: Document, weight: float) -> DocumentScore:
    """A document that was scored as a whole."""
    return _document_compared([] if score is None else [score], document, weight)


def _document_compared(shares: Sequence[float], document: Document, weight: float) -> DocumentScore:
    """A document of which something was said as a whole, perhaps several times."""
    statistics = weight * np.array([sum(shares), float(len(shares))])
    measured = Measurement(statistics, len(document) if shares else 0, len(document))
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
