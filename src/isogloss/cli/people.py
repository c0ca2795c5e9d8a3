"""The options that bring scores and people together, shared by ``metaeval`` and ``difference``."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli import inputs
from isogloss.cli.evaluate import obstacles
from isogloss.cli.output import say
from isogloss.cli.progress import progress_bar
from isogloss.documents import Collection
from isogloss.errors import InputError
from isogloss.evaluation import evaluate
from isogloss.formats import read_judgements, read_metric_scores, read_scores
from isogloss.judgements import Judgements
from isogloss.metaeval import Study, study_of
from isogloss.runtime import Runtime
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
        "of MQM or ESA annotations, or one that 'isogloss annotate export' wrote; FILE:KIND where "
        "a file holds several kinds.",
    ),
]
ScoresOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--scores",
        help="Score files: of 'isogloss evaluate --save', METRIC.seg.score of mt-metrics-eval, or "
        "a TSV with columns system, doc, segment and one per metric; repeatable.",
    ),
]
StoredOption = Annotated[
    bool, typer.Option("--stored", help="Judge the metric scores stored beside the test set.")
]
MetricsOption = Annotated[
    list[str] | None,
    typer.Option("--metrics", "-m", help="Metrics to compute and judge, as for evaluate."),
]
JudgedOnlyOption = Annotated[
    bool,
    typer.Option(
        "--judged-only",
        help="Compute metrics on documents with judgements only; a system's score is theirs.",
    ),
]
DocumentsOption = Annotated[
    DocumentScores,
    typer.Option(help="A document's score: mean of segments, weighted by length, or own."),
]


@dataclass(frozen=True, slots=True)
class Material:
    """What there is on one test set: scores and judgements, not yet brought together."""

    tables: Sequence[ScoreTable]
    judgements: Judgements
    collection: Collection

    def study(
        self, documents: DocumentScores, *, own_systems: bool = True, references: bool = False
    ) -> Study:
        """Scores beside judgements; judged references take part as systems if asked for."""
        return study_of(
            self.tables,
            self.judgements,
            self.collection,
            humans=references,
            documents=documents.value,
            own_systems=own_systems,
        )


def gather(
    testsets: Sequence[Path],
    human: str,
    *,
    scores: Sequence[Path],
    stored: bool,
    metrics: Sequence[str],
    references: Sequence[str] | None,
    judged_only: bool,
    runtime: Runtime,
    quiet: bool,
) -> list[Material]:
    """Scores and judgements of each test set; metrics that are named are computed first.

    With `judged_only` they are computed on the documents in which people judged something.
    """
    found = []
    for path in testsets:
        collection = inputs.read_input(path, runtime=runtime, quiet=quiet)
        judgements = judgements_on(path, human, collection)
        tables = _tables(path, collection, scores, stored, alone=len(testsets) == 1)
        if references:
            collection = collection.with_references(references)
        if metrics:
            scored = judged_documents(collection, judgements) if judged_only else collection
            tables.append(computed(scored, metrics, runtime, quiet=quiet))
        if not tables:
            raise InputError("there are no scores to judge; use --metrics, --scores or --stored")
        found.append(Material(tables, judgements, collection))
    return found


def computed(
    collection: Collection, metrics: Sequence[str], runtime: Runtime, *, quiet: bool
) -> ScoreTable:
    """The scores of metrics, as they are named on the command line; obstacles are told."""
    names = [name for text in metrics for name in split_names(text)]
    with progress_bar(quiet) as report:
        table = evaluate(collection, names, runtime=replace(runtime, progress=report))
    say(*obstacles(table))
    return table


def judgements_on(path: Path, human: str, collection: Collection) -> Judgements:
    """A file of judgements, perhaps with the kind that is wanted, or a kind beside the test set."""
    if Path(human).is_file():
        return read_judgements(human, collection)
    file, _, kind = human.rpartition(":")
    if file and Path(file).is_file():
        return read_judgements(file, collection, kind)
    return read_judgements(path, collection, human)


def judged_documents(collection: Collection, judgements: Judgements) -> Collection:
    """The documents in which people judged something."""
    judged = {item.document for item in judgements.items}
    return collection.with_documents(
        document.id for document in collection.testset.documents if document.id in judged
    )


def _tables(
    path: Path, collection: Collection, scores: Sequence[Path], stored: bool, *, alone: bool
) -> list[ScoreTable]:
    ids = {document.id for document in collection.testset.documents}
    tables = [read_metric_scores(path, collection)] if stored else []
    for file in scores:
        # Somebody else's score file does not say which of several test sets it is about.
        table = read_scores(file, collection if alone else None)
        # Of several test sets, each takes the score files that are its own.
        if table.rows and {d.document for d in table.rows[0].documents} == ids:
            tables.append(table)
    return tables
