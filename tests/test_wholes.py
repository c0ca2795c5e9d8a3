"""Whole texts and their cuts: exact to the character, whatever the text is."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.errors import InputError
from isogloss.wholes import Cut, WholeText
from strategies import texts


@st.composite
def places_in(draw: st.DrawFn, text: str) -> tuple[tuple[int, int], ...]:
    edges = sorted(draw(st.lists(st.integers(0, len(text)), max_size=8)))
    return tuple(zip(edges[::2], edges[1::2], strict=False))


@st.composite
def wholes(draw: st.DrawFn) -> WholeText:
    """Texts with marks around and between their parts."""
    text = "".join(draw(st.lists(texts() | st.sampled_from(["<p>", "</p>", "\n"]), max_size=8)))
    return WholeText(text, draw(places_in(text)))


@st.composite
def cuts(draw: st.DrawFn) -> Cut:
    """Stretches in any order, some of them empty."""
    whole = draw(wholes())
    inner = sorted(draw(st.lists(st.integers(0, len(whole.text)), max_size=5)))
    stretches = list(pairwise([0, *inner, len(whole.text)]))
    return Cut(whole, tuple(draw(st.permutations(stretches))))


@given(cuts())
def test_joining_the_stretches_gives_the_text_back(cut: Cut) -> None:
    text = cut.whole.text
    assert "".join(text[start:end] for start, end in sorted(cut.places)) == text


@given(wholes())
def test_what_is_visible_is_as_long_as_the_text(whole: WholeText) -> None:
    visible = whole.visible
    assert len(visible) == len(whole.text)
    for start, end in whole.parts:
        assert visible[start:end].split() == whole.text[start:end].split()


@given(cuts())
def test_a_place_in_a_segment_is_a_place_in_the_text(cut: Cut) -> None:
    for number, segment in enumerate(cut.segments):
        start, end = cut.handed_in(number, 0, len(segment))
        assert cut.whole.visible[start:end] == segment
        assert segment == segment.strip()


@given(cuts(), st.data())
def test_a_place_in_the_text_is_found_in_the_segments_that_show_it(
    cut: Cut, data: st.DataObject
) -> None:
    place = data.draw(st.tuples(*[st.integers(0, len(cut.whole.text))] * 2).map(sorted))
    start, end = place
    found = list(cut.within((start, end)))
    for number, left, right in found:
        assert 0 <= left < right <= len(cut.segments[number])
        assert start <= cut.handed_in(number, left, right)[0]
        assert cut.handed_in(number, left, right)[1] <= end
    shown = sum(min(end, b) - max(start, a) for a, b in cut.shown if max(start, a) < min(end, b))
    assert sum(right - left for _, left, right in found) == shown


@given(st.lists(texts(exclude="\n"), max_size=6))
def test_lines_are_parts(lines: list[str]) -> None:
    whole = WholeText.of_lines(lines)
    assert list(whole.lines) == lines
    assert whole.text == "\n".join(lines)


def test_lines_that_are_absent_are_no_parts() -> None:
    assert WholeText.of_present(["a", None, "", "b"]) == WholeText.of_lines(["a", "", "b"])
    assert WholeText.of_present([]) == WholeText.of_lines([]), "nothing was handed in"
    assert WholeText.of_present([None, None]) is None, "nobody handed in anything"


@given(st.lists(texts(exclude="\n"), min_size=1, max_size=6))
def test_a_text_can_be_cut_at_its_parts(lines: list[str]) -> None:
    cut = Cut.at_parts(WholeText.of_lines(lines))
    assert [segment.split() for segment in cut.segments] == [line.split() for line in lines]


def test_marks_are_blanked_and_never_shown() -> None:
    whole = WholeText("<p>one\u00a0two</p>\n<p> three</p>", ((3, 10), (18, 24)))
    assert whole.visible == "   one two" + " " * 8 + " three    "
    cut = Cut.at_parts(whole)
    assert cut.segments == ("one two", "three")
    assert cut.places == ((0, 18), (18, 28))
    assert cut.handed_in(1, 0, 5) == (19, 24)
    assert list(cut.within((5, 21))) == [(0, 2, 7), (1, 0, 2)]


@pytest.mark.parametrize("parts", [((0, 9),), ((2, 3), (0, 1)), ((0, 2), (1, 3)), ((2, 1),)])
def test_parts_lie_in_their_text_in_order(parts: tuple[tuple[int, int], ...]) -> None:
    with pytest.raises(InputError, match="must lie in it, one after the other"):
        WholeText("abc", parts)


@pytest.mark.parametrize(
    ("places", "complaint"),
    [
        (((0, 1), (2, 3)), "characters 1 to 2 belong to no segment"),
        (((0, 2), (1, 3)), "or to two"),
        (((0, 2),), "characters from 2 on belong to no segment"),
        ((), "characters from 0 on"),
    ],
)
def test_every_character_belongs_to_one_segment(
    places: tuple[tuple[int, int], ...], complaint: str
) -> None:
    with pytest.raises(InputError, match=complaint):
        Cut(WholeText.of_lines(["abc"]), places)
