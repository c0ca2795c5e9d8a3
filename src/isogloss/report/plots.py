"""Plots of results, as matplotlib figures; matplotlib is loaded only when one is drawn.

Plots of trained hybrids: what each weight would give.

Plots of a markable study: split bars of occurrence and severity, and correlations.
"""

from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from isogloss.comparison import Comparison
from isogloss.destination import write_file
from isogloss.errors import InputError, MissingExtraError
from isogloss.metaeval import (
    Differences,
    Interval,
    Matched,
    ReliabilityBin,
    Significance,
    Slices,
)
from isogloss.metrics.markables.study import Correlation, Rate, Rates, SystemFigures
from isogloss.probing import Bin
from isogloss.scores import ScoreTable
from isogloss.stability import Curve
from isogloss.tuning import HELD_OUT, Tuned

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def new_figure(width: float = 6.0, height: float = 4.0) -> "tuple[Figure, Any]":
    """An empty figure and its axes."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError("plots need matplotlib, which is not installed", "plots") from error
    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots()


def save_plot(figure: "Figure", path: Path) -> None:
    """Write a figure; the suffix says how (.svg, .png, .pdf ...)."""
    form = path.suffix.lower().removeprefix(".") or "png"
    known = figure.canvas.get_supported_filetypes()
    if form not in known:
        raise InputError(f"{path}: plots cannot be written as {form!r}; use .{', .'.join(known)}")
    drawn = BytesIO()
    figure.savefig(drawn, format=form)
    write_file(path, drawn.getvalue())


def bins_plot(bins: Sequence[Bin]) -> "Figure":
    """Mean H(output | reference) by sentence BLEU, with standard deviations."""
    figure, axes = new_figure()
    points = [
        ((b.low + b.high) / 2, b.mean, b.deviation or 0.0) for b in bins if b.mean is not None
    ]
    places, means, deviations = zip(*points, strict=True) if points else ((), (), ())
    axes.errorbar(places, means, yerr=deviations, marker="o", capsize=3)
    axes.set_xlabel("sentence BLEU of the output")
    axes.set_ylabel("mean H(output | reference)")
    axes.grid(alpha=0.3)
    return figure


def significance_plot(significance: Significance, title: str) -> "Figure":
    """A heat map: is the row's metric better than the column's? Dark cells are sure of it."""
    names = list(significance.values)
    size = max(4.0, 0.35 * len(names) + 2)
    figure, axes = new_figure(size + 1, size)
    p_values = np.full((len(names), len(names)), np.nan)
    for row, first in enumerate(names):
        for column, second in enumerate(names):
            test = significance.tests.get((first, second))
            if row < column and test is not None and test.p is not None:
                p_values[row, column] = test.p
    image = axes.imshow(p_values, cmap="viridis", vmin=0.0, vmax=0.5)
    axes.set_xticks(range(len(names)), names, rotation=90, fontsize=7)
    axes.set_yticks(range(len(names)), names, fontsize=7)
    for row, column in zip(*np.nonzero(p_values <= 0.05), strict=True):
        axes.text(column, row, "*", ha="center", va="center", color="white")
    axes.set_title(title)
    axes.set_xlabel(
        "* p ≤ 0.05: the row's metric agrees better with people than the column's;\n"
        "metrics are ordered from the best; empty: not tested, or tested the other way round",
        fontsize=7,
    )
    figure.colorbar(image, label="p: row better than column", shrink=0.7)
    return figure


def scatter_plot(matched: Matched, metric: str) -> "Figure":
    """A metric's scores against people's, a point an item; systems where items are systems."""
    figure, axes = new_figure()
    human, scores = matched.human, matched.metrics[metric]
    if matched.level == "system":
        axes.scatter(human[:, 0], scores[:, 0])
        for name, x, y in zip(matched.systems, human[:, 0], scores[:, 0], strict=True):
            axes.annotate(name, (x, y), fontsize=7, xytext=(3, 3), textcoords="offset points")
    else:
        axes.scatter(human.ravel(), scores.ravel(), s=4, alpha=0.25, linewidths=0)
    axes.set_xlabel("people")
    axes.set_ylabel(metric)
    axes.set_title(f"{matched.level}s")
    axes.grid(alpha=0.3)
    return figure


def differences_plot(differences: Differences, metric: str, level: str) -> "Figure":
    """What people prefer, by the size of the metric's difference: stacked shares."""
    figure, axes = new_figure()
    bins = differences.bins()
    places = np.arange(len(bins))
    parts: Mapping[str, list[float]] = {
        "people agree": [b.same for b in bins],
        "people see none": [b.tied for b in bins],
        "people disagree": [b.opposite for b in bins],
    }
    bottom = np.zeros(len(bins))
    for (label, shares), colour in zip(
        parts.items(), ("#2f7a4d", "#c9ced6", "#b5493b"), strict=True
    ):
        axes.bar(places, shares, bottom=bottom, label=label, color=colour, width=0.9)
        bottom += np.array(shares)
    axes.set_xticks(places, [f"{b.low:.3g}–{b.high:.3g}" for b in bins], rotation=45, ha="right")
    axes.set_xlabel(f"difference in {metric} between two systems ({level}s)")
    axes.set_ylabel("share of pairs")
    axes.set_ylim(0, 1)
    figure.legend(loc="outside upper center", ncols=3)
    return figure


