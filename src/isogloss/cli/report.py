"""``isogloss report``: saved scores as a page to look at, or as tables for papers."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from isogloss.alignment.catalogue import aligner as aligner_named
from isogloss.alignment.interface import Aligner
from isogloss.cli import comparing, inputs
from isogloss.cli.output import Output, Result, rendered, show
from isogloss.cli.pages import draw_plots, write_page
from isogloss.cli.studying import judgements_on
from isogloss.comparison import Comparison, compare
from isogloss.documents import Collection
from isogloss.errors import InputError
from isogloss.formats.catalogue import read_collection
from isogloss.formats.files import write_text
from isogloss.scores import ScoreTable


class Form(StrEnum):
    """What a report can be."""

    HTML = "html"
    MARKDOWN = "md"
    LATEX = "latex"
    CSV = "csv"


def command(
    scores: Annotated[
        list[Path],
        typer.Argument(help="Score files saved by 'isogloss evaluate --save', of one test set."),
    ],
    testset: Annotated[
        Path | None,
        typer.Option(
            "--testset",
            "-t",
            help="The test set that was scored: the page shows its texts. Not needed for tables.",
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
        Form,
        typer.Option(
            "--format",
            "-f",
            help="A page to look at; tables for pull requests (md), papers (latex) or "
            "spreadsheets (csv: an apostrophe keeps texts from being taken for formulas).",
        ),
    ] = Form.HTML,
    human: Annotated[
        str | None,
        typer.Option(
            help="Judgements to show beside the metrics: a kind that lies beside the test set "
            "(mqm, da-z ...), or a file of MQM or ESA annotations."
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
    plots: Annotated[
        Path | None, typer.Option(help="Folder to draw every plot into, as SVG and PNG.")
    ] = None,
    test: comparing.TestOption = comparing.TestKind.RANDOMISATION,
    blocks: comparing.BlocksOption = comparing.BlockKind.DOCUMENTS,
    resamples: comparing.ResamplesOption = 10_000,
    seed: comparing.SeedOption = 12345,
    confidence: comparing.ConfidenceOption = 0.95,
    alpha: comparing.AlphaOption = 0.05,
    correction: comparing.CorrectionOption = comparing.CorrectionKind.HOLM,
) -> None:
    """Show saved scores: a page with systems, documents, texts and evidence, or tables.

    The page is one HTML file. It opens from disk, needs no network, and can be sent as it is.

    [bold]A page[/bold]

      isogloss evaluate wmt23/en-de -m bleu,chrf,prism --save scores.jsonl
      isogloss report scores.jsonl --testset wmt23/en-de --human mqm --out report.html

    [bold]Tables and plots[/bold]

      isogloss report scores.jsonl --format md > comment.md
      isogloss report scores.jsonl --format latex --plots figures > table.tex
    """
    settings = comparing.settings_from(test, blocks, resamples, seed, confidence, alpha, correction)
    table = inputs.read_saved(scores)
    comparisons = compare(table, settings=settings)
    if plots:
        draw_plots(table, comparisons, plots)
    if form is not Form.HTML:
        _show_tables(table, comparisons, form, out)
        return
    if testset is None:
        raise InputError("the page shows the texts that were scored; name them with --testset")
    collection = read_collection(testset)
    judgements = judgements_on(testset, human, collection) if human else None
    aligner = _aligner(align, collection) if align else None
    write_page(collection, table, comparisons, out or Path("report.html"), judgements, aligner)


def _aligner(name: str, collection: Collection) -> Aligner:
    testset = collection.testset
    return aligner_named(
        name,
        source_language=testset.source_language,
        target_language=testset.target_language,
    )


_TABLES = {Form.MARKDOWN: Output.MARKDOWN, Form.LATEX: Output.LATEX, Form.CSV: Output.CSV}


def _show_tables(
    table: ScoreTable, comparisons: tuple[Comparison, ...], form: Form, out: Path | None
) -> None:
    grids = [
        comparing.standings_grid(table, comparisons),
        *(comparing.pairs_grid(comparison) for comparison in comparisons),
    ]
    result = Result(grids, comparing.standing_records(comparisons))
    if out:
        write_text(out, rendered(result, _TABLES[form]))
    else:
        show(result, _TABLES[form])
