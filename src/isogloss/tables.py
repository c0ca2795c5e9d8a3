"""Small tables of results: for a terminal and for a notebook."""

import re
from collections.abc import Iterable, Sequence
from html import escape


def decimals(values: Iterable[float | None]) -> int:
    """Two digits for percentages, four for numbers near one: enough to tell systems apart."""
    return 2 if max((abs(v) for v in values if v is not None), default=0.0) >= 10 else 4


BYTE_UNITS = {"B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}


def shown_bytes(count: int) -> str:
    """Bytes as a person reads them."""
    unit = next(u for u in reversed(BYTE_UNITS) if count >= BYTE_UNITS[u] or u == "B")
    return f"{count} B" if unit == "B" else f"{count / BYTE_UNITS[unit]:.1f} {unit}"


def text_table(cells: Sequence[Sequence[str]]) -> list[str]:
    """Lines of columns: the first to the left, the others to the right."""
    first, *others = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return ["  ".join([row[0].ljust(first), *map(str.rjust, row[1:], others)]) for row in cells]


def html_table(caption: str, cells: Sequence[Sequence[str]], *notes: str) -> str:
    """The same as HTML; the first row is the heading."""
    heading, *rows = [[escape(cell) for cell in row] for row in cells]
    head = "".join(f"<th>{cell}</th>" for cell in heading)
    body = "".join(
        f"<tr><th>{first}</th>{''.join(f'<td>{cell}</td>' for cell in others)}</tr>"
        for first, *others in rows
    )
    told = "".join(f"<p>{escape(note)}</p>" for note in notes)
    top = f"<caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead>"
    return f"<table>{top}<tbody>{body}</tbody></table>{told}"


_FORMULA = re.compile(r"\s*[=+\-@＝＋－＠]|[\t\r\n]")
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?", re.IGNORECASE)


def spreadsheet_cell(value: object) -> str:
    """A cell that a spreadsheet shows and never runs.

    A text that begins as formulas do gets an apostrophe, by which spreadsheets know a text; a
    system called ``=HYPERLINK(...)`` stays a name. Numbers stay numbers.
    """
    text = plain_cell(value)
    risky = isinstance(value, str) and _FORMULA.match(text) and not _NUMBER.fullmatch(text)
    return f"'{text}" if risky else text


def plain_cell(value: object) -> str:
    """A cell as programs read it: nothing for what is absent."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)
