"""``isogloss consistency``: are repeated words translated alike, and where are they not?"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from isogloss.alignment import ALIGNERS
from isogloss.cli import inputs, significance
from isogloss.cli.align import ALIGNMENT, SourceWordsOption, SymmetriseOption
from isogloss.cli.consistency_tables import (
    Listed,
    MeasuredConsistency,
    breakdown_grid,
    breakdown_records,
    list_grid,
    list_records,
    measured_grid,
    measured_records,
    write_list,
)
from isogloss.cli.grid import Grid
from isogloss.cli.output import Output, OutputOption, Record, Result, say, show
from isogloss.cli.progress import progress_bar
from isogloss.comparison import ComparisonSettings, compare
from isogloss.documents import Collection, SystemOutput
from isogloss.evaluation import evaluate
from isogloss.language import function_words
from isogloss.metrics.consistency import (
    DocumentRenderings,
    Ltcr,
    Rule,
    Tagged,
    by_distance,
    by_part,
    is_release,
    read_release,
    shares,
    variations,
)


class By(StrEnum):
    """What a score is broken down by."""

    POS = "pos"
    DISTANCE = "distance"


class Null(StrEnum):
    """What an untranslated word counts as."""

    MISMATCH = "mismatch"
    SKIP = "skip"


class Normalise(StrEnum):
    """Which forms of a translation are the same."""

    SURFACE = "surface"
    STEM = "stem"
    LEMMA = "lemma"


def command(
    testset: Annotated[
        Path,
        typer.Argument(
            help="A test set, or a data set in the released form of Lei et al. (res, *_token).",
        ),
    ],
    systems: Annotated[
        list[str] | None, typer.Argument(metavar="[SYSTEM]...", help="Default: all of them.")
    ] = None,
    chains: Annotated[
        Path | None,
        typer.Option(help="Annotated chains (JSON lines, or a released data set): adds L-Anno."),
    ] = None,
    terms: Annotated[
        Path | None, typer.Option(help="Term list, term<TAB>translation: adds its scores.")
    ] = None,
    by: Annotated[
        list[By] | None, typer.Option("--by", help="Break the score down; repeatable.")
    ] = None,
    macro: Annotated[
        bool,
        typer.Option("--macro", help="Print the means over documents, too; -o json has them."),
    ] = False,
    most: Annotated[
        int, typer.Option("--list", help="How many inconsistent words to print; 0 for none.")
    ] = 20,
    write: Annotated[
        Path | None,
        typer.Option(
            help="Write every repeated word with its translations: .tsv for programs, or .csv for "
            "a spreadsheet, with an apostrophe before what it would take for a formula."
        ),
    ] = None,
    bom: Annotated[
        bool, typer.Option("--bom", help="Begin that file with a byte order mark, as Excel likes.")
    ] = False,
    output: OutputOption = Output.TABLE,
    signatures: significance.SignaturesOption = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no notes.")] = False,
    pair: inputs.PairOption = None,
    format: inputs.FormatOption = None,
    use_reference: inputs.UseReferenceOption = None,
    aligner: Annotated[
        str,
        typer.Option(
            help=f"One of {', '.join(a for a in ALIGNERS if a != 'file')}.",
            rich_help_panel=ALIGNMENT,
            autocompletion=lambda: list(ALIGNERS),
        ),
    ] = Ltcr.aligner,
    symmetrise: SymmetriseOption = Ltcr.symmetrise,
    null: Annotated[
        Null, typer.Option(help="An untranslated word.", rich_help_panel=ALIGNMENT)
    ] = Null(Ltcr.null),
    normalise: Annotated[
        Normalise,
        typer.Option(help="Which forms of a translation are the same.", rich_help_panel=ALIGNMENT),
    ] = Normalise(Ltcr.normalise),
    source_words: SourceWordsOption = None,
    target_words: Annotated[
        str | None, typer.Option(help="Tokeniser of the outputs.", rich_help_panel=ALIGNMENT)
    ] = None,
    device: inputs.DeviceOption = inputs.DeviceKind.CPU,
    cache: inputs.CacheOption = None,
    no_cache: inputs.NoCacheOption = False,
    resamples: significance.ResamplesOption = 10_000,
    seed: significance.SeedOption = 12345,
    confidence: significance.ConfidenceOption = 0.95,
) -> None:
    """Measure whether repeated source words are translated alike, and list where they are not.

    Prints the lexical translation consistency ratio (LTCR) and its kin with intervals, the human
    reference with what the same alignment gives it among the systems. Then the words that cost
    most, with all their translations.

    [bold]Examples[/bold]

      isogloss consistency testset.toml
      isogloss consistency testset.toml my-system --by pos --by distance
      isogloss consistency testset.toml --chains chains.jsonl --write words.csv --bom
      isogloss consistency ltcr --null skip
    """
    runtime = inputs.runtime_from(device, cache, no_cache)
    base = Ltcr(
        null=null.value,
        normalise=normalise.value,
        aligner=aligner,
        symmetrise=symmetrise,
        source_words=source_words,
        target_words=target_words,
        runtime=runtime,
        evidence="none",
    )
    if is_release(testset):
        chains = chains or testset
        base = replace(base, source_words="space", target_words="space")
        collection = Collection(read_release(testset).testset)
    else:
        collection = inputs.read_input(
            testset, format=format, pair=pair, runtime=runtime, quiet=quiet
        )
    collection = _chosen(collection, systems, use_reference)
    measures = _measures(base, collection, chains, terms)
    settings = ComparisonSettings(resamples=resamples, seed=seed, confidence=confidence)
    with progress_bar(quiet) as report:
        table = evaluate(collection, measures.values(), runtime=replace(runtime, progress=report))
    if not quiet:
        say(*_once(table.provenance.notices))
    measured = MeasuredConsistency(
        table, dict(zip(measures, compare(table, settings=settings), strict=True))
    )
    breakdowns = [g for kind in by or () for g in _breakdowns(measures, collection, kind, settings)]
    listed = _listed(base, collection)
    if write:
        write_list(write, listed, bom)
    summary = {
        "provenance": asdict(table.provenance),
        "settings": asdict(settings),
        "breakdowns": [record for _, records in breakdowns for record in records],
        "words": list_records(listed[:most]),
    }
    grids = [measured_grid(measured, signatures=signatures)]
    if macro:
        grids.append(measured_grid(measured, macro=True))
    grids += [grid for grid, _ in breakdowns]
    if most:
        grids.append(list_grid(listed, most))
    show(Result(grids, measured_records(measured), summary), output)


def _once(notices: Sequence[str]) -> list[str]:
    """What all measures remark about their one alignment is said once."""
    said = {line.removeprefix(_measure_of(line)): line for line in reversed(notices)}
    return [line for line in notices if line in said.values()]


def _measure_of(line: str) -> str:
    metric, colon, _ = line.partition(": ")
    return metric + colon if metric.startswith(Ltcr.title) else ""


def _chosen(
    collection: Collection, systems: Sequence[str] | None, references: Sequence[str] | None
) -> Collection:
    """These systems and references, and the references once more in the place of systems."""
    if references:
        collection = collection.with_references(references)
    if systems:
        collection = collection.with_systems(systems)
    testset = collection.testset
    people = tuple(
        SystemOutput(name, {d.id: d.references[name] for d in testset.documents}, human=True)
        for name in testset.reference_names
        if name not in collection.system_names
    )
    return replace(collection, outputs=(*collection.outputs, *people))


def _measures(
    base: Ltcr, collection: Collection, chains: Path | None, terms: Path | None
) -> dict[str, Ltcr]:
    """Every family from the same alignment, by a short name."""
    measures = {"L-All": base}
    if chains:
        path = chains.resolve()
        measures["L-Anno"] = replace(base, chains=path.name, chain_file=path)
    if collection.testset.reference_names:
        measures["as reference"] = replace(base, reference_aware=True)
    measures["LTCR-1"] = replace(base, family="first")
    measures["as first"] = replace(base, family="pseudo-first")
    measures["as most"] = replace(base, family="pseudo-frequent")
    if terms:
        path = terms.resolve()
        measures["as terms"] = replace(base, family="terms", terms=path.name, term_file=path)
    macros = {f"{name}, macro": replace(each, average="macro") for name, each in measures.items()}
    return measures | macros


def _breakdowns(
    measures: dict[str, Ltcr], collection: Collection, kind: By, settings: ComparisonSettings
) -> Iterator[tuple[Grid, list[Record]]]:
    """One table for all repeated words, and one for the annotated ones."""
    for label in ("L-All", "L-Anno"):
        if label not in measures:
            continue
        metric = measures[label]
        found = _renderings(metric, collection, tagged=kind is By.POS)
        rule = Rule("pairs", metric.null)
        split = by_part if kind is By.POS else by_distance
        by_system = {
            system: shares(
                [split(document.with_references(), rule) for document in documents],
                settings.resamples,
                settings.seed,
                settings.confidence,
            )
            for system, documents in found.items()
        }
        title = f"{label} by {'part of speech' if kind is By.POS else 'distance in segments'}"
        yield breakdown_grid(title, by_system), breakdown_records(label, kind.value, by_system)


def _renderings(
    metric: Ltcr, collection: Collection, *, tagged: bool = False
) -> dict[str, list[DocumentRenderings]]:
    translations = [t for output in collection.outputs for t in collection.translations(output)]
    choose = metric.chooser(translations)
    if tagged:
        choose = Tagged.in_language(choose, collection.testset.source_language)
    by_system: dict[str, list[DocumentRenderings]] = {}
    for found in metric.rendered(translations, choose):
        by_system.setdefault(found.translation.system, []).append(found)
    return by_system


def _listed(base: Ltcr, collection: Collection) -> list[Listed]:
    """Every repeated word of every system, the costliest first; of people if there is no system."""
    rule = Rule("pairs", base.null)
    machines = [output.name for output in collection.outputs if not output.human]
    found = _renderings(base, collection)
    listed = [
        (system, variation)
        for system in machines or found
        for document in found[system]
        for variation in variations(
            document.translation.document.id,
            document.with_references(),
            rule,
            function_words(collection.testset.target_language),
        )
    ]
    return sorted(listed, key=lambda entry: entry[1].rank)
