"""Stems, lemmas and lower case: the forms under which words are the same."""

import pytest

from isogloss.language import NormaliserKind, normaliser, primary


@pytest.mark.parametrize(
    ("language", "kind", "words", "form"),
    [
        ("en", "surface", "Café CAFÉ cafe\u0301", "café"),
        ("en", "surface", "John’s john's", "john's"),
        ("en", "surface", "so‑called So-called so-\u00adcalled", "so-called"),
        ("tr", "surface", "IŞIK ışık", "ışık"),
        ("tr", "surface", "İzmir izmir", "izmir"),
        ("en", "stem", "Embassy embassies", "embassi"),
        ("en", "stem", "open opens opened opening", "open"),
        ("de", "stem", "Häuser Häusern häuser", "haus"),
        ("cs", "stem", "hrad hradu hradem", "hrad"),
        ("ru", "stem", "дом дома домами", "дом"),
        ("en", "lemma", "go goes went Going", "go"),
        ("de", "lemma", "Häuser Haus Häusern", "haus"),
        ("cs", "lemma", "domech dům domy", "dům"),
        ("ja", "lemma", "行き 行く 行っ", "行く"),
        ("ko", "stem", "갔 가", "가"),
        ("ko", "stem", "도와줬 도와주", "도와주"),
        ("ko", "lemma", "아름다운 아름답", "아름답"),
        ("zh", "stem", "国家", "国家"),
    ],
)
def test_words_that_are_the_same(
    language: str, kind: NormaliserKind, words: str, form: str
) -> None:
    normalise = normaliser(language, kind).normalise
    assert {normalise(word) for word in words.split()} == {form}


@pytest.mark.parametrize(
    ("language", "kind", "name"),
    [
        ("en", "stem", "snowball-english-"),
        ("en-GB", "lemma", "simplemma-en-"),
        ("uk", "stem", "simplemma-uk-"),  # Snowball has no Ukrainian
        ("eu", "lemma", "snowball-basque-"),  # simplemma has no Basque
        ("hr", "lemma", "simplemma-hbs-"),
        ("ja", "stem", "sudachi-"),
        ("ko", "lemma", "kiwi-"),
        ("zh", "stem", "lowercase"),
        ("tr", "surface", "lowercase-dotless-i"),
        (None, "stem", "lowercase"),
    ],
)
def test_each_language_gets_what_there_is_and_the_name_says_what(
    language: str | None, kind: NormaliserKind, name: str
) -> None:
    assert normaliser(language, kind).name.startswith(name)


def test_codes() -> None:
    given = ("pt-BR", "zh_Hant", "EN", "iw", "cmn-Hans-CN", None)
    assert [primary(code) for code in given] == ["pt", "zh", "en", "he", "zh", None]
