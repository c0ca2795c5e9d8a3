"""How results are shown: a table for people, or JSON, JSON lines, TSV and LaTeX for programs.

Standard output and error as they are found: closed, full, of another encoding, or left alone.
"""

import codecs
import csv
import errno
import io
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from isogloss.cli.grid import Grid, show_grids
from isogloss.errors import shown_path
from isogloss.tables import plain_cell, spreadsheet_cell

_SPELLED = "isogloss.spelled"
_SPELLINGS = {
    "→": "->",
    "←": "<-",
    "↑": "^",
    "↓": "v",
    "–": "-",
    "—": "-",
    "−": "-",
    "·": "-",
    "•": "*",
    "…": "...",
    "≤": "<=",
    "≥": ">=",
    "±": "+-",
    "×": "x",
    "∅": "0",
    "τ": "tau",
    "ρ": "rho",
    "α": "alpha",
    "Δ": "delta",
    "’": "'",
    "‘": "'",
    "“": '"',
    "”": '"',
}


def prepare() -> None:
    """Make both streams safe to write to; called once, before anything is printed."""
    _open_closed()
    codecs.register_error(_SPELLED, _spelled)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # Signs that a terminal of another encoding lacks are spelled, not the end of a run.
            stream.reconfigure(errors=_SPELLED)


def print_text(text: str) -> None:
    """Print what programs read: always UTF-8, whatever the terminal's encoding is."""
    if codecs.lookup(sys.stdout.encoding or "utf-8").name == "utf-8":
        sys.stdout.write(text)
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))


def discard_output() -> None:
    """Point standard output elsewhere, so that Python does not complain while it shuts down."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


_UNWRITABLE = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EFBIG: "the file is too large",
    errno.EBADF: "it is closed",
    errno.EIO: "the device fails",
}


def trouble(error: OSError) -> str:
    """An error of the system in words, for one line."""
    if error.filename is not None:
        return f"{shown_path(os.fsdecode(error.filename))}: {error.strerror}"
    if error.errno in _UNWRITABLE:
        return f"standard output cannot be written ({_UNWRITABLE[error.errno]})"
    return error.strerror or str(error)


def _open_closed() -> None:
    """Give closed streams their numbers back, lest the next file that is opened becomes one.

    Standard output is opened for reading, so that whoever prints a result learns that it is lost.
    """
    if sys.stdin is None:
        sys.stdin = open(os.open(os.devnull, os.O_RDONLY))  # noqa: SIM115
    if sys.stdout is None:
        sys.stdout = open(os.open(os.devnull, os.O_RDONLY), "w", encoding="utf-8")  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")  # noqa: SIM115


def _spelled(error: UnicodeError) -> tuple[str, int]:
    """An error handler of codecs: a sign by its spelling, any other character by its number."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    characters = error.object[error.start : error.end]
    return "".join(map(_spelling, characters)), error.end


def _spelling(character: str) -> str:
    return _SPELLINGS.get(character) or character.encode("ascii", "backslashreplace").decode()


Record = Mapping[str, Any]

_LONGEST_LINE = 1000


class Output(StrEnum):
    """The forms a result can take."""

    TABLE = "table"
    JSON = "json"
    JSONL = "jsonl"
    TSV = "tsv"
    CSV = "csv"
    LATEX = "latex"
    MARKDOWN = "md"


OutputOption = Annotated[
    Output,
    typer.Option(
        "--output",
        "-o",
        help="How to print the result. For programs, and exact: json, jsonl, tsv. For "
        "spreadsheets: csv, in which an apostrophe keeps texts from being taken for formulas.",
    ),
]


@dataclass(frozen=True, slots=True)
class Result:
    """What a command found, ready for every form: tables for people, records for programs."""

    grids: Sequence[Grid]
    records: Sequence[Record]
    summary: Record = field(default_factory=dict)


def show(result: Result, output: Output) -> None:
    """Print the result on standard output."""
    if output is Output.TABLE:
        show_grids(result.grids)
    else:
        print_text(rendered(result, output))


def rendered(result: Result, output: Output) -> str:
    """The result in a form for programs, as text."""
    match output:
        case Output.LATEX:
            return "\n".join(map(_latex, result.grids))
        case Output.MARKDOWN:
            return "\n".join(map(_markdown, result.grids))
        case Output.TSV:
            return _tsv(result.records)
        case Output.CSV:
            return _csv(result.records)
        case Output.JSONL:
            return "".join(_json(record) + "\n" for record in result.records)
        case _:
            return _json({**result.summary, "results": list(result.records)}, indent=2) + "\n"


def _json(value: object, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)


