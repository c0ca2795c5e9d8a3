"""How an explanation is shown: in a terminal, as a page to send around, for programs."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from enum import StrEnum
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from isogloss.cli.grid import Grid, show_grids
from isogloss.cli.output import Output, Record, Result, markdown_text, print_text, rendered
from isogloss.explanation import (
    Explanation,
    MeasuredNumber,
    Sheet,
    TellingPassage,
    WordMark,
    explanation_page,
    passage_title,
    passages_title,
    section_numbers,
    sheets,
)
from isogloss.scores import ScoreTable


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


def show_explanation(found: Explanation, table: ScoreTable, output: ExplainForm) -> None:
    """Print it on standard output; the table tells what was scored."""
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


def _passage_table(passage: TellingPassage) -> Table:
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True, style="dim")
    table.add_column()
    middle = _middle(passage)
    for name, text, marks in _sides(passage):
        table.add_row(name, _excerpt(text, marks, middle))
    return table


def _sides(passage: TellingPassage) -> Iterator[tuple[str, str, Sequence[WordMark]]]:
    """The texts of a passage, with the words to mark in them."""
    if passage.source:
        yield "source", passage.source, ()
    if passage.reference is not None:
        yield "reference", passage.reference, ()
    yield "A", passage.first, passage.first_marks
    yield "B", passage.second, passage.second_marks


def _middle(passage: TellingPassage) -> float:
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


def _measured(name: str, measured: MeasuredNumber, found: Explanation) -> dict[str, Any]:
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
        "worth": found.worth and asdict(found.worth),
        "silence": found.silence,
        "summary": found.summary,
        "clauses": [asdict(clause) for clause in found.clauses],
        "documents_for_first": documents.for_first,
        "documents_for_second": documents.for_second,
        "documents_to_turn": documents.turning,
        **inside,
    }