def table_plots(
    table: ScoreTable, comparisons: Sequence[Comparison]
) -> "Iterator[tuple[str, Figure]]":
    """Every plot of a table of scores by name: intervals, wins and documents of each metric."""
    for comparison in comparisons:
        name = comparison.metric.name.replace("/", "_")
        yield f"{name}.intervals", intervals_plot(comparison)
        yield f"{name}.wins", wins_plot(comparison)
        yield f"{name}.documents", documents_plot(table, comparison)


_BLUE, _PALE_BLUE, _PALE_ORANGE, _ORANGE = "#1f6f8b", "#c0dfe7", "#f5d3b8", "#c1611f"


def intervals_plot(comparison: Comparison) -> "Figure":
    """Systems from best to worst, each with its interval; lines separate rank clusters."""
    standings = [each for each in comparison.standings if each.score is not None]
    figure, axes = new_figure(6.0, 1.0 + 0.28 * len(standings))
    for row, standing in enumerate(standings):
        low, high = standing.interval or (standing.score, standing.score)
        axes.plot([low, high], [row, row], color=_BLUE, linewidth=2)
        axes.plot(standing.score, row, "o", color=_BLUE, markersize=5)
        if row and standing.cluster != standings[row - 1].cluster:
            axes.axhline(row - 0.5, color="#b9b5ab", linewidth=0.8, linestyle=":")
    axes.set_yticks(range(len(standings)), [each.system for each in standings])
    axes.invert_yaxis()
    axes.grid(axis="x", alpha=0.3)
    confidence = f"{comparison.settings.confidence:.0%}"
    axes.set_xlabel(f"{comparison.metric.name}, {confidence} interval")
    return figure


def wins_plot(comparison: Comparison) -> "Figure":
    """Row against column: blue rows win, strong colours are significant."""
    names = [each.system for each in comparison.standings if each.score is not None]
    size = max(3.0, 0.3 * len(names) + 1.6)
    figure, axes = new_figure(size, size)
    colours = np.full((len(names), len(names), 3), 1.0)
    for row, first in enumerate(names):
        for column, second in enumerate(names[row + 1 :], start=row + 1):
            colours[row, column], colours[column, row] = _win_colours(comparison, first, second)
    axes.imshow(colours)
    axes.set_xticks(range(len(names)), names, rotation=90, fontsize=7)
    axes.set_yticks(range(len(names)), names, fontsize=7)
    axes.set_title(f"{comparison.metric.name}: row against column", fontsize=9)
    return figure


def _win_colours(comparison: Comparison, first: str, second: str) -> tuple[Any, Any]:
    """The colours of the pair, seen from the first and from the second."""
    from matplotlib.colors import to_rgb

    test = comparison.pair(first, second)
    if not test.difference:
        return to_rgb("white"), to_rgb("white")
    sure = comparison.is_real(test)
    better, worse = (_BLUE, _ORANGE) if sure else (_PALE_BLUE, _PALE_ORANGE)
    first_is_ahead = (test.difference > 0) == comparison.metric.higher_is_better
    if test.first != first:
        first_is_ahead = not first_is_ahead
    both = (better, worse) if first_is_ahead else (worse, better)
    return to_rgb(both[0]), to_rgb(both[1])


def documents_plot(table: ScoreTable, comparison: Comparison) -> "Figure":
    """Each system's documents as a box, best system first: how even is it?"""
    names = [each.system for each in comparison.standings if each.score is not None]
    figure, axes = new_figure(6.0, 1.0 + 0.28 * len(names))
    metric = comparison.metric.name
    scores = [
        [d.score for d in table[metric, name].documents if d.score is not None] for name in names
    ]
    axes.boxplot(scores, orientation="horizontal", tick_labels=names, flierprops={"markersize": 3})
    axes.invert_yaxis()
    axes.grid(axis="x", alpha=0.3)
    axes.set_xlabel(f"{metric} of a document (median and quartiles)")
    return figure


