"""Spans: half-open code-point ranges that point into the right text."""

import pytest

from isogloss.errors import InputError
from isogloss.spans import SOURCE, Span, output_side, reference_side


def test_a_span_counts_code_points() -> None:
    text = "a😀 házi"
    assert Span("d", SOURCE, 0, 1, 2).text([text]) == "😀"
    assert Span("d", output_side("s"), 1, 3, 7).text(["", text]) == "házi"


@pytest.mark.parametrize("side", ["", "target", "output:", "reference", "Source"])
def test_unknown_sides_are_refused(side: str) -> None:
    with pytest.raises(InputError, match="is no side of a document"):
        Span("d", side, 0, 0, 1)


@pytest.mark.parametrize(("segment", "start", "end"), [(-1, 0, 1), (0, -1, 1), (0, 2, 1)])
def test_impossible_places_are_refused(segment: int, start: int, end: int) -> None:
    with pytest.raises(InputError, match="no such place"):
        Span("d", reference_side("r"), segment, start, end)


@pytest.mark.parametrize("segments", [[], ["ab"], [None]])
def test_a_span_outside_the_text_is_refused(segments: list[str | None]) -> None:
    with pytest.raises(InputError, match="outside the text"):
        Span("d", SOURCE, 0, 0, 3).text(segments)
