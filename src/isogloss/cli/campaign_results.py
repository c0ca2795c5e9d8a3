"""``isogloss annotate results``: the ranking that a campaign ends in."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from isogloss.cli import significance
from isogloss.cli.campaign_asked import opened_campaign, read_asked, told_of
from isogloss.cli.campaign_conduct import CONSISTENCY, conduct_grids, words_alone, words_result
from isogloss.cli.campaign_page import results_page
from isogloss.cli.campaigns import needs_extra, telling_damage
from isogloss.cli.compare import pair_records
from isogloss.cli.grid import Grid
from isogloss.cli.output import (
    Output,
    OutputOption,
    Record,
    Result,
    number,
    say,
    show,
    shown_interval,
)
from isogloss.comparison import Comparison
from isogloss.documents import counted
from isogloss.formats import read_scores, write_scores
from isogloss.planning import Assisted
from isogloss.report import write_report
from isogloss.tables import decimals

if TYPE_CHECKING:
    from isogloss.annotate import Help, Results, Voices

_MOST_ERRORS = 12


class AnnotatorCorrectionKind(StrEnum):
    """How annotators' mildness is taken out of their scores."""

    MIXED = "mixed"
    Z = "z"
    NONE = "none"


@telling_damage
def command(
    campaign: Annotated[
        Path,
        typer.Argument(
            metavar="CAMPAIGN", help="A campaign's folder, its campaign.toml or its database."
        ),
    ],
    kind: Annotated[
        str | None,
        typer.Option(
            help="Of several kinds of judgements, one: da, esa, cesa, document, preference, "
            "fluency-adequacy, fluency, adequacy, markable-errors; or consistency, which ranks no "
            "system. Where documents were scored "
            "after their segments, segments rank unless document is named."
        ),
    ] = None,
    scores: Annotated[
        list[Path] | None,
        typer.Option(
            "--scores",
            help="Scores of metrics to stand beside people's; repeatable. Those that are of more "
            "documents than were judged make intervals shorter, where they go with people.",
        ),
    ] = None,
    annotators: Annotated[
        AnnotatorCorrectionKind,
        typer.Option(
            help="What is done about milder and stricter annotators: a mixed model, z-scores, none."
        ),
    ] = AnnotatorCorrectionKind.MIXED,
    save: Annotated[
        Path | None,
        typer.Option(help="Save people's scores as a score file, for 'compare' and 'report'."),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(
            help="Write the results as a page, too: one HTML file that opens from disk, with "
            "plots, annotators beside each other, and where they differ on the words."
        ),
    ] = None,
    output: OutputOption = Output.TABLE,
    test: significance.TestOption = significance.TestKind.RANDOMISATION,
    blocks: significance.BlocksOption = significance.BlockKind.DOCUMENTS,
    resamples: significance.ResamplesOption = 10_000,
    seed: significance.SeedOption = 12345,
    confidence: significance.ConfidenceOption = 0.95,
    alpha: significance.AlphaOption = 0.05,
    correction: significance.CorrectionOption = significance.CorrectionKind.HOLM,
) -> None:
    """Rank the systems of a campaign by what people said, at any time while it goes on.

    Prints who comes first, each system's score with interval and rank cluster, the test of every
    pair, domains, what was marked how often, metrics beside people, and how annotators judge beside
    each other, with what stands out and what to do about it. What the organiser decided
    wins; attention checks do not count. Of preferences the score is the share of its comparisons
    that a system won, ties half. -o json has all of it, tsv and csv a row for each pair.

    [bold]Examples[/bold]

      isogloss annotate results study
      isogloss annotate results study --scores scores.jsonl -o md > results.md
      isogloss annotate results study --report results.html
      isogloss annotate results study --save people.jsonl
    """
    needs_extra()
    from isogloss.annotate import campaign_results

    settings = significance.settings_from(
        test, blocks, resamples, seed, confidence, alpha, correction
    )
    with opened_campaign(campaign) as store:
        if kind == CONSISTENCY or (kind is None and words_alone(store)):
            show(words_result(store), output)
            return
        asked = read_asked(store, campaign, kind)
    tables = [read_scores(path, asked.collection) for path in scores or []]
    found = campaign_results(
        asked.said, asked.collection, tables, settings, annotators.value, asked.weights or None
    )
    if save:
        write_scores(found.table, save)
        say(f"people's scores written to {save}")
    if report:
        write_report(results_page(asked, found, settings), report)
        say(f"results written to {report}; open it in a browser")
    view = _View(found, asked.voices, asked.passed_over)
    show(Result(list(view.grids()), pair_records((found.people,)), view.summary()), output)


