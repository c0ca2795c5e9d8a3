"""How far the study's annotators agree, phenomenon by phenomenon, and how long they took.

A unit is one occurrence of a markable in one translation; annotators of the same document share
their units. Time is told by the clock of the saved screens: a gap longer than half an hour is a
break, not work.

The study's correlations, each with and without the human reference, with counts and intervals.

The paper lets the reference take part, whose BLEU against itself is near 100: one point far from
all others turns signs around. Between systems the interval is Fisher's; between lines it comes
from resampling lines, because one line's thirteen translations and several annotators hang
together.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from statistics import fmean, median

import numpy as np

from isogloss.arrays import Floats
from isogloss.metaeval import (
    Interval,
    MarkCounts,
    Resampling,
    Value,
    cohen_kappa,
    correlation_interval,
    fisher_interval,
    krippendorff_alpha,
    mark_counts,
    over_pairs,
    pearson,
    raw_agreement,
)
from isogloss.metrics.markables.markable import Phenomenon
from isogloss.metrics.markables.study.analysis import Analysis
from isogloss.metrics.markables.study.study import (
    LineRow,
    LineSheet,
    MarkableStudy,
    MarkRow,
    MarkSheet,
    severity_of,
)

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


def annotator_agreement(
    study: MarkableStudy, *, humans: bool = True
) -> tuple[PhenomenonAgreement, ...]:
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


def timing(study: MarkableStudy) -> tuple[Timing, ...]:
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


Score = Callable[[LineRow], float | None]


@dataclass(frozen=True, slots=True)
class Correlation:
    """Pearson's r of two figures, with the human references among the systems and without."""

    first: str
    second: str
    unit: str
    with_reference: Interval
    without_reference: Interval


def line_correlations(analysis: Analysis, resamples: int = 1000) -> tuple[Correlation, ...]:
    """Over rated lines: fluency and adequacy; their product and the words reported as wrong."""
    pairs: tuple[tuple[str, Score, str, Score], ...] = (
        ("fluency", lambda r: r.rating.fluency, "adequacy", lambda r: r.rating.adequacy),
        ("fluency·adequacy", lambda r: r.product, "reported words", lambda r: r.reported_words),
    )
    return tuple(
        Correlation(
            first,
            second,
            "line",
            _over_lines(analysis, here, there, resamples, humans=True),
            _over_lines(analysis, here, there, resamples, humans=False),
        )
        for first, here, second, there in pairs
    )


def _over_lines(
    analysis: Analysis, first: Score, second: Score, resamples: int, *, humans: bool
) -> Interval:
    rows = [row for row in analysis.study.line_rows if humans or not row.human]
    screens = {key: n for n, key in enumerate(dict.fromkeys(map(_screen, rows)))}
    systems = {name: n for n, name in enumerate(analysis.systems)}
    blocks = {place: n for n, place in enumerate(dict.fromkeys(key[1:] for key in screens))}
    matrices = np.full((2, len(systems), len(screens)), np.nan)
    for row in rows:
        pair = first(row), second(row)
        if None not in pair:
            matrices[:, systems[row.system], screens[_screen(row)]] = pair
    resampling = Resampling(resamples, blocks=[blocks[key[1:]] for key in screens])
    return correlation_interval("pearson", matrices[0], matrices[1], "none", resampling=resampling)


def _screen(row: LineRow) -> tuple[str, str, int]:
    return row.annotator, row.document, row.line


def system_correlations(analysis: Analysis) -> tuple[Correlation, ...]:
    """Over systems: BLEU and rating, and the last two columns of Table 6."""
    bleu = {row.system: row.total for row in analysis.bleu_by_system}
    rating = {row.system: row.total for row in analysis.product_by_system}
    found = [between_systems(analysis, "BLEU", bleu, "fluency·adequacy", rating)]
    for name, products in _products(analysis):
        found.append(between_systems(analysis, name, products, "BLEU", bleu))
        found.append(between_systems(analysis, name, products, "fluency·adequacy", rating))
    return tuple(found)


def _products(analysis: Analysis) -> Iterator[tuple[str, dict[str, float]]]:
    """Occurrence times severity of the average and of each phenomenon, system by system."""
    rates = analysis.rates_by_system
    # Of products, whereas the tables average occurrence and severity apart: so did the authors.
    yield (
        "Average",
        {
            system: fmean(rate.product for rate in found.by_phenomenon.values())
            for system, found in rates.items()
        },
    )
    for phenomenon in analysis.phenomena:
        yield phenomenon.title, phenomenon_products(analysis, phenomenon)


def phenomenon_products(analysis: Analysis, phenomenon: Phenomenon) -> dict[str, float]:
    """Occurrence times severity of one phenomenon, system by system."""
    rates = analysis.rates_by_system
    return {system: found.by_phenomenon[phenomenon].product for system, found in rates.items()}


def phenomenon_correlations(analysis: Analysis) -> tuple[Correlation, ...]:
    """Over systems: every phenomenon with every other, the closest pair first."""
    products = {p.title: phenomenon_products(analysis, p) for p in analysis.phenomena}
    found = [
        between_systems(analysis, first, products[first], second, products[second])
        for first, second in combinations(products, 2)
    ]
    return tuple(sorted(found, key=lambda pair: -(pair.with_reference.value.value or -2.0)))


def between_systems(
    analysis: Analysis,
    first: str,
    firsts: Mapping[str, float],
    second: str,
    seconds: Mapping[str, float],
) -> Correlation:
    """The correlation of two figures, over the systems that have both."""
    judged = [name for name in analysis.systems if name in firsts and name in seconds]
    machines = [name for name in judged if name not in analysis.study.humans]

    def interval(systems: Sequence[str]) -> Interval:
        found: Value = pearson([firsts[s] for s in systems], [seconds[s] for s in systems])
        return fisher_interval(found)

    return Correlation(first, second, "system", interval(judged), interval(machines))
