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
from isogloss.cli.output import number, say, shown_interval
from isogloss.cli.price import sent
from isogloss.cli.progress import progress_bar
from isogloss.documents import Collection
from isogloss.errors import InputError
from isogloss.evaluation import evaluate
from isogloss.formats import of_passages, read_judgements, read_metric_scores, read_scores
from isogloss.judgements import Judgements, side_by_side
from isogloss.metaeval import Interval, Study, study_of
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
        "a campaign; FILE:KIND where there are several kinds. Several with commas, of one scale, "
        "count as so many annotators.",
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
PassagesOption = Annotated[
    bool,
    typer.Option(
        "--passages",
        help="Documents are the passages that annotators were shown (Appraise's CSV).",
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
    passages: bool = False,
) -> list[Material]:
    """Scores and judgements of each test set; metrics that are named are computed first.

    With `judged_only` they are computed on the documents in which people judged something. With
    `passages` a document is what annotators were shown of it.
    """
    if passages and stored:
        raise InputError("stored scores are of whole documents, not of passages; use --metrics")
    found = []
    for path in testsets:
        collection = inputs.read_input(path, runtime=runtime, quiet=quiet)
        if passages:
            collection = _cut_into_passages(collection, human)
        judgements = judgements_on(path, human, collection)
        tables = _tables(path, collection, scores, stored, alone=len(testsets) == 1)
        if references:
            collection = collection.with_references(references)
        scored = judged_documents(collection, judgements) if judged_only else collection
        tables += computed(scored, metrics, runtime, quiet)
        if not tables:
            raise InputError(NO_SCORES)
        found.append(Material(tables, judgements, collection))
    return found


NO_SCORES = "there are no scores to judge; use --metrics, --scores or --stored"


def computed(
    collection: Collection,
    metrics: Sequence[str],
    runtime: Runtime,
    quiet: bool,
    all_evidence: bool = False,
) -> list[ScoreTable]:
    """The scores of the metrics that are named, in one table; none where none is."""
    names = [name for text in metrics for name in split_names(text)]
    if not names:
        return []
    if not quiet:
        say(*sent(collection, names, runtime))
    with progress_bar(quiet) as report:
        told = replace(runtime, progress=report)
        table = evaluate(collection, names, runtime=told, all_evidence=all_evidence)
    say(*obstacles(table))
    return [table]


def _cut_into_passages(collection: Collection, human: str) -> Collection:
    """The collection with a document for each passage of the file of judgements."""
    file, _, _ = human.rpartition(":")
    path = next((Path(each) for each in (human, file) if each and Path(each).is_file()), None)
    if path is None:
        raise InputError("passages are told by a file of judgements; --human must name one")
    return of_passages(path, collection)


def value_and_interval(found: Interval) -> list[str]:
    """A statistic and its interval as two cells; nothing between where there is no value."""
    ends = None if found.low is None or found.high is None else (found.low, found.high)
    between = "" if found.value.value is None else shown_interval(ends, 3)
    return [number(found.value.value, 3), between]


def judgements_on(path: Path, human: str, collection: Collection) -> Judgements:
    """What people said: one kind or file of judgements, or several as if of so many annotators."""
    parts = [part.strip() for part in human.split(",")]
    a_file_with_commas = any(
        Path(name).exists() for name in (human, human.rpartition(":")[0]) if name
    )
    if len(parts) == 1 or a_file_with_commas:
        return _judgements_named(path, human, collection)
    return side_by_side({part: _judgements_named(path, part, collection) for part in parts})


def _judgements_named(path: Path, human: str, collection: Collection) -> Judgements:
    """A file of judgements, perhaps with the kind that is wanted, or a kind beside the test set.

    The file may be named as it lies beside the test set.
    """
    file, _, kind = human.rpartition(":")
    beside = path if path.is_dir() else path.parent
    for name, wanted in ((human, None), (file, kind)):
        if name and is_campaign_path(Path(name)):
            return judgements_in_campaign(Path(name), collection, wanted)
        for place in (Path(name), beside / name) if name else ():
            if place.is_file():
                return read_judgements(place, collection, wanted)
    return read_judgements(path, collection, human)


def campaign_named(human: str) -> Path | None:
    """The campaign that an option names, with or without a kind of judgements."""
    for name in (human, human.rpartition(":")[0]):
        if name and is_campaign_path(Path(name)):
            return Path(name)
    return None


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
