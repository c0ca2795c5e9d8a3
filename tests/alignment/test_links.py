"""Alignments as values."""

import pytest

from isogloss.alignment import SegmentAlignment, TokenPair
from isogloss.alignment.symmetrisation import Directions, SymmetrisedAligner
from isogloss.errors import InputError, MismatchError


def test_the_targets_of_each_source_word() -> None:
    alignment = SegmentAlignment(((0, 0), (2, 1), (2, 4)))
    assert alignment.targets() == {0: (0,), 2: (1, 4)}


def test_scores_go_link_by_link() -> None:
    assert SegmentAlignment(((0, 0),), (0.5,)).score_of() == {(0, 0): 0.5}
    assert SegmentAlignment(((0, 0),)).score_of() == {(0, 0): 1.0}
    assert SegmentAlignment((), ()) == SegmentAlignment(())
    with pytest.raises(MismatchError, match="1 links have 2 scores"):
        SegmentAlignment(((0, 0),), (0.5, 0.5))


class Fixed:
    """Says the same of every pair."""

    name = "fixed"

    def __init__(self, directions: Directions) -> None:
        self._directions = directions

    def directions(self, pairs: list[TokenPair]) -> list[Directions]:
        return [self._directions for _ in pairs]


def test_a_symmetrised_score_is_the_mean_of_both_directions() -> None:
    forth = SegmentAlignment(((0, 0), (1, 1)), (0.8, 0.4))
    back = SegmentAlignment(((0, 0),), (0.6,))
    aligner = SymmetrisedAligner(Fixed(Directions(forth, back)), "union")
    (found,) = aligner.align([(["a", "b"], ["c", "d"])])
    assert found.links == ((0, 0), (1, 1))
    assert found.scores == pytest.approx((0.7, 0.2))
    assert aligner.name == "fixed:union"


def test_without_scores_on_one_side_there_are_none() -> None:
    forth, back = SegmentAlignment(((0, 0),)), SegmentAlignment(((0, 0),), (0.6,))
    (found,) = SymmetrisedAligner(Fixed(Directions(forth, back)), "union").align([(["a"], ["b"])])
    assert found == SegmentAlignment(((0, 0),))


def test_an_unknown_symmetrisation_is_refused_at_once() -> None:
    nothing = SegmentAlignment(())
    with pytest.raises(InputError, match="unknown symmetrisation"):
        SymmetrisedAligner(Fixed(Directions(nothing, nothing)), "och")