def reliability_plot(bins: Sequence[ReliabilityBin], metric: str) -> "Figure":
    """Probabilities against what people did prefer; larger dots stand for more pairs."""
    figure, axes = new_figure(4.5, 4.2)
    axes.plot([0.5, 1.0], [0.5, 1.0], color="#888888", linewidth=0.8)
    most = max((each.contests for each in bins), default=1)
    sizes = [20 + 180 * each.contests / most for each in bins]
    axes.plot([b.predicted for b in bins], [b.observed for b in bins], color=_OCCURRENCE_COLOUR)
    axes.scatter([b.predicted for b in bins], [b.observed for b in bins], s=sizes)
    axes.set_xlabel(f"probability by {metric} that people prefer the system")
    axes.set_ylabel("share of pairs in which they do")
    axes.grid(alpha=0.3)
    return figure


def stability_plot(curves: Sequence[Curve]) -> "Figure":
    """Scores by sample size with their bands, a panel for each metric."""
    metrics = list(dict.fromkeys(curve.metric for curve in curves))
    figure, _ = new_figure(6.0, 3.5 * max(1, len(metrics)))
    figure.clear()
    for place, metric in enumerate(metrics, start=1):
        axes = figure.add_subplot(len(metrics), 1, place)
        for curve in (curve for curve in curves if curve.metric == metric):
            told = [(p.size, p.mean, p.low, p.high) for p in curve.points]
            sizes, means, lows, highs = np.array(told, dtype=np.float64).reshape(-1, 4).T
            (line,) = axes.plot(sizes, means, marker="o", label=curve.system)
            axes.fill_between(sizes, lows, highs, alpha=0.15, color=line.get_color())
        axes.set_ylabel(metric)
        axes.grid(alpha=0.3)
        axes.legend(fontsize=7)
        axes.set_xlabel("documents in the sample")
    return figure


def slices_plot(slices: Slices, metrics: Sequence[str]) -> "Figure":
    """A statistic over the parts of a test set, a line for each metric.

    The best systems stand where their number is, other parts one beside the other.
    """
    figure, axes = new_figure(8.0, 4.5)
    top = slices.by == "top-n"
    places = [part.size if top else place for place, part in enumerate(slices.slices)]
    for number, name in enumerate(metrics):
        points = [
            (place, finding.value)
            for place, part in zip(places, slices.slices, strict=True)
            for finding in part.column.findings
            if finding.metric == name and finding.value is not None
        ]
        if points:
            style = ("-", "--", ":", "-.")[number // 10 % 4]
            sizes, values = zip(*points, strict=True)
            axes.plot(sizes, values, marker=".", linestyle=style, label=name)
    axes.set_xlabel(_SLICED[slices.by])
    axes.set_ylabel(str(slices.statistic))
    axes.set_title(f"{slices.testset} {slices.languages}: agreement with people")
    axes.set_xticks(places, None if top else [part.name for part in slices.slices])
    axes.grid(alpha=0.3)
    if axes.lines:
        # Beside the lines: with twenty metrics there is no free corner.
        axes.legend(fontsize=7, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return figure


_SLICED = {
    "top-n": "systems, the best by people's scores",
    "distance": "pairs of systems, by the difference of people's scores",
    "domain": "domain",
    "length": "documents, by their length",
    "position": "part of the document",
}


def alpha_plot(tuned: Tuned, title: str) -> "Figure":
    """Pearson's r over alpha: the trained weight, those of the folds, and what held-out gives."""
    if tuned.curve is None:
        raise InputError("a plot over alpha is for hybrids of two metrics")
    first, second = tuned.parts
    figure, axes = new_figure()
    alphas, heights = tuned.curve.T
    axes.plot(alphas, heights, label="on the training data")
    axes.axvline(first.weight, color="black", linewidth=1, label=f"trained: {first.weight:.2f}")
    for number, weight in enumerate(tuned.held_out.weights[..., 0].ravel()):
        label = None if number else "folds"
        axes.axvline(weight, ymax=0.05, color="#b5493b", linewidth=1, alpha=0.5, label=label)
    unseen = tuned.agreement(HELD_OUT).intervals["pearson"].value.value
    if unseen is not None:
        axes.axhline(unseen, color="#2f7a4d", linestyle="--", linewidth=1, label="held out")
    axes.set_xlabel(f"alpha: 0 is {second.metric}, 1 is {first.metric}")
    axes.set_ylabel("Pearson's r with people")
    axes.set_title(title)
    axes.grid(alpha=0.3)
    axes.legend()
    return figure


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
