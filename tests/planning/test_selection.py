"""Choosing documents: with the chances it says, and without bias whatever it guesses."""

from dataclasses import replace

import numpy as np
import pytest

import isogloss
from isogloss.errors import InputError
from isogloss.planning import (
    Guess,
    chances_of,
    output_diversity,
    score_level,
    select_documents,
    systematic,
)

SAMPLE = isogloss.load_sample("cs-en")


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


@pytest.mark.parametrize("guess", ["level", "diversity", "spread", "chance"])
def test_a_selection_keeps_the_order_and_the_chances_of_all(guess: Guess) -> None:
    table = isogloss.evaluate(SAMPLE, "chrf")
    chosen = select_documents(SAMPLE, 3, 5, guess, table)
    ids = [document.id for document in SAMPLE.testset.documents]
    assert list(chosen.chosen) == [id for id in ids if id in chosen.chosen]
    assert len(chosen.chosen) == 3
    assert list(chosen.chances) == ids
    assert sum(chosen.chances.values()) == pytest.approx(3)
    assert select_documents(SAMPLE, 3, 5, guess, table) == chosen
    assert chosen.weights == {id: 1 / chosen.chances[id] for id in chosen.chosen}
    assert (len(set(chosen.chances.values())) > 1) == (guess in ("diversity", "spread"))


def test_by_level_easy_and_hard_documents_are_drawn_alike() -> None:
    table = isogloss.evaluate(SAMPLE, "chrf")
    levels = score_level(table, [document.id for document in SAMPLE.testset.documents])
    assert levels.mean() == pytest.approx(0)
    scores = np.array([[d.score for d in row.documents] for row in table.rows])
    assert np.corrcoef(levels, scores.mean(axis=0))[0, 1] == pytest.approx(1)
    above = levels > np.median(levels)
    easy = {SAMPLE.testset.documents[n].id for n in np.flatnonzero(above)}
    one_domain = isogloss.Collection(
        replace(
            SAMPLE.testset,
            documents=tuple(replace(d, domain=None) for d in SAMPLE.testset.documents),
        ),
        SAMPLE.outputs,
    )
    for seed in range(20):
        chosen = select_documents(one_domain, 2, seed, "level", table).chosen
        assert len(easy & set(chosen)) == 1


def test_outputs_that_are_alike_are_not_diverse() -> None:
    assert (output_diversity(SAMPLE) > 0).all()
    alone = SAMPLE.with_systems(["steady"])
    twice = isogloss.Collection(
        SAMPLE.testset,
        (alone.outputs[0], isogloss.SystemOutput("again", alone.outputs[0].documents)),
    )
    assert not output_diversity(twice).any()


def test_what_cannot_be_chosen_is_refused() -> None:
    with pytest.raises(InputError, match="needs scores of a metric"):
        select_documents(SAMPLE, 4, 1)
    with pytest.raises(InputError, match="9 of 8 documents"):
        select_documents(SAMPLE, 9, 1, "chance")
