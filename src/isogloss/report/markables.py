"""Plots of a markable study: split bars of occurrence and severity, and correlations."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from isogloss.markables.study.analysis import Rate, Rates, SystemFigures
from isogloss.markables.study.correlations import Correlation
from isogloss.metaeval.intervals import Interval
from isogloss.report.plots import new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_FULL_OCCURRENCE = 0.2  # the paper's boxes are full at 20 % occurrence and at severity 1
_OCCURRENCE_COLOUR, _SEVERITY_COLOUR = "#1f3b57", "#c0492f"


def split_bars(rates: Mapping[str, Rates], title: str) -> "Figure":
    """Tables 5 and 6 as boxes: occurrence (left half, full at 20 %) and severity (right half)."""
    columns = {"Average": [found.average for found in rates.values()]}
    for phenomenon in next(iter(rates.values())).by_phenomenon:
        columns[phenomenon.title] = [found.by_phenomenon[phenomenon] for found in rates.values()]
    figure, axes = new_figure(1.0 + 0.75 * len(columns), 1.5 + 0.4 * len(rates))
    for x, cells in enumerate(columns.values()):
        for y, cell in enumerate(cells):
            _split_box(axes, x, y, cell)
    axes.set_xlim(-0.6, len(columns) - 0.4)
    axes.set_ylim(len(rates) - 0.4, -0.6)
    axes.set_xticks(range(len(columns)), list(columns), rotation=45, ha="right", fontsize=8)
    axes.set_yticks(range(len(rates)), list(rates), fontsize=8)
    axes.set_title(f"{title}: occurrence (left, full at 20 %) | severity (right)", fontsize=9)
    for side in axes.spines.values():
        side.set_visible(False)
    return figure


def _split_box(axes: Any, x: int, y: int, cell: Rate) -> None:
    width, height = 0.4, 0.8
    halves = (
        (x - width, min(cell.occurrence / _FULL_OCCURRENCE, 1.0), _OCCURRENCE_COLOUR),
        (float(x), min(cell.severity, 1.0), _SEVERITY_COLOUR),
    )
    for left, share, colour in halves:
        axes.add_patch(_rectangle(left, y + height / 2, width, -height, "#eceff2"))
        axes.add_patch(_rectangle(left, y + height / 2, width, -height * share, colour))


def _rectangle(left: float, bottom: float, width: float, height: float, colour: str) -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle((left, bottom), width, height, facecolor=colour, linewidth=0)


def system_bars(figures: Sequence[SystemFigures], title: str) -> "Figure":
    """Tables 2 and 4: each system's mean, over all and by domain; people hatched."""
    domains = list(figures[0].by_domain)
    groups = {"all": [row.total for row in figures]}
    groups |= {name: [row.by_domain.get(name, 0.0) for row in figures] for name in domains}
    figure, axes = new_figure(8.0, 1.0 + 0.35 * len(figures))
    height = 0.8 / len(groups)
    for number, (name, values) in enumerate(groups.items()):
        places = [place + (number - (len(groups) - 1) / 2) * height for place in range(len(values))]
        bars = axes.barh(places, values, height=height, label=name)
        for bar, row in zip(bars, figures, strict=True):
            bar.set_hatch("///" if row.human else "")
    axes.set_yticks(range(len(figures)), [row.system for row in figures], fontsize=8)
    axes.invert_yaxis()
    axes.set_xlabel(title)
    figure.legend(loc="outside upper center", ncols=len(groups))
    return figure


def correlation_plot(correlations: Sequence[Correlation], title: str) -> "Figure":
    """Each correlation with its interval: hollow with the human reference, full without."""
    figure, axes = new_figure(7.0, 1.2 + 0.35 * len(correlations))
    for row, pair in enumerate(correlations):
        _interval_line(axes, row - 0.15, pair.with_reference, "white")
        _interval_line(axes, row + 0.15, pair.without_reference, _OCCURRENCE_COLOUR)
    names = [f"{pair.first} and {pair.second}" for pair in correlations]
    axes.set_yticks(range(len(names)), names, fontsize=8)
    axes.invert_yaxis()
    axes.axvline(0.0, color="#888888", linewidth=0.8)
    axes.set_xlim(-1.05, 1.05)
    axes.set_xlabel("Pearson's r: hollow with the human reference, full without")
    axes.set_title(title, fontsize=9)
    return figure


def _interval_line(axes: Any, height: float, interval: Interval, fill: str) -> None:
    if interval.value.value is None:
        return
    if interval.low is not None and interval.high is not None:
        axes.plot([interval.low, interval.high], [height, height], color=_OCCURRENCE_COLOUR)
    axes.plot(
        interval.value.value,
        height,
        marker="o",
        color=_OCCURRENCE_COLOUR,
        markerfacecolor=fill,
        markersize=5,
    )
