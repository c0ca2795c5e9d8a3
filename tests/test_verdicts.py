"""Verdicts: p-values and intervals against plain loops, known cases, and simulated truth."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from isogloss.errors import InputError
from isogloss.verdicts import (
    EXACT_BLOCKS,
    Studentised,
    Swaps,
    bounded,
    corrected,
    jackknife_values,
    sacrebleu_p,
    score_interval,
    smallest_studentised_p,
)

Floats = np.ndarray


def means(statistics: Floats) -> Floats:
    return np.asarray(statistics[:, 0] / statistics[:, 1])


def flipped_p(differences: Floats, *, two_sided: bool) -> float:
    """The definition: all signs, one by one."""
    observed = differences.sum()
    hits = 0
    for signs in product((1, -1), repeat=len(differences)):
        drawn = float((differences * signs).sum())
        hits += abs(drawn) >= abs(observed) - 1e-12 if two_sided else drawn >= observed - 1e-12
    return hits / 2 ** len(differences)


def swapped(differences: Floats, swaps: Swaps) -> Floats:
    """What is left of the sum of differences when some of them are turned."""
    return np.concatenate([(1 - 2 * part) @ differences for part in swaps.weights()])


# --- randomisation -------------------------------------------------------------------------------


@pytest.mark.parametrize("two_sided", [True, False])
@pytest.mark.parametrize("count", [1, 2, 5, 9])
def test_with_few_blocks_p_is_exact(count: int, two_sided: bool) -> None:
    differences = np.random.default_rng(count).integers(-3, 4, size=count).astype(float)  # ties
    swaps = Swaps(count, 10, 1, two_sided=two_sided)
    p = swaps.p(swapped(differences, swaps), float(differences.sum()))
    assert p == flipped_p(differences, two_sided=two_sided)


def test_the_smallest_p_is_what_the_clearest_difference_gets() -> None:
    for count, expected in [(1, 1.0), (2, 0.5), (3, 0.25), (4, 0.125), (5, 0.0625)]:
        swaps = Swaps(count, 1000, 1)
        assert swaps.smallest_p == expected
        assert swaps.p(swapped(np.ones(count), swaps), float(count)) == expected
    many = Swaps(EXACT_BLOCKS + 1, 999, 1)
    assert not many.exact
    assert many.smallest_p == 0.001


def test_random_swaps_come_near_the_exact_ones() -> None:
    differences = np.random.default_rng(3).normal(0.4, 1.0, size=EXACT_BLOCKS + 1)
    swaps = Swaps(len(differences), 20_000, 7)
    p = swaps.p(swapped(differences, swaps), float(differences.sum()))
    every = (1 - 2 * np.array(list(product((0.0, 1.0), repeat=17)))) @ differences
    truth = np.mean(np.abs(every) >= abs(differences.sum()) - 1e-12)
    assert p == pytest.approx(truth, abs=5 * np.sqrt(truth * (1 - truth) / 20_000))


def test_a_system_never_differs_from_itself() -> None:
    for count in (1, 3, 40):
        swaps = Swaps(count, 100, 1)
        assert swaps.p(np.zeros(64), 0.0) == 1.0
    drawn = Studentised.of(np.zeros((6, 1)), 200, 1)
    assert drawn.p(0, 0.0) == 1.0
    assert drawn.half_width(0, 0.95) is None


def test_rounding_is_no_difference() -> None:
    """0.1 + 0.2 differs from 0.3 in its last bit only."""
    swaps = Swaps(4, 100, 1)
    assert swaps.p(np.full(8, 0.1 + 0.2), 0.3) == 1.0
    assert swaps.p(np.full(8, 0.3), 0.1 + 0.2) == 1.0


def test_undefined_differences_count_against_a_finding() -> None:
    swaps = Swaps(2, 100, 1)
    assert swaps.p(np.array([np.nan, 0.0]), 1.0) == 0.5


# --- the studentised bootstrap -------------------------------------------------------------------


def test_jackknife_values_of_a_mean_are_the_values() -> None:
    values = np.array([1.0, 4.0, 2.5])
    statistics = np.stack([values, np.ones(3)], axis=1)
    assert jackknife_values(statistics, means) == pytest.approx(values)


def test_jackknife_values_equal_a_plain_loop() -> None:
    statistics = np.random.default_rng(1).uniform(1, 9, size=(5, 2))
    whole = means(statistics.sum(axis=0)[None])[0]
    for block, value in enumerate(jackknife_values(statistics, means)):
        rest = np.delete(statistics, block, axis=0).sum(axis=0)
        assert value == pytest.approx(5 * whole - 4 * means(rest[None])[0])


def test_distances_equal_a_plain_loop() -> None:
    values = np.random.default_rng(2).normal(size=(6, 2))
    drawn = Studentised.of(values, 300, seed=9)
    picks = np.random.default_rng(9).integers(6, size=(300, 6))
    for column in range(2):
        own = values[:, column]
        expected = []
        for pick in picks:
            sample = own[pick]
            error = sample.std(ddof=1) / np.sqrt(6)
            expected.append(abs(sample.mean() - own.mean()) / error if error > 1e-9 else np.inf)
        assert np.sort(drawn.distances[column]) == pytest.approx(np.sort(expected))
        assert drawn.errors[column] == pytest.approx(own.std(ddof=1) / np.sqrt(6))


def test_p_and_interval_say_the_same() -> None:
    """A difference is significant at 5 % just where its 95 % interval leaves 0 out."""
    rng = np.random.default_rng(4)
    seen = set()
    for _ in range(60):
        values = rng.normal(0.6, 1.0, size=8)
        drawn = Studentised.of(values[:, None], 999, 1)
        difference = float(values.mean())
        p, reach = drawn.p(0, difference), drawn.half_width(0, 0.95)
        assert p is not None
        assert reach is not None
        assert (p <= 0.05) == (abs(difference) > reach)
        seen.add(p <= 0.05)
    assert seen == {True, False}


def test_three_blocks_say_nothing() -> None:
    """Too many resamples of three blocks hold one block only."""
    statistics = np.array([[1.0, 1], [2, 1], [4, 1]])
    assert score_interval(statistics, means, 2000, 1, 0.95) is None
    assert smallest_studentised_p(3) > 0.05 > smallest_studentised_p(4)
    assert score_interval(statistics[:1], means, 2000, 1, 0.95) is None
    four = np.vstack([statistics, [[3.0, 1]]])
    low, high = score_interval(four, means, 2000, 1, 0.95) or (0.0, 0.0)
    assert low < 2.5 < high


def test_many_blocks_come_to_the_normal_interval() -> None:
    values = np.random.default_rng(5).normal(10, 3, size=2000)
    statistics = np.stack([values, np.ones(2000)], axis=1)
    low, high = score_interval(statistics, means, 4000, 1, 0.95) or (0.0, 0.0)
    error = values.std(ddof=1) / np.sqrt(2000)
    assert high - low == pytest.approx(2 * stats.norm.ppf(0.975) * error, rel=0.06)


def test_intervals_end_where_scores_end() -> None:
    assert bounded(99.0, 3.0, 0.0, 100.0) == (96.0, 100.0)
    assert bounded(1.0, 3.0, 0.0, None) == (0.0, 4.0)
    assert bounded(1.0, 3.0) == (-2.0, 4.0)
    assert bounded(1.0, None) is None


# --- do they hold what they promise? -------------------------------------------------------------


@pytest.mark.parametrize("count", [6, 10, 30])
def test_false_positives_are_as_many_as_promised(count: int) -> None:
    """Two systems that differ by chance alone; `benchmarks/calibration.py` does this at length."""
    rng = np.random.default_rng(count)
    trials, found = 600, {"randomisation": 0, "bootstrap": 0}
    for _ in range(trials):
        differences = rng.normal(size=count)
        swaps = Swaps(count, 199, int(rng.integers(1 << 30)))
        p = swaps.p(swapped(differences, swaps) / count, float(differences.mean()))
        found["randomisation"] += p <= 0.05
        drawn = Studentised.of(differences[:, None], 199, int(rng.integers(1 << 30)))
        found["bootstrap"] += (drawn.p(0, float(differences.mean())) or 0.0) <= 0.05
    highest = stats.binom.ppf(0.9999, trials, 0.05) / trials
    for name, hits in found.items():
        assert 0.005 <= hits / trials <= highest, name


@pytest.mark.parametrize("count", [5, 10, 40])
def test_intervals_cover_as_often_as_promised(count: int) -> None:
    rng = np.random.default_rng(count)
    trials, covered = 500, 0
    for _ in range(trials):
        statistics = np.stack([rng.normal(3, 1, size=count), np.ones(count)], axis=1)
        interval = score_interval(statistics, means, 299, int(rng.integers(1 << 30)), 0.95)
        covered += interval is not None and interval[0] <= 3 <= interval[1]
    assert covered / trials >= stats.binom.ppf(0.0001, trials, 0.95) / trials


# --- sacrebleu's procedure, and many tests -------------------------------------------------------


def test_the_p_value_of_sacrebleu() -> None:
    first, second = np.array([3.0, 5.0, 1.0, 3.0]), np.array([1.0, 1.0, 1.0, 1.0])
    # differences 2 4 0 2, mean 2, centred 0 2 -2 0; above 1: one; above 2: none
    assert sacrebleu_p(first, second, 1.0) == 2 / 5
    assert sacrebleu_p(first, second, -2.0) == 1 / 5


def test_an_unknown_correction_is_refused() -> None:
    with pytest.raises(InputError, match="there are: holm, benjamini-hochberg"):
        corrected([0.1], "bonferroni")  # type: ignore[arg-type]
