"""The options of significance testing, and how standings are shown: for several commands."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli.grid import Grid
from isogloss.cli.output import Record, number, shown_interval
from isogloss.comparison import (
    Appraiser,
    Comparison,
    ComparisonSettings,
    Standing,
    conclude,
    ranked_by_all,
)
from isogloss.documents import counted
from isogloss.errors import MetricNameError
from isogloss.metaeval import read_curves
from isogloss.scores import MetricInfo, ScoreTable
from isogloss.signature import Signature
from isogloss.tables import decimals
from isogloss.verdicts import Correction

COMPARING = "Intervals and significance"


class TestKind(StrEnum):
    """The paired tests."""

    RANDOMISATION = "randomisation"
    BOOTSTRAP = "bootstrap"
    SACREBLEU = "sacrebleu"


class CorrectionKind(StrEnum):
    """Corrections for how many pairs of systems there are."""

    HOLM = "holm"
    BENJAMINI_HOCHBERG = "benjamini-hochberg"
    NONE = "none"


class BlockKind(StrEnum):
    """What is resampled as a whole."""

    DOCUMENTS = "documents"
    SEGMENTS = "segments"


TestOption = Annotated[
    TestKind,
    typer.Option(
        "--test",
        help="Randomisation (exact with up to 16 documents), the studentised bootstrap, or "
        "sacrebleu's paired bootstrap, to reproduce it: it is for thousands of segments.",
        rich_help_panel=COMPARING,
    ),
]
BlocksOption = Annotated[
    BlockKind,
    typer.Option(
        "--blocks",
        help="Resample whole documents, or single segments as sacrebleu does.",
        rich_help_panel=COMPARING,
    ),
]
ResamplesOption = Annotated[
    int,
    typer.Option("--resamples", help="How many resamples or trials.", rich_help_panel=COMPARING),
]
SeedOption = Annotated[
    int, typer.Option("--seed", min=0, help="Seed of the resampling.", rich_help_panel=COMPARING)
]
ConfidenceOption = Annotated[
    float, typer.Option("--confidence", help="Of the intervals.", rich_help_panel=COMPARING)
]
AlphaOption = Annotated[
    float,
    typer.Option("--alpha", help="A p-value up to this separates.", rich_help_panel=COMPARING),
]
CorrectionOption = Annotated[
    CorrectionKind,
    typer.Option(
        "--correction",
        help="Of p-values, for how many pairs of systems are compared under a metric.",
        rich_help_panel=COMPARING,
    ),
]
_CORRECTIONS: dict[CorrectionKind, Correction | None] = {
    CorrectionKind.HOLM: "holm",
    CorrectionKind.BENJAMINI_HOCHBERG: "benjamini-hochberg",
    CorrectionKind.NONE: None,
}


def settings_from(
    test: TestKind,
    blocks: BlockKind,
    resamples: int,
    seed: int,
    confidence: float,
    alpha: float,
    correction: CorrectionKind,
) -> ComparisonSettings:
    """The settings that the options of a command describe."""
    return ComparisonSettings(
        test=test.value,
        blocks=blocks.value,
        resamples=resamples,
        seed=seed,
        confidence=confidence,
        alpha=alpha,
        correction=_CORRECTIONS[correction],
    )


SignaturesOption = Annotated[
    bool,
    typer.Option(
        "--signatures",
        help="Print signatures whole: all that a number depends on. -o json and -o tsv have them.",
    ),
]


WorthOption = Annotated[
    Path | None,
    typer.Option(
        "--worth",
        metavar="FILE",
        help="Curves of 'isogloss worth --save', to say how likely people prefer a system. "
        "Default: those that come along.",
        rich_help_panel=COMPARING,
    ),
]


def appraiser_of(table: ScoreTable, worth: Path | None = None) -> Appraiser:
    """Who tells what differences in a table are worth to people."""
    return Appraiser.of(table, None if worth is None else read_curves(worth))


def standings_grid(
    table: ScoreTable,
    comparisons: Sequence[Comparison],
    *,
    signatures: bool = False,
    appraiser: Appraiser | None = None,
) -> Grid:
    """Systems x metrics with intervals and clusters, best first over all metrics."""
    # A system by itself has no rank.
    columns = 3 if len(comparisons[0].standings) > 1 else 2
    cells = {
        (comparison.metric.name, standing.system): cell[:columns]
        for comparison in comparisons
        for standing, cell in zip(
            comparison.standings, map(_Cells(comparison), comparison.standings), strict=True
        )
    }
    names = [comparison.metric.name for comparison in comparisons]
    headings = ["system"]
    for comparison in comparisons:
        arrow = "↑" if comparison.metric.higher_is_better else "↓"
        headings += [f"{comparison.metric.name} {arrow}", "interval", "#"][:columns]
    people = {standing.system for standing in comparisons[0].standings if standing.human}
    order = ranked_by_all([c for c in comparisons if c.metric.not_scored is None] or comparisons)
    rows = [
        [f"{system} (human)" if system in people else system]
        + [cell for name in names for cell in cells[name, system]]
        for system in order
    ]
    answer = answer_of(comparisons, appraiser or appraiser_of(table))
    return Grid(
        _title(table),
        headings,
        rows,
        [note for note in _notes(comparisons, signatures) if note not in answer],
        frozenset(range(1, len(headings))),
        together=columns,
        answer=answer,
        best=_first_cluster(rows) if len(rows) > 1 else frozenset(),
    )


def _first_cluster(rows: Sequence[Sequence[str]]) -> frozenset[tuple[int, int]]:
    """The scores of the first rank cluster, where a metric has more than one."""
    return frozenset(
        (row, column - 2)
        for column in range(3, len(rows[0]), 3)
        if len({cells[column] for cells in rows} - {""}) > 1
        for row, cells in enumerate(rows)
        if cells[column] == "1"
    )


def answer_of(comparisons: Sequence[Comparison], appraiser: Appraiser | None = None) -> str:
    """Who comes first, in a sentence; nothing where there is nobody to compare with."""
    conclusion = conclude(comparisons, appraiser=appraiser)
    return conclusion.sentence if conclusion else ""


def conclusion_record(
    comparisons: Sequence[Comparison], appraiser: Appraiser | None = None
) -> Record | None:
    """The same for programs: the sentence and what it is made of."""
    conclusion = conclude(comparisons, appraiser=appraiser)
    return None if conclusion is None else {"sentence": conclusion.sentence, **asdict(conclusion)}


def difference_grids(
    comparisons: Sequence[Comparison], appraiser: Appraiser | None = None
) -> list[Grid]:
    """Of two systems, how far they are apart under each metric; nothing of more or fewer."""
    scored = [each for each in comparisons if each.metric.not_scored is None]
    machines = [s.system for s in scored[0].standings if not s.human] if scored else []
    if len(machines) != 2:
        return []
    ahead, behind = (name for name in ranked_by_all(scored) if name in machines)
    rows = [_difference_cells(each, ahead, behind) for each in scored]
    title = f"{ahead} against {behind}"
    headings = ["metric", "difference", "interval", "p", ""]
    notes = [f"* p ≤ {scored[0].settings.alpha:g} ({scored[0].procedure})"]
    worths = [appraiser.under(c, scored, ahead, behind) if appraiser else None for c in scored]
    if any(worths):
        headings.append("people prefer it")
        cells = ["" if worth is None else str(worth) for worth in worths]
        rows = [[*row, cell] for row, cell in zip(rows, cells, strict=True)]
        notes.append(
            "people prefer it: the probability that they do, with its 95% interval; nothing where "
            "a difference is unlike those that people have judged (docs/difference.md)"
        )
    return [Grid(title, headings, rows, notes, frozenset(range(1, 4)), together=len(headings) - 1)]


def _difference_cells(comparison: Comparison, first: str, second: str) -> list[str]:
    test = comparison.pair(first, second)
    digits = decimals(standing.score for standing in comparison.standings)
    if test.difference is None:
        return [comparison.metric.name, "–", "–", "–", ""]
    turn = 1.0 if test.first == first else -1.0
    low, high = sorted(turn * end for end in test.interval) if test.interval else (None, None)
    between = None if low is None or high is None else (low, high)
    arrow = "↑" if comparison.metric.higher_is_better else "↓"
    return [
        f"{comparison.metric.name} {arrow}",
        f"{turn * test.difference:+.{digits}f}",
        shown_interval(between, digits),
        number(test.p, 4),
        "*" if comparison.is_real(test) else "",
    ]


class _Cells:
    """Score, interval and cluster of a standing as text, with the digits of its metric."""

    def __init__(self, comparison: Comparison) -> None:
        self.digits = decimals(standing.score for standing in comparison.standings)

    def __call__(self, standing: Standing) -> tuple[str, str, str]:
        interval = shown_interval(standing.interval, self.digits)
        coverage = "" if standing.scored == standing.total else "*"
        cluster = "" if standing.cluster is None else str(standing.cluster)
        return number(standing.score, self.digits) + coverage, interval, cluster


def _title(table: ScoreTable) -> str:
    provenance = table.provenance
    documents = counted(len(table.rows[0].documents), "document")
    segments = counted(table.rows[0].total, "segment")
    languages = f"{provenance.source_language or '?'} → {provenance.target_language or '?'}"
    references = ", ".join(provenance.references) or "none"
    return f"{provenance.testset} · {languages} · {documents}, {segments} · reference: {references}"


def _notes(comparisons: Sequence[Comparison], signatures: bool) -> list[str]:
    settings = comparisons[0].settings
    notes = [
        *dict.fromkeys(limit for comparison in comparisons for limit in comparison.limits()),
        *(warning for comparison in comparisons for warning in comparison.metric.warnings),
        f"interval: {settings.confidence:.0%}, studentised bootstrap of {settings.blocks}",
    ]
    if comparisons[0].pairs:
        notes[-1] += (
            f"; #: rank cluster ({comparisons[0].procedure}; every system in a better cluster "
            f"beats every system in a worse one at p ≤ {settings.alpha:g})"
        )
    standings = [standing for comparison in comparisons for standing in comparison.standings]
    if any(standing.scored < standing.total for standing in standings):
        notes.append("*: not all segments were scored")
    return notes + signature_notes([each.metric for each in comparisons], whole=signatures)


def signature_notes(metrics: Sequence[MetricInfo], *, whole: bool) -> list[str]:
    """What numbers depend on: a line for each metric, or just enough to tell two runs apart."""
    scored = [metric.signature for metric in metrics if metric.not_scored is None]
    if whole:
        return scored
    brief = " · ".join(map(_brief, scored))
    return [f"signatures: {brief} (whole with --signatures)"] if scored else []


def _brief(signature: str) -> str:
    try:
        return Signature.parse(signature).brief
    except MetricNameError:  # a stranger's score file calls its metrics as it likes
        return signature


def standing_records(comparisons: Sequence[Comparison]) -> list[Record]:
    """One record for each system under each metric."""
    records: list[Record] = []
    for comparison in comparisons:
        for standing in comparison.standings:
            low, high = standing.interval or (None, None)
            records.append(
                {
                    "metric": comparison.metric.name,
                    "system": standing.system,
                    "human": standing.human,
                    "score": standing.score,
                    "low": low,
                    "high": high,
                    "cluster": standing.cluster,
                    "scored": standing.scored,
                    "total": standing.total,
                    "signature": comparison.metric.signature,
                }
            )
    return records


def difference_or_pairs_grids(
    comparisons: Sequence[Comparison], appraiser: Appraiser | None = None
) -> list[Grid]:
    """How far systems are apart: two of them metric by metric, more of them pair by pair."""
    if grids := difference_grids(comparisons, appraiser):
        return grids
    grids = [pairs_grid(each) for each in comparisons]
    # What holds of several tables in a row is said below the last of them.
    return [
        replace(grid, notes=[note for note in grid.notes if below is None or note not in below])
        for grid, below in zip(grids, [*(grid.notes for grid in grids[1:]), None], strict=True)
    ]


def pairs_grid(comparison: Comparison) -> Grid:
    """p-values of all pairs: a triangle, since a pair is tested once."""
    systems = [standing.system for standing in comparison.standings if standing.score is not None]
    digits = decimals(standing.score for standing in comparison.standings)
    rows = []
    for index, system in enumerate(systems[:-1]):
        cells = [""] * index
        for other in systems[index + 1 :]:
            test = comparison.pair(system, other)
            star = "*" if comparison.is_real(test) else " "
            cells.append(f"{number(test.difference, digits)}  {number(test.p, 4)}{star}")
        rows.append([system, *cells])
    notes = [*comparison.limits(), _meaning(comparison)]
    headings = ["", *systems[1:]]
    title = f"{comparison.metric.name}: row against column"
    return Grid(title, headings, rows, notes, frozenset(range(1, len(headings))))


def _meaning(comparison: Comparison) -> str:
    settings, pairs = comparison.settings, len(comparison.pairs)
    star = f"* p ≤ {settings.alpha:g}"
    if settings.correction and pairs > 1:
        star = f"p is each pair's own, {star} once corrected for {pairs} pairs"
    return f"difference and p; {star} ({comparison.procedure})"
