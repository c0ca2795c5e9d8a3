"""Filters drop what they name, keep what is good, and count what they drop."""

import pytest

from isogloss.model import find_model, open_model
from isogloss.runtime import Runtime
from isogloss.training.arguments import parser
from isogloss.training.cleaning import (
    FilterReport,
    Pair,
    clean_row,
    copies,
    dissimilar,
    duplicates,
    length_ratio,
    numbers_disagree,
    other_language,
    standard_filters,
    too_long,
    wrong_script,
)
from isogloss.training.commands import _filters
from isogloss.training.identification import identified_otherwise, unlike


def _pair(pivot: str, text: str, languages: str = "en-de") -> Pair:
    first, second = languages.split("-")
    return Pair(pivot, text, first, second)


@pytest.mark.parametrize(
    ("verdict", "dropped", "kept"),
    [
        (too_long(20), _pair("a", "x" * 21), _pair("a", "x" * 20)),
        (too_long(), _pair("7", "12 34"), _pair("7", "12 x")),
        (length_ratio(), _pair("yes", "ja " * 30), _pair("Good morning", "Guten Morgen zusammen")),
        (length_ratio(), _pair("x" * 100, "字", "en-zh"), _pair("x" * 90, "字" * 30, "en-zh")),
        (copies(), _pair("Das ist gut.", "Das ist gut."), _pair("That is good.", "Das ist gut.")),
        (
            copies(),
            _pair("the Common Internet File System tools", "die Common Internet File System tools"),
            _pair("the File System tools", "die Werkzeuge des Dateisystems"),
        ),
        (copies(), _pair("a b c", "a b c", "en-en"), _pair("a b c d", "a b c e", "en-en")),
        (
            numbers_disagree(),
            _pair("from 1990 to 1995", "von 1980 bis 1985"),
            _pair("from 1990 to 1995", "von 1990 bis 1995"),
        ),
        (
            wrong_script(),
            _pair("Hello", "Hello again", "en-ru"),
            _pair("Hello", "Привет Linux", "en-ru"),
        ),
        (wrong_script(), _pair("Hello", "Привет", "en-de"), _pair("Hello", "Grüße", "en-de")),
        (other_language(lambda text: text[:2]), _pair("x", "fr text"), _pair("x", "de text")),
        (
            dissimilar(lambda a, b: float(a == b), 0.5),
            _pair("a", "b"),
            _pair("a", "a"),
        ),
    ],
)
def test_drops_and_keeps(verdict, dropped: Pair, kept: Pair) -> None:
    assert verdict(dropped)
    assert not verdict(kept)


def test_duplicates_are_told_by_both_sides_and_languages() -> None:
    seen = duplicates()
    assert not seen(_pair("a", "b"))
    assert seen(_pair("a", "b"))
    assert not seen(_pair("a", "c"))
    assert not seen(_pair("a", "b", "en-fr"))


def test_a_row_keeps_its_place_and_loses_its_bad_cells() -> None:
    report = FilterReport()
    row = ("The house is small.", "Das Haus ist klein.", "The house is small.", "")
    cleaned = clean_row(row, ("en", "de", "fr", "es"), standard_filters(), report)
    assert cleaned == ("The house is small.", "Das Haus ist klein.", "", "")
    assert (report.seen, report.kept, report.dropped) == (3, 2, {"copy": 1})
    assert report.samples["copy"] == [("The house is small.", "The house is small.")]


def test_a_pivot_without_a_partner_goes_too() -> None:
    report = FilterReport()
    row = ("The house is small.", "The house is small.")
    assert clean_row(row, ("en", "de"), standard_filters(), report) == ("", "")
    assert report.kept == 0


def test_only_a_few_samples_are_kept() -> None:
    report = FilterReport()
    for number in range(20):
        report.drop("copy", _pair(str(number), str(number)))
    assert report.dropped["copy"] == 20
    assert len(report.samples["copy"]) == 5


@pytest.mark.parametrize(
    ("text", "dropped"),
    [
        ("Der Hund schläft den ganzen Tag im Garten.", False),
        ("Il cane dorme tutto il giorno nel giardino.", True),
        (
            "Собака весь день спит в саду.",
            False,
        ),  # Russian or Ukrainian: not sure; see wrong_script
        ("Ok", False),
        ("你好，世界，今天天气很好，我们去公园吧。", True),
    ],
)
def test_a_library_identifies_languages(text: str, dropped: bool) -> None:
    drops = identified_otherwise()
    assert drops(_pair("The dog sleeps in the garden all day.", text)) == dropped


def test_languages_that_are_taken_for_each_other_are_one() -> None:
    text = "我哋今日去公園食飯，好唔好呀？佢話佢唔得閒。"
    assert not identified_otherwise(0.01)(_pair("x", text, "en-zh"))


def test_vectors_of_the_model_inside_tell_what_does_not_match() -> None:
    model = open_model(find_model("default"), None, Runtime())
    drops = unlike(model, 0.7)
    english = "The dog sleeps in the garden all day."
    assert not drops(_pair(english, "Der Hund schläft den ganzen Tag im Garten."))
    assert drops(_pair(english, "Die Regierung hat gestern ein Gesetz verabschiedet."))
    assert drops(_pair(english, ""))


def test_they_are_asked_for_by_arguments() -> None:
    plain = parser().parse_args(["clean", "a.tsv", "--out", "x"])
    assert "language" not in _filters(plain)
    asked = parser().parse_args(["clean", "a.tsv", "--out", "x", "--identify", ".9"])
    assert list(_filters(asked))[-1] == "language"
