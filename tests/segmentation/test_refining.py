"""Cuts inside sentences, looked at once more: against all places for them."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.arrays import Floats, Floats32
from isogloss.segmentation import refining
from isogloss.segmentation.outputs import OutputPieces
from isogloss.segmentation.refining import refined

Runs = Sequence[tuple[int, int]]


def pieces_with(directions: Floats32, starts: Sequence[int] = ()) -> OutputPieces:
    """Pieces of one letter each that point so; sentences begin at these gaps."""
    count = len(directions)
    gaps = np.zeros(count + 1, dtype=bool)
    gaps[[0, count, *starts]] = True
    nowhere = np.zeros(count, dtype=bool)
    return OutputPieces(
        tuple((place, place + 1) for place in range(count)),
        directions,
        nowhere,
        gaps,
        np.zeros((2, count + 1)),
        np.zeros(count + 1, dtype=bool),
        nowhere,
    )


def random_directions(random: np.random.Generator, count: int) -> Floats32:
    vectors = random.normal(size=(count, 4))
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


def worth(cut: int, left: Floats32, right: Floats32, pieces: Floats32, cost: float) -> float:
    """Each piece's best counterpart on its side of the cut, counted from both sides."""
    total = -cost
    for ours, theirs in ((left, pieces[:cut]), (right, pieces[cut:])):
        total += refining._COVERED * sum(max(float(a @ b) for b in theirs) for a in ours)
        total += refining._GROUNDED * sum(max(float(a @ b) for a in ours) for b in theirs)
    return total


@given(st.integers(0, 2**32 - 1), st.integers(2, 8), st.integers(1, 4), st.integers(1, 4))
def test_no_place_is_better(seed: int, count: int, ours: int, theirs: int) -> None:
    random = np.random.default_rng(seed)
    pieces = random_directions(random, count)
    left, right = random_directions(random, ours), random_directions(random, theirs)
    costs = random.uniform(0, 3, size=(2, count + 1))
    first = int(random.integers(1, count))
    runs = refined(
        [(0, first), (first, count)], costs, lambda _: (left, right), pieces_with(pieces)
    )
    (start, cut), (after, end) = runs
    assert (start, end) == (0, count)
    assert cut == after
    places = [worth(place, left, right, pieces, costs[0, place]) for place in range(1, count)]
    assert np.isclose(places[cut - 1], max(places), atol=1e-4)


AXES = np.eye(4, dtype=np.float32)


def around(cut: int, starts: Sequence[int] = (), costs: Floats | None = None) -> Runs:
    """Two sentences of two pieces each that are rendered in order, first cut at a place."""
    free = np.zeros((2, 5)) if costs is None else costs
    output = pieces_with(AXES, starts)
    return refined([(0, cut), (cut, 4)], free, lambda _: (AXES[:2], AXES[2:]), output)


def test_a_cut_moves_to_where_both_sides_have_what_they_need() -> None:
    for cut in (1, 2, 3):
        assert around(cut) == ((0, 2), (2, 4))


def test_a_cut_where_a_sentence_begins_stays() -> None:
    assert around(3, starts=[3]) == ((0, 3), (3, 4))


def test_a_cut_never_moves_into_a_word() -> None:
    costs = np.zeros((2, 5))
    costs[:, 2] = 1e6
    assert around(3, costs=costs) != ((0, 2), (2, 4))


def test_runs_that_do_not_meet_stay() -> None:
    """Something was added between them, or one of them is empty."""
    output = pieces_with(AXES)
    for runs in (((0, 1), (3, 4)), ((0, 0), (0, 4)), ((0, 4), (4, 4)), ((0, 4),)):
        free = np.zeros((len(runs), 5))
        assert refined(runs, free, lambda _: (AXES[:2], AXES[2:]), output) == runs


@pytest.mark.parametrize("witnesses", [(AXES[:0], AXES), (AXES, AXES[:0])])
def test_a_sentence_of_marks_alone_leaves_it_to_the_costs(
    witnesses: tuple[Floats32, Floats32],
) -> None:
    costs = np.array([[0.0, 3.0, 2.0, 1.0, 0.0]] * 2)
    found = refined([(0, 1), (1, 4)], costs, lambda _: witnesses, pieces_with(AXES))
    assert found == ((0, 3), (3, 4))


def test_several_cuts_keep_all_pieces() -> None:
    random = np.random.default_rng(3)
    pieces = random_directions(random, 12)
    witnesses = [random_directions(random, 3) for _ in range(5)]
    runs = [(0, 3), (3, 5), (5, 6), (6, 10), (10, 12)]
    found = refined(
        runs, np.zeros((5, 13)), lambda n: (witnesses[n], witnesses[n + 1]), pieces_with(pieces)
    )
    assert (found[0][0], found[-1][1]) == (0, 12)
    for (start, end), (following, _) in pairwise(found):
        assert start < end == following
