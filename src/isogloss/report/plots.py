"""Plots of results, as matplotlib figures; matplotlib is loaded only when one is drawn."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from isogloss.errors import MissingExtraError
from isogloss.metaeval.differences import Differences
from isogloss.metaeval.matching import Matched
from isogloss.metaeval.significance import Significance
from isogloss.probing import Bin

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
    """Write a figure; the suffix says how (.svg, .png, .pdf)."""
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)


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
