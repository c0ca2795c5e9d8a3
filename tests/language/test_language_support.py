"""What each language gets, as the program and the documentation tell it."""

import runpy
from pathlib import Path

import pytest

from isogloss.language import content_words, languages, normaliser, registry, tagger, tokeniser

ROOT = Path(__file__).parents[2]


def test_the_page_is_current() -> None:
    made = runpy.run_path(str(ROOT / "docs" / "make_languages.py"))
    current = (ROOT / "docs" / "languages.md").read_text(encoding="utf-8")
    assert made["page"]() == current, "run 'python docs/make_languages.py'"


def test_it_tells_what_the_catalogue_gives() -> None:
    for language in languages():
        code = language.code
        name = tokeniser(code).name
        assert name.startswith(language.words)
        stems, lemmas = normaliser(code, "stem").name, normaliser(code, "lemma").name
        assert stems.startswith(language.stems or language.lemmas or "lowercase")
        assert lemmas.startswith(language.lemmas or language.stems or "lowercase")
        found = tagger(code)
        assert (found.name if found else "").startswith(language.tags or "")
        assert (found is None) == (language.tags is None)
        assert (content_words(code).name == "none") == (language.function_words == 0)
        assert language.missing == ()


def test_a_light_installation_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "installed", lambda package: None)
    missing = {language.code: language.missing for language in languages()}
    assert missing["ja"] == ("sudachidict-core", "sudachipy")
    assert missing["de"] == ("HanTa",)
    assert missing["cs"] == missing["zh"] == ()
