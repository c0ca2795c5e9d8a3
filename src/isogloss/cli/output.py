"""How results are shown: a table for people, or JSON, JSON lines, TSV and LaTeX for programs."""

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Any, Literal

import typer
from rich.cells import cell_len
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

Record = Mapping[str, Any]


class Output(StrEnum):
    """The forms a result can take."""

    TABLE = "table"
    JSON = "json"
    JSONL = "jsonl"
    TSV = "tsv"
    LATEX = "latex"


OutputOption = Annotated[
    Output,
    typer.Option("--output", "-o", help="How to print the result; all but table are for programs."),
]


@dataclass(frozen=True, slots=True)
class Grid:
    """A table for people: a title, a heading for each column, rows of cells, notes below.

    The first `lead` columns name the row. `together` columns after them form a group; a screen too
    narrow for all groups shows them one below the other.
    """

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()
    numeric: frozenset[int] = field(default_factory=frozenset)
    together: int = 1
    lead: int = 1


@dataclass(frozen=True, slots=True)
class Result:
    """What a command found, ready for every form: tables for people, records for programs."""

    grids: Sequence[Grid]
    records: Sequence[Record]
    summary: Record = field(default_factory=dict)


def show(result: Result, output: Output) -> None:
    """Print the result on standard output."""
    match output:
        case Output.TABLE:
            _show_grids(result.grids)
        case Output.LATEX:
            _write("\n".join(map(_latex, result.grids)))
        case Output.TSV:
            _write(_tsv(result.records))
        case Output.JSONL:
            _write("".join(_json(record) + "\n" for record in result.records))
        case Output.JSON:
            _write(_json({**result.summary, "results": list(result.records)}, indent=2) + "\n")


def _write(text: str) -> None:
    sys.stdout.write(text)


def _json(value: object, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)


def _tsv(records: Sequence[Record]) -> str:
    """A header and one row a record; what is absent is empty."""
    headings = list(dict.fromkeys(key for record in records for key in record))
    lines = [headings, *([_cell(record.get(key)) for key in headings] for record in records)]
    return "".join("\t".join(line) + "\n" for line in lines)


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    # A tab or newline in a name would break the row; TSV has no way to write it.
    return str(value).replace("\t", " ").replace("\n", " ")


def _show_grids(grids: Iterable[Grid]) -> None:
    console = Console(highlight=False)
    if not console.is_terminal:
        # In a file or a pipe there is no edge to fold at.
        console = Console(highlight=False, width=10_000)
    for position, grid in enumerate(grids):
        if position:
            console.print()
        _show_grid(console, grid)


def _show_grid(console: Console, grid: Grid) -> None:
    console.print(Text(grid.title, style="bold"))
    for columns in _screenfuls(grid, console.width):
        table = Table(
            box=None,
            pad_edge=False,
            padding=(0, _GAP, 0, 0),
            header_style="bold",
            show_header=any(grid.headings),
        )
        for column in columns:
            side: Literal["left", "right"] = "right" if column in grid.numeric else "left"
            table.add_column(escape(grid.headings[column]), justify=side, no_wrap=True)
        for row in grid.rows:
            table.add_row(*(escape(row[column]) for column in columns))
        console.print(table)
    for note in grid.notes:
        console.print(Text(note, style="dim"))


_GAP = 2


def _screenfuls(grid: Grid, width: int) -> Iterator[list[int]]:
    """The columns of the grid in lots that fit the screen, each with the leading columns."""
    widths = [
        max(map(cell_len, column), default=0) + _GAP
        for column in zip(grid.headings, *grid.rows, strict=True)
    ]
    leading = list(range(min(grid.lead, len(widths))))
    lot = leading[:]
    for start in range(grid.lead, len(widths), grid.together):
        group = list(range(start, min(start + grid.together, len(widths))))
        if len(lot) > grid.lead and sum(widths[column] for column in lot + group) > width:
            yield lot
            lot = leading[:]
        lot += group
    yield lot


_LATEX_SPECIALS = {
    "\\": r"\textbackslash{}",
    **{character: "\\" + character for character in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "→": r"$\rightarrow$",
    "≤": r"$\leq$",
    "·": r"$\cdot$",
    "–": "--",
}


def _tex(text: str) -> str:
    return "".join(_LATEX_SPECIALS.get(character, character) for character in text)


def _latex(grid: Grid) -> str:
    """A booktabs table; notes become comments, so that nothing about the numbers is lost."""
    columns = "".join("r" if i in grid.numeric else "l" for i in range(len(grid.headings)))
    lines = [
        f"% {grid.title}",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        " & ".join(map(_tex, grid.headings)) + r" \\",
        r"\midrule",
        *(" & ".join(map(_tex, row)) + r" \\" for row in grid.rows),
        r"\bottomrule",
        r"\end{tabular}",
        *(f"% {note}" for note in grid.notes),
    ]
    return "\n".join(lines) + "\n"


def decimals(values: Iterable[float | None]) -> int:
    """Two digits for percentages, four for numbers near one: enough to tell systems apart."""
    return 2 if max((abs(v) for v in values if v is not None), default=0.0) >= 10 else 4


def number(value: float | None, digits: int) -> str:
    """The number with that many digits; an en dash where there is none."""
    return "–" if value is None else f"{value:.{digits}f}"


def say(*lines: str) -> None:
    """Notes for the person at the terminal: standard error, so that pipes stay clean."""
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    for line in lines:
        console.print(Text.assemble(("note: ", "yellow"), line))
