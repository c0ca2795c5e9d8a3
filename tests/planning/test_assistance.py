"""Judgements helped by a metric: unbiased, covering, and no worse where the metric is worthless."""

from itertools import combinations

import numpy as np
import pytest

from isogloss.errors import MismatchError
from isogloss.planning import Drawing, Halves, chances_of, systematic

SYSTEMS = ("a", "b", "c")
FEW = Drawing(99)


def drawn(rng: np.random.Generator, judged: int, documents: int, goes_with: float) -> Halves:
    """True means are 3, 2 and 0; the metric is biased, and goes with people to a known degree."""
    lengths = rng.integers(3, 9, size=documents).astype(float)
    counts = np.tile(lengths, (3, 1))
    quality = rng.normal(size=(3, documents))
    people = np.array([[3.0], [2.0], [0.0]]) + quality + 0.4 * rng.normal(size=(3, documents))
    metric = (
        50
        + np.array([[0.0], [9.0], [4.0]])
        + 10 * (goes_with * quality + (1 - goes_with) * rng.normal(size=(3, documents)))
    )
    chosen = np.arange(documents) < judged
    return Halves(
        SYSTEMS, chosen, (people * counts)[:, chosen], counts[:, chosen], metric * counts, counts
    )


@pytest.mark.parametrize(("judged", "goes_with"), [(8, 0.9), (20, 0.9), (8, 0.0)])
def test_estimates_are_unbiased_and_intervals_cover(judged: int, goes_with: float) -> None:
    rng = np.random.default_rng(judged)
    found = []
    for trial in range(400):
        pairs = drawn(rng, judged, 100, goes_with).pairs_helped(Drawing(299, trial))
        for pair, true in ((("a", "b"), 1.0), (("a", "c"), 3.0)):
            each = pairs[pair]
            assert each.interval is not None
            low, high = each.interval
            found.append((each.plain - true, each.estimate - true, low <= true <= high))
    plain, helped, covered = np.array(found, dtype=float).T
    assert abs(helped.mean()) < 4 * helped.std() / np.sqrt(400)
    assert covered.mean() == pytest.approx(0.95, abs=0.035)
    gain = plain.var() / helped.var()
    assert gain > 2.5 if goes_with else gain > 0.93


def test_over_all_ways_to_choose_documents_the_metric_moves_nothing() -> None:
    """Unbiased to the last digit: skewed scores, of documents that differ in length."""
    rng = np.random.default_rng(3)
    lengths = np.tile(rng.integers(2, 30, size=9).astype(float), (3, 1))
    quality = rng.exponential(size=(3, 9)) ** 2
    people, metric = lengths * (quality + rng.normal(size=(3, 9))), lengths * quality
    moved = []
    for judged in combinations(range(9), 6):
        chosen = np.isin(np.arange(9), judged)
        halves = Halves(SYSTEMS, chosen, people[:, chosen], lengths[:, chosen], metric, lengths)
        helped = (*halves.systems_helped(FEW).values(), *halves.pairs_helped(FEW).values())
        moved.append([each.estimate - each.plain for each in helped])
    assert np.abs(moved).mean() > 0.1
    assert np.mean(moved, axis=0) == pytest.approx(np.zeros(6), abs=1e-12)


def test_documents_of_unequal_chances_are_hardly_off() -> None:
    """Skewed scores, chances from .06 to .45: what is left is the error of dividing by weights."""
    rng = np.random.default_rng(3)
    lengths = np.tile(rng.integers(2, 30, size=60).astype(float), (3, 1))
    quality = rng.exponential(size=(3, 60)) ** 2
    people, metric = lengths * (quality + rng.normal(size=(3, 60))), lengths * quality
    chances = chances_of(0.3 + 1.5 * rng.random(60), 15)
    true = people.sum(axis=1) / lengths.sum(axis=1)
    found = []
    for _ in range(1500):
        chosen = systematic(chances, rng.permutation(60), rng)
        given = 1 / chances[chosen]
        halves = Halves(
            SYSTEMS, chosen, people[:, chosen], lengths[:, chosen], metric, lengths, given
        )
        found.append([each.estimate for each in halves.systems_helped(Drawing(1)).values()])
    off = np.mean(found, axis=0) - true
    assert np.all(abs(off) < 0.13 * np.std(found, axis=0))


def test_where_people_judged_all_their_mean_stands() -> None:
    halves = drawn(np.random.default_rng(1), 30, 30, 0.9)
    for each in halves.pairs_helped(FEW).values():
        assert each.estimate == pytest.approx(each.plain)
        assert each.as_if == pytest.approx(1.0)


def test_a_metric_that_says_nothing_changes_nothing() -> None:
    halves = drawn(np.random.default_rng(0), 10, 30, 0.0)
    flat = Halves(
        SYSTEMS, halves.chosen, halves.people, halves.judged, halves.segments * 5, halves.segments
    )
    for each in flat.systems_helped(Drawing(99)).values():
        assert each.estimate == pytest.approx(each.plain)
        assert each.as_if == pytest.approx(1.0)


def test_weights_make_the_mean_that_of_all_documents() -> None:
    """Every second kind of document was judged half as often; each of them counts for two."""
    values = np.array([1.0, 1.0, 1.0, 1.0, 5.0, 5.0])
    ones = np.ones((1, 8))
    halves = Halves(
        ("a",),
        np.arange(8) < 6,
        values[None],
        np.ones((1, 6)),
        ones,
        ones,
        np.array([1.0, 1, 1, 1, 2, 2]),
    )
    assert halves.systems_helped()["a"].plain == pytest.approx((4 * 1 + 4 * 5) / 8)


def test_parts_that_do_not_fit_are_refused() -> None:
    ones = np.ones((1, 4))
    with pytest.raises(MismatchError, match="of judged documents"):
        Halves(("a",), np.array([True, True, False, False]), ones, ones, ones, ones)
