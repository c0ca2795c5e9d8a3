"""Tag schemes: where each family's tags go, and which languages it knows."""

from dataclasses import replace

import pytest

from isogloss.errors import InputError
from isogloss.model import ModelCard, frame
from isogloss.model.tokens import SCHEMES, Frame, reading_frame, scheme_of

CARD = ModelCard(
    name="some",
    languages=("de", "en", "zh", "zh-Hant"),
    scheme="prism",
    precision="float32",
    max_source_length=64,
    max_target_length=64,
    licence="CC0-1.0",
    language_codes={"de": "deu", "en": "eng"},
)
END = ("</s>",)


@pytest.mark.parametrize(
    ("scheme", "source", "target"),
    [
        ("prism", (), ("<deu>",)),
        ("m2m100", ("__eng__",), ("__deu__",)),
        ("small100", ("__deu__",), ()),
        ("nllb", ("eng",), ("deu",)),
        ("mbart50", ("eng",), ("deu",)),
        ("marian", (">>deu<<",), ()),
        ("madlad", ("▁", "<2deu>"), ()),
    ],
)
def test_tags_of_every_scheme(scheme: str, source: tuple[str, ...], target: tuple[str, ...]):
    assert frame(replace(CARD, scheme=scheme), "en", "de") == Frame(source, END, target)


def test_every_scheme_is_tested_above() -> None:
    assert set(SCHEMES) == {
        "prism", "m2m100", "small100", "nllb", "mbart50", "marian", "madlad",
    }  # fmt: skip


def test_a_code_that_is_not_mapped_is_the_models_own() -> None:
    assert frame(CARD, None, "zh").target_start == ("<zh>",)


def test_marian_tags_only_what_its_card_lists() -> None:
    assert frame(replace(CARD, scheme="marian"), "en", "zh").source_start == ()


def test_a_scheme_with_a_source_tag_must_be_told_the_language() -> None:
    with pytest.raises(InputError, match="must be told the language of the condition"):
        frame(replace(CARD, scheme="nllb"), None, "de")


@pytest.mark.parametrize(
    ("asked", "found"),
    [("zh-Hant", "<zh-Hant>"), ("zh-TW", "<zh>"), ("ZH_hant_TW", "<zh-Hant>"), ("DE", "<deu>")],
)
def test_languages_are_looked_up_from_special_to_general(asked: str, found: str) -> None:
    assert frame(CARD, None, asked).target_start == (found,)


def test_varieties_are_taken_for_their_language_where_the_model_lacks_them() -> None:
    arabic = replace(CARD, languages=("ar", "en"))
    assert frame(arabic, None, "arz-Arab").target_start == ("<ar>",)
    egyptian = replace(CARD, languages=("ar", "arz"))
    assert frame(egyptian, None, "arz").target_start == ("<arz>",)
    with pytest.raises(InputError, match="does not know the language 'arz'; it knows: de, en"):
        frame(CARD, None, "arz")


def test_languages_that_are_only_read_cannot_be_written() -> None:
    card = replace(CARD, target_languages=("de",))
    with pytest.raises(InputError, match="'en'; it knows: de"):
        frame(card, "de", "en")
    with pytest.raises(InputError, match="'fr'; it knows: de, en, zh, zh-Hant"):
        frame(card, "fr", "de")


def test_a_text_that_is_only_read_is_framed_in_its_own_language() -> None:
    assert reading_frame(CARD, "en") == Frame((), END, ())
    assert reading_frame(replace(CARD, scheme="m2m100"), "en") == Frame(("__eng__",), END, ())
    assert reading_frame(replace(CARD, scheme="small100"), "en").source_start == ("__eng__",)
    bilingual = replace(CARD, scheme="marian", language_codes={}, target_languages=("de",))
    assert reading_frame(bilingual, "en") == Frame((), END, ())


def test_an_unknown_scheme_is_refused() -> None:
    with pytest.raises(InputError, match="'own'; known are: prism, m2m100"):
        scheme_of(replace(CARD, scheme="own"))
