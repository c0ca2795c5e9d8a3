"""``isogloss tune``: train the weights of a hybrid on human judgements."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from isogloss.cli import inputs, people
from isogloss.cli.grid import Grid
from isogloss.cli.output import Output, OutputOption, Record, Result, number, say, show
from isogloss.cli.people import DocumentScores
from isogloss.metaeval import Study, z_normalised
from isogloss.metrics import write_weights
from isogloss.report import alpha_plot, save_plot
from isogloss.tuning import HELD_OUT, STATISTICS, Gain, Tuned, TunedAgreement, TuneSettings, tune

CHANCE = "Intervals and tests"
TRAINING = "Training"


class TuneLevel(StrEnum):
    """What is compared with people."""

    SEGMENT = "segment"
    DOCUMENT = "document"


class GroupingKind(StrEnum):
    """Which scores are compared with each other."""

    NONE = "none"
    ITEM = "item"
    SYSTEM = "system"


def command(
    testset: Annotated[Path, typer.Argument(help="A test set with judgements.")],
    metrics: people.MetricsOption = None,
    scores: people.ScoresOption = None,
    human: people.HumanOption = "mqm",
    level: Annotated[
        TuneLevel, typer.Option("--level", "-l", help="Train on documents or on segments.")
    ] = TuneLevel.DOCUMENT,
    save: Annotated[
        Path | None, typer.Option(help="Save the weights: a JSON file that is a metric.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw the correlation over alpha (two metrics): .svg, .png.")
    ] = None,
    output: OutputOption = Output.TABLE,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no notes.")] = False,
    documents: Annotated[
        DocumentScores,
        typer.Option(
            rich_help_panel=TRAINING,
            help="A metric's score of a document: its own, or of its segments the mean, plain or "
            "weighted by length.",
        ),
    ] = DocumentScores.OWN,
    by_length: Annotated[
        bool,
        typer.Option(
            "--by-length/--plain",
            rich_help_panel=TRAINING,
            help="People's score of a document: its segments weighted by length, or all alike.",
        ),
    ] = True,
    by_judge: Annotated[
        bool,
        typer.Option(
            "--by-judge",
            rich_help_panel=TRAINING,
            help="First take every score relative to its annotator's mean and deviation.",
        ),
    ] = False,
    grouping: Annotated[
        GroupingKind,
        typer.Option(
            rich_help_panel=TRAINING,
            help="Compare all scores, or those of an item or of a system among themselves.",
        ),
    ] = GroupingKind.NONE,
    signed: Annotated[
        bool,
        typer.Option("--signed", rich_help_panel=TRAINING, help="Let weights be negative."),
    ] = False,
    folds: Annotated[
        int, typer.Option(rich_help_panel=TRAINING, help="Of the cross-validation, by documents.")
    ] = 10,
    repeats: Annotated[
        int, typer.Option(rich_help_panel=TRAINING, help="How often the folds are drawn.")
    ] = 10,
    use_reference: inputs.UseReferenceOption = None,
    device: inputs.DeviceOption = inputs.DeviceKind.CPU,
    cache: inputs.CacheOption = None,
    no_cache: inputs.NoCacheOption = False,
    allow_network: inputs.AllowNetworkOption = False,
    resamples: Annotated[
        int, typer.Option(rich_help_panel=CHANCE, help="Of documents, for intervals and tests.")
    ] = 10_000,
    seed: Annotated[
        int, typer.Option(min=0, rich_help_panel=CHANCE, help="Of folds and resamples.")
    ] = 12345,
) -> None:
    """Train the weights of a hybrid metric to agree with people as well as it can.

    Prints each metric's own agreement beside that of the hybrid: with equal weights, with the
    trained weights on the data they were trained on, and held out, where every document was scored
    with weights that were trained on other documents. The last is the one to believe.

    [bold]Examples[/bold]

      isogloss tune wmt20/zh-en -m cohesion,bleu --human mqm --save hbleu.json --plot alpha.svg
      isogloss evaluate testset.toml -m "hybrid(weights=hbleu.json)"
      isogloss tune testset.toml --human ratings.tsv --by-judge --scores saved.jsonl
    """
    runtime = inputs.runtime_from(device, cache, no_cache, allow_network)
    (material,) = people.gather(
        [testset],
        human,
        scores=scores or (),
        stored=False,
        metrics=metrics or (),
        references=use_reference,
        judged_only=True,  # no other document has a part in training
        runtime=runtime,
        quiet=quiet,
    )
    if by_judge:
        material = replace(material, judgements=z_normalised(material.judgements))
    study = material.study(documents)
    settings = TuneSettings(level.value, grouping.value, signed, folds, repeats, resamples, seed)
    tuned = tune(study, settings=settings, by_length=by_length)
    if save:
        write_weights(save, tuned.parts, _about(tuned, study))
    if plot:
        save_plot(alpha_plot(tuned, _title(tuned, study)), plot)
    if not quiet:
        say(*_missing(tuned, study))
    show(_result(tuned, study), output)


def _about(tuned: Tuned, study: Study) -> dict[str, Any]:
    """Where weights come from, for whoever finds the file."""
    return {
        "testset": study.testset.name,
        "languages": [study.testset.source_language, study.testset.target_language],
        "testset_digest": study.testset.digest(),
        "human": study.kind,
        "systems": list(study.human.systems),
        "documents": tuned.documents,
        "settings": asdict(tuned.settings),
        "pearson": {a.name: a.intervals["pearson"].value.value for a in tuned.agreements},
    }


def _missing(tuned: Tuned, study: Study) -> list[str]:
    judged = study.at(tuned.settings.level).human
    lacking = judged.size - tuned.cells - int((judged != judged).sum())
    what = tuned.settings.level
    if not lacking:
        return []
    return [f"{lacking:,} judged {what}s are left out: not every metric has a score of them"]


def _title(tuned: Tuned, study: Study) -> str:
    testset = study.testset
    languages = f"{testset.source_language or '?'}-{testset.target_language or '?'}"
    return (
        f"{testset.name} {languages}: {study.kind}, {tuned.settings.level}s, "
        f"{len(study.human.systems)} systems, {tuned.documents} documents"
    )


def _result(tuned: Tuned, study: Study) -> Result:
    hybrid = tuned.hybrid(study.testset.source_language, study.testset.target_language)
    records = [
        record
        for agreement in tuned.agreements
        for record in _records(agreement, study.testset.name)
    ]
    summary: Record = {
        "metric": str(hybrid.name),
        "parts": [asdict(part) for part in tuned.parts],
        "settings": asdict(tuned.settings),
        "cells": tuned.cells,
        "documents": tuned.documents,
        "fold_weights": tuned.held_out.weights.tolist(),
        "gains": [asdict(gain) for gain in tuned.gains],
    }
    grids = [_agreement_grid(tuned, study, str(hybrid.name)), _gain_grid(tuned)]
    return Result(grids, records, summary)


def _records(agreement: TunedAgreement, testset: str) -> list[Record]:
    return [
        {
            "scores": agreement.name,
            "testset": testset,
            "statistic": statistic,
            "value": interval.value.value,
            "low": interval.low,
            "high": interval.high,
            "count": interval.value.count,
            "reason": interval.value.reason,
        }
        for statistic, interval in agreement.intervals.items()
    ]


def _agreement_grid(tuned: Tuned, study: Study, name: str) -> Grid:
    weights = {part.metric: part.weight for part in tuned.parts}
    rows = []
    for agreement in tuned.agreements:
        weight = weights.get(agreement.name)
        row = [agreement.name, "" if weight is None else f"{weight:.3f}"]
        for statistic in STATISTICS:
            interval = agreement.intervals[statistic]
            row += [number(interval.value.value, 3), _between(interval.low, interval.high)]
        rows.append(row)
    headings = ["scores", "weight"]
    headings += [text for statistic in STATISTICS for text in (statistic, "interval")]
    numeric = frozenset(range(1, len(headings)))
    return Grid(_title(tuned, study), headings, rows, _notes(tuned, name), numeric, 2, 2)


def _notes(tuned: Tuned, name: str) -> list[str]:
    settings = tuned.settings
    by_part = zip(tuned.parts, np.moveaxis(tuned.held_out.weights, 2, 0), strict=True)
    spread = ", ".join(f"{part.metric} {w.min():.2f} to {w.max():.2f}" for part, w in by_part)
    return [
        f"interval: {settings.confidence:.0%}, studentised bootstrap of documents; "
        "weights are of scores with mean 0 and deviation 1",
        f"held out: {settings.folds} folds of documents, drawn {settings.repeats} times; "
        f"their weights were {spread}",
        name,
    ]


def _between(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"[{low:.3f}, {high:.3f}]"


def _gain_grid(tuned: Tuned) -> Grid:
    by_part: dict[str, list[Gain]] = {}
    for gain in tuned.gains:
        by_part.setdefault(gain.over, []).append(gain)
    rows = [[over, *_gain_cells(gains)] for over, gains in by_part.items()]
    headings = [f"{HELD_OUT}, less"]
    headings += [text for statistic in STATISTICS for text in (statistic, "interval", "p")]
    note = "p: how likely chance puts the hybrid as far ahead (studentised bootstrap of documents)"
    numeric = frozenset(range(1, len(headings)))
    return Grid("What the hybrid adds", headings, rows, [note], numeric, 3)


def _gain_cells(gains: Sequence[Gain]) -> list[str]:
    cells = []
    for gain in gains:
        difference = "–" if gain.difference is None else f"{gain.difference:+.3f}"
        cells += [difference, _between(gain.low, gain.high), number(gain.p, 3)]
    return cells
