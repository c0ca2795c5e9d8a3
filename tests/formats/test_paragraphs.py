"""Paragraphs: found by their marks, with every character in its place."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.formats.paragraphs import in_paragraphs
from strategies import texts


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("<p>one</p>\n<p> two  three</p>", ["one", "two  three"]),
        ("one\n\n\ntwo\r\nthree\r", ["one", "two", "three"]),
        ('<P class="x">one<br>two<BR/>three</P>', ["one", "two", "three"]),
        ("<pre>a < b</pre>", ["<pre>a < b</pre>"]),
        ("<p>a<p>b", ["a", "b"]),
        ("<p></p> \n", []),
        ("", []),
    ],
)
def test_stand_between_marks(text: str, parts: list[str]) -> None:
    assert list(in_paragraphs(text).lines) == parts


@given(st.lists(texts() | st.sampled_from(["<p>", "</p>", "<br>", "\n", " "])).map("".join))
def test_keep_every_character_in_its_place(text: str) -> None:
    whole = in_paragraphs(text)
    assert whole.text == text
    assert all(line and line == line.strip() for line in whole.lines)
