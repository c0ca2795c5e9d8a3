"""Plots of trained hybrids: what each weight would give."""

from typing import TYPE_CHECKING

from isogloss.errors import InputError
from isogloss.report.plots import new_figure
from isogloss.tuning import HELD_OUT, Tuned

if TYPE_CHECKING:
    from matplotlib.figure import Figure


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
