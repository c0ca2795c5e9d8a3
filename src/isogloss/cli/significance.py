"""The options of significance testing, and how standings are shown: for several commands."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated

import typer

from isogloss.cli.grid import Grid
from isogloss.cli.output import Record, number, shown_interval
from isogloss.comparison import Comparison, ComparisonSettings, Standing
from isogloss.documents import counted
from isogloss.scores import ScoreTable
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


def standings_grid(table: ScoreTable, comparisons: Sequence[Comparison]) -> Grid:
    """Systems x metrics with intervals and clusters, best first by the first that was scored."""
    first = next((c for c in comparisons if c.metric.not_scored is None), comparisons[0])
    order = [standing.system for standing in first.standings]
    cells = {
        (comparison.metric.name, standing.system): cell
        for comparison in comparisons
        for standing, cell in zip(
            comparison.standings, map(_Cells(comparison), comparison.standings), strict=True
        )
    }
    names = [comparison.metric.name for comparison in comparisons]
    headings = ["system"]
    for comparison in comparisons:
        arrow = "↑" if comparison.metric.higher_is_better else "↓"
        headings += [f"{comparison.metric.name} {arrow}", "interval", "#"]
    people = {standing.system for standing in comparisons[0].standings if standing.human}
    rows = [
        [f"{system} (human)" if system in people else system]
        + [cell for name in names for cell in cells[name, system]]
        for system in order
    ]
    numeric = frozenset(range(1, len(headings)))
    title, notes = _title(table), _notes(comparisons)
    return Grid(title, headings, rows, notes, numeric, together=3)


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


def _notes(comparisons: Sequence[Comparison]) -> list[str]:
    settings = comparisons[0].settings
    notes = [
        *dict.fromkeys(limit for comparison in comparisons for limit in comparison.limits()),
        f"interval: {settings.confidence:.0%}, studentised bootstrap of {settings.blocks}; "
        f"#: rank cluster ({comparisons[0].procedure}; every system in a better cluster beats "
        f"every system in a worse one at p ≤ {settings.alpha:g})",
    ]
    standings = [standing for comparison in comparisons for standing in comparison.standings]
    if any(standing.scored < standing.total for standing in standings):
        notes.append("*: not all segments were scored")
    return notes + [line for comparison in comparisons for line in comparison.metric.notes]


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
