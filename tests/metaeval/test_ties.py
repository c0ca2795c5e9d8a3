"""acc_eq and its calibration against plain loops, and against WMT23's published values."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from isogloss.errors import InputError
from isogloss.metaeval import acc_eq, kendall
from isogloss.metaeval import ties as pairing
from isogloss.metaeval.matrix import Rows
from isogloss.metaeval.means import group_means
from isogloss.metaeval.ties import PairWeights, acc_eq_of_rows, right_counts
from metaeval import slow_statistics as slow
from metaeval.matrices import Pair, random_pair, score_pairs
from metaeval.wmt_data import Matrices, read_matrices

GROUPINGS = ("none", "item", "system")

# Published with the noise in the last bits of the human scores, which breaks some of their ties.
PUBLISHED = {
    "XCOMET-Ensemble-refA": 0.604,
    "MetricX-23-refA": 0.603,
    "COMET-refA": 0.574,
    "BERTscore-refA": 0.528,
    "prismRef-refA": 0.518,
    "BLEU-refA": 0.520,
    "chrF-refA": 0.519,
    "prismSrc-src": 0.426,
}
WITHOUT_NOISE = {
    "XCOMET-Ensemble-refA": 0.603656,
    "MetricX-23-refA": 0.602306,
    "BLEU-refA": 0.519302,
    "prismSrc-src": 0.425494,
}
PUBLISHED_OF_DOCUMENTS = {
    "XCOMET-Ensemble-refA": 0.697,
    "COMET-refA": 0.693,
    "prismRef-refA": 0.608,
    "BERTscore-refA": 0.635,
    "chrF-refA": 0.621,
    "BLEU-refA": 0.622,
    "Random-sysname-src": 0.516,
}


@pytest.fixture(scope="module")
def wmt23(shared_data: Path) -> Matrices:
    return read_matrices(shared_data / "wmt" / "wmt23" / "en-de")


@pytest.mark.parametrize("grouping", GROUPINGS)
def test_any_scores_equal_plain_loops(grouping: str) -> None:
    for seed in range(30):
        human, metric = random_pair(seed)
        best, epsilon = slow.calibrated_acc_eq(human, metric, grouping) or (None, None)
        found = acc_eq(human, metric, grouping)
        assert found.value.value == pytest.approx(best, abs=1e-12)
        assert found.epsilon == epsilon
        for fixed in (0.0, 0.5, 2.0, 100.0):
            at = acc_eq(human, metric, grouping, epsilon=fixed)
            assert at.epsilon == fixed
            assert at.value.value == pytest.approx(
                slow.acc_eq(human, metric, grouping, fixed), abs=1e-12
            )
        assert at.value == at.all_tied  # nothing is more than 100 apart


@settings(max_examples=50, deadline=None)
@given(score_pairs())
def test_no_threshold_is_better_and_no_smaller_one_as_good(pair: Pair) -> None:
    for grouping in GROUPINGS:
        found = acc_eq(*pair, grouping)
        if found.value.value is None:
            assert found.epsilon is None
            assert found.value.reason is not None
            continue
        candidates = {0.0} | {
            abs(a - b) for _, scores in slow.groups(*pair, grouping) for a in scores for b in scores
        }
        values = {e: slow.acc_eq(*pair, grouping, e) for e in sorted(candidates)}
        best = max(values.values())
        assert found.value.value == pytest.approx(best, abs=1e-12)
        assert found.epsilon == next(e for e, value in values.items() if value > best - 1e-12)
        assert found.value.value >= found.all_tied.value - 1e-12


@settings(max_examples=40, deadline=None)
@given(score_pairs(least=2))
def test_what_must_not_change_it(pair: Pair) -> None:
    human, metric = pair
    for grouping in GROUPINGS:
        found = acc_eq(human, metric, grouping)
        same = None if found.value.value is None else pytest.approx(found.value.value)
        assert acc_eq(human, metric * 4 - 8, grouping).value.value == same
        assert acc_eq(human[::-1], metric[::-1], grouping).value.value == same
        assert acc_eq(human * 3 + 1, metric, grouping).value.value == same
        plain = acc_eq(human, metric, grouping, epsilon=0.0).value.value
        tau = kendall(human, metric, grouping, "23").value
        assert plain == (None if tau is None else pytest.approx((tau + 1) / 2))


def test_equal_differences_move_together() -> None:
    # Differences of 1: two pairs tied by people, three on which both agree. Taken one by one, the
    # first two would look like a gain.
    human = np.array([[0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0, 1.0]])
    metric = np.array([[0.0, 0.0, 0.0, 0.0, 0.0], [1.0, 1.0, 1.0, 1.0, 1.0]])
    found = acc_eq(human, metric)
    assert (found.value.value, found.epsilon) == (0.6, 0.0)
    assert found.all_tied.value == 0.4


def test_groups_weigh_the_same_however_many_pairs_they_have() -> None:
    human = np.array([[1.0, 1.0], [2.0, 2.0], [3.0, np.nan]])
    metric = np.array([[1.0, 2.0], [2.0, 1.0], [3.0, 0.0]])
    found = acc_eq(human, metric)
    assert (found.value.value, found.value.count, found.value.groups) == (0.5, 4, 2)


def test_weights_are_integers_where_they_fit() -> None:
    weights = PairWeights.of(np.array([1, 3, 6, 0, 3]))
    assert weights.of_group.tolist() == [6, 2, 1, 0, 2]
    assert (weights.total, weights.uniform) == (24, False)
    many = PairWeights.of(np.array([n * (n - 1) // 2 for n in range(2, 70)]))
    assert many.of_group.dtype == np.float64
    assert many.total == 68


def test_one_system_one_segment_and_nothing() -> None:
    lonely = acc_eq(np.zeros((1, 3)), np.zeros((1, 3)))
    assert lonely.value.value is None
    assert lonely.value.reason == "no item has a value: 3 with fewer than two scores"
    assert acc_eq([1.0, 2.0], [1.0, 3.0]).value.value == 1.0
    constant = acc_eq(np.zeros((3, 4)), np.arange(12.0).reshape(3, 4))
    assert (constant.value.value, constant.all_tied.value) == (1.0, 1.0)


def test_a_threshold_must_be_a_threshold() -> None:
    for wrong in (-1.0, float("nan")):
        with pytest.raises(InputError, match="0 or more"):
            acc_eq([1.0], [1.0], epsilon=wrong)


def test_portions_do_not_change_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    human, metric = random_pair(5, 7, 40)
    whole = {grouping: acc_eq(human, metric, grouping) for grouping in GROUPINGS}
    rows = Rows.of(human, metric, "item")
    counts = right_counts(rows, 0.5)
    monkeypatch.setattr(pairing, "_CHUNK", 50)
    assert {grouping: acc_eq(human, metric, grouping) for grouping in GROUPINGS} == whole
    assert np.array_equal(right_counts(rows, 0.5), counts)


def test_too_many_pairs_are_refused_before_they_fill_the_memory() -> None:
    many = np.zeros((10, 10_000))
    with pytest.raises(InputError, match="group by item"):
        acc_eq(many, many, "none")


def test_published_values_of_wmt23(wmt23: Matrices) -> None:
    for name, expected in PUBLISHED.items():
        rows = Rows.of(wmt23.human, wmt23.metrics[name], "item", as_given=True)
        found = acc_eq_of_rows(rows).value
        assert found.value == pytest.approx(expected, abs=5e-4)
        assert (found.count, found.groups) == (460 * 66, 460)
    for name, value in WITHOUT_NOISE.items():
        assert acc_eq(wmt23.human, wmt23.metrics[name]).value.value == pytest.approx(
            value, abs=1e-6
        )


def test_all_metrics_of_wmt23_equal_plain_loops(wmt23: Matrices) -> None:
    assert len(wmt23.metrics) == 20
    for metric in wmt23.metrics.values():
        best, epsilon = slow.calibrated_acc_eq(wmt23.human, metric, "item") or (None, None)
        found = acc_eq(wmt23.human, metric)
        assert found.value.value == pytest.approx(best, abs=1e-9)
        assert found.epsilon == epsilon


def test_published_values_of_whole_documents(wmt23: Matrices) -> None:
    human, _ = group_means(wmt23.human, wmt23.documents)
    for name, expected in PUBLISHED_OF_DOCUMENTS.items():
        judged = np.where(np.isnan(wmt23.human), np.nan, wmt23.metrics[name])
        metric, _ = group_means(judged, wmt23.documents)
        found = acc_eq_of_rows(Rows.of(human, metric, "item", as_given=True)).value
        assert found.value == pytest.approx(expected, abs=5e-4)
        assert found.groups == 190
        best, _ = slow.calibrated_acc_eq(human, metric, "item") or (None, None)
        assert acc_eq(human, metric).value.value == pytest.approx(best, abs=1e-9)
