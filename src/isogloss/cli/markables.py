"""``isogloss markables``: the study of markables, and markables found and checked by themselves."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from isogloss.alignment import ALIGNERS, AUTO
from isogloss.cli import inputs
from isogloss.cli.output import Output, OutputOption, say, show
from isogloss.errors import InputError
from isogloss.signature import OptionValue

if TYPE_CHECKING:
    from isogloss.metrics.markables.study import Analysis, MarkableStudy


app = typer.Typer(
    help="Markables: analyse the study, propose markables, check their translations.",
    no_args_is_help=True,
)

StudyArgument = Annotated[
    Path,
    typer.Argument(
        metavar="STUDY",
        help="The study's folder, with processing/ and collected_data/ as its authors released "
        "them; or the study.jsonl that 'isogloss annotate export' writes.",
    ),
]


@app.command()
def analyse(
    study: StudyArgument,
    tables: Annotated[
        str,
        typer.Option(
            help="Which tables, by comma: 1 to 6 as in the paper, directions, correlations, "
            "phenomena (which occur together), agreement, time. Default: all."
        ),
    ] = "",
    output: OutputOption = Output.TABLE,
    plots: Annotated[
        Path | None,
        typer.Option(help="Folder for plots: split bars, systems by domain, correlations."),
    ] = None,
) -> None:
    """Compute the tables of the markable study from its raw files, or from a campaign's export.

    Every correlation is shown with and without the human reference, with how many systems or
    lines stand behind it and its interval.

    [bold]Examples[/bold]

      isogloss markables analyse wmt20-elitr-testsuite
      isogloss markables analyse wmt20-elitr-testsuite --tables 5,6 -o latex
      isogloss markables analyse wmt20-elitr-testsuite --plots figures
      isogloss markables analyse study.jsonl
    """
    from isogloss.cli.markable_tables import TABLES, possible_tables, study_result
    from isogloss.metrics.markables.study import Analysis

    chosen = [name.strip() for name in tables.split(",") if name.strip()]
    for name in chosen:
        if name not in TABLES:
            raise InputError(f"there is no table {name!r}; there are: {', '.join(TABLES)}")
    analysis = Analysis(study_at(study))
    possible = possible_tables(analysis)
    for name in TABLES if plots else chosen:  # plots draw on all of them
        if name not in possible:
            raise InputError(
                f"there is nothing to make table {name!r} of: it needs ratings of lines, marks or "
                f"references that this study has not; possible are: {', '.join(possible)}"
            )
    chosen = chosen or possible
    if plots:
        _draw(analysis, plots)
    show(study_result(analysis, chosen), output)


def study_at(path: Path) -> "MarkableStudy":
    """A folder is the WMT20 study's, a file comes from a campaign."""
    from isogloss.metrics.markables.study import read_exported, read_study

    return read_exported(path) if path.is_file() else read_study(path)


def _draw(analysis: "Analysis", folder: Path) -> None:
    from isogloss.metrics.markables.study import phenomenon_correlations, system_correlations
    from isogloss.report import correlation_plot, save_plot, split_bars, system_bars

    by_domain = {name or "all": rates for name, rates in analysis.rates_by_domain.items()}
    machines = [row for row in analysis.bleu_by_system if not row.human]
    figures = {
        "table2": system_bars(machines, "mean sentence BLEU"),
        "table4": system_bars(analysis.product_by_system, "mean fluency·adequacy"),
        "table5": split_bars(analysis.rates_by_system, "Phenomena by system"),
        "table6": split_bars(by_domain, "Phenomena by domain"),
        "correlations": correlation_plot(system_correlations(analysis), "Over systems"),
        "phenomena": correlation_plot(phenomenon_correlations(analysis)[:20], "Over systems"),
    }
    for name, figure in figures.items():
        save_plot(figure, folder / f"{name}.svg")


@app.command()
def export(
    study: StudyArgument,
    mqm: Annotated[
        Path | None,
        typer.Option(help="Folder for MQM ratings (Marot's TSV), one file a direction."),
    ] = None,
    events: Annotated[
        Path | None, typer.Option(help="Event log (JSON lines) to append all annotations to.")
    ] = None,
) -> None:
    """Write the study's annotations in other formats.

    Phenomena become MQM categories and severities by a fixed map (see the documentation); the
    note of each error keeps the phenomenon, the severity and the markable.

    [bold]Examples[/bold]

      isogloss markables export wmt20-elitr-testsuite --mqm ratings
      isogloss markables export wmt20-elitr-testsuite --events log.jsonl
    """
    from isogloss.metrics.markables.study import append_events, events_of, write_mqm

    if mqm is None and events is None:
        raise InputError("say what to write: --mqm FOLDER or --events FILE")
    found = study_at(study)
    if mqm is not None:
        say(*(f"wrote {path}" for path in write_mqm(found, mqm)))
    if events is not None:
        append_events(events, events_of(found.line_sheets, found.mark_sheets))
        say(f"appended {len(found.line_rows) + len(found.mark_rows):,} events to {events}")


