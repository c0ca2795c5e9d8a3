"""The options that bring scores and people together, shared by ``metaeval`` and ``difference``."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli import completion, inputs
from isogloss.cli.campaigns import is_campaign_path, judgements_in_campaign
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
        "of MQM or ESA annotations, or one that 'isogloss annotate export' wrote, or the folder of "
        "a campaign; FILE:KIND where there are several kinds.",
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
    typer.Option(
        "--metrics",
        "-m",
        help="Metrics to compute and judge, as for evaluate.",
        autocompletion=completion.metrics,
    ),
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
    names = [name for text in metrics for name in split_names(text)]
    found = []
    for path in testsets:
        collection = inputs.read_input(path, runtime=runtime, quiet=quiet)
        judgements = judgements_on(path, human, collection)
        tables = _tables(path, collection, scores, stored, alone=len(testsets) == 1)
        if references:
            collection = collection.with_references(references)
        if names:
            scored = judged_documents(collection, judgements) if judged_only else collection
            with progress_bar(quiet) as report:
                table = evaluate(scored, names, runtime=replace(runtime, progress=report))
            say(*obstacles(table))
            tables.append(table)
        if not tables:
            raise InputError("there are no scores to judge; use --metrics, --scores or --stored")
        found.append(Material(tables, judgements, collection))
    return found


def judgements_on(path: Path, human: str, collection: Collection) -> Judgements:
    """A file of judgements, perhaps with the kind that is wanted, or a kind beside the test set."""
    file, _, kind = human.rpartition(":")
    for name, wanted in ((human, None), (file, kind)):
        if name and is_campaign_path(Path(name)):
            return judgements_in_campaign(Path(name), collection, wanted)
        if name and Path(name).is_file():
            return read_judgements(name, collection, wanted)
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
