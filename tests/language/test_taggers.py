"""Parts of speech, as Universal POS tags."""

import pytest

from isogloss.errors import NotApplicableError
from isogloss.language import Token, tagger, tokeniser
from isogloss.language.registry import TAGGER_OF

UNIVERSAL = "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X"


def tagged(language: str, text: str) -> list[str]:
    tool = tagger(language)
    assert tool is not None
    tokens = tokeniser(language).tokenise(text)
    tags = tool.tag(tokens)
    return [f"{token.text}/{tag}" for token, tag in zip(tokens, tags, strict=True)]


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en", "The old dogs aren't running in Paris.",
         "The/DET old/ADJ dogs/NOUN are/AUX n't/PART running/VERB in/ADP Paris/PROPN ./PUNCT"),
        ("de", "Die alten Hunde laufen nicht, weil er 3 Katzen hat.",
         "Die/DET alten/ADJ Hunde/NOUN laufen/VERB nicht/PART ,/PUNCT weil/SCONJ er/PRON 3/NUM "
         "Katzen/NOUN hat/AUX ./PUNCT"),
        ("nl", "De oude honden lopen in het huis van Peter.",
         "De/DET oude/ADJ honden/NOUN lopen/VERB in/ADP het/DET huis/NOUN van/ADP Peter/PROPN "
         "./PUNCT"),
        ("zh", "我在北京吃了三个大的苹果。",
         "我/PRON 在/ADP 北京/PROPN 吃/VERB 了/PART 三个/NUM 大/ADJ 的/PART 苹果/NOUN 。/PUNCT"),
        ("ja", "東京 へ行きました。", "東京/PROPN へ/ADP 行き/VERB まし/AUX た/AUX 。/PUNCT"),
        ("ko", "서울에서  학생들이 갔다.",
         "서울/PROPN 에서/ADP 학생/NOUN 들/PART 이/ADP 갔/VERB 다/PART ./PUNCT"),
    ],
)  # fmt: skip
def test_a_sentence(language: str, text: str, expected: str) -> None:
    assert tagged(language, text) == expected.split()


@pytest.mark.parametrize("language", sorted(TAGGER_OF))
def test_one_universal_tag_for_every_token_even_of_another_tokeniser(language: str) -> None:
    tool = tagger(language)
    assert tool is not None
    assert tool.tag([]) == []
    for text in ("中国 国家 主席", "서울에서 갔다 😀", "x-y 3.5 % \ud800 …", "行きました"):
        tokens = tokeniser(None, "space").tokenise(text)
        shifted = [Token(word, start + 7, end + 7) for word, start, end in tokens]
        assert len(tool.tag(tokens)) == len(tokens)
        assert set(tool.tag(tokens)) <= set(UNIVERSAL.split())
        assert tool.tag(shifted) == tool.tag(tokens)


def test_languages_without_a_tagger_and_unknown_taggers() -> None:
    assert tagger("fr") is None
    assert tagger(None) is None
    assert tagger("de-AT", "hanta") == tagger("de")
    with pytest.raises(NotApplicableError, match="no tagger 'hanta' for fr; there is: none"):
        tagger("fr", "hanta")
