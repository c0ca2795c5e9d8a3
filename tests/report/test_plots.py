"""Plots are drawn from results and can be read back as pictures."""

from pathlib import Path

import numpy as np
import pytest

from isogloss.metaeval import Differences, Matched
from isogloss.metaeval.significance import perm_both
from isogloss.probing import Bin
from isogloss.report import bins_plot, differences_plot, save_plot, scatter_plot, significance_plot


@pytest.fixture(scope="module")
def matched() -> Matched:
    rng = np.random.default_rng(0)
    human = rng.normal(size=(4, 30))
    metrics = {"one": human + rng.normal(size=(4, 30)), "two": rng.normal(size=(4, 30))}
    return Matched("segment", ("a", "b", "c", "d"), human, metrics, np.arange(30))


@pytest.mark.parametrize(("name", "magic"), [("p.svg", b"<?xml"), ("p.png", b"\x89PNG")])
def test_every_plot_can_be_saved(matched: Matched, tmp_path: Path, name: str, magic: bytes) -> None:
    systems = Matched(
        "system", matched.systems, matched.human[:, :1], {"one": matched.human[:, :1]}, np.zeros(1)
    )
    figures = [
        scatter_plot(matched, "one"),
        scatter_plot(systems, "one"),
        differences_plot(Differences.of(matched, "one"), "one", "segment"),
        significance_plot(perm_both(matched.human, matched.metrics), "all"),
        bins_plot([Bin(0, 10, 3, -2.0, 0.5), Bin(10, 20, 0, None, None)]),
        bins_plot([]),
    ]
    for number, figure in enumerate(figures):
        path = tmp_path / "deeper" / f"{number}{name}"
        save_plot(figure, path)
        assert path.read_bytes().startswith(magic)


def test_a_heat_map_shows_the_better_metric_first(matched: Matched) -> None:
    figure = significance_plot(perm_both(matched.human, matched.metrics), "title")
    axes = figure.axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["one", "two"]
    assert axes.get_title() == "title"
