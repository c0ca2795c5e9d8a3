"""``isogloss preferences``: do metrics prefer the translation that people prefer?"""

from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli import inputs, people
from isogloss.cli.grid import Grid
from isogloss.cli.output import (
    Output,
    OutputOption,
    Record,
    Result,
    say,
    show,
)
from isogloss.documents import Collection, counted
from isogloss.errors import InputError
from isogloss.formats import read_choices, read_metric_scores, read_scores
from isogloss.judgements import Choices
from isogloss.metaeval import (
    Interval,
    PreferenceAgreement,
    PreferenceFinding,
    PreferenceSettings,
    preference_agreement,
)

CHANCE = "Intervals and significance"
PEOPLE = "(people)"


class WholeDocuments(StrEnum):
    """How a metric scores a whole document."""

    MEAN = "mean"
    OWN = "own"


def command(
    testset: Annotated[Path, typer.Argument(help="A test set with the systems compared.")],
    human: Annotated[
        Path,
        typer.Option(
            "--human",
            help="Preferences, TSV, CSV or JSON lines: doc, first, second, preferred (one of the "
            "two, or tie), perhaps segments (3-5) and annotator; a campaign exports such.",
        ),
    ],
    scores: people.ScoresOption = None,
    stored: people.StoredOption = False,
    metrics: people.MetricsOption = None,
    documents: Annotated[
        WholeDocuments,
        typer.Option(help="A whole document's score: the mean of its segments, or its own."),
    ] = WholeDocuments.MEAN,
    use_reference: inputs.UseReferenceOption = None,
    output: OutputOption = Output.TABLE,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no notes.")] = False,
    device: inputs.DeviceOption = inputs.DeviceKind.CPU,
    cache: inputs.CacheOption = None,
    no_cache: inputs.NoCacheOption = False,
    allow_network: inputs.AllowNetworkOption = False,
    resamples: Annotated[int, typer.Option(rich_help_panel=CHANCE, help="For intervals.")] = 10_000,
    seed: Annotated[int, typer.Option(min=0, rich_help_panel=CHANCE, help="Of them.")] = 12345,
    alpha: Annotated[
        float, typer.Option(rich_help_panel=CHANCE, help="A p-value up to this separates.")
    ] = 0.05,
) -> None:
    """Measure how often metrics prefer the translation that people prefer.

    People compare two systems' translations of a document, or of a part of it. Accuracy is of
    choices for one of the two; with ties, differences below a threshold count as ties; the Brier
    score tells how well probabilities that follow from differences are calibrated. Thresholds and
    probabilities are fitted to the other documents.

    [bold]Examples[/bold]

      isogloss preferences testset.toml --human preferences.tsv -m bleu,chrf
      isogloss preferences testset.toml --human preferences.jsonl --scores scores.jsonl -o json
    """
    runtime = inputs.runtime_from(device, cache, no_cache, allow_network)
    collection = inputs.read_input(testset, runtime=runtime, quiet=quiet)
    choices = read_choices(human, collection)
    tables = [read_metric_scores(testset, collection)] if stored else []
    tables += [read_scores(path, collection) for path in scores or ()]
    wanted = collection.with_references(use_reference) if use_reference else collection
    tables += people.computed(wanted, metrics or (), runtime, quiet)
    if not tables:
        raise InputError(people.NO_SCORES)
    own = documents is WholeDocuments.OWN
    settings = PreferenceSettings(own, resamples, seed, alpha=alpha)
    agreement = preference_agreement(choices, tables, settings)
    if not quiet:
        say(*_notices(agreement, choices))
    show(_result(agreement, choices, collection, settings), output)


def _notices(agreement: PreferenceAgreement, choices: Choices) -> Iterator[str]:
    for finding in agreement.findings:
        if finding.lacking:
            yield (
                f"{finding.name} has not scored both sides of {finding.lacking} of the "
                f"{len(choices.items)} choices; they do not count"
            )


