"""Codes of languages: what they stand for, and what is no code at all."""

import pytest

from isogloss.errors import InputError
from isogloss.language import check_known, is_known, primary
from isogloss.language.codes import ENGLISH_NAMES


@pytest.mark.parametrize(
    ("code", "language"),
    [
        ("de", "de"), ("pt-BR", "pt"), ("zh_Hant", "zh"), ("cmn", "zh"), ("zho_Hans", "zh"),
        ("deu_Latn", "de"), ("ger", "de"), ("jpn", "ja"), ("tha_Thai", "th"), ("yue", "yue"),
        ("arb_Arab", "ar"), ("ekk", "et"), ("arz", "arz"), ("iw", "he"),
        ("X-Dothraki", "x-dothraki"), ("nosuch", "nosuch"), (None, None),
    ],
)  # fmt: skip
def test_what_counts_is_the_language(code: str | None, language: str | None) -> None:
    assert primary(code) == language


@pytest.mark.parametrize("code", [*ENGLISH_NAMES, "yue", "deu_Latn", "qaa", "qtz", "x-a-b", "iw"])
def test_known(code: str) -> None:
    assert is_known(code)
    check_known(code, "--to")


@pytest.mark.parametrize(
    "code", ["xx", "x", "x-", "", "jp", "english", "qzz", "e", "zz-ZZ", "enn1"]
)
def test_unknown(code: str) -> None:
    assert not is_known(code)
    with pytest.raises(InputError, match=r"--to: there is no language .* x- and a name"):
        check_known(code, "--to")


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("jp", "ja"),
        ("cz", "cs"),
        ("CN", "zh"),
        ("German", "de"),
        ("englisch", "en"),
        ("xx-us", "en"),
    ],
)
def test_a_country_or_a_name_for_a_language(given: str, meant: str) -> None:
    with pytest.raises(InputError, match=f"did you mean '{meant}'"):
        check_known(given, "--from")


def test_no_guess_is_better_than_a_bad_one() -> None:
    with pytest.raises(InputError, match="codes are those of ISO 639"):
        check_known("xx", "--to")
