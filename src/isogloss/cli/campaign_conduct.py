"""How annotators judge beside each other, as tables of ``isogloss annotate results``."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from isogloss.cli.grid import Grid
from isogloss.cli.output import number, shown_interval
from isogloss.documents import counted

if TYPE_CHECKING:
    from isogloss.annotate import AnnotatorConduct, MeasuredFigure, Voices

_SHARES = ("phase1", "phase2")
"""Kinds of work whose numbers are too small for one digit."""


def conduct_grids(voices: "Voices") -> Iterator[Grid]:
    """Nothing where one person alone has judged."""
    if len(voices.conduct) < 2:
        return
    headings = ["annotator", "documents", "milder by", "", "spread", "", "agreement", ""]
    rows = [_row(each) for each in voices.conduct]
    notes = [
        f"{each.annotator} {words}"
        for each in voices.conduct
        if each.stands_out
        for words in each.words
    ]
    notes += [f"{each.what}: {_alpha(each.value, each.reason)}" for each in voices.agreement]
    notes.append(
        "milder by, drift: than the others on the same translations; intervals are over documents "
        "and hold for all annotators together"
    )
    answer = _answer(voices)
    headings += ["drift", ""]
    numeric = frozenset(range(1, len(headings)))
    yield Grid("Annotators", headings, rows, notes, numeric, together=2, answer=answer)


def _answer(voices: "Voices") -> str:
    out = [each.annotator for each in voices.conduct if each.stands_out]
    if not out:
        return "Nobody stands out."
    return f"{len(out)} of {counted(len(voices.conduct), 'annotator')} stand out: {', '.join(out)}."


def _row(each: "AnnotatorConduct") -> list[str]:
    digits = 2 if each.kind in _SHARES else 1
    return [
        each.annotator,
        str(each.documents),
        *_cells(each.mildness, digits),
        *_cells(each.spread, 2),
        *_cells(each.agreement, 2),
        *_cells(each.drift, digits),
    ]


def _cells(figure: "MeasuredFigure | None", digits: int) -> list[str]:
    if figure is None:
        return [number(None, digits), ""]
    ends = None
    if figure.low is not None and figure.high is not None:
        ends = figure.low, figure.high
    return [number(figure.value, digits), shown_interval(ends, digits)]


def _alpha(value: float | None, reason: str | None) -> str:
    return reason or "?" if value is None else f"Krippendorff's alpha {value:.2f}"