def _result(
    agreement: PreferenceAgreement,
    choices: Choices,
    collection: Collection,
    settings: PreferenceSettings,
) -> Result:
    headings = ["metric", "#", "accuracy", "interval", "with ties", "interval"]
    headings += ["Brier", "interval"]
    rows = [_row(finding) for finding in agreement.findings]
    if agreement.people:
        rows.append([PEOPLE, "", *people.value_and_interval(agreement.people), *[""] * 4])
    title = _title(choices, collection)
    notes = _notes(agreement, settings)
    grid = Grid(title, headings, rows, notes, frozenset(range(1, 8)), together=2, lead=2)
    grids = [grid, _reliability(agreement)] if agreement.findings else [grid]
    records = [_record(finding) for finding in agreement.findings]
    summary = {"people": agreement.people and agreement.people.value.value}
    return Result(grids, records, summary)


def _title(choices: Choices, collection: Collection) -> str:
    items = choices.items
    parts = sum(choice.segments is not None for choice in items)
    passages = f", {parts:,} of them of passages" if parts else ""
    documents = counted(len({choice.document for choice in items}), "document")
    return (
        f"{collection.testset.name}: {counted(len(items), 'preference')} in {documents}{passages}, "
        f"{counted(len(choices.annotators), 'annotator')}"
    )


def _row(finding: PreferenceFinding) -> list[str]:
    rank = "" if finding.rank is None else str(finding.rank)
    return [
        finding.name,
        rank,
        *people.value_and_interval(finding.accuracy),
        *people.value_and_interval(finding.with_ties),
        *people.value_and_interval(finding.brier),
    ]


def _reliability(agreement: PreferenceAgreement) -> Grid:
    """What is said of the likelier side, beside how often people chose it."""
    rows = [
        [
            finding.name if position == 0 else "",
            f"{each.low:.0%}–{each.high:.0%}",
            str(each.choices),
            f"{each.said:.0%}",
            f"{each.found:.0%}",
        ]
        for finding in agreement.findings
        for position, each in enumerate(finding.reliability)
    ]
    headings = ["metric", "probability", "choices", "mean", "people chose"]
    return Grid(
        "Probabilities of the likelier side, and what people chose",
        headings,
        rows,
        (),
        frozenset(range(1, 5)),
    )


def _notes(agreement: PreferenceAgreement, settings: PreferenceSettings) -> list[str]:
    notes = [
        "accuracy: of choices for one of the two; where the metric scores both alike, half a "
        "choice",
        f"interval: {settings.confidence:.0%}, studentised bootstrap of documents; #: a new rank "
        f"begins where a metric of the rank above is better at p ≤ {settings.alpha:g}",
        "Brier: of probabilities fitted to the other documents; lower is better, a coin has 0.250",
    ]
    alone = next((f.ties_alone for f in agreement.findings if f.ties_alone is not None), None)
    if alone is not None:
        notes.append(
            "with ties: of all choices, with a threshold fitted to the other documents; ties "
            f"alone give {alone:.3f}"
        )
    if agreement.people:
        notes.append(f"{PEOPLE}: how often another annotator of the same pair chooses alike")
    reasons = {
        reason
        for finding in agreement.findings
        for each in (finding.accuracy, finding.with_ties, finding.brier)
        if (reason := each.value.reason)
    }
    return [*notes, *(f"–: {reason}" for reason in sorted(reasons))]


def _record(finding: PreferenceFinding) -> Record:
    record: dict[str, object] = {"metric": finding.name, "rank": finding.rank}
    for name in ("accuracy", "with_ties", "brier"):
        interval: Interval = getattr(finding, name)
        record[name] = interval.value.value
        record[f"{name}_low"], record[f"{name}_high"] = interval.low, interval.high
        record[f"{name}_choices"] = interval.value.count
    bins = [
        [each.low, each.high, each.choices, each.said, each.found] for each in finding.reliability
    ]
    return {
        **record,
        "ties_alone": finding.ties_alone,
        "lacking": finding.lacking,
        "reliability": bins,
    }
