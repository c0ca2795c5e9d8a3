"""Tables for people, fitted to the screen that they are read on."""

import io
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from rich.cells import cell_len
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

_GAP = 2


@dataclass(frozen=True, slots=True)
class Grid:
    """A table for people: a title, an answer, a heading for each column, rows of cells, notes.

    The first `lead` columns name the row. `together` columns after them form a group; a screen too
    narrow for all groups shows them one below the other. `prose` columns are texts that a narrow
    screen shows in several lines.
    """

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()
    numeric: frozenset[int] = field(default_factory=frozenset)
    together: int = 1
    lead: int = 1
    prose: frozenset[int] = field(default_factory=frozenset)
    answer: str = ""  # what the table says, in a sentence
    widest: int = 10_000  # that a row may be, even where there is no edge to fold at
    best: frozenset[tuple[int, int]] = field(default_factory=frozenset)  # rows and columns

    @property
    def widths(self) -> list[int]:
        """What each column takes of a screen."""
        columns = zip(self.headings, *self.rows, strict=True)
        return [max(map(cell_len, column), default=0) + _GAP for column in columns]


def show_grids(grids: Iterable[Grid]) -> None:
    """Print tables on standard output, one below the other."""
    console = Console(highlight=False)
    if console.is_terminal:
        _show_on(console, grids)
        return
    # In a file or a pipe there is no edge to fold at, and nobody wants blanks that fill columns.
    text = io.StringIO()
    _show_on(Console(file=text, highlight=False, width=10_000), grids)
    sys.stdout.write("\n".join(line.rstrip(" ") for line in text.getvalue().split("\n")))
    sys.stdout.flush()  # a server prints its links, and then runs for days


def _show_on(console: Console, grids: Iterable[Grid]) -> None:
    for position, grid in enumerate(grids):
        if position:
            console.print()
        _show_grid(console, _with_short_names(grid, console.width))


def _show_grid(console: Console, grid: Grid) -> None:
    console.print(Text(grid.title, style="bold"))
    if grid.answer:
        console.print(Text(grid.answer))
    for number, columns in enumerate(_screenfuls(grid, min(console.width, grid.widest))):
        if number:
            console.print()
        table = Table(
            box=None,
            pad_edge=False,
            padding=(0, _GAP, 0, 0),
            header_style="bold",
            show_header=any(grid.headings),
        )
        for column in columns:
            side: Literal["left", "right"] = "right" if column in grid.numeric else "left"
            heading, prose = escape(grid.headings[column]), column in grid.prose
            table.add_column(heading, justify=side, no_wrap=not prose)
        for row in grid.rows:
            table.add_row(*(escape(row[column]) for column in columns))
        console.print(table)
    for note in grid.notes:
        console.print(Text(note, style="dim"))


def _with_short_names(grid: Grid, width: int) -> Grid:
    """The grid with the ends of its rows' names, where they would take most of the screen.

    It is the end that tells ids of documents apart: they begin with the test set, the languages.
    """
    widths = grid.widths
    if widths[0] <= width // 2 or sum(widths) <= width:
        return grid
    room = max(width // 3, width - sum(widths[1:])) - _GAP
    ends = {row[0]: _end(row[0], room) for row in grid.rows}
    if len(set(ends.values())) < len(ends):
        return grid
    return replace(grid, rows=[[ends[row[0]], *row[1:]] for row in grid.rows])


def _end(text: str, room: int) -> str:
    if cell_len(text) <= room:
        return text
    while cell_len(text) >= room:
        text = text[1:]
    return f"…{text}"


def _screenfuls(grid: Grid, width: int) -> Iterator[list[int]]:
    """The columns of the grid in lots that fit the screen, each with the leading columns.

    Of a group, columns that are empty in all rows are left out.
    """
    widths = grid.widths
    leading = list(range(min(grid.lead, len(widths))))
    lot = leading[:]
    for start in range(grid.lead, len(widths), grid.together):
        first, *others = range(start, min(start + grid.together, len(widths)))
        group = [first, *(each for each in others if any(row[each] for row in grid.rows))]
        if len(lot) > grid.lead and sum(widths[column] for column in lot + group) > width:
            yield lot
            lot = leading[:]
        lot += group
    yield lot
