"""Choosing documents: with the chances it says, and without bias whatever it guesses."""

import numpy as np
import pytest

import isogloss
from isogloss.errors import InputError
from isogloss.planning import chances_of, output_diversity, select_documents, systematic


def test_chances_add_up_and_none_is_above_one() -> None:
    sizes = np.array([100.0, 3, 2, 2, 1, 1, 1])
    chances = chances_of(sizes, 4)
    assert chances.sum() == pytest.approx(4)
    assert chances[0] == 1.0
    assert (np.diff(chances[1:]) <= 0).all()
    assert chances[1] / chances[2] == pytest.approx(1.5)


def test_documents_are_drawn_with_their_chances_and_estimates_are_unbiased() -> None:
    rng = np.random.default_rng(4)
    values, sizes = rng.normal(5, 2, size=25), rng.uniform(0.5, 3, size=25)
    chances = chances_of(sizes, 7)
    order = np.argsort(values)
    totals, hits = [], np.zeros(25)
    for _ in range(6000):
        drawn = systematic(chances, order, rng)
        assert drawn.sum() == 7
        hits += drawn
        totals.append((values[drawn] / chances[drawn]).sum())
    assert hits / 6000 == pytest.approx(chances, abs=0.025)
    assert np.mean(totals) == pytest.approx(values.sum(), rel=0.01)


def test_a_selection_keeps_the_order_and_the_chances_of_all() -> None:
    sample = isogloss.load_sample("cs-en")
    chosen = select_documents(sample, 3, seed=5)
    ids = [document.id for document in sample.testset.documents]
    assert list(chosen.chosen) == [id for id in ids if id in chosen.chosen]
    assert len(chosen.chosen) == 3
    assert list(chosen.chances) == ids
    assert sum(chosen.chances.values()) == pytest.approx(3)
    assert select_documents(sample, 3, seed=5) == chosen
    assert chosen.weights == {id: 1 / chosen.chances[id] for id in chosen.chosen}


def test_outputs_that_are_alike_are_not_diverse() -> None:
    sample = isogloss.load_sample("cs-en")
    assert (output_diversity(sample) > 0).all()
    alone = sample.with_systems(["steady"])
    twice = isogloss.Collection(
        sample.testset,
        (alone.outputs[0], isogloss.SystemOutput("again", alone.outputs[0].documents)),
    )
    assert not output_diversity(twice).any()


def test_by_scores_documents_are_chosen_on_which_systems_differ() -> None:
    sample = isogloss.load_sample("cs-en")
    table = isogloss.evaluate(sample, "chrf")
    chosen = select_documents(sample, 4, 1, "scores", table)
    assert len(set(chosen.chances.values())) > 1
    with pytest.raises(InputError, match="needs their scores"):
        select_documents(sample, 4, 1, "scores")
    with pytest.raises(InputError, match="9 of 8 documents"):
        select_documents(sample, 9, 1)
