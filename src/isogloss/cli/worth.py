"""``isogloss worth``: what a difference in a metric is worth to people, learnt from judgements."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from enum import StrEnum
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli import inputs, people
from isogloss.cli.grid import Grid
from isogloss.cli.output import Output, OutputOption, Record, Result, number, say, show
from isogloss.comparison import ContestSettings, contests_of
from isogloss.documents import TestSet, counted
from isogloss.errors import InputError
from isogloss.formats import read_scores, write_text
from isogloss.metaeval import (
    Contests,
    FittedCurve,
    Predicted,
    Quality,
    SilentPair,
    WorthCurve,
    WorthCurves,
    by_share_of_documents,
    curves_text,
    fit_curves,
    predict,
    quality,
    reliability,
    silent_pairs,
)
from isogloss.report import reliability_plot, save_plot
from isogloss.runtime import Runtime
from isogloss.scores import ScoreTable
from isogloss.tables import decimals


class WorthLevel(StrEnum):
    """What is compared."""

    SYSTEM = "system"
    DOCUMENT = "document"


_LEVELS = {
    WorthLevel.SYSTEM: ContestSettings(),
    WorthLevel.DOCUMENT: ContestSettings(sizes=(1,), draws=40, whole=False),
}


def command(
    testsets: Annotated[
        list[Path], typer.Argument(help="Test sets with judgements to learn from, four or more.")
    ],
    test: Annotated[
        list[Path] | None,
        typer.Option("--test", help="A test set to try the curves on, which they do not learn."),
    ] = None,
    human: people.HumanOption = "mqm",
    scores: people.ScoresOption = None,
    metrics: people.MetricsOption = None,
    level: Annotated[
        WorthLevel,
        typer.Option("--level", "-l", help="Systems on some documents, or single documents."),
    ] = WorthLevel.SYSTEM,
    save: Annotated[
        Path | None, typer.Option(help="Save the curves (TOML), for --worth of other commands.")
    ] = None,
    plots: Annotated[
        Path | None,
        typer.Option(help="Folder for reliability plots of each metric: whole, by language pair."),
    ] = None,
    use_reference: inputs.UseReferenceOption = None,
    output: OutputOption = Output.TABLE,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no notes.")] = False,
    device: inputs.DeviceOption = inputs.DeviceKind.CPU,
    cache: inputs.CacheOption = None,
    no_cache: inputs.NoCacheOption = False,
    allow_network: inputs.AllowNetworkOption = False,
) -> None:
    """Learn what a difference is worth: how likely people prefer the system that is ahead.

    Fits a curve for each metric over pairs of systems on 3 documents to all of them, and tries it
    on each test set after fitting it to the others, so that all that is printed was unseen. Curves
    that come along are quoted by compare, explain and report; --save makes your own. They quote
    nothing of language pairs in which they did worse than a coin.

    [bold]Examples[/bold]

      isogloss worth wmt20/en-de wmt20/zh-en wmt22/en-de wmt22/en-zh -m bleu,chrf --test wmt23/en-de
      isogloss worth set1 set2 set3 set4 --human ratings.tsv --scores a.jsonl --save curves.toml
      isogloss compare scores.jsonl --worth curves.toml
    """
    gathering = _Gathering(
        human,
        [read_scores(path) for path in scores or ()],
        metrics or (),
        use_reference,
        _LEVELS[level],
        inputs.runtime_from(device, cache, no_cache, allow_network),
        quiet,
    )
    learnt, asked = gathering.contests(testsets), gathering.contests(test or ())
    fitted, missing = fit_curves(learnt, level.value, human)
    if not fitted:
        raise InputError("no curve can be fitted: " + "; ".join(missing))
    if not quiet:
        say(*missing)
    found = [_tried(each, learnt, asked) for each in fitted]
    curves = WorthCurves(tuple(each.curve for each in fitted), silent_pairs(fitted))
    if save:
        write_text(save, curves_text(curves, _about(level, human)))
    if plots:
        _draw(found, plots)
    show(_result(found, curves.silent), output)


def _draw(found: "Sequence[_Tried]", folder: Path) -> None:
    for each in found:
        name = each.curve.metric
        save_plot(
            reliability_plot(reliability(each.unseen), name), folder / f"{name}.reliability.svg"
        )
        for where, (predictions, _) in {**each.by_languages, **each.of_tests}.items():
            drawn = reliability_plot(reliability(predictions), f"{name}, {where},")
            save_plot(drawn, folder / f"{name}.{where.replace(' ', '.')}.reliability.svg")


@dataclass(frozen=True, slots=True)
class _Gathering:
    """How contests are made of test sets: by scores at hand, or by metrics computed now."""

    human: str
    tables: Sequence[ScoreTable]
    metrics: Sequence[str]
    references: Sequence[str] | None
    settings: ContestSettings
    runtime: Runtime
    quiet: bool

    def contests(self, paths: Sequence[Path]) -> dict[str, list[Contests]]:
        """For each metric, the contests of each test set that it has scores on."""
        found: dict[str, list[Contests]] = {}
        for path in paths:
            for metric, contests in self._of(path).items():
                if len(contests.difference):
                    found.setdefault(metric, []).append(contests)
        return found

    def _of(self, path: Path) -> Mapping[str, Contests]:
        collection = inputs.read_input(path, runtime=self.runtime, quiet=self.quiet)
        judgements = people.judgements_on(path, self.human, collection)
        tables = [table for table in self.tables if _is_of(table, collection.testset)]
        if self.metrics:
            chosen = people.judged_documents(collection, judgements)
            if self.references:
                chosen = chosen.with_references(self.references)
            tables += people.computed(chosen, self.metrics, self.runtime, self.quiet)
        if not tables:
            raise InputError(f"{path}: there are no scores of it; use --scores or --metrics")
        return contests_of(tables, judgements, collection.testset, self.settings)


def _is_of(table: ScoreTable, testset: TestSet) -> bool:
    """Whether scores are of documents of this test set, all of them or some."""
    provenance, lengths = table.provenance, {d.id: len(d) for d in testset.documents}
    same = (testset.name, testset.source_language, testset.target_language)
    return same == (
        provenance.testset,
        provenance.source_language,
        provenance.target_language,
    ) and all(lengths.get(d.document) == d.measurement.total for d in table.rows[0].documents)


def _about(level: WorthLevel, human: str) -> Record:
    today = datetime.now(UTC).date().isoformat()
    return {"isogloss": version("isogloss"), "made": today, "level": level.value, "human": human}


_Beside = tuple[Sequence[Predicted], Sequence[Predicted]]
"""Predictions, and those of the simpler bet."""


@dataclass(frozen=True, slots=True)
class _Tried:
    """A curve, and its probabilities of what it had not seen, beside those of a simpler bet.

    `unseen` are the test sets it learns from, each by a curve without it, `tests` others. `shares`
    and `tests_shares` take the share of documents in which a system leads for the probability.
    """

    curve: WorthCurve
    unseen: Sequence[Predicted]
    shares: Sequence[Predicted]
    tests: Sequence[Predicted]
    tests_shares: Sequence[Predicted]

    @property
    def by_languages(self) -> dict[str, _Beside]:
        """The unseen test sets of each language pair, where there are several pairs."""
        found: dict[str, _Beside] = {}
        for predicted, share in zip(self.unseen, self.shares, strict=True):
            pair = "-".join(predicted.languages)
            ours, simpler = found.get(pair, ((), ()))
            found[pair] = ((*ours, predicted), (*simpler, share))
        return found if len(found) > 1 else {}

    @property
    def of_tests(self) -> dict[str, _Beside]:
        """Every other test set."""
        return {
            f"{predicted.testset} {'-'.join(predicted.languages)}": ((predicted,), (share,))
            for predicted, share in zip(self.tests, self.tests_shares, strict=True)
        }


def _tried(
    fitted: FittedCurve,
    learnt: Mapping[str, Sequence[Contests]],
    asked: Mapping[str, Sequence[Contests]],
) -> _Tried:
    sets, others = (side.get(fitted.curve.metric, ()) for side in (learnt, asked))
    return _Tried(
        fitted.curve,
        fitted.unseen,
        [by_share_of_documents(each) for each in sets],
        [predict(sets, each) for each in others],
        [by_share_of_documents(each) for each in others],
    )


def _result(found: Sequence[_Tried], silent: Sequence[SilentPair]) -> Result:
    grids = [_quality_grid(found, silent), _needed_grid(found), _reliability_grid(found)]
    records = [record for each in found for record in _records(each)]
    summary = {
        "curves": [asdict(each.curve) for each in found],
        "silent": [asdict(pair) for pair in silent],
    }
    return Result(grids, records, summary)


def _quality_grid(found: Sequence[_Tried], silent: Sequence[SilentPair]) -> Grid:
    rows = []
    for each in found:
        metric, count = each.curve.metric, len(each.unseen)
        tried: dict[str, _Beside] = {f"{count} sets, each left out": (each.unseen, each.shares)}
        for pair, (ours, simpler) in each.by_languages.items():
            tried[f"{pair} ({counted(len(ours), 'set')})"] = (ours, simpler)
        for where, (ours, simpler) in {**tried, **each.of_tests}.items():
            rows.append([metric, where, *_quality_cells(quality(ours), quality(simpler))])
    notes = [
        "log loss and Brier: lower is better; always .5 has 0.693 and 0.250",
        "of share: the same, were the share of documents in which a system leads the probability",
        "error: how far probabilities lie from shares in the mean; interval: 95 %, over test sets",
        *(_told(pair) for pair in silent),
    ]
    headings = ["metric", "tried on", "log loss", "of share", "Brier", "of share"]
    headings += ["error", "interval"]
    title = f"Will people prefer the system that is ahead? ({found[0].curve.human})"
    return Grid(title, headings, rows, notes, frozenset(range(2, 8)), lead=2)


def _told(pair: SilentPair) -> str:
    """A language pair of which saved curves say nothing."""
    of = counted(pair.testsets, "test set")
    return (
        f"{pair.source}-{pair.target}: saved curves quote nothing there; the log loss over all "
        f"metrics is {pair.loss:.3f} ({of})"
    )


def _quality_cells(measured: Quality, share: Quality) -> list[str]:
    low, high = measured.low, measured.high
    return [
        number(measured.log_loss, 3),
        number(share.log_loss, 3),
        number(measured.brier, 3),
        number(share.brier, 3),
        number(measured.error, 3),
        "" if low is None or high is None else f"[{low:.3f}, {high:.3f}]",
    ]


_WISHED, _DOCUMENTS = (0.6, 0.7, 0.8, 0.9), (5, 20, 50)


def _needed_grid(found: Sequence[_Tried]) -> Grid:
    rows = []
    for each in found:
        curve = each.curve
        digits = decimals([curve.range.largest])
        counts = _DOCUMENTS if curve.level == "system" else (1,)
        for documents in sorted({min(n, curve.range.most) for n in counts}):
            sizes = [curve.needed(wished, documents) for wished in _WISHED]
            cells = ["–" if size is None else f"{size:.{digits}f}" for size in sizes]
            rows.append([curve.metric, str(documents), *cells])
    headings = ["metric", "documents", *(f"{wished:.0%}" for wished in _WISHED)]
    notes = ["by the metric alone; –: no difference that was seen is enough"]
    title = "How large must a difference be, in points, for people to prefer the system so likely?"
    return Grid(title, headings, rows, notes, frozenset(range(1, len(headings))), lead=2)


def _reliability_grid(found: Sequence[_Tried]) -> Grid:
    rows = [
        [
            each.curve.metric,
            f"{bin.low:.1f}–{bin.high:.1f}",
            f"{bin.contests:,}",
            str(bin.testsets),
            number(bin.predicted, 3),
            number(bin.observed, 3),
        ]
        for each in found
        for bin in reliability(each.unseen)
    ]
    headings = ["metric", "probability", "pairs", "test sets", "mean", "people prefer it"]
    title = "Reliability: probabilities of unseen test sets beside what people preferred"
    return Grid(title, headings, rows, numeric=frozenset(range(1, 6)))


def _records(each: _Tried) -> Iterator[Record]:
    base = {"metric": each.curve.metric, "level": each.curve.level}
    everything = {"left out": each.unseen}
    for where, (predictions, _) in {**each.by_languages, **each.of_tests}.items():
        everything[where] = predictions
    for where, predictions in everything.items():
        measured = quality(predictions)
        for bin in reliability(predictions):
            yield {**base, "tried_on": where, **asdict(bin), "log_loss": measured.log_loss}
