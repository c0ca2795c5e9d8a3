"""Correlations against scipy, group by group, and against WMT23's published values."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from isogloss.errors import InputError, MismatchError
from isogloss.metaeval import correlation as counting
from isogloss.metaeval import kendall, pearson, spearman
from isogloss.metaeval.correlation import concordance, correlation
from metaeval import slow_statistics as slow
from metaeval.matrices import Pair, random_pair, score_pairs
from metaeval.wmt_data import Matrices, read_matrices

STATISTICS = ("pearson", "spearman", "tau-b", "tau-c", "tau-23")
GROUPINGS = ("none", "item", "system")

PUBLISHED = {  # segment Pearson, system Pearson with the official system scores
    "XCOMET-Ensemble-refA": (0.695, 0.980),
    "MetricX-23-refA": (0.585, 0.977),
    "COMET-refA": (0.432, 0.990),
    "BERTscore-refA": (0.325, 0.891),
    "prismRef-refA": (0.516, 0.920),
    "BLEU-refA": (0.192, 0.917),
    "chrF-refA": (0.232, 0.866),
    "prismSrc-src": (0.425, -0.327),
}
OF_SEGMENT_MEANS = {"prismRef-refA": 0.942, "BERTscore-refA": 0.907, "COMET-refA": 0.988}


@pytest.fixture(scope="module")
def wmt23(shared_data: Path) -> Matrices:
    return read_matrices(shared_data / "wmt" / "wmt23" / "en-de")


@pytest.mark.parametrize("grouping", GROUPINGS)
@pytest.mark.parametrize("statistic", STATISTICS)
def test_any_scores_equal_plain_loops(statistic: str, grouping: str) -> None:
    for seed in range(25):
        human, metric = random_pair(seed)
        expected = slow.correlation(statistic, human, metric, grouping)
        assert correlation(statistic, human, metric, grouping).value == pytest.approx(
            expected, abs=1e-12
        )


@settings(max_examples=60, deadline=None)
@given(score_pairs())
def test_a_statistic_is_a_number_or_has_a_reason(pair: Pair) -> None:
    for statistic in STATISTICS:
        for grouping in GROUPINGS:
            value = correlation(statistic, *pair, grouping)
            expected = slow.correlation(statistic, *pair, grouping)
            assert value.value == (expected if expected is None else pytest.approx(expected))
            assert (value.reason is None) == (value.value is not None)
            assert (value.groups is None) == (grouping == "none")


@settings(max_examples=40, deadline=None)
@given(score_pairs(least=2))
def test_what_must_not_change_a_correlation(pair: Pair) -> None:
    human, metric = pair
    order = np.random.default_rng(0).permutation(human.shape[1])
    for grouping in GROUPINGS:
        for statistic in STATISTICS:
            value = correlation(statistic, human, metric, grouping).value
            same = pytest.approx(value, abs=1e-9) if value is not None else None
            affine = correlation(statistic, human, 3 * metric - 7, grouping)
            assert affine.value == same
            assert correlation(statistic, metric, human, grouping).value == same
            shuffled = correlation(statistic, human[::-1, order], metric[::-1, order], grouping)
            assert shuffled.value == same
            if statistic != "pearson":
                assert correlation(statistic, human, np.exp(metric), grouping).value == same
            if value is not None and statistic != "tau-23":
                against = correlation(statistic, human, -metric, grouping).value
                assert against == pytest.approx(-value, abs=1e-9)


def test_undefined_values_say_why() -> None:
    flat, rising = np.zeros((3, 2)), np.arange(6.0).reshape(3, 2)
    assert pearson(flat, rising).reason == "all human scores are equal"
    assert pearson(rising, flat).reason == "all metric scores are equal"
    assert spearman(rising[:1, :1], rising[:1, :1]).reason == "fewer than two scores to compare"
    one_system = kendall(rising[:1], rising[:1], "item")
    assert one_system.groups == 0
    assert one_system.reason == "no item has a value: 2 with fewer than two scores"
    mixed = pearson([[1, 2], [1, 3], [1, 4]], [[1, 5], [2, 5], [3, 5]], "item")
    assert (
        mixed.reason == "no item has a value: 1 with equal human scores, 1 with equal metric scores"
    )
    nobody = np.full((2, 2), np.nan)
    assert "4 with fewer" not in str(pearson(nobody, rising[:2], "item").reason)
    assert pearson(np.zeros((2, 0)), np.zeros((2, 0)), "item").reason is not None


def test_counts_are_those_of_the_groups_that_count() -> None:
    human = np.array([[1.0, 5.0, np.nan], [2.0, 5.0, 1.0], [3.0, 5.0, np.nan]])
    metric = np.arange(9.0).reshape(3, 3)
    by_item = pearson(human, metric, "item")
    assert (by_item.count, by_item.groups, by_item.value) == (3, 1, 1.0)
    assert kendall(human, metric, "item").count == 3
    assert kendall(human, metric, "item", "23").count == 6
    assert pearson(human, metric).count == 7
    assert kendall(human, metric).count == 21


def test_noise_in_the_last_bits_makes_no_difference_between_people() -> None:
    human = np.array([[-25.2], [-25.200000000000003], [-1.0]])
    assert kendall(human, [[1.0], [2.0], [3.0]], "item").value == pytest.approx(2 / 6**0.5)


def test_scores_far_from_zero_and_tiny_ones_keep_their_correlation() -> None:
    human, metric = random_pair(3, missing=0)
    expected = pearson(human, metric).value
    assert pearson(human, metric + 1e6).value == pytest.approx(expected, abs=1e-9)
    assert pearson(human, metric * 1e-200).value == pytest.approx(expected, abs=1e-12)


def test_a_constant_with_a_noisy_mean_is_constant() -> None:
    assert pearson([1.0, 2.0, 3.0], [0.1, 0.1, 0.1]).value is None


def test_both_ways_of_counting_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(20):
        human, metric = random_pair(seed, 12, 7)
        missing = np.isnan(human) | np.isnan(metric)
        human, metric = (np.where(missing, np.nan, m) for m in (human, metric))
        pairwise = concordance(human, metric)
        monkeypatch.setattr(counting, "_PAIR_BY_PAIR", 2)
        sorting = concordance(human, metric)
        monkeypatch.undo()
        for name in ("concordant", "discordant", "human_ties", "metric_ties", "both_ties"):
            assert np.array_equal(getattr(pairwise, name), getattr(sorting, name))


def test_a_long_row_with_few_scores_is_counted() -> None:
    human = np.full((1, 100), np.nan)
    human[0, [3, 50]] = 1.0, 2.0
    counts = concordance(human, human)
    assert (counts.concordant[0], counts.pairs[0]) == (1, 1)
    assert concordance(np.full((1, 100), np.nan), human).pairs[0] == 0


def test_rows_are_counted_in_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    human, metric = random_pair(1, 6, 50, missing=0)
    whole = concordance(human.T, metric.T)
    monkeypatch.setattr(counting, "_CHUNK", 7)
    assert np.array_equal(concordance(human.T, metric.T).concordant, whole.concordant)


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(MismatchError, match="2 systems x 3 items, metric scores 3 x 2"):
        pearson(np.zeros((2, 3)), np.zeros((3, 2)))
    with pytest.raises(InputError, match="infinite"):
        pearson([1.0, np.inf], [1.0, 2.0])
    with pytest.raises(InputError, match="not 3 dimensions"):
        pearson(np.zeros((1, 2, 3)), np.zeros((1, 2, 3)))
    with pytest.raises(InputError, match="there are: pearson, spearman, tau-b, tau-c, tau-23"):
        correlation("tau", [1.0], [1.0])  # type: ignore[arg-type]
    with pytest.raises(InputError, match="there are: none, item, system"):
        pearson([1.0], [1.0], "segment")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="variant 'd'"):
        kendall([1.0], [1.0], variant="d")  # type: ignore[arg-type]


def test_published_values_of_wmt23(wmt23: Matrices) -> None:
    assert wmt23.human.shape == (12, 557)
    for name, (segment, system) in PUBLISHED.items():
        found = pearson(wmt23.human, wmt23.metrics[name])
        assert found.value == pytest.approx(segment, abs=5e-4)
        assert found.count == 12 * 460
        official = pearson(wmt23.official_human, wmt23.official[name])
        assert official.value == pytest.approx(system, abs=5e-4)
    judged = ~np.isnan(wmt23.human[0])
    for name, expected in OF_SEGMENT_MEANS.items():
        means = wmt23.metrics[name][:, judged].mean(axis=1)
        found = pearson(wmt23.human[:, judged].mean(axis=1), means)
        assert found.value == pytest.approx(expected, abs=5e-4)


@pytest.mark.parametrize(
    ("statistic", "grouping"),
    [("pearson", "none"), ("tau-b", "none"), ("pearson", "item"), ("tau-b", "item")],
)
def test_all_metrics_of_wmt23_equal_plain_loops(
    wmt23: Matrices, statistic: str, grouping: str
) -> None:
    assert len(wmt23.metrics) == 20
    for metric in wmt23.metrics.values():
        expected = slow.correlation(statistic, wmt23.human, metric, grouping)
        found = correlation(statistic, wmt23.human, metric, grouping)
        assert found.value == pytest.approx(expected, abs=1e-9)


def test_system_pearson_of_all_metrics_of_wmt23_equals_scipy(wmt23: Matrices) -> None:
    for name, official in wmt23.official.items():
        expected = slow.correlation(
            "pearson", wmt23.official_human[:, None], official[:, None], "none"
        )
        found = pearson(wmt23.official_human, wmt23.official[name])
        assert found.value == pytest.approx(expected, abs=1e-9)