def _lines(
    records: Sequence[Record], cell: Callable[[object], str] | None = None
) -> Iterator[list[str]]:
    """A header and one row a record; what is absent is empty."""
    cell = cell or plain_cell
    headings = list(dict.fromkeys(key for record in records for key in record))
    yield [cell(heading) for heading in headings]
    for record in records:
        yield [cell(record.get(key)) for key in headings]


def _tsv(records: Sequence[Record]) -> str:
    # A tab or newline in a name would break the row; TSV has no way to write it.
    plain = str.maketrans("\t\n", "  ")
    rows = ("\t".join(cell.translate(plain) for cell in line) for line in _lines(records))
    return "".join(row + "\n" for row in rows)


def _csv(records: Sequence[Record]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(_lines(records, spreadsheet_cell))
    return text.getvalue()


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
    """A booktabs table, the best of each column bold; what is said of it stands in comments.

    A column in which nothing stands is left out.
    """
    kept = [i for i in range(len(grid.headings)) if any(row[i] for row in grid.rows)]
    columns = "".join("r" if i in grid.numeric else "l" for i in kept)
    said = [grid.title, *filter(None, [grid.answer])]
    lines = [
        *(f"% {line}" for line in said),
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        _latex_row(_tex(grid.headings[i]) for i in kept),
        r"\midrule",
        *(
            _latex_row(_latex_cell(row[i], (number, i) in grid.best) for i in kept)
            for number, row in enumerate(grid.rows)
        ),
        r"\bottomrule",
        r"\end{tabular}",
        *(f"% {note}" for note in grid.notes),
    ]
    return "\n".join(lines) + "\n"


def _latex_cell(text: str, best: bool) -> str:
    return rf"\textbf{{{_tex(text)}}}" if best and text else _tex(text)


def _latex_row(cells: Iterable[str]) -> str:
    row = " & ".join(cells)
    # After the end of a row LaTeX takes a bracket for an option.
    return ("{}" if row.startswith("[") else "") + row + r" \\"


def _markdown(grid: Grid) -> str:
    """A table as GitHub and others show it, with its title above and its notes below."""
    marks = ["---:" if i in grid.numeric else "---" for i in range(len(grid.headings))]
    rows = [grid.headings, marks, *grid.rows]
    lines = ["| " + " | ".join(map(markdown_text, row)) + " |" for row in rows]
    notes = [f"<sub>{markdown_text(note)}</sub>  " for note in grid.notes]
    answer = [markdown_text(grid.answer), ""] if grid.answer else []
    return "\n".join([f"**{markdown_text(grid.title)}**", "", *answer, *lines, "", *notes]) + "\n"


def markdown_text(text: str) -> str:
    """Text that stays text: no markup, and no end of the cell or the line."""
    shown = "".join("\\" + c if c in "\\|*_`[]<" else c for c in text)
    return shown.replace("\n", " ")


def number(value: float | None, digits: int) -> str:
    """The number with that many digits; an en dash where there is none."""
    return "–" if value is None else f"{value:.{digits}f}"


def shown_interval(interval: tuple[float, float] | None, digits: int) -> str:
    """Both ends, or a dash where nothing can be said."""
    return "–" if interval is None else f"[{interval[0]:.{digits}f}, {interval[1]:.{digits}f}]"


# How the command line says what the library calls by the names of arguments.
_FLAGS = {
    "source": "--source",
    "reference": "--reference",
    "system": "--system",
    "source_language": "--from",
    "target_language": "--to",
    "port": "--port",
    "pair": "--pair",
    "allow_missing": "--allow-missing",
    "blank_lines": "--blank-lines",
    "realign": "--realign",
    "network": "--allow-network",
}


def with_flags(message: str, lacking: Sequence[str]) -> str:
    """The message, and the flags that give what was lacking."""
    return f"{message} ({', '.join(_FLAGS[name] for name in lacking)})" if lacking else message


def complain(*lines: str) -> None:
    """What went wrong, a line each, on standard error."""
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    with suppress(OSError):  # where standard error is full, the exit code must do
        for line in lines:
            console.print(Text.assemble(("isogloss:", "bold red"), " ", _in_one_line(line)))


def _in_one_line(text: str) -> str:
    line = " ".join(text.split())
    if len(line) > _LONGEST_LINE:  # what is wrong stands at its ends, a value without end between
        line = f"{line[: _LONGEST_LINE // 2]} … {line[-_LONGEST_LINE // 4 :]}"
    return line


def note(line: str) -> Text:
    """A line for the person at the terminal."""
    return Text.assemble(("note: ", "yellow"), line)


def say(*lines: str) -> None:
    """Notes for the person at the terminal: standard error, so that pipes stay clean."""
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    for line in lines:
        console.print(note(line))
