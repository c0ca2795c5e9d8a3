"""Filters drop what they name, keep what is good, and count what they drop."""

import pytest

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
