"""Function words: the lists are well-formed and hold what they should, and content words too."""

import unicodedata
from importlib.resources import files

import pytest

from isogloss.language import content_words, function_words, tokeniser
from isogloss.language.word_lists import listed_languages

every_list = pytest.mark.parametrize("language", listed_languages())

# What the lists of stop words that people use take away, and what a chain may be made of.
CONTENT = {
    "en": "state research system world united new year people government ai us say make think",
    "de": "staat jahr welt neu regierung sagen machen",
    "fr": "état an monde nouveau gouvernement dire faire pouvoir or",
    "es": "estado año mundo nuevo gobierno decir hacer",
    "it": "stato stati anno mondo nuovo governo dire fare cosa ora",
    "pt": "estado ano mundo novo governo dizer fazer caso",
    "ru": "год мир новый правительство сказать государство",
    "cs": "stát rok svět nový vláda říci místo",
    "zh": "国家 世界 政府 新 年 研究 系统",
    "ja": "国 世界 政府 研究 本 年",
    "ko": "국가 세계 정부 연구 일 년",
}
SENTENCES = {
    "en": "He said that it was not what they would have done with us if we had been there",
    "de": "Das hätte er nicht mit ihr getan wenn sie dort gewesen wäre",
    "fr": "Il n'a pas dit qu'elle serait là avec eux si nous l'avions vu",
    "es": "Él no se lo dijo porque ella no estaba con nosotros cuando fue",
    "cs": "On to neřekl protože by ona nebyla s námi když jsme tam byli",
    "ru": "Он не сказал ей что мы были бы там если бы они были с нами",
    "zh": "他们没有把这个给我们因为那是她的",
    "ja": "彼はそれを私たちにはくれなかったが",
}
LEFT = {
    "en": ["said"], "de": ["getan"], "fr": ["dit", "vu"], "es": ["dijo"], "cs": ["neřekl"],
    "ru": ["сказал"], "zh": [], "ja": [],
}  # fmt: skip


@every_list
def test_a_list_is_tidy(language: str) -> None:
    text = (files("isogloss.language") / "function_words" / f"{language}.txt").read_text("utf-8")
    first, *lines = text.splitlines()
    words = [line for line in lines if not line.startswith("! ")]
    assert first == f"# version {function_words(language).name.rpartition('-')[2]}"
    assert lines == sorted(set(lines))
    assert all(word == unicodedata.normalize("NFC", word.lower()).strip() for word in words)
    assert 100 < len(words) < 1_000


@every_list
def test_a_list_is_written_as_its_tokeniser_writes(language: str) -> None:
    """A word that the tokeniser would cut must be in the list in pieces too."""
    content, tool = content_words(language), tokeniser(language)
    if language not in ("zh", "ja", "ko", "th"):  # whose segmenters look at the context
        for word in function_words(language).words:
            # A clitic is one only where there is a word to lean on.
            host = "Xy" if word.endswith(("'", "-")) else ""
            pieces = {token.text for token in tool.tokenise(word + host)} - {"Xy"}
            assert [p for p in pieces if content.includes(p)] == [], word


@pytest.mark.parametrize("language", sorted(CONTENT))
def test_content_words_stay(language: str) -> None:
    words = CONTENT[language].split()
    listed = [word for word in words if word in function_words(language)]
    assert listed == (["us"] if language == "en" else [])


@pytest.mark.parametrize("language", sorted(SENTENCES))
def test_sentences_of_little_but_function_words(language: str) -> None:
    tokens = tokeniser(language).tokenise(SENTENCES[language])
    kept = content_words(language).select(tokens)
    assert [t.text for t, keep in zip(tokens, kept, strict=True) if keep] == LEFT[language]


def test_what_is_no_word_and_what_only_looks_like_a_function_word() -> None:
    english = content_words("en")
    words = (
        "US",
        "us",
        "IT",
        "it",
        "WHO",
        "who",
        "1984",
        "3.5",
        "'s",
        "’ll",
        "2nd",
        "X",
        "_",
        "😀",
    )
    assert [w for w in words if english.includes(w)] == ["US", "IT", "WHO", "2nd"]
    assert content_words("zh").includes("人")
    assert not content_words("tr").includes("İÇİN")
    assert content_words("xx").name == "none"
    assert content_words("xx").includes("the")
    assert content_words("no").name == "isogloss-nb-1"


def test_the_lists_that_there_must_be() -> None:
    needed = "en de fr es it pt nl ru uk cs pl zh ja ko sv da fi hu tr ar he ro"
    assert set(needed.split()) <= set(listed_languages())
