"""Tokenisers: every token at its place in the text that was given, whatever the text."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.errors import MissingExtraError, NotApplicableError
from isogloss.language import Token, Tokeniser, protocol, tokeniser
from isogloss.language.registry import TOKENISERS
from isogloss.language.words import UnicodeWords, _of_any_text
from strategies import texts

EVERY = [
    *((name, language) for name in ("unicode", "moses") for language in ("en", "fr", "ro", "tr")),
    *((name, "en") for name in TOKENISERS if name not in ("unicode", "moses")),
]
SCRIPTS = (
    "中文国家主席在北京会见了 ",
    "東京都の国会へ行きました。ｶﾞ①㍿",
    "서울에서 학생들이 갔다 도와줬다아름다운ᄀ",
    "ฉันไปโรงเรียนกับเพื่อน ",
    "हिन्दी में लिखा",
    'שלום עולם צה"ל',
    "don't l’homme s-a dă-mi-l U.S. 1,000.5 x_y -- ...",
    "e\u0301\u200b\u200d\u200c\u00ad\ufeff\u2028😀👩\u200d👧🇩🇪 \u0085",
)
mixed = st.lists(
    texts() | st.sampled_from(SCRIPTS).flatmap(lambda letters: st.text(letters, max_size=20)),
    max_size=4,
).map("".join)


def check(tool: Tokeniser, text: str) -> list[Token]:
    tokens = tool.tokenise(text)
    assert all(token.text == text[token.start : token.end] for token in tokens)
    assert all(token.start < token.end for token in tokens)
    assert all(one.end <= other.start for one, other in pairwise(tokens))
    return tokens


@pytest.mark.parametrize(("name", "language"), EVERY)
@settings(max_examples=60, deadline=None)
@given(text=mixed)
def test_tokens_stand_where_they_say(name: str, language: str, text: str) -> None:
    found = "".join(token.text for token in check(tokeniser(language, name), text))
    assert [c for c in found if c.isalnum()] == [c for c in text if c.isalnum()]


@pytest.mark.parametrize("name", list(TOKENISERS))
@pytest.mark.parametrize("text", ["", " ", "\ud800", "a\udfffb 中\ud83d"])
def test_texts_without_words_and_broken_ones(name: str, text: str) -> None:
    check(tokeniser("en", name), text)


@given(text=st.text(st.characters(max_codepoint=127)))
def test_the_fast_way_for_ascii_is_the_same(text: str) -> None:
    everything = [(m[0], *m.span()) for m in _of_any_text().finditer(text)]
    assert UnicodeWords().tokenise(text) == everything


@pytest.mark.parametrize(
    ("language", "text", "words"),
    [
        ("en", "Don't stop John’s so-called U.S. tests...", "Do n't stop John ’s so-called U.S. "
         "tests . . ."),
        ("en", "He'd've paid $1,000.50 (3%).", "He 'd 've paid $ 1,000.50 ( 3 % ) ."),
        ("de", "Die EU-Kommission, z.B., weiß's.", "Die EU-Kommission , z.B. , weiß 's ."),
        ("fr", "L’homme qu'il a vu aujourd'hui", "L’ homme qu' il a vu aujourd'hui"),
        ("fr", "Donne-t-il peut-être ? Rends-la-moi", "Donne -t-il peut-être ? Rends -la -moi"),
        ("it", "dell'acqua c'è un po'", "dell' acqua c' è un po '"),
        ("pt", "dá-me o guarda-chuva d'água", "dá -me o guarda-chuva d' água"),
        ("ro", "Într-un an s-a dus, dă-mi-l", "Într- un an s- a dus , dă -mi -l"),
        ("tr", "Ankara'da", "Ankara 'da"),
        ("uk", "п'ять", "п'ять"),
        ("he", 'צה"ל אמר', 'צה"ל אמר'),
        ("hi", "हिन्दी में", "हिन्दी में"),
        ("ca", "col·lecció", "col·lecció"),
        (None, "中文 ひらカタカナ 한국어", "中 文 ひ ら カタカナ 한국어"),
        ("zh", "我来到北京清华大学", "我 来到 北京 清华大学"),
        ("zh-Hans", "北京大学", "北京大学"),
        ("ja", "国会議事堂へ行きました。", "国会議事堂 へ 行き まし た 。"),
        ("ko", "서울에서 학생들이 갔다.", "서울 에서 학생 들 이 갔 다 ."),
        ("th", "ฉันไปโรงเรียน OK", "ฉัน ไป โรงเรียน OK"),
    ],
)  # fmt: skip
def test_the_words_of_a_language(language: str | None, text: str, words: str) -> None:
    assert [token.text for token in tokeniser(language).tokenise(text)] == words.split()


def test_moses_and_pre_tokenised_text() -> None:
    moses = tokeniser("en", "moses").tokenise('Don\'t "stop"\x01 now...')
    assert [token.text for token in moses] == ["Don", "'t", '"', "stop", '"', "now", "..."]
    spaced = tokeniser("zh", "space").tokenise("中国 国家  主席 。")
    assert [token.text for token in spaced] == ["中国", "国家", "主席", "。"]


@pytest.mark.parametrize("language", ["en", "zh", "ja", "ko", "th"])
def test_threads_may_share_a_tokeniser(language: str) -> None:
    tool, text = tokeniser(language), "".join(SCRIPTS) * 3
    expected = tool.tokenise(text)
    with ThreadPoolExecutor(4) as pool:
        assert all(found == expected for found in pool.map(tool.tokenise, [text] * 40))


def test_a_very_long_japanese_text() -> None:
    text = "東京へ行きました。" * 3_000
    assert len(check(tokeniser("ja"), text)) >= 5 * 3_000


def test_names_say_what_changes_the_tokens() -> None:
    names = {tokeniser(code, name).name for name, code in EVERY} | {tokeniser(None).name}
    assert len(names) == len(EVERY) + 1
    assert tokeniser("zh").name == f"rjieba-{protocol.installed('rjieba')}"
    assert tokeniser("en-GB") == tokeniser("en")


def test_an_unknown_tokeniser_and_a_missing_package(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(NotApplicableError, match="no tokeniser 'nltk'; there are: unicode, space"):
        tokeniser("en", "nltk")
    tokeniser.cache_clear()
    monkeypatch.setattr("isogloss.language.protocol.installed", lambda package: None)
    with pytest.raises(MissingExtraError, match=r"needs sudachipy.*pip install 'isogloss\[lang"):
        tokeniser("ja")
    tokeniser.cache_clear()


def test_thai_leaves_no_folder_behind(tmp_path: Path) -> None:
    program = "from isogloss.language.registry import tokeniser; tokeniser('th').tokenise('ไป')"
    subprocess.run([sys.executable, "-c", program], env={"HOME": str(tmp_path)}, check=True)
    assert list(tmp_path.iterdir()) == []
