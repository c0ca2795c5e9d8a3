"""Where sentences begin: sentencex's rules, and ours where those are known to err."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.segmentation.sentences import sentence_places, splitter_name
from strategies import texts

LANGUAGES = st.sampled_from(["en", "de", "zh", "zh-Hant", "ja", "hi", "pt-BR", "xx", "", None])
# What rules about sentences trip over.
MARKS = (
    *".!?。！？।…\"'“”„«»()（）「」『』 \n\t-–*#•",
    "2）",
    "3.",
    "Dr.",
    "a)",
    "Word. Next word ",
)


def sentences(text: str, language: str | None) -> list[str]:
    return [text[start:end] for start, end in sentence_places(text, language)]


@given(st.lists(st.sampled_from(MARKS) | texts(), max_size=20).map("".join), LANGUAGES)
def test_sentences_cover_the_text_and_each_shows_something(text: str, language: str | None) -> None:
    found = sentences(text, language)
    assert all(sentence.strip() for sentence in found)
    if text.strip():
        places = sentence_places(text, language)
        assert [start for start, _ in places] == [0, *(end for _, end in places[:-1])]
        assert "".join(found) == text
    else:
        assert found == []


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("en", ["Dr. Smith met Mr. Jones at 5 p.m. in the U.S. embassy. ", "They talked."]),
        ("de", ["Er wohnt z. B. in Köln. ", "Am 3. Mai kam Dr. Meier. ", "Nr. 5 lebt."]),
        ("cs", ["Přišel prof. Novák, tj. soused. ", "Potom odešel."]),
    ],
)
def test_abbreviations_end_no_sentence(language: str, expected: list[str]) -> None:
    assert sentences("".join(expected), language) == expected


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("zh", ["我爱你。", "你好吗？", "很好！"]),
        ("ja", ["私は学生です。", "あなたは？"]),
        ("hi", ["मैं घर जा रहा हूँ। ", "वह यहाँ है।"]),
        ("hy", ["Ես գնում եմ։ ", "Նա այստեղ է։"]),
        ("am", ["ሰላም ነው። ", "እንዴት ነህ።"]),
    ],
)
@pytest.mark.parametrize("named", [True, False])
def test_scripts_have_full_stops_of_their_own(
    language: str, expected: list[str], named: bool
) -> None:
    assert sentences("".join(expected), language if named else None) == expected


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("en", ["He left. ", '"I am tired," she said. ', '"Go home!" ', "Then it rained."]),
        ("de", ["Er ging. ", "„Ich bin müde“, sagte sie. ", "„Geh!“ ", "Es regnete."]),
        ("zh", ["他走了。", "“我累了。”", "然后下雨了。"]),
        ("ja", ["彼は帰った。", "「疲れた。」", "そして雨が降った。"]),
        ("en", ["Mix it. ", "- Bake the cake. ", "- Eat it."]),
    ],
)
def test_opening_marks_go_with_what_follows_and_closing_ones_with_what_came(
    language: str, expected: list[str]
) -> None:
    assert sentences("".join(expected), language) == expected


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("en", ["1) Wash your hands. ", "2) Dry them. ", "3) Leave."]),
        ("en", ["1. Wash it. ", "2. Dry it. ", "3. Fold it."]),
        ("en", ["Wash it.\n", "1. Dry it.\n", "2. Fold it."]),
        ("en", ["Wash it. ", "a) Dry it well. ", "b) Fold it."]),
        ("zh", ["1）洗手。", "2）擦干。", "3）离开。"]),
        ("de", ["2） Hände waschen. ", "Dann trocknen. ", "Und gehen."]),
    ],
)
def test_the_number_of_a_list_goes_with_what_follows(language: str, expected: list[str]) -> None:
    assert sentences("".join(expected), language) == expected


def test_a_number_that_nothing_follows_stays() -> None:
    assert sentences("Dry it. 3.", "en") == ["Dry it. ", "3."]
    assert sentences("3.", "en") == ["3."]


@pytest.mark.parametrize("opening", ["“", '"', "«", "(", "（", "「"])
def test_a_quotation_that_never_ends_is_no_sentence_for_all_time(opening: str) -> None:
    expected = ["This quotation never ends. ", "It goes on and on. "] * 40
    assert sentences(opening + "".join(expected), "en") == [opening + expected[0], *expected[1:]]


def test_an_open_bracket_does_not_hold_chinese_sentences_together() -> None:
    expected = ["（注意。", "这里没有结束。", "还有一句。"]
    assert sentences("".join(expected), "zh") == expected


@pytest.mark.parametrize("word", ["a", "啊", "word ", "word, "])
def test_a_text_without_a_full_stop_is_read_in_parts(word: str) -> None:
    text = word * 20_000
    places = sentence_places(text, "zh")
    assert "".join(text[start:end] for start, end in places) == text
    assert len(places) > 1
    assert max(end - start for start, end in places) < 2_000
    assert all(text[:end].endswith(word) for _, end in places), "no word is divided"
    assert sentence_places(word * 100, "zh") == ((0, len(word) * 100),)


@pytest.mark.parametrize("text", ["", " ", "\n \t\u00a0"])
def test_what_shows_nothing_has_no_sentence(text: str) -> None:
    assert sentence_places(text, "en") == ()


def test_space_around_sentences_belongs_to_them() -> None:
    assert sentences("  One cat.  Two cats.\n", "en") == ["  One cat.  ", "Two cats.\n"]


@pytest.mark.parametrize("language", ["xx", "", None, "zz-Latn-ZZ", "English", "日本"])
def test_a_language_that_nobody_knows_is_split_all_the_same(language: str | None) -> None:
    assert sentences("Hello there. It rains.", language) == ["Hello there. ", "It rains."]


def test_the_splitter_is_named_with_its_version() -> None:
    name, version = splitter_name().split("-", 1)
    assert name == "sentencex"
    assert version[0].isdigit()


@pytest.mark.parametrize(
    ("language", "headline"),
    [
        ("de", "Warum wir Gandhi immer noch brauchen "),
        ("en", 'Why "we still need" him, of all people '),
        ("zh", "今年卧室里第二棵圣诞树的流行趋势"),
    ],
)
def test_a_headline_that_is_said_again_begins_again(language: str, headline: str) -> None:
    assert sentences(headline * 3, language) == [headline] * 3
    assert sentences(f"{headline}{headline[:7]}", language) == [f"{headline}{headline[:7]}"]