@dataclass(frozen=True, slots=True)
class _View:
    """Results as they are shown."""

    results: "Results"
    voices: "Voices"
    passed_over: Sequence[str] = ()

    def grids(self) -> "Sequence[Grid]":
        found = self.results
        grids = [self._standings(), *significance.difference_or_pairs_grids([found.people])]
        if found.domains:
            grids.append(self._domains())
        if found.errors:
            grids.append(self._errors())
        if found.metrics:
            grids.append(self._metrics())
        grids += map(self._help, [each for each in found.help if each.helps])
        return [*grids, *conduct_grids(self.voices)]

    @property
    def _order(self) -> list[str]:
        return [standing.system for standing in self.results.people.standings]

    def _standings(self) -> Grid:
        grid = significance.standings_grid(self.results.table, [self.results.people])
        people = counted(self.results.annotators, "annotator")
        notes = [
            *told_of(self.results, self.passed_over),
            *grid.notes[:-1],
        ]  # the last is the signature of a metric
        name = self.results.table.provenance.testset
        rows = self.results.table.rows
        documents = {d.document for row in rows for d in row.documents if d.measurement.scored}
        title = f"{name} · {counted(len(documents), 'judged document')} · {people}"
        return Grid(
            title,
            grid.headings,
            grid.rows,
            notes,
            grid.numeric,
            grid.together,
            answer=grid.answer,
            best=grid.best,
        )

    def _domains(self) -> Grid:
        cells = {
            (domain, each.system): (each.score, each.cluster)
            for domain, comparison in self.results.domains.items()
            for each in comparison.standings
        }
        digits = decimals(score for score, _ in cells.values())
        headings, rows = ["system"], [[system] for system in self._order]
        for domain in self.results.domains:
            headings += [domain, "#"]
            for row in rows:
                score, cluster = cells.get((domain, row[0]), (None, None))
                row += [number(score, digits), "" if cluster is None else str(cluster)]
        judged = [
            f"{domain}: {counted(max((t.blocks for t in found.pairs), default=0), 'document')}"
            for domain, found in self.results.domains.items()
        ]
        numeric = frozenset(range(1, len(headings)))
        return Grid("By domain", headings, rows, [", ".join(judged)], numeric, together=2)

    def _errors(self) -> Grid:
        rates = {(e.what, e.severity, e.system): e.rate for e in self.results.errors}
        sums: dict[tuple[str, str], int] = {}
        for error in self.results.errors:
            kind = error.what, error.severity
            sums[kind] = sums.get(kind, 0) + error.count
        kinds = sorted(sums, key=lambda kind: -sums[kind])
        rows = [
            [
                " ".join(part for part in kind if part),
                *(f"{rates.get((*kind, system), 0.0):.1f}" for system in self._order),
            ]
            for kind in kinds[:_MOST_ERRORS]
        ]
        title, of = "What goes wrong", "marks in a hundred judged segments"
        if self.results.chosen:
            title, of = "Why they were preferred", "reasons in a hundred choices for the system"
        notes = [f"{of}, systems best first"]
        if len(kinds) > _MOST_ERRORS:
            notes.append(f"and {len(kinds) - _MOST_ERRORS} rarer ones (-o json)")
        headings = ["reason" if self.results.chosen else "marked", *self._order]
        return Grid(title, headings, rows, notes, frozenset(range(1, len(headings))))

    def _metrics(self) -> Grid:
        every = [self.results.people, *self.results.metrics]
        headings, rows = ["system"], [[system] for system in self._order]
        for comparison in every:
            digits = decimals(each.score for each in comparison.standings)
            there = {each.system: each for each in comparison.standings}
            arrow = "↑" if comparison.metric.higher_is_better else "↓"
            headings += [f"{comparison.metric.name} {arrow}", "#"]
            for row in rows:
                each = there.get(row[0])
                cluster = "" if each is None or each.cluster is None else str(each.cluster)
                row += [number(each.score if each else None, digits), cluster]
        notes = [
            f"{each.metric.name}: {same} of {pairs} pairs in people's order"
            for each in self.results.metrics
            for same, pairs in [_agreement(self.results.people, each)]
        ]
        numeric = frozenset(range(1, len(headings)))
        title = "Metrics beside people, on the judged documents"
        return Grid(title, headings, rows, notes, numeric, together=2)

    def _help(self, help: "Help") -> Grid:
        digits = decimals(each.estimate for each in help.systems.values())
        rows = [
            [
                system,
                number(each.plain, digits),
                number(each.estimate, digits),
                shown_interval(each.interval, digits),
                f"{each.as_if:.2f}",
            ]
            for system, each in sorted(help.systems.items(), key=lambda kv: -kv[1].estimate)
        ]
        title = f"Helped by {help.metric}, which scored {help.documents} documents"
        notes = [
            f"as if so many times {counted(help.judged, 'document')} were judged; "
            f"of differences between systems: {help.as_if:.2f}"
        ]
        headings = ["system", "people", "helped", "interval", "as if"]
        return Grid(title, headings, rows, notes, frozenset(range(1, 5)))

    def summary(self) -> Record:
        """All of it, for programs."""
        found = self.results
        return {
            "provenance": asdict(found.table.provenance),
            "settings": asdict(found.people.settings),
            "annotators": found.annotators,
            "correction": found.correction,
            "weighted": found.weighted,
            "conclusion": significance.conclusion_record([found.people]),
            "standings": significance.standing_records([found.people, *found.metrics]),
            "domains": {
                domain: significance.standing_records([each])
                for domain, each in found.domains.items()
            },
            "reasons" if found.chosen else "errors": [asdict(error) for error in found.errors],
            "help": [_help_record(each) for each in found.help],
            "conduct": [each.model_dump() for each in self.voices.conduct],
            "agreement": [each.model_dump() for each in self.voices.agreement],
        }


def _help_record(help: "Help") -> Record:
    return {
        "metric": help.metric,
        "judged": help.judged,
        "documents": help.documents,
        "systems": [{"system": name, **_assisted(e)} for name, e in help.systems.items()],
        "pairs": [
            {"first": first, "second": second, **_assisted(each)}
            for (first, second), each in help.pairs.items()
        ],
    }


def _assisted(each: Assisted) -> Record:
    low, high = each.interval or (None, None)
    return {
        "plain": each.plain,
        "estimate": each.estimate,
        "low": low,
        "high": high,
        "p": each.p,
        "as_if": each.as_if,
    }


def _agreement(people: Comparison, metric: Comparison) -> tuple[int, int]:
    """In how many of how many pairs of systems a metric says what people say."""
    turn = 1.0 if metric.metric.higher_is_better else -1.0
    scores = {each.system: each.score for each in metric.standings if each.score is not None}
    said = [s for s in people.standings if s.score is not None and s.system in scores]
    pairs = [(a, b) for i, a in enumerate(said) for b in said[i + 1 :] if a.score != b.score]
    same = sum(turn * (scores[a.system] - scores[b.system]) > 0 for a, b in pairs)
    return same, len(pairs)
