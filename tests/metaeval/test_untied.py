"""The order of pairs that people did not tie."""

import numpy as np

from isogloss.metaeval import untied_order

_PEOPLE = [[0.0, -1.0, np.nan], [-5.0, -1.0, 0.0], [-1.0, -6.0, -2.0]]


def test_only_untied_pairs_of_a_segment_count() -> None:
    # Segment 1: three untied pairs; segment 2: two; segment 3: one of the two there are.
    metric = [[9.0, 0.1, 5.0], [7.0, 0.3, 0.0], [8.0, 0.2, 1.0]]
    # Right: all of segment 1, and 0.3 over 0.2 in segment 2; the other two are wrong.
    assert untied_order(_PEOPLE, metric) == 4 / 6


def test_ties_of_the_metric_are_not_right() -> None:
    assert untied_order(_PEOPLE, np.zeros((3, 3))) == 0.0


def test_length_changes_nothing() -> None:
    metric = np.array([[-1.0, -2.0, -3.0], [-2.0, -1.0, -1.0], [-3.0, -4.0, -2.0]])
    lengths = np.array([3.0, 500.0, 20.0])
    assert untied_order(_PEOPLE, metric * lengths) == untied_order(_PEOPLE, metric)


def test_no_pair_no_share() -> None:
    assert untied_order([[1.0], [1.0]], [[0.0], [2.0]]) is None
    assert untied_order([[1.0], [np.nan]], [[0.0], [2.0]]) is None
