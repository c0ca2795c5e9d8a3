"""Writing the page and the plots of a report, for several commands."""

from collections.abc import Sequence
from pathlib import Path

from isogloss.alignment.interface import Aligner
from isogloss.cli.output import say
from isogloss.comparison import Comparison
from isogloss.documents import Collection
from isogloss.judgements import Judgements
from isogloss.scores import ScoreTable


def write_page(
    collection: Collection,
    table: ScoreTable,
    comparisons: Sequence[Comparison],
    path: Path,
    judgements: Judgements | None = None,
    aligner: Aligner | None = None,
) -> None:
    """Write the HTML report and say where it is."""
    from isogloss.report.assembling import report_data
    from isogloss.report.html import write_report

    write_report(report_data(collection, table, comparisons, judgements, aligner), path)
    say(f"report written to {path}; open it in a browser")


def draw_plots(table: ScoreTable, comparisons: Sequence[Comparison], folder: Path) -> None:
    """Draw every plot of the page, as SVG for papers and as PNG for everything else."""
    from isogloss.report.plots import save_plot, table_plots

    for name, figure in table_plots(table, comparisons):
        for suffix in (".svg", ".png"):
            save_plot(figure, folder / f"{name}{suffix}")
