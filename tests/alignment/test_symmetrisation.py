"""Symmetrisation against the textbook's loops (Koehn, Statistical Machine Translation, 4.5.3)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.alignment import SYMMETRISATIONS, Links
from isogloss.alignment.symmetrisation import short_name, symmetrise
from isogloss.errors import InputError

WORDS = 7


def textbook_grow_diag(forth: set, back: set) -> set:
    neighbouring = [(-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1)]
    alignment = forth & back
    while True:
        before = set(alignment)
        for e in range(WORDS):
            for f in range(WORDS):
                if (f, e) not in alignment:
                    continue
                for down, right in neighbouring:
                    e_new, f_new = e + down, f + right
                    e_aligned = any(link[1] == e_new for link in alignment)
                    f_aligned = any(link[0] == f_new for link in alignment)
                    if (not e_aligned or not f_aligned) and (f_new, e_new) in forth | back:
                        alignment.add((f_new, e_new))
        if alignment == before:
            return alignment


def textbook_final_and(alignment: set, links: set) -> None:
    for e in range(WORDS):
        for f in range(WORDS):
            e_aligned = any(link[1] == e for link in alignment)
            f_aligned = any(link[0] == f for link in alignment)
            if not e_aligned and not f_aligned and (f, e) in links:
                alignment.add((f, e))


def textbook(forth: set, back: set, method: str) -> set:
    if method == "union":
        return forth | back
    if method == "intersection":
        return forth & back
    alignment = textbook_grow_diag(forth, back)
    if method == "grow-diag-final-and":
        textbook_final_and(alignment, forth)
        textbook_final_and(alignment, back)
    return alignment


positions = st.integers(0, WORDS - 1)
source_to_target = st.dictionaries(positions, positions).map(lambda d: tuple(sorted(d.items())))
target_to_source = st.dictionaries(positions, positions).map(
    lambda d: tuple(sorted((source, target) for target, source in d.items()))
)
any_links = st.sets(st.tuples(positions, positions)).map(lambda links: tuple(sorted(links)))


@pytest.mark.parametrize("method", ["union", "intersection", "grow-diag", "grow-diag-final-and"])
@given(source_to_target, target_to_source)
def test_as_the_textbook_does(method: str, forth: Links, back: Links) -> None:
    expected = textbook(set(forth), set(back), method)
    assert symmetrise(forth, back, method) == tuple(sorted(expected))


@given(any_links, any_links)
def test_growing_takes_any_links(forth: Links, back: Links) -> None:
    expected = textbook(set(forth), set(back), "grow-diag-final-and")
    assert symmetrise(forth, back, "grow-diag-final-and") == tuple(sorted(expected))


@given(source_to_target, target_to_source)
def test_each_method_lies_between_intersection_and_union(forth: Links, back: Links) -> None:
    for method in ("grow-diag", "grow-diag-final-and"):
        links = set(symmetrise(forth, back, method))
        assert set(symmetrise(forth, back, "intersection")) <= links
        assert links <= set(symmetrise(forth, back, "union"))


@given(source_to_target, target_to_source)
def test_phrases_grow_over_neighbours_that_point_back(forth: Links, back: Links) -> None:
    heads, choices = dict(forth), {target: source for source, target in back}
    expected = set(forth)
    for source, target in back:
        if source in heads:
            between = range(min(target, heads[source]), max(target, heads[source]) + 1)
            free = set(between) - {heads[source]}
            if all(choices.get(t) == source and t not in heads.values() for t in free):
                expected.add((source, target))
    assert symmetrise(forth, back, "phrases") == tuple(sorted(expected))


def test_one_direction_alone() -> None:
    forth, back = ((0, 1), (1, 1)), ((0, 0), (0, 1))
    assert symmetrise(forth, back, "source-to-target") == forth
    assert symmetrise(forth, back, "target-to-source") == back


def test_a_worked_example() -> None:
    # 0-0 is agreed on; 1-1 touches it; 3-3 touches nothing, but both its words are free.
    forth, back = ((0, 0), (1, 1), (3, 3)), ((0, 0),)
    assert symmetrise(forth, back, "grow-diag") == ((0, 0), (1, 1))
    assert symmetrise(forth, back, "grow-diag-final-and") == ((0, 0), (1, 1), (3, 3))


def test_unknown_methods_are_refused() -> None:
    with pytest.raises(InputError, match="unknown symmetrisation 'och'; known are: grow-diag"):
        symmetrise((), (), "och")


def test_short_names_differ() -> None:
    assert len({short_name(method) for method in SYMMETRISATIONS}) == len(SYMMETRISATIONS)
