"""Scores that somebody stored, as a table: values by metric, system and segment, no statistics."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import version

import numpy as np

from isogloss.documents import Document, TestSet
from isogloss.errors import InputError
from isogloss.formats.places import reference_called
from isogloss.scores import (
    DocumentScore,
    Measurement,
    MetricInfo,
    Provenance,
    ScoreTable,
    SystemScore,
)

Values = Sequence[float | None]


@dataclass(frozen=True, slots=True)
class StoredScores:
    """What is stored of one metric on one system; `None` is what nobody stored.

    `segments` and `documents` are in the order of the test set.
    """

    metric: str
    system: str
    segments: Values | None = None
    documents: Values | None = None
    score: float | None = None


def table_of_stored(testset: TestSet, scores: Iterable[StoredScores]) -> ScoreTable:
    """The stored scores of a test set as a table.

    The name of a stored metric ends in what it compared with: ``BLEU-refA``, ``prismSrc-src``.
    Statistics are (sum, count), so that a document's or a sample's score is the mean.
    """
    scores = list(scores)
    metrics = _metric_names(each.metric for each in scores)
    rows = tuple(_row(testset, metrics[each.metric], each) for each in scores)
    infos = tuple(MetricInfo(name, signature=stored) for stored, name in metrics.items())
    return ScoreTable(_provenance(testset, metrics), infos, rows)


def _metric_names(stored: Iterable[str]) -> dict[str, str]:
    """Stored names to names that our grammar of metric names allows."""
    names: dict[str, str] = {}
    for each in dict.fromkeys(stored):
        name = re.sub(r"[^A-Za-z0-9_.+-]", "_", each)
        name = name if name[:1].isalpha() else f"m{name}"
        if name in names.values():
            raise InputError(f"stored metric {each!r}: another one is called {name!r} already")
        names[each] = name
    return names


def _provenance(testset: TestSet, metrics: Iterable[str]) -> Provenance:
    used = {name for each in metrics for name in each.rpartition("-")[2].split(".")}
    every = testset.reference_names if "all" in used else ()
    references = [each for each in testset.reference_names if each in used or each in every]
    return Provenance(
        testset=testset.name,
        source_language=testset.source_language,
        target_language=testset.target_language,
        references=tuple(references),
        testset_digest=testset.digest(),
        created="",
        isogloss=version("isogloss"),
        notices=("these scores were stored, not computed here",),
    )


def _row(testset: TestSet, metric: str, scores: StoredScores) -> SystemScore:
    reference = reference_called(scores.system, testset.reference_names)
    documents = []
    begin = 0
    for number, document in enumerate(testset.documents):
        end = begin + len(document)
        values = None if scores.segments is None else scores.segments[begin:end]
        score = None if scores.documents is None else scores.documents[number]
        measured = _measurement(document, values)
        documents.append(DocumentScore(document.id, score, measured, document.domain))
        begin = end
    human = reference is not None
    return SystemScore(metric, reference or scores.system, scores.score, tuple(documents), human)


def _measurement(document: Document, values: Values | None) -> Measurement:
    if values is None:
        return Measurement(np.zeros(2), scored=0, total=len(document))
    rows = np.array([[np.nan, np.nan] if v is None else [v, 1.0] for v in values])
    scored = sum(value is not None for value in values)
    return Measurement(np.nansum(rows, axis=0), scored, len(document), rows, tuple(values))
