"""The symmetrisation `phrases`: one link a source word, grown to the words that belong to it."""

import pytest

from isogloss.alignment import Links
from isogloss.alignment.symmetrisation import symmetrise


@pytest.mark.parametrize(
    ("forth", "back", "expected"),
    [
        # "flood control house": the neighbours of "house" point back to the same source word.
        (((0, 2),), ((0, 0), (0, 1), (0, 2)), ((0, 0), (0, 1), (0, 2))),
        # A gap ends the phrase.
        (((0, 3),), ((0, 0), (0, 2), (0, 3)), ((0, 2), (0, 3))),
        # Another source word's link is left to it, and what lies behind it too.
        (((0, 2), (1, 1)), ((0, 0), (0, 1), (0, 2)), ((0, 2), (1, 1))),
        # A source word without a link gets none, whatever points to it.
        (((0, 0),), ((1, 1),), ((0, 0),)),
        ((), ((0, 0),), ()),
    ],
)
def test_links_grow_over_neighbours_that_point_back(
    forth: Links, back: Links, expected: Links
) -> None:
    assert symmetrise(forth, back, "phrases") == expected
