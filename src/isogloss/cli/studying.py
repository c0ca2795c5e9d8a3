"""The options that bring scores and people together, shared by ``metaeval`` and ``difference``."""

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli.evaluate import progress_bar, running
from isogloss.documents import Collection
from isogloss.errors import InputError
from isogloss.evaluation import evaluate
from isogloss.formats.catalogue import (
    read_collection,
    read_judgements,
    read_metric_scores,
    read_scores,
)
from isogloss.judgements import Judgements
from isogloss.metaeval.matching import Study, study_of
from isogloss.paraphraser.store import Runtime
from isogloss.scores import ScoreTable
from isogloss.signature import split_names


class DocumentScores(StrEnum):
    """How a metric scores a document."""

    MEAN = "mean"
    WEIGHTED = "weighted"
    OWN = "own"


HumanOption = Annotated[
    str,
    typer.Option(
        "--human",
        help="The judgements: a kind that lies beside the test set (mqm, da-z ...), or a file "
        "of MQM or ESA annotations.",
    ),
]
ScoresOption = Annotated[
    list[Path] | None,
    typer.Option("--scores", help="Score files of 'isogloss evaluate --save'; repeatable."),
]
StoredOption = Annotated[
    bool, typer.Option("--stored", help="Judge the metric scores stored beside the test set.")
]
MetricsOption = Annotated[
    list[str] | None,
    typer.Option("--metrics", "-m", help="Metrics to compute and judge, as for evaluate."),
]
DocumentsOption = Annotated[
    DocumentScores,
    typer.Option(help="A document's score: mean of segments, weighted by length, or own."),
]
WithReferencesOption = Annotated[
    bool, typer.Option("--with-references", help="Let judged references count as systems.")
]


def read_studies(
    testsets: Sequence[Path],
    human: str,
    *,
    scores: Sequence[Path],
    stored: bool,
    metrics: Sequence[str],
    references: Sequence[str] | None,
    documents: DocumentScores,
    own_systems: bool,
    humans: bool,
    runtime: Runtime,
    quiet: bool,
) -> list[Study]:
    """Scores and judgements of each test set; metrics that are named are computed first."""
    names = [name for text in metrics for name in split_names(text)]
    studies = []
    for path in testsets:
        collection = read_collection(path)
        judgements = _judgements(path, human, collection)
        tables = _tables(path, collection, scores, stored)
        if references:
            collection = collection.with_references(references)
        if names:
            chosen = [running(runtime, name, collection.testset) for name in names]
            with progress_bar(quiet) as report:
                tables.append(evaluate(collection, chosen, progress=report))
        if not tables:
            raise InputError("there are no scores to judge; use --metrics, --scores or --stored")
        study = study_of(
            tables,
            judgements,
            collection,
            humans=humans,
            documents=documents.value,
            own_systems=own_systems,
        )
        studies.append(study)
    return studies


def _judgements(path: Path, human: str, collection: Collection) -> Judgements:
    """A file of judgements, or a kind of those beside the test set."""
    if Path(human).is_file():
        return read_judgements(human, collection)
    return read_judgements(path, collection, human)


def _tables(
    path: Path, collection: Collection, scores: Sequence[Path], stored: bool
) -> list[ScoreTable]:
    ids = {document.id for document in collection.testset.documents}
    tables = [read_metric_scores(path, collection)] if stored else []
    for file in scores:
        table = read_scores(file)
        # Of several test sets, each takes the score files that are its own.
        if table.rows and {d.document for d in table.rows[0].documents} == ids:
            tables.append(table)
    return tables
