"""Power: against simulation, against its own inverse, and where nothing can be significant."""

import re
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import norm, ttest_1samp
from typer.testing import CliRunner

from isogloss.cli.main import app
from isogloss.errors import InputError
from isogloss.planning import Components, Design, Looks, Plan, text_plot

PLAN = Plan(
    Components("da", {"system × document": 2.0, "system × segment": 10.0}, 5, 50, 500, 0, 1.0),
    Design(segments=5),
)


def test_power_is_how_often_a_test_finds_it() -> None:
    rng = np.random.default_rng(1)
    deviation = np.sqrt(2 * (2.0 + 10.0 / 5))
    samples = rng.normal(1.5, deviation, size=(20_000, 18))
    found = (ttest_1samp(samples, 0, axis=1).pvalue <= 0.05).mean()
    assert PLAN.power(18, 1.5) == pytest.approx(found, abs=0.012)


@pytest.mark.parametrize("power", [0.5, 0.8, 0.95])
def test_documents_and_differences_undo_each_other(power: float) -> None:
    needed = PLAN.documents(1.0, power)
    assert PLAN.power(needed, 1.0) >= power > PLAN.power(needed - 1, 1.0)
    smallest = PLAN.smallest_difference(needed, power)
    assert smallest is not None
    assert PLAN.power(needed, smallest) == pytest.approx(power, abs=1e-6)
    assert smallest <= 1.0


def test_five_documents_show_nothing_at_five_percent() -> None:
    """Of 16 ways to swap five documents one is the most extreme: p is 1/16 at least."""
    assert PLAN.power(5, 1e6) == 0.0
    assert PLAN.smallest_difference(5) is None
    assert PLAN.power(6, 1e6) == pytest.approx(1.0)


def test_many_systems_and_annotators_who_differ_take_more() -> None:
    many = Plan(PLAN.components, Design(segments=5, systems=6))
    assert many.documents(1.0) > PLAN.documents(1.0)
    differing = Components(
        "da", {"system × document": 2.0, "system × annotator": 3.0}, 5, 9, 9, 4, 1
    )
    with pytest.raises(InputError, match="ask more annotators"):
        Plan(differing, Design(segments=5, annotators=2)).documents(0.5)


def test_cost_is_judgements_times_seconds() -> None:
    design = Design(segments=10, ratings=2, systems=3, seconds=30)
    assert design.judgements(7) == 420
    assert design.hours(7) == 3.5
    assert design.affordable(3.5) == 7
    assert design.affordable(3.49) == 6


# Lan & DeMets' spending at even looks, two-sided 5 %, as in the tables of Jennison & Turnbull.
GOLDEN = {
    ("pocock", 2): (2.157, 2.201),
    ("pocock", 3): (2.279, 2.295, 2.296),
    ("pocock", 5): (2.438, 2.427, 2.410, 2.397, 2.386),
    ("obrien-fleming", 2): (2.963, 1.969),
    ("obrien-fleming", 3): (3.710, 2.511, 1.993),
    ("obrien-fleming", 5): (4.877, 3.357, 2.680, 2.290, 2.031),
}


@pytest.mark.parametrize(("how", "limits"), GOLDEN.items())
def test_limits_of_looks_are_those_of_tables(how: tuple, limits: tuple[float, ...]) -> None:
    found = Looks.even(how[1], how[0]).of_level(0.05)
    assert norm.isf(np.array(found) / 2) == pytest.approx(limits, abs=6e-4)


def test_looks_err_no_more_often_than_one_test() -> None:
    rng = np.random.default_rng(2)
    looks = Looks((0.25, 0.6, 1.0), "pocock")
    steps = rng.normal(size=(100_000, 20)).cumsum(axis=1)
    at = np.array([5, 12, 20])
    p = 2 * norm.sf(np.abs(steps[:, at - 1]) / np.sqrt(at))
    stopped = (p <= np.array(looks.of_level(0.05))).any(axis=1)
    assert stopped.mean() == pytest.approx(0.05, abs=0.003)
    drift = 2.5 / np.sqrt(20)  # the sum at the end is 2.5 deviations away
    moved = steps + drift * np.arange(1, 21)
    p = 2 * norm.sf(np.abs(moved[:, at - 1]) / np.sqrt(at))
    found = (p <= np.array(looks.of_level(0.05))).any(axis=1).mean()
    assert sum(looks.crossing(2.5, 0.05)) == pytest.approx(found, abs=0.006)


def test_looks_that_do_not_end_at_all_documents_are_refused() -> None:
    with pytest.raises(InputError, match="rise to 1"):
        Looks((0.5, 0.9))


def test_the_plot_rises_from_the_left_to_the_right() -> None:
    lines = text_plot(PLAN.curve(1.0, 60), 0.8, width=40, height=10)
    assert lines[0].startswith("100% │")
    tops = [
        min(i for i, line in enumerate(lines) if line.ljust(46)[c] == "•") for c in range(6, 46)
    ]
    assert tops == sorted(tops, reverse=True)
    assert lines[-1].endswith("60 documents")


def test_the_page_shows_what_the_program_prints() -> None:
    page = (Path(__file__).parents[2] / "docs" / "planning.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"^```text\n(.*?)^```", page, re.M | re.S)
    done = CliRunner().invoke(app, ["plan", "--difference", "0.5", "--segments", "8"])
    printed = [line.rstrip() for line in done.stdout.splitlines()]
    assert printed[: len(shown.splitlines())] == shown.splitlines()
