"""Maximum-correlation training against closed forms, least squares and finite differences."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import optimize, stats

from isogloss.errors import InputError
from isogloss.metaeval import Grouping, Moments, Observations, best_weights, held_out
from isogloss.metaeval.combination import ascend, best_alpha, folds_of
from isogloss.metaeval.correlation import correlation

patient = settings(deadline=None, max_examples=50)

# The worked example: cohesion C, the other metric G, people H.
COHESION, OTHER, PEOPLE = [0.2, 0.5, 0.4, 0.9], [0.3, 0.2, 0.6, 0.7], [1, 2, 3, 4]
EXAMPLE = Moments.of(Observations.of(PEOPLE, [COHESION, OTHER]))


def made_up(seed: int, parts: int = 3, systems: int = 4, items: int = 30) -> Observations:
    """Parts that see quality through noise that they partly share; some scores are missing."""
    rng = np.random.default_rng(seed)
    quality, shared = rng.normal(size=(2, systems, items))
    scores = [
        rng.uniform(0.1, 1) * quality + shared + rng.normal(size=quality.shape)
        for _ in range(parts)
    ]
    human = quality + rng.normal(size=quality.shape)
    human[rng.random(human.shape) < 0.1] = np.nan
    scores[0][rng.random(human.shape) < 0.05] = np.nan
    observed = Observations.of(human, scores)
    return observed.normalised(*observed.scales())


def flat(observed: Observations) -> tuple[Any, Any]:
    there = ~np.isnan(observed.human)
    return observed.parts[:, there].T, observed.human[there]


def test_the_worked_example() -> None:
    alpha = best_alpha(EXAMPLE)
    assert alpha == pytest.approx(float(Fraction(11, 24)), abs=1e-15)
    weights = np.array([alpha, 1 - alpha])
    assert EXAMPLE.correlation(weights) == pytest.approx(0.969875941, abs=1e-9)
    by_alpha = EXAMPLE.gradient(np.array([0.5, 0.5])) @ [1, -1]
    assert by_alpha == pytest.approx(-0.03745265, abs=1e-8)
    assert best_weights(EXAMPLE) == pytest.approx([11 / 24, 13 / 24])
    climbed = ascend(EXAMPLE, np.ones(2))
    assert climbed / climbed.sum() == pytest.approx([11 / 24, 13 / 24], abs=1e-6)


@pytest.mark.parametrize("grouping", ["none", "item", "system"])
def test_the_gradient_is_that_of_finite_differences(grouping: Grouping) -> None:
    observed = made_up(1)
    moments = Moments.of(observed, grouping)
    rng = np.random.default_rng(2)
    for weights in rng.normal(size=(5, 3)):
        numeric = optimize.approx_fprime(weights, moments.correlation, 1e-7)
        assert moments.gradient(weights) == pytest.approx(numeric, abs=1e-6)
        assert moments.gradient(weights) @ weights == pytest.approx(0, abs=1e-12)  # scale-free


@pytest.mark.parametrize("grouping", ["none", "item", "system"])
def test_moments_give_the_correlation_of_the_combination(grouping: Grouping) -> None:
    observed = made_up(3, systems=8)  # so that no item has fewer than three scores
    moments = Moments.of(observed, grouping)
    for weights in np.random.default_rng(4).normal(size=(5, 3)):
        direct = correlation("pearson", observed.human, observed.combined(weights), grouping)
        assert moments.correlation(weights) == pytest.approx(direct.value, abs=1e-12)


@patient
@given(st.integers(0, 10_000))
def test_one_group_without_bounds_is_linear_regression(seed: int) -> None:
    observed = made_up(seed)
    weights = best_weights(Moments.of(observed), signed=True)
    parts, human = flat(observed)
    slopes = np.linalg.lstsq(parts - parts.mean(axis=0), human - human.mean(), rcond=None)[0]
    assert np.abs(weights).sum() == pytest.approx(1)
    assert weights == pytest.approx(slopes / np.abs(slopes).sum(), abs=1e-5)


@patient
@given(st.integers(0, 10_000))
@example(522)
def test_one_group_without_negative_weights_is_bounded_regression(seed: int) -> None:
    observed = made_up(seed)
    weights = best_weights(Moments.of(observed))
    parts, human = flat(observed)
    slopes, _ = optimize.nnls(parts - parts.mean(axis=0), human - human.mean())
    assert (weights >= 0).all()
    if slopes.any():
        assert weights == pytest.approx(slopes / slopes.sum(), abs=1e-5)
    else:  # all parts are wrong, where regression says nothing: the one that is least so
        least = np.argmax([stats.pearsonr(part, human).statistic for part in parts.T])
        assert weights == pytest.approx(np.eye(len(weights))[least], abs=1e-5)


@patient
@given(st.integers(0, 10_000))
def test_the_closed_form_is_the_top_of_the_curve(seed: int) -> None:
    moments = Moments.of(made_up(seed, parts=2))
    alpha = best_alpha(moments)
    curve = [moments.correlation(np.array([a, 1 - a])) for a in np.linspace(0, 1, 201)]
    assert moments.correlation(np.array([alpha, 1 - alpha])) >= max(curve) - 1e-12


@patient
@given(st.integers(0, 10_000))
def test_by_group_no_single_part_and_no_mean_is_better(seed: int) -> None:
    moments = Moments.of(made_up(seed), "item")
    top = moments.correlation(best_weights(moments))
    for start in (*np.eye(3), np.ones(3)):
        assert top >= moments.correlation(start) - 1e-12


@pytest.mark.parametrize(
    ("first", "second", "alpha"),
    [
        ([1, 2, 3, 5], [4, 3, 2, 0], 1.0),  # the second is wrong in all: it gets nothing
        ([4, 3, 2, 0], [1, 2, 3, 5], 0.0),
        ([-1, -2, -3, -4], [-1, -2, -3, -5], 0.0),  # both wrong: the one that is less so
        ([5, 5, 5, 5], [1, 2, 2, 4], 0.0),  # one says nothing
    ],
)
def test_the_ends_are_looked_at(first: list[float], second: list[float], alpha: float) -> None:
    moments = Moments.of(Observations.of(PEOPLE, [first, second]))
    assert best_alpha(moments) == alpha


def test_parts_that_say_the_same_share_the_weight_somehow() -> None:
    moments = Moments.of(Observations.of(PEOPLE, [COHESION, COHESION]))
    weights = best_weights(moments)
    assert moments.correlation(weights) == pytest.approx(
        stats.pearsonr(COHESION, PEOPLE).statistic, abs=1e-12
    )
    cancelled = np.array([1.0, -1.0])
    assert np.isnan(moments.correlation(cancelled))
    assert moments.gradient(cancelled) == pytest.approx([0, 0])


def test_groups_in_which_people_see_no_difference_are_left_out() -> None:
    human = np.array([[1.0, 5.0, 0.1 + 0.2], [2.0, 5.0, 0.3], [4.0, 5.0, np.nan]])
    part = np.array([[1.0, 7.0, 3.0], [2.0, 8.0, 4.0], [3.0, 9.0, 5.0]])
    moments = Moments.of(Observations.of(human, [part, part**2]), "item")
    assert len(moments.human) == 1
    with pytest.raises(InputError, match="nothing to learn: people gave the same score"):
        Moments.of(Observations.of(human[:, 1:2], [part[:, 1:2]]))
    with pytest.raises(InputError, match="no three scores can be compared"):
        Moments.of(Observations.of([1, 2], [[1, 2], [1, 3]]))


def test_normalisation_changes_no_correlation() -> None:
    observed = Observations.of(PEOPLE, [COHESION, OTHER])
    means, deviations = observed.scales()
    assert means == pytest.approx([0.5, 0.45])
    assert deviations == pytest.approx(np.std([COHESION, OTHER], axis=1))
    moments = Moments.of(observed.normalised(means, deviations))
    for column in np.eye(2):
        assert moments.correlation(column) == pytest.approx(EXAMPLE.correlation(column))
    a, b = best_weights(moments) / deviations  # the same combination of the raw scores
    assert a / (a + b) == pytest.approx(11 / 24)


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(InputError, match="systems x items"):
        Observations.of(PEOPLE, [[1, 2, 3]])
    with pytest.raises(InputError, match="fewer than two scores"):
        Observations.of([1, np.nan], [[1, 2], [3, 4]]).scales()
    with pytest.raises(InputError, match="two parts and one group"):
        best_alpha(Moments.of(made_up(0)))


# --- held out ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("blocks", "folds"), [(10, 2), (10, 3), (7, 7)])
def test_folds_are_as_equal_as_can_be(blocks: int, folds: int) -> None:
    sizes = np.bincount(folds_of(blocks, folds, seed=1))
    assert len(sizes) == folds
    assert sizes.sum() == blocks
    assert sizes.max() - sizes.min() <= 1


@pytest.mark.parametrize("folds", [1, 8])
def test_folds_that_cannot_be_made(folds: int) -> None:
    with pytest.raises(InputError, match=f"cannot make {folds} folds of 7 documents"):
        folds_of(7, folds, seed=1)


def test_no_document_is_scored_with_weights_that_saw_it() -> None:
    observed = made_up(5)
    blocks = np.repeat(np.arange(10), 3)
    seen: list[frozenset[int]] = []
    items = {tuple(np.nan_to_num(column)): i for i, column in enumerate(observed.human.T)}

    def train(part: Observations) -> Any:
        seen.append(frozenset(items[tuple(np.nan_to_num(column))] for column in part.human.T))
        return np.array([float(len(seen)), 0.0, 0.0])  # tells which fold trained it

    found = held_out(observed, blocks, train, folds=5, seed=3)
    fold = np.nanmedian(found.scores / observed.parts[0], axis=0).round().astype(int)
    for item in range(30):
        assert item not in seen[fold[item] - 1]
    for block in range(10):
        assert len(set(fold[blocks == block])) == 1
    assert found.weights[0, :, 0].tolist() == [1, 2, 3, 4, 5]
    assert np.array_equal(np.isnan(found.scores), np.isnan(observed.human))


def test_repeats_take_the_mean_over_draws_of_the_folds() -> None:
    observed = made_up(7, parts=2)

    def train(part: Observations) -> Any:
        return best_weights(Moments.of(part))

    singles = [held_out(observed, np.arange(30), train, folds=5, seed=s) for s in (3, 4, 5)]
    found = held_out(observed, np.arange(30), train, folds=5, repeats=3, seed=3)
    mean = np.mean([single.scores for single in singles], axis=0)
    assert found.scores == pytest.approx(mean, nan_ok=True)
    assert found.weights == pytest.approx(np.concatenate([s.weights for s in singles]))
    with pytest.raises(InputError, match="at least one repeat"):
        held_out(observed, np.arange(30), train, repeats=0)


def test_noise_that_fits_by_chance_is_worth_nothing_held_out() -> None:
    """Trained on 30 items, ten parts of pure noise seem to agree with people."""
    rng = np.random.default_rng(6)
    observed = Observations.of(rng.normal(size=(1, 60)), rng.normal(size=(10, 1, 60)))

    def train(part: Observations) -> Any:
        return best_weights(Moments.of(part), signed=True)

    seen = Moments.of(observed).correlation(train(observed))
    unseen = held_out(observed, np.arange(60), train, folds=10)
    assert seen > 0.3
    assert correlation("pearson", observed.human, unseen.scores).value < 0.15
