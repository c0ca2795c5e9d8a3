"""Long segments in overlapping parts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.alignment import TokenPair
from isogloss.alignment.reader import TextPart, parts_of, together, whole

lengths = st.lists(st.integers(1, 6), min_size=1, max_size=60)


@given(lengths, lengths, st.integers(6, 40))
def test_parts_fit_and_cover_both_sides(ours: list[int], theirs: list[int], room: int) -> None:
    pair: TokenPair = (["a"] * len(ours), ["b"] * len(theirs))
    parts = parts_of(pair, (ours, theirs), room)
    assert parts
    for side, sizes in enumerate((ours, theirs)):
        slices = [(part.source, part.target)[side] for part in parts]
        assert all(sum(sizes[one]) <= room for one in slices)
        assert {word for one in slices for word in range(len(sizes))[one]} == set(range(len(sizes)))


def test_what_fits_is_one_part() -> None:
    pair: TokenPair = (["a"] * 5, ["b"] * 3)
    assert parts_of(pair, ([1] * 5, [1] * 3), 5) == [whole(pair)]
    assert whole(pair).of(pair) == pair


def test_neighbours_share_half_of_their_words() -> None:
    pair: TokenPair = (["a"] * 12, ["b"] * 24)
    parts = parts_of(pair, ([1] * 12, [1] * 24), 16)
    assert parts == [TextPart(slice(0, 8), slice(0, 16)), TextPart(slice(4, 12), slice(8, 24))]


def test_a_word_longer_than_the_room_fits_nowhere() -> None:
    assert parts_of((["a"], ["b", "b"]), ([9], [1, 1]), 5) == []


def test_where_parts_overlap_their_mean_counts() -> None:
    pair: TokenPair = (["a"] * 3, ["b"] * 3)
    parts = [TextPart(slice(0, 2), slice(0, 2)), TextPart(slice(1, 3), slice(1, 3))]
    ones = np.ones((2, 2), np.float32)
    merged = together(pair, parts, [ones, ones * 3])
    assert merged == pytest.approx(np.array([[1, 1, 0], [1, 2, 3], [0, 3, 3]]))
    assert together(pair, [whole(pair)], [ones]) is ones
    assert together(pair, [], []).tolist() == np.zeros((3, 3)).tolist()
