"""JSON and TOML that Python's own readers do not stand, or take for something else."""

import json
from pathlib import Path

import pytest

from isogloss.errors import FormatError, InputError
from isogloss.notation import in_words, json_value, toml_table

PATH = Path("a.json")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[" * 100_000, "a.json: brackets are nested too deeply"),
        ('{"a":' * 100_000, "a.json: brackets are nested too deeply"),
        ("9" * 5000, "a.json: a number has too many digits"),
        ("[1e999]", "a.json: 1e999 is out of range"),
        ("[-1e999]", "a.json: -1e999 is out of range"),
        ("9" * 400, "a.json: 999999999999999999999999999999… is out of range"),
        (str(2**63), f"a.json: {2**63} is out of range"),
        ("[NaN]", "a.json: NaN is no number in JSON"),
        ("[-Infinity]", "a.json: -Infinity is no number in JSON"),
        (r'"\ud800"', "a.json: half a character"),
        ("[1,\n2", "a.json:2: not JSON at column 2"),
        ("", "a.json:1: not JSON at column 1"),
    ],
)
def test_hostile_json_is_told(text: str, complaint: str) -> None:
    with pytest.raises(FormatError) as told:
        json_value(text, PATH)
    assert str(told.value).startswith(complaint)


def test_a_line_of_many_is_named() -> None:
    with pytest.raises(FormatError, match=r"^a\.json:7: NaN"):
        json_value("NaN", PATH, 7)
    with pytest.raises(FormatError, match=r"^a\.json:7: not JSON"):
        json_value("{", PATH, 7)


@pytest.mark.parametrize("value", [1e308, -1e-320, 2**63 - 1, -(2**63), 0.1, "\U0001f600", None])
def test_what_json_can_say_is_read(value: object) -> None:
    for text in (json.dumps(value), json.dumps(value, ensure_ascii=False)):
        assert json_value(text, PATH) == value


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("a = 1 2", "a.json:1: this is not TOML"),
        ("a = 1\nb = [", "a.json:2: this is not TOML"),
        ("a = " + "[" * 5000, "a.json: brackets are nested too deeply"),
        ("a = " + "9" * 5000, "a.json: a number has too many digits"),
        ("a = 1e999", "a.json: 1e999 is out of range"),
        ("a = nan", "a.json: nan is out of range"),
    ],
)
def test_hostile_toml_is_told(text: str, complaint: str) -> None:
    with pytest.raises(FormatError) as told:
        toml_table(text, PATH)
    assert str(told.value).startswith(complaint)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (KeyError("a"), "'a' is missing"),
        (TypeError("'bool' object is not subscriptable"), "a value is of the wrong kind"),
        (AttributeError("x"), "a value is of the wrong kind"),
        (IndexError("x"), "a value is of the wrong kind"),
        (OverflowError("x"), "a number is out of range"),
        (ValueError("too many values to unpack (expected 2)"), "a value is of the wrong kind"),
        (ValueError("invalid literal for int() with base 10: 'x'"), "'x' is no number"),
        (ValueError("could not convert string to float: 'x'"), "'x' is no number"),
        (InputError("as it is"), "as it is"),
    ],
)
def test_python_s_errors_are_put_into_words(error: Exception, words: str) -> None:
    assert in_words(error) == words
