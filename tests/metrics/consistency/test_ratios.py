"""Consistency of one word as exact fractions: worked examples, and every pair counted by hand."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.metrics.consistency import ratios
from isogloss.metrics.consistency.ratios import DISTANCES, Key, Ratio, macro, micro

KEYS = st.lists(st.sampled_from(["a", "b", "c", None]), max_size=9)


@pytest.mark.parametrize(
    ("renderings", "ltcr", "ltcr_1", "like_first", "like_most"),
    [
        ("a b a a", (3, 6), (2, 3), (3, 4), (3, 4)),
        ("a b b b", (3, 6), (0, 3), (1, 4), (3, 4)),
        ("a a b b", (2, 6), (1, 3), (2, 4), (2, 4)),
    ],
)
def test_worked_examples(
    renderings: str,
    ltcr: tuple[int, int],
    ltcr_1: tuple[int, int],
    like_first: tuple[int, int],
    like_most: tuple[int, int],
) -> None:
    keys = renderings.split()
    assert ratios.pairs(keys) == ltcr
    assert ratios.first(keys) == ltcr_1
    assert ratios.pseudo_first(keys) == like_first
    assert ratios.pseudo_frequent(keys) == like_most


def test_a_corpus_micro_and_macro() -> None:
    words = [ratios.pairs(["a", "a", "b"]), ratios.pairs(["c", "c"])]
    assert micro(words) == (2, 4)
    assert macro(words) == Fraction(2, 3)


def test_figure_one_of_the_paper() -> None:
    machine = ["flood fighting house", "flood control house", "flood resistance homes"]
    assert ratios.pairs(machine) == (0, 3)
    assert ratios.pairs(["flood - resistant house"] * 3) == (3, 3)


def test_what_is_untranslated_is_like_nothing() -> None:
    assert ratios.pairs([None, None]) == (0, 1)
    assert ratios.first([None, None, "a"]) == (0, 2)
    assert ratios.pseudo_first([None, None]) == (0, 2)
    assert ratios.pseudo_frequent([None, None, "a"]) == (1, 3)
    assert ratios.as_demanded([None, "a", "b"], {"a"}) == (1, 3)


def test_a_reference_that_varies_allows_it() -> None:
    required = ["x", "x", "y", "y"]
    assert ratios.pairs(["a", "a", "b", "c"], required) == (1, 2)
    assert ratios.first(["a", "b", "c", "d"], required) == (0, 1)
    assert ratios.pairs(["a", "a"], [None, None]) == (0, 0)
    assert ratios.first(["a", "a"], [None, None]) == (0, 0)


@pytest.mark.parametrize("family", [ratios.pairs, ratios.first, ratios.pseudo_first])
def test_nothing_has_no_value(family: Callable[[Sequence[Key]], Ratio]) -> None:
    assert family([]).value is None
    assert macro([family([])]) is None


def counted(keys: Sequence[Key], required: Sequence[Key]) -> Ratio:
    """The formula itself, pair by pair."""
    wanted = [
        (i, j)
        for i, j in combinations(range(len(keys)), 2)
        if required[i] is not None and required[i] == required[j]
    ]
    return Ratio(sum(keys[i] is not None and keys[i] == keys[j] for i, j in wanted), len(wanted))


@given(KEYS, st.data())
def test_counts_of_keys_give_what_counting_pairs_gives(
    keys: list[Key], data: st.DataObject
) -> None:
    required = data.draw(st.lists(st.sampled_from("xy"), min_size=len(keys), max_size=len(keys)))
    assert ratios.pairs(keys) == counted(keys, [True] * len(keys))
    assert ratios.pairs(keys, required) == counted(keys, required)


@given(KEYS, st.data())
def test_distances_add_up_and_are_those_of_the_pairs(keys: list[Key], data: st.DataObject) -> None:
    segments = data.draw(
        st.lists(st.integers(0, 12), min_size=len(keys), max_size=len(keys)).map(sorted)
    )
    found = ratios.pairs_by_distance(keys, segments)
    assert micro(found) == ratios.pairs(keys)
    for place in range(len(DISTANCES)):
        here = [
            (i, j)
            for i, j in combinations(range(len(keys)), 2)
            if min(segments[j] - segments[i], 5) == place
        ]
        alike = sum(keys[i] is not None and keys[i] == keys[j] for i, j in here)
        assert found[place] == (alike, len(here))


def test_a_word_that_stands_everywhere_is_no_burden() -> None:
    often = 200_000  # pair by pair this would take hours
    assert ratios.pairs(["a"] * often) == (often * (often - 1) // 2,) * 2
    by_distance = ratios.pairs_by_distance(["a"] * often, range(often))
    assert by_distance[1] == (often - 1, often - 1)
