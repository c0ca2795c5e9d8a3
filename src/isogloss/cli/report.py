"""``isogloss report``: saved scores as a page to look at, or as tables for papers."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from isogloss.alignment import Aligner
from isogloss.alignment import aligner as aligner_named
from isogloss.cli import inputs, significance
from isogloss.cli.evaluate import draw_plots
from isogloss.cli.grid import Grid
from isogloss.cli.output import Output, Record, Result, rendered, say, show
from isogloss.cli.people import campaign_named, judgements_on
from isogloss.comparison import Comparison, ComparisonSettings, compare, fits
from isogloss.documents import Collection
from isogloss.errors import InputError
from isogloss.formats import write_text
from isogloss.judgements import Judgements
from isogloss.report import CampaignPart, report_data, write_report
from isogloss.scores import ScoreTable


class ReportForm(StrEnum):
    """What a report can be."""

    HTML = "html"
    MARKDOWN = "md"
    LATEX = "latex"
    CSV = "csv"


class ExplainedPairs(StrEnum):
    """Which pairs of systems are taken apart."""

    SOME = "some"
    ALL = "all"
    NONE = "none"


def command(
    scores: Annotated[
        list[Path],
        typer.Argument(
            help="Score files saved by 'isogloss evaluate --save', of one test set or of several."
        ),
    ],
    testset: Annotated[
        list[Path] | None,
        typer.Option(
            "--testset",
            "-t",
            help="The test set that was scored: the page shows its texts. Not needed for tables. "
            "Repeat for several, language pairs say: the page begins with all of them.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-O",
            help="Where to write; default: report.html, and standard output for tables.",
        ),
    ] = None,
    form: Annotated[
        ReportForm,
        typer.Option(
            "--format",
            "-f",
            help="A page to look at; tables for pull requests (md), papers (latex) or "
            "spreadsheets (csv: an apostrophe keeps texts from being taken for formulas).",
        ),
    ] = ReportForm.HTML,
    human: Annotated[
        str | None,
        typer.Option(
            help="Judgements to show beside the metrics: a kind that lies beside the test set "
            "(mqm, da-z ...), or a file of MQM or ESA annotations, or one that 'isogloss annotate "
            "export' wrote, or the folder of a campaign; FILE:KIND where there are several kinds."
        ),
    ] = None,
    align: Annotated[
        str | None,
        typer.Option(
            metavar="ALIGNER",
            help="Align source and outputs, so that the page links their words: auto, attention, "
            "eflomal ...",
        ),
    ] = None,
    explain: Annotated[
        ExplainedPairs,
        typer.Option(
            help="The pairs of systems whose difference the page takes apart: the best against "
            "others and neighbours in the ranking (some), all (takes longer, a larger file), none."
        ),
    ] = ExplainedPairs.SOME,
    plots: Annotated[
        Path | None, typer.Option(help="Folder to draw every plot into, as SVG and PNG.")
    ] = None,
    realign: inputs.RealignOption = False,
    sentences: inputs.SentencesOption = False,
    test: significance.TestOption = significance.TestKind.RANDOMISATION,
    blocks: significance.BlocksOption = significance.BlockKind.DOCUMENTS,
    resamples: significance.ResamplesOption = 10_000,
    seed: significance.SeedOption = 12345,
    confidence: significance.ConfidenceOption = 0.95,
    alpha: significance.AlphaOption = 0.05,
    correction: significance.CorrectionOption = significance.CorrectionKind.HOLM,
    worth: significance.WorthOption = None,
) -> None:
    """Show saved scores: a page with systems, documents, texts and evidence, or tables.

    The page is one HTML file. It opens from disk, needs no network, and can be sent as it is.

    [bold]A page[/bold]

      isogloss evaluate wmt23/en-de -m bleu,chrf,prism --save scores.jsonl
      isogloss report scores.jsonl --testset wmt23/en-de --human mqm --out report.html

    [bold]Several test sets[/bold]

      isogloss report de.jsonl ja.jsonl -t wmt23/en-de -t wmt23/en-ja --out report.html

    [bold]Tables and plots[/bold]

      isogloss report scores.jsonl --format md > comment.md
      isogloss report scores.jsonl --format latex --plots figures > table.tex
    """
    settings = significance.settings_from(
        test, blocks, resamples, seed, confidence, alpha, correction
    )
    tables = inputs.read_saved_by_testset(scores)
    compared = [compare(table, settings=settings) for table in tables]
    if plots:
        for table, comparisons in zip(tables, compared, strict=True):
            alone = len(tables) == 1
            draw_plots(table, comparisons, plots if alone else plots / table.provenance.testset)
    if form is not ReportForm.HTML:
        _show_tables(tables, compared, form, out, worth)
        return
    if not testset:
        raise InputError("the page shows the texts that were scored; name them with --testset")
    paths = {
        path: inputs.read_input(path, realign=realign, sentences=sentences) for path in testset
    }
    reports = []
    for table, comparisons in zip(tables, compared, strict=True):
        path = _of_table(table, paths)
        collection = paths[path]
        judgements = judgements_on(path, human, collection) if human else None
        aligner = _aligner(align, collection) if align else None
        data = report_data(
            collection,
            table,
            comparisons,
            judgements,
            aligner,
            explain=explain.value,
            appraiser=significance.appraiser_of(table, worth),
            campaign=_campaign(human, judgements, collection, table, settings),
        )
        reports.append(data)
    target = out or Path("report.html")
    write_report(reports, target)
    say(f"report written to {target}; open it in a browser")


def _campaign(
    human: str | None,
    judgements: Judgements | None,
    collection: Collection,
    table: ScoreTable,
    settings: ComparisonSettings,
) -> CampaignPart | None:
    """What stands behind judgements that are a campaign's."""
    path = campaign_named(human or "")
    if path is None or judgements is None:
        return None
    from isogloss.cli.campaign_page import campaign_behind

    return campaign_behind(path, judgements, collection, table.systems, settings)


def _of_table(table: ScoreTable, collections: Mapping[Path, Collection]) -> Path:
    """The test set that scores are of; where only one is named, it is meant."""
    fitting = [path for path, collection in collections.items() if fits(collection, table)]
    if len(collections) > 1 and not fitting:
        raise InputError(
            f"no --testset has the documents that {table.provenance.testset!r} was scored on"
        )
    return fitting[0] if fitting else next(iter(collections))


def _aligner(name: str, collection: Collection) -> Aligner:
    testset = collection.testset
    return aligner_named(
        name,
        source_language=testset.source_language,
        target_language=testset.target_language,
    )


_TABLES = {
    ReportForm.MARKDOWN: Output.MARKDOWN,
    ReportForm.LATEX: Output.LATEX,
    ReportForm.CSV: Output.CSV,
}


def _show_tables(
    tables: Sequence[ScoreTable],
    compared: Sequence[Sequence[Comparison]],
    form: ReportForm,
    out: Path | None,
    worth: Path | None,
) -> None:
    grids: list[Grid] = []
    records: list[Record] = []
    for table, comparisons in zip(tables, compared, strict=True):
        whole = form is ReportForm.LATEX
        asked = significance.appraiser_of(table, worth)
        grids.append(
            significance.standings_grid(table, comparisons, signatures=whole, appraiser=asked)
        )
        grids += significance.difference_or_pairs_grids(comparisons, asked)
        which = {"testset": table.provenance.testset} if len(tables) > 1 else {}
        records += [{**which, **each} for each in significance.standing_records(comparisons)]
    result = Result(grids, records)
    if out:
        write_text(out, rendered(result, _TABLES[form]))
    else:
        show(result, _TABLES[form])
