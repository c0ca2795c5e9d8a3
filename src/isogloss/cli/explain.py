"""``isogloss explain``: why one system's score is higher than another's."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli import completion, inputs, significance
from isogloss.cli.evaluate import DEFAULT_METRICS
from isogloss.cli.explained import ExplainForm, show_explanation
from isogloss.cli.people import computed, judgements_on
from isogloss.documents import Collection
from isogloss.errors import InputError
from isogloss.explanation import explain
from isogloss.formats import read_metric_scores
from isogloss.judgements import Judgements
from isogloss.runtime import Runtime
from isogloss.scores import ScoreTable
from isogloss.signature import split_names


def command(
    first: Annotated[
        str,
        typer.Argument(metavar="A", help="A system.", autocompletion=completion.systems),
    ],
    second: Annotated[
        str,
        typer.Argument(
            metavar="B",
            help="The system it is compared with.",
            autocompletion=completion.systems,
        ),
    ],
    scores: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="SCORES",
            help="Score files saved by 'isogloss evaluate --save', of one test set. Without them "
            "the two systems are scored first.",
            show_default=False,
        ),
    ] = None,
    testset: Annotated[
        Path | None,
        typer.Option(
            "--testset",
            help="The test set: words and passages come from its texts.",
            rich_help_panel=inputs.TESTSET,
        ),
    ] = None,
    metrics: Annotated[
        list[str] | None,
        typer.Option(
            "--metrics",
            "-m",
            metavar="METRIC[,METRIC...]",
            help="The first is taken apart, the others are asked whether they agree; the kind of "
            "the judgements takes apart what people said. Default: those of the score file, or "
            "bleu,chrf.",
            autocompletion=completion.metrics,
        ),
    ] = None,
    human: Annotated[
        str | None,
        typer.Option(
            help="Judgements to compare with: a kind that lies beside the test set (mqm, da-z "
            "...), or a file of them; FILE:KIND where a file holds several kinds."
        ),
    ] = None,
    stored: Annotated[
        bool,
        typer.Option("--stored", help="Ask the metrics stored beside the test set, too."),
    ] = False,
    output: Annotated[
        ExplainForm,
        typer.Option(
            "--output",
            "-o",
            help="How to print it. For programs, and exact: json, jsonl, tsv. To send around: md, "
            "html (one page, every clause linked to its evidence).",
        ),
    ] = ExplainForm.TABLE,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no notes.")] = False,
    source: inputs.SourceOption = None,
    reference: inputs.ReferenceOption = None,
    system: inputs.SystemOption = None,
    documents: inputs.DocumentsOption = None,
    source_language: inputs.FromOption = None,
    target_language: inputs.ToOption = None,
    format: inputs.FormatOption = None,
    pair: inputs.PairOption = None,
    blank_lines: inputs.BlankLinesOption = False,
    column: inputs.ColumnOption = None,
    use_reference: inputs.UseReferenceOption = None,
    allow_missing: inputs.AllowMissingOption = False,
    realign: inputs.RealignOption = False,
    sentences: inputs.SentencesOption = False,
    device: inputs.DeviceOption = inputs.DeviceKind.CPU,
    cache: inputs.CacheOption = None,
    no_cache: inputs.NoCacheOption = False,
    allow_network: inputs.AllowNetworkOption = False,
    test: significance.TestOption = significance.TestKind.RANDOMISATION,
    resamples: significance.ResamplesOption = 10_000,
    seed: significance.SeedOption = 12345,
    confidence: significance.ConfidenceOption = 0.95,
    alpha: significance.AlphaOption = 0.05,
    worth: significance.WorthOption = None,
) -> None:
    """Explain why system A scores higher than system B, or lower.

    Takes the difference apart: which domains, lengths, places and documents carry it, which words
    and errors set the two apart, where metrics and people disagree, and ten passages to read. Parts
    add up to the difference; what is claimed on top holds beyond chance, over documents. The first
    metric is taken apart, the others are asked whether they agree.

    [bold]From saved scores[/bold]

      isogloss evaluate wmt23/en-de --use-reference refA -m chrf,bleu --save scores.jsonl
      isogloss explain GPT4-5shot ONLINE-W scores.jsonl --testset wmt23/en-de --human mqm

    [bold]At once[/bold]

      isogloss explain good b -s src.txt -r ref.txt -t good=a.txt -t b.txt -d docs.tsv
      isogloss explain steady tangled --testset testset.toml -m chrf,ltcr -o html > why.html
    """
    documents_drawn, holm = significance.BlockKind.DOCUMENTS, significance.CorrectionKind.HOLM
    settings = significance.settings_from(
        test, documents_drawn, resamples, seed, confidence, alpha, holm
    )
    names = [name for text in metrics or () for name in split_names(text)]
    runtime = inputs.runtime_from(device, cache, no_cache, allow_network)
    collection = None
    if testset or source or reference or system:
        collection = inputs.read_input(
            testset,
            source=source,
            references=reference,
            systems=system,
            documents=documents,
            source_language=source_language,
            target_language=target_language,
            format=format,
            pair=pair,
            blank_lines=blank_lines,
            columns=column,
            allow_missing=allow_missing,
            realign=realign,
            sentences=sentences,
            runtime=runtime,
            quiet=quiet,
        )
    judgements = _judgements(testset, human, collection)
    tables = _tables(scores, names, collection, (first, second), use_reference, runtime, quiet)
    metric = names[0] if names else None
    if stored:
        tables.append(_stored(testset, collection))
    chosen = _only(tables, names, judgements.kind if judgements else None, stored)
    found = explain(
        chosen,
        first,
        second,
        metric,
        collection=collection,
        judgements=judgements,
        settings=settings,
        appraiser=significance.appraiser_of(chosen[0], worth),
    )
    show_explanation(found, tables[0], output)


def _judgements(
    testset: Path | None, human: str | None, collection: Collection | None
) -> Judgements | None:
    if human is None:
        return None
    if collection is None:
        raise InputError("judgements are about texts; name the test set with --testset")
    return judgements_on(testset or Path(), human, collection)


def _tables(
    scores: Sequence[Path] | None,
    names: Sequence[str],
    collection: Collection | None,
    systems: tuple[str, str],
    references: Sequence[str] | None,
    runtime: Runtime,
    quiet: bool,
) -> list[ScoreTable]:
    """The saved scores, or those of the two systems, scored now."""
    _tell_files_from_systems(systems, scores or ())
    if scores:
        return [inputs.read_saved(scores)]
    if collection is None:
        raise InputError(
            "there are no scores and no texts; name score files, or a test set with --testset"
        )
    chosen = collection.with_references(references) if references else collection
    return computed(chosen.with_systems(systems), names or DEFAULT_METRICS, runtime, quiet)


def _tell_files_from_systems(systems: Sequence[str], scores: Sequence[Path]) -> None:
    """Files before systems is what everybody tries once."""
    files = [name for name in systems if Path(name).is_file()]
    if files and not any(path.exists() for path in scores):
        raise InputError(
            f"{files[0]} is a file, but two systems come first: A B, then files of scores, or a "
            "test set with --testset"
        )


def _stored(testset: Path | None, collection: Collection | None) -> ScoreTable:
    if testset is None or collection is None:
        raise InputError("--stored takes scores that lie beside a test set; name it (--testset)")
    return read_metric_scores(testset, collection)


def _only(
    tables: Sequence[ScoreTable], names: Sequence[str], people: str | None, stored: bool
) -> list[ScoreTable]:
    """The metrics that were asked for, if several were; stored ones stay."""
    if len(names) < 2 or stored:
        return list(tables)
    (table,) = tables
    chosen = [name for name in names if name != people]
    infos = tuple(map(table.metric, chosen))
    rows = tuple(row for row in table.rows if row.metric in chosen)
    return [replace(table, metrics=infos, rows=rows)]
