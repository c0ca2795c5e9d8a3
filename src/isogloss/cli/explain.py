"""``isogloss explain``: why one system's score is higher than another's."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from isogloss.cli import inputs, significance
from isogloss.cli.evaluate import DEFAULT_METRICS, MetricsOption, obstacles
from isogloss.cli.grid import Grid, show_grids
from isogloss.cli.output import Output, Record, Result, markdown_text, print_text, rendered, say
from isogloss.cli.people import StoredOption, judgements_on
from isogloss.cli.progress import progress_bar
from isogloss.documents import Collection
from isogloss.errors import InputError
from isogloss.evaluation import evaluate
from isogloss.explanation import (
    Explanation,
    Measured,
    Passage,
    Sheet,
    WordMark,
    explain,
    explanation_page,
    passage_title,
    passages_title,
    section_numbers,
    sheets,
)
from isogloss.formats import read_metric_scores
from isogloss.judgements import Judgements
from isogloss.runtime import Runtime
from isogloss.scores import ScoreTable
from isogloss.signature import split_names


class ExplainForm(StrEnum):
    """The forms an explanation can take."""

    TABLE = "table"
    JSON = "json"
    JSONL = "jsonl"
    TSV = "tsv"
    CSV = "csv"
    LATEX = "latex"
    MARKDOWN = "md"
    HTML = "html"


def command(
    first: Annotated[str, typer.Argument(metavar="A", help="A system.")],
    second: Annotated[str, typer.Argument(metavar="B", help="The system it is compared with.")],
    scores: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[SCORES]...",
            help="Score files saved by 'isogloss evaluate --save', of one test set. Without them "
            "the two systems are scored first.",
            show_default=False,
        ),
    ] = None,
    testset: Annotated[
        Path | None,
        typer.Option(
            "--testset",
            help="The test set: words and passages come from its texts.",
            rich_help_panel=inputs.TESTSET,
        ),
    ] = None,
    metrics: MetricsOption = None,
    human: Annotated[
        str | None,
        typer.Option(
            help="Judgements to compare with: a kind that lies beside the test set (mqm, da-z "
            "...), or a file of them; FILE:KIND where a file holds several kinds."
        ),
    ] = None,
    stored: StoredOption = False,
    output: Annotated[
        ExplainForm,
        typer.Option(
            "--output",
            "-o",
            help="How to print it. For programs, and exact: json, jsonl, tsv. To send around: md, "
            "html (one page, every clause linked to its evidence).",
        ),
    ] = ExplainForm.TABLE,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no notes.")] = False,
    source: inputs.SourceOption = None,
    reference: inputs.ReferenceOption = None,
    system: inputs.SystemOption = None,
    documents: inputs.DocumentsOption = None,
    source_language: inputs.FromOption = None,
    target_language: inputs.ToOption = None,
    format: inputs.FormatOption = None,
    pair: inputs.PairOption = None,
    blank_lines: inputs.BlankLinesOption = False,
    column: inputs.ColumnOption = None,
    use_reference: inputs.UseReferenceOption = None,
    allow_missing: inputs.AllowMissingOption = False,
    realign: inputs.RealignOption = False,
    sentences: inputs.SentencesOption = False,
    device: inputs.DeviceOption = inputs.DeviceKind.CPU,
    cache: inputs.CacheOption = None,
    no_cache: inputs.NoCacheOption = False,
    test: significance.TestOption = significance.TestKind.RANDOMISATION,
    resamples: significance.ResamplesOption = 10_000,
    seed: significance.SeedOption = 12345,
    confidence: significance.ConfidenceOption = 0.95,
    alpha: significance.AlphaOption = 0.05,
) -> None:
    """Explain why system A scores higher than system B, or lower.

    Takes the difference apart: which domains, lengths, places and documents carry it, which words
    and errors set the two apart, where metrics and people disagree, and ten passages to read. Parts
    add up to the difference; what is claimed on top holds beyond chance, over documents. The first
    metric is taken apart, the others are asked whether they agree.

    [bold]From saved scores[/bold]

      isogloss evaluate wmt23/en-de --use-reference refA -m chrf,bleu --save scores.jsonl
      isogloss explain GPT4-5shot ONLINE-W scores.jsonl --testset wmt23/en-de --human mqm

    [bold]At once[/bold]

      isogloss explain good b -s src.txt -r ref.txt -t good=a.txt -t b.txt -d docs.tsv
      isogloss explain steady tangled --testset testset.toml -m chrf,ltcr -o html > why.html
    """
    settings = replace(
        significance.settings_from(
            test,
            significance.BlockKind.DOCUMENTS,
            resamples,
            seed,
            confidence,
            alpha,
            significance.CorrectionKind.HOLM,
        )
    )
    names = [name for text in metrics or () for name in split_names(text)]
    runtime = inputs.runtime_from(device, cache, no_cache)
    collection = None
    if testset or source or reference or system:
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
            blank_lines=blank_lines,
            columns=column,
            allow_missing=allow_missing,
            realign=realign,
            sentences=sentences,
            runtime=runtime,
            quiet=quiet,
        )
    judgements = _judgements(testset, human, collection)
    tables = _tables(scores, names, collection, (first, second), use_reference, runtime, quiet)
    metric = names[0] if names else None
    if stored:
        tables.append(_stored(testset, collection))
    found = explain(
        _only(tables, names, judgements.kind if judgements else None, stored),
        first,
        second,
        metric,
        collection=collection,
        judgements=judgements,
        settings=settings,
    )
    _show(found, tables[0], output)


def _judgements(
    testset: Path | None, human: str | None, collection: Collection | None
) -> Judgements | None:
    if human is None:
        return None
    if collection is None:
        raise InputError("judgements are about texts; name the test set with --testset")
    return judgements_on(testset or Path(), human, collection)


def _tables(
    scores: Sequence[Path] | None,
    names: Sequence[str],
    collection: Collection | None,
    systems: tuple[str, str],
    references: Sequence[str] | None,
    runtime: Runtime,
    quiet: bool,
) -> list[ScoreTable]:
    """The saved scores, or those of the two systems, scored now."""
    if scores:
        return [inputs.read_saved(scores)]
    if collection is None:
        raise InputError(
            "there are no scores and no texts; name score files, or a test set with --testset"
        )
    chosen = collection.with_references(references) if references else collection
    with progress_bar(quiet) as tell:
        table = evaluate(
            chosen.with_systems(systems),
            names or DEFAULT_METRICS,
            runtime=replace(runtime, progress=tell),
        )
    say(*obstacles(table))
    return [table]


def _stored(testset: Path | None, collection: Collection | None) -> ScoreTable:
    if testset is None or collection is None:
        raise InputError("--stored takes scores that lie beside a test set; name it (--testset)")
    return read_metric_scores(testset, collection)


def _only(
    tables: Sequence[ScoreTable], names: Sequence[str], people: str | None, stored: bool
) -> list[ScoreTable]:
    """The metrics that were asked for, if several were; stored ones stay."""
    if len(names) < 2 or stored:
        return list(tables)
    (table,) = tables
    chosen = [name for name in names if name != people]
    infos = tuple(map(table.metric, chosen))
    rows = tuple(row for row in table.rows if row.metric in chosen)
    return [replace(table, metrics=infos, rows=rows)]


# --- showing --------------------------------------------------------------------------------------


def _show(found: Explanation, table: ScoreTable, output: ExplainForm) -> None:
    title = f"{found.first} against {found.second} · {found.metric.name} · {table.provenance}"
    match output:
        case ExplainForm.TABLE:
            _print(found, title)
        case ExplainForm.MARKDOWN:
            print_text(_markdown(found, title))
        case ExplainForm.HTML:
            print_text(explanation_page(found, title))
        case _:
            grids = [_grid(sheet) for sheet in sheets(found)]
            result = Result(grids, list(_records(found)), _summary(found, table))
            print_text(rendered(result, Output(output.value)))


def _grid(sheet: Sheet) -> Grid:
    return Grid(
        f"{sheet.number} {sheet.title}",
        sheet.headings,
        sheet.rows,
        sheet.notes,
        sheet.numeric,
        prose=sheet.prose,
    )


def _references(found: Explanation) -> Iterator[tuple[str, list[tuple[str, int]]]]:
    """Each clause with the sections that it speaks of, by name and number."""
    numbers = section_numbers(found)
    for clause in found.clauses:
        yield clause.text, [(name, numbers[name]) for name in clause.sections if name in numbers]


def _print(found: Explanation, title: str) -> None:
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=10_000)
    console.print(Text(title, style="bold"))
    told = Text()
    for text, sections in _references(found):
        told.append(text + " ")
        told.append("".join(f"[{number}]" for _, number in sections) + " ", style="dim")
    console.print(told)
    for note in found.found.notes:
        console.print(Text(f"note: {note}", style="yellow"))
    console.print()
    show_grids(map(_grid, sheets(found)))
    if found.found.passages:
        number = section_numbers(found)["passages"]
        console.print()
        console.print(Text(f"{number} {passages_title()}", style="bold"))
        for number, passage in enumerate(found.found.passages, start=1):
            console.print(Text(f"\n({number}) {passage_title(found, passage)}", style="dim"))
            if console.is_terminal:
                console.print(_passage_table(passage))
            else:
                console.print("\n".join(f"{name:9}  {text}" for name, text, _ in _sides(passage)))
        if console.is_terminal:
            key = "in one output alone: bold if the reference has it, underlined if not"
            console.print(Text(key, style="dim"))


_LONGEST_EXCERPT = 280


def _passage_table(passage: Passage) -> Table:
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True, style="dim")
    table.add_column()
    middle = _middle(passage)
    for name, text, marks in _sides(passage):
        table.add_row(name, _excerpt(text, marks, middle))
    return table


def _sides(passage: Passage) -> Iterator[tuple[str, str, Sequence[WordMark]]]:
    """The texts of a passage, with the words to mark in them."""
    yield "source", passage.source, ()
    if passage.reference is not None:
        yield "reference", passage.reference, ()
    yield "A", passage.first, passage.first_marks
    yield "B", passage.second, passage.second_marks


def _middle(passage: Passage) -> float:
    """About where in the text the outputs differ most, from 0 to 1."""
    centres = [
        (mark.start + mark.end) / 2 / len(text)
        for text, marks in (
            (passage.first, passage.first_marks),
            (passage.second, passage.second_marks),
        )
        for mark in marks
    ]
    reach = _LONGEST_EXCERPT / 2 / max(len(passage.first), len(passage.second), 1)
    return max(centres, key=lambda at: sum(abs(at - c) <= reach for c in centres), default=0.0)


def _excerpt(text: str, marks: Sequence[WordMark], middle: float) -> Text:
    shown = Text(text)
    for mark in marks:
        shown.stylize("bold green" if mark.right else "underline red", mark.start, mark.end)
    if len(text) <= _LONGEST_EXCERPT:
        return shown
    begin = int(middle * len(text)) - _LONGEST_EXCERPT // 2
    begin = max(0, min(begin, len(text) - _LONGEST_EXCERPT))
    end = begin + _LONGEST_EXCERPT
    begin = text.rfind(" ", 0, begin) + 1 if begin else 0
    after = text.find(" ", end)
    end = len(text) if after < 0 else after
    dots = Text("… " if begin else ""), Text(" …" if end < len(text) else "")
    return Text.assemble(dots[0], shown[begin:end], dots[1])


# --- for other programs ---------------------------------------------------------------------------


def _markdown(found: Explanation, title: str) -> str:
    told = " ".join(
        markdown_text(text) + "".join(f" [\\[{number}\\]](#{name})" for name, number in sections)
        for text, sections in _references(found)
    )
    notes = [f"<sub>{markdown_text(note)}</sub>  " for note in found.found.notes]
    lines = [f"## {markdown_text(title)}", "", told, "", *notes]
    for sheet in sheets(found):
        table = rendered(Result([_grid(sheet)], []), Output.MARKDOWN)
        lines += ["", f'<a id="{sheet.name}"></a>', "", table.rstrip()]
    if found.found.passages:
        number = section_numbers(found)["passages"]
        lines += ["", '<a id="passages"></a>', "", f"**{number} {passages_title()}**"]
    for number, passage in enumerate(found.found.passages, start=1):
        lines += ["", f"({number}) {markdown_text(passage_title(found, passage))}", ""]
        lines += [f"- {name}: {_bold(text, marks)}" for name, text, marks in _sides(passage)]
    return "\n".join(lines) + "\n"


def _bold(text: str, marks: Sequence[WordMark]) -> str:
    """The text with the words in bold that it alone has right."""
    at, parts = 0, []
    for mark in marks:
        if mark.right:
            parts += [markdown_text(text[at : mark.start])]
            parts += [f"**{markdown_text(text[mark.start : mark.end])}**"]
            at = mark.end
    return "".join([*parts, markdown_text(text[at:])])


def _records(found: Explanation) -> Iterator[Record]:
    """One record for each part of each view, and for each document."""
    for view in found.found.views:
        for part in view.parts:
            yield {
                "view": view.name,
                "part": part.name,
                "units": part.units,
                "documents": part.documents,
                "share": part.share,
                "first": part.first,
                "second": part.second,
                **_measured("carries", part.carries, found),
                **_measured("beyond", part.beyond, found),
            }
    for each in found.found.documents.parts:
        yield {
            "view": "document",
            "part": each.document,
            "units": each.segments,
            "documents": 1,
            "first": each.first,
            "second": each.second,
            "carries": each.carries,
        }


def _measured(name: str, measured: Measured, found: Explanation) -> dict[str, Any]:
    low, high = measured.interval or (None, None)
    return {
        name: measured.value,
        f"{name}_low": low,
        f"{name}_high": high,
        f"{name}_p": measured.p,
        f"{name}_claimed": found.holds(measured),
    }


def _summary(found: Explanation, table: ScoreTable) -> Record:
    inside = asdict(found.found)
    for name in ("views", "documents"):
        inside.pop(name)
    documents = found.found.documents
    return {
        "provenance": asdict(table.provenance),
        "settings": asdict(found.settings),
        "metric": found.metric.record(),
        "first": found.first,
        "second": found.second,
        "first_score": found.first_score,
        "second_score": found.second_score,
        "test": asdict(found.test),
        "is_real": found.is_real,
        "unit": found.unit,
        "remainder": found.remainder,
        "claimed_up_to_p": found.level,
        "tests": found.tests,
        "summary": found.summary,
        "clauses": [asdict(clause) for clause in found.clauses],
        "documents_for_first": documents.for_first,
        "documents_for_second": documents.for_second,
        "documents_to_turn": documents.turning,
        **inside,
    }
