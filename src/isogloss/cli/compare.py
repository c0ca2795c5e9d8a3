"""``isogloss compare``: which differences between systems are real."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli import comparing, inputs
from isogloss.cli.output import Output, OutputOption, Record, Result, show
from isogloss.comparison import Comparison, PairTest, compare
from isogloss.signature import split_names


def command(
    scores: Annotated[
        list[Path],
        typer.Argument(help="Score files saved by 'isogloss evaluate --save', of one test set."),
    ],
    metrics: Annotated[
        list[str] | None,
        typer.Option("--metrics", "-m", help="Compare under these metrics only; default: all."),
    ] = None,
    output: OutputOption = Output.TABLE,
    test: comparing.TestOption = comparing.TestKind.RANDOMISATION,
    blocks: comparing.BlocksOption = comparing.BlockKind.DOCUMENTS,
    resamples: comparing.ResamplesOption = 10_000,
    seed: comparing.SeedOption = 12345,
    confidence: comparing.ConfidenceOption = 0.95,
    alpha: comparing.AlphaOption = 0.05,
    correction: comparing.CorrectionOption = comparing.CorrectionKind.HOLM,
) -> None:
    """Compare every pair of systems from saved scores.

    Prints each system's score with interval and rank cluster, then for each metric the difference
    and the p-value of every pair: the row's system against the column's, the better one first. A
    star is for a difference that is significant once corrected for all pairs; -o tsv and -o json
    have both p-values, and an interval of each difference.

    [bold]Examples[/bold]

      isogloss evaluate testset.toml --save scores.jsonl
      isogloss compare scores.jsonl
      isogloss compare scores.jsonl --blocks segments --resamples 10000 -m bleu -o tsv
    """
    settings = comparing.settings_from(test, blocks, resamples, seed, confidence, alpha, correction)
    table = inputs.read_saved(scores)
    chosen = [name for text in metrics for name in split_names(text)] if metrics else None
    comparisons = compare(table, chosen, settings)
    summary = {
        "provenance": asdict(table.provenance),
        "settings": asdict(settings),
        "standings": comparing.standing_records(comparisons),
    }
    grids = [comparing.standings_grid(table, comparisons), *map(comparing.pairs_grid, comparisons)]
    show(Result(grids, _pair_records(comparisons), summary), output)


def _pair_records(comparisons: tuple[Comparison, ...]) -> list[Record]:
    return [
        _pair_record(comparison, pair) for comparison in comparisons for pair in comparison.pairs
    ]


def _pair_record(comparison: Comparison, pair: PairTest) -> Record:
    low, high = pair.interval or (None, None)
    return {
        "metric": comparison.metric.name,
        "first": pair.first,
        "second": pair.second,
        "difference": pair.difference,
        "low": low,
        "high": high,
        "p": pair.p,
        "corrected_p": pair.corrected_p,
        "significant": comparison.is_real(pair),
        "blocks": pair.blocks,
    }
