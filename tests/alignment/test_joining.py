"""Words put back together."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.alignment.attention import joined


@pytest.mark.parametrize(
    ("words", "language", "text"),
    [
        ("该 组织 表示 ： “ PRROWESS 网站 。 ”", "zh", "该组织表示：“PRROWESS网站。”"),
        ("iPhone 14 Pro 手机", "zh-Hans", "iPhone 14 Pro手机"),
        ('" It is n\'t , " she said .', "en", '"It isn\'t," she said.'),
        ("( the clinic 's ) $ 20 million", "en", "(the clinic's) $20 million"),
        ("ein Haus", None, "ein Haus"),
        ("", "en", ""),
    ],
)
def test_texts_are_put_together_as_people_write_them(words: str, language: str, text: str) -> None:
    assert joined(words.split(), language)[0] == text


@given(st.lists(st.text(max_size=4)), st.sampled_from(["en", "zh", None]))
def test_every_word_is_where_it_is_said_to_be(words: list[str], language: str | None) -> None:
    text, ranges = joined(words, language)
    assert [text[start:end] for start, end in ranges] == words
