"""How far the study's annotators agree, phenomenon by phenomenon, and how long they took.

A unit is one occurrence of a markable in one translation; annotators of the same document share
their units. Time is told by the clock of the saved screens: a gap longer than half an hour is a
break, not work.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from statistics import fmean, median

import numpy as np

from isogloss.markables.phenomena import Phenomenon
from isogloss.markables.study.screens import LineSheet, MarkSheet
from isogloss.markables.study.study import MarkRow, Study, severity_of
from isogloss.metaeval.agreement import (
    Floats,
    MarkCounts,
    cohen_kappa,
    krippendorff_alpha,
    mark_counts,
    over_pairs,
    raw_agreement,
)
from isogloss.metaeval.correlation import pearson
from isogloss.metaeval.value import Value

BREAK_SECONDS = 30 * 60


@dataclass(frozen=True, slots=True)
class PhenomenonAgreement:
    """Agreement on one phenomenon: kappa and raw agreement are means over pairs of annotators.

    F1 counts the marks of all pairs together; `severity` is the correlation of the severities
    that two annotators gave where both marked.
    """

    phenomenon: Phenomenon
    raw: Value
    kappa: Value
    alpha: Value
    f1: Value
    severity: Value


def agreement(study: Study, *, humans: bool = True) -> tuple[PhenomenonAgreement, ...]:
    """Agreement on every phenomenon, with the human references among the systems or without."""
    rows = [row for row in study.mark_rows if humans or not row.human]
    return tuple(_agreement(phenomenon, rows) for phenomenon in Phenomenon)


def _agreement(phenomenon: Phenomenon, rows: Sequence[MarkRow]) -> PhenomenonAgreement:
    marked = ratings(rows, lambda row: float(phenomenon in row.marks))
    return PhenomenonAgreement(
        phenomenon,
        over_pairs(marked, raw_agreement).mean,
        over_pairs(marked, cohen_kappa).mean,
        krippendorff_alpha(marked),
        pooled_marks(marked).f1,
        _severity_correlation(ratings(rows, lambda row: severity_of(row, phenomenon)), marked),
    )


def ratings(rows: Sequence[MarkRow], value: Callable[[MarkRow], float | None]) -> Floats:
    """Annotators x units: what each annotator said of each unit, NaN where nothing."""
    annotators = {name: n for n, name in enumerate(dict.fromkeys(r.annotator for r in rows))}
    units = {unit: n for n, unit in enumerate(dict.fromkeys(r.unit for r in rows))}
    found = np.full((len(annotators), len(units)), np.nan)
    for row in rows:
        said = value(row)
        if said is not None:
            found[annotators[row.annotator], units[row.unit]] = said
    return found


def pooled_marks(marked: Floats) -> MarkCounts:
    """The marks of all pairs of annotators, counted together."""
    counts = MarkCounts(0, 0, 0)
    for first, second in combinations(marked, 2):
        counts += mark_counts(first, second)
    return counts


def _severity_correlation(severities: Floats, marked: Floats) -> Value:
    """Over all pairs of annotators and all units that both of them marked."""
    firsts: list[float] = []
    seconds: list[float] = []
    for first, second in combinations(range(len(marked)), 2):
        both = (marked[first] == 1) & (marked[second] == 1)
        firsts += severities[first][both].tolist()
        seconds += severities[second][both].tolist()
    if len(firsts) < 2:
        return Value(None, len(firsts), reason="fewer than two units were marked twice")
    return pearson(firsts, seconds)


@dataclass(frozen=True, slots=True)
class Timing:
    """How long the screens of one phase took; seconds per screen and per translation on it."""

    phase: str
    screens: int
    per_screen: float
    per_translation: float
    median_per_translation: float


def timing(study: Study) -> tuple[Timing, ...]:
    """The time that both phases took."""
    phases = (("lines", study.line_sheets), ("markables", study.mark_sheets))
    return tuple(_timing(phase, sheets) for phase, sheets in phases if sheets)


def _timing(phase: str, sheets: Iterable[LineSheet | MarkSheet]) -> Timing:
    gaps, widths, screens = [], [], 0
    for sheet in sheets:
        times = sorted(screen.time / 1000 for screen in sheet.screens)
        between = (later - earlier for earlier, later in pairwise(times))
        gaps += [gap for gap in between if gap <= BREAK_SECONDS]
        widths += [_width(screen) for screen in sheet.screens]
        screens += len(times)
    width, total = fmean(widths), sum(gaps)
    middle = median(gaps) if gaps else 0.0
    return Timing(phase, screens, total / screens, total / screens / width, middle / width)


def _width(screen: object) -> int:
    shown = getattr(screen, "ratings", None) or getattr(screen, "marks", {})
    return len(shown)
