"""The study's correlations, each with and without the human reference, with counts and intervals.

The paper lets the reference take part, whose BLEU against itself is near 100: one point far from
all others turns signs around. Between systems the interval is Fisher's; between lines it comes
from resampling lines, because one line's thirteen translations and several annotators hang
together.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean

import numpy as np

from isogloss.markables.phenomena import Phenomenon
from isogloss.markables.study.analysis import Analysis
from isogloss.markables.study.study import LineRow
from isogloss.metaeval.correlation import pearson
from isogloss.metaeval.intervals import Interval, correlation_interval, fisher_interval
from isogloss.metaeval.left_out import Resampling
from isogloss.metaeval.value import Value

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
