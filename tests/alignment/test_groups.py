"""Words that belong together."""

from hypothesis import given
from hypothesis import strategies as st

from isogloss.alignment import Links, groups
from isogloss.alignment.protocol import WordGroup

places = st.integers(0, 8)
links = st.sets(st.tuples(places, places)).map(lambda found: tuple(sorted(found)))


def test_what_is_linked_through_others_belongs_together() -> None:
    assert groups(((0, 1), (1, 0), (2, 2), (2, 3), (3, 3), (5, 0))) == [
        WordGroup((0,), (1,)),
        WordGroup((1, 5), (0,)),
        WordGroup((2, 3), (2, 3)),
    ]
    assert groups(()) == []


@given(links)
def test_groups_part_the_words(found: Links) -> None:
    made = groups(found)
    sources = [word for group in made for word in group.sources]
    targets = [word for group in made for word in group.targets]
    assert sorted(sources) == sorted({source for source, _ in found})
    assert sorted(targets) == sorted({target for _, target in found})
    for source, target in found:
        assert sum(source in g.sources and target in g.targets for g in made) == 1


@given(links)
def test_no_group_could_be_cut(found: Links) -> None:
    for group in groups(found):
        reached = {("s", group.sources[0])}
        for _ in found:
            for source, target in found:
                if ("s", source) in reached or ("t", target) in reached:
                    reached |= {("s", source), ("t", target)}
        assert {word for side, word in reached if side == "s"} == set(group.sources)
        assert {word for side, word in reached if side == "t"} == set(group.targets)
