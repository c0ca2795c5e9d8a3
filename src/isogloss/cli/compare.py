"""``isogloss compare``: which differences between systems are real."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli import completion, inputs, significance
from isogloss.cli.output import Output, OutputOption, Record, Result, show
from isogloss.comparison import Appraiser, Comparison, PairTest, compare
from isogloss.metaeval import Worth
from isogloss.signature import split_names


def command(
    scores: Annotated[
        list[Path],
        typer.Argument(help="Score files saved by 'isogloss evaluate --save', of one test set."),
    ],
    metrics: Annotated[
        list[str] | None,
        typer.Option(
            "--metrics",
            "-m",
            help="Compare under these metrics only; default: all.",
            autocompletion=completion.metrics,
        ),
    ] = None,
    output: OutputOption = Output.TABLE,
    signatures: significance.SignaturesOption = False,
    test: significance.TestOption = significance.TestKind.RANDOMISATION,
    blocks: significance.BlocksOption = significance.BlockKind.DOCUMENTS,
    resamples: significance.ResamplesOption = 10_000,
    seed: significance.SeedOption = 12345,
    confidence: significance.ConfidenceOption = 0.95,
    alpha: significance.AlphaOption = 0.05,
    correction: significance.CorrectionOption = significance.CorrectionKind.HOLM,
    worth: significance.WorthOption = None,
) -> None:
    """Compare every pair of systems from saved scores.

    Prints who comes first, and how likely people would say so, too; each system's score with
    interval and rank cluster; then for each metric the difference and the p-value of every pair:
    the row's system against the column's, the better one first. A star is for a difference that is
    significant once corrected for all pairs; -o tsv and -o json have both p-values, an interval of
    each difference, and the probability that people prefer the first.

    [bold]Examples[/bold]

      isogloss evaluate testset.toml --save scores.jsonl
      isogloss compare scores.jsonl
      isogloss compare scores.jsonl --blocks segments --resamples 10000 -m bleu -o tsv
    """
    settings = significance.settings_from(
        test, blocks, resamples, seed, confidence, alpha, correction
    )
    table = inputs.read_saved(scores)
    chosen = [name for text in metrics for name in split_names(text)] if metrics else None
    comparisons = compare(table, chosen, settings)
    appraiser = significance.appraiser_of(table, worth)
    summary = {
        "provenance": asdict(table.provenance),
        "settings": asdict(settings),
        "conclusion": significance.conclusion_record(comparisons, appraiser),
        "standings": significance.standing_records(comparisons),
    }
    whole = signatures or output is Output.LATEX
    grids = [
        significance.standings_grid(table, comparisons, signatures=whole, appraiser=appraiser),
        *significance.difference_or_pairs_grids(comparisons, appraiser),
    ]
    show(Result(grids, pair_records(comparisons, appraiser), summary), output)


def pair_records(
    comparisons: tuple[Comparison, ...], appraiser: Appraiser | None = None
) -> list[Record]:
    """One record for each pair of systems under each metric; an appraiser adds people's view."""
    if appraiser is None:
        return [_pair_record(each, pair) for each in comparisons for pair in each.pairs]
    return [
        {
            **_pair_record(each, pair),
            **_preference(appraiser.under(each, comparisons, pair.first, pair.second)),
        }
        for each in comparisons
        for pair in each.pairs
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


def _preference(worth: Worth | None) -> Record:
    return {
        "preferred": worth and worth.probability,
        "preferred_low": worth and worth.low,
        "preferred_high": worth and worth.high,
    }