DocumentOption = Annotated[
    str | None, typer.Option("--document", help="Only this document. Default: all.")
]
CountOption = Annotated[
    int, typer.Option("--count", "-n", help="How many markables to propose for a document.")
]
TermsOption = Annotated[
    Path | None,
    typer.Option(help="Your own terms, one a line, forms separated by tabs; markables too."),
]
AlignerOption = Annotated[
    str,
    typer.Option(
        help=f"Word aligner: {', '.join(a for a in ALIGNERS if a != 'file')}.",
        autocompletion=lambda: list(ALIGNERS),
    ),
]


@app.command()
def propose(
    testset: inputs.TestsetArgument = None,
    source: inputs.SourceOption = None,
    reference: inputs.ReferenceOption = None,
    system: inputs.SystemOption = None,
    documents: inputs.DocumentsOption = None,
    source_language: inputs.FromOption = None,
    target_language: inputs.ToOption = None,
    format: inputs.FormatOption = None,
    pair: inputs.PairOption = None,
    column: inputs.ColumnOption = None,
    document: DocumentOption = None,
    count: CountOption = 20,
    aligner: AlignerOption = AUTO,
    output: OutputOption = Output.TABLE,
) -> None:
    """Propose the markables of each document: terms that translations disagree on.

    A term counts if it is rendered in several ways within a translation, or across translations,
    or merged with another term; ranked by entropy, frequency and salience, each with its evidence.

    [bold]Examples[/bold]

      isogloss markables propose testset.toml
      isogloss markables propose testset.toml --document news-3 -n 50 -o tsv
    """
    from isogloss.cli.markable_lists import proposal_result

    collection = inputs.read_input(
        testset,
        source=source,
        references=reference,
        systems=system,
        documents=documents,
        source_language=source_language,
        target_language=target_language,
        format=format,
        pair=pair,
        columns=column,
    )
    if document is not None:
        collection = collection.with_documents([document])
    show(proposal_result(collection, count, aligner), output)


@app.command()
def check(
    testset: inputs.TestsetArgument = None,
    source: inputs.SourceOption = None,
    reference: inputs.ReferenceOption = None,
    system: inputs.SystemOption = None,
    documents: inputs.DocumentsOption = None,
    source_language: inputs.FromOption = None,
    target_language: inputs.ToOption = None,
    format: inputs.FormatOption = None,
    pair: inputs.PairOption = None,
    column: inputs.ColumnOption = None,
    use_system: inputs.UseSystemOption = None,
    document: DocumentOption = None,
    phenomenon: Annotated[
        str,
        typer.Option(
            help="One phenomenon; precise: those that need no model and are right nine times in "
            "ten; all: conflict and disappearance, too, which err more often."
        ),
    ] = "precise",
    company: Annotated[
        str, typer.Option(help="What is learnt from: own (and references), or all translations.")
    ] = "own",
    count: CountOption = 30,
    terms: TermsOption = None,
    aligner: AlignerOption = AUTO,
    output: OutputOption = Output.TABLE,
) -> None:
    """Check how markables were translated: a reviewer's list, worst first.

    Each line is one phenomenon at one occurrence of a markable, with the source and the
    translation around it.

    [bold]Examples[/bold]

      isogloss markables check testset.toml --use-system baseline --document news-3
      isogloss markables check testset.toml --terms glossary.txt --count 0
      isogloss markables check testset.toml --phenomenon conflict -o jsonl
    """
    from isogloss.cli.markable_lists import check_result
    from isogloss.metrics.markables import read_term_list

    collection = inputs.read_input(
        testset,
        source=source,
        references=reference,
        systems=system,
        documents=documents,
        source_language=source_language,
        target_language=target_language,
        format=format,
        pair=pair,
        columns=column,
    )
    if use_system:
        collection = collection.with_systems(use_system)
    options: dict[str, OptionValue] = {
        "phenomenon": phenomenon,
        "company": company,
        "count": count,
        "aligner": aligner,
    }
    own = read_term_list(terms) if terms else ()
    show(check_result(collection, document, options, own), output)
