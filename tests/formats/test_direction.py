from pathlib import Path

import pytest

from isogloss.errors import FormatError
from isogloss.formats.protocol import Direction, chosen_direction

EN_DE, EN_FR = Direction("en", "de"), Direction("en", "fr")


@pytest.mark.parametrize(
    ("stated", "pair", "expected"),
    [
        (EN_DE, "en-de", EN_DE),
        (EN_DE, "de-en", None),
        (Direction("zh-Hant", "en"), "zh-Hant-en", Direction("zh-Hant", "en")),
        (Direction("en", None), "en-de", EN_DE),
        (Direction("fr", None), "en-de", None),
        (Direction(None, None), "en-de", EN_DE),
        (Direction(None, None), "ende", None),
    ],
)
def test_a_pair_fills_in_what_is_not_stated(
    stated: Direction, pair: str, expected: Direction | None
) -> None:
    assert stated.within(pair) == expected


def test_the_only_direction_needs_no_choice() -> None:
    assert chosen_direction([EN_DE, EN_DE], None, Path("f")) == EN_DE


def test_the_pair_chooses() -> None:
    assert chosen_direction([EN_DE, EN_FR], "en-fr", Path("f")) == EN_FR


def test_several_directions_are_listed() -> None:
    with pytest.raises(FormatError, match=r"f: there are several language pairs: en-de, en-fr;"):
        chosen_direction([EN_DE, EN_FR], None, Path("f"))


def test_an_unknown_pair_is_told_what_there_is() -> None:
    with pytest.raises(FormatError, match=r"no language pair 'de-en'; there are: en-de, en-\?"):
        chosen_direction([EN_DE, Direction("en", None)], "de-en", Path("f"))
