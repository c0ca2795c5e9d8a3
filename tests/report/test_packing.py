"""Packed numbers: short, printable, and the same on the other side."""

import json
import math

from hypothesis import given
from hypothesis import strategies as st

from isogloss.report.data import packed, packed_scores, packed_signed
from report.made_reports import unpacked


def test_the_page_reads_the_same_texts() -> None:
    """The same texts stand in web/tests/packing.test.ts."""
    assert packed([0, 1, 45, 46, 47, 2115, 2116, 100000]) == " !NO!P!}NOO!zZP!"
    assert packed_signed([0, -1, 1, -2, 2, -100]) == " !#$%_%"
    assert packed_scores([None, 0.0, -0.1, 12.34, math.nan], 2) == " !5oV! "


@given(st.lists(st.integers(0, 10**12)))
def test_numbers_come_back(numbers: list[int]) -> None:
    text = packed(numbers)
    assert unpacked(text) == numbers
    assert json.dumps(text) == f'"{text}"', "JSON carries it as it is"


@given(st.lists(st.none() | st.floats(-1e6, 1e6)), st.integers(0, 4))
def test_scores_come_back_to_their_last_digit(scores: list[float | None], digits: int) -> None:
    for number, score in zip(unpacked(packed_scores(scores, digits)), scores, strict=True):
        if score is None:
            assert number == 0
        else:
            whole = (number - 1) // 2 if number % 2 else -(number // 2)
            assert whole == round(score * 10**digits)
