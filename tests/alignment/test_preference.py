"""The aligner that is taken where nobody names one: it suits the languages, and says why."""

from pathlib import Path

import pytest

from isogloss.alignment import ALIGNERS, TokenPair, aligner, remarks_of
from isogloss.alignment.registry import preference
from isogloss.model import DEFAULT_MODEL

PAIRS: list[TokenPair] = [(["das", "Haus"], ["the", "house"]), (["das", "Buch"], ["the", "book"])]


@pytest.mark.parametrize(
    ("languages", "taken", "reason"),
    [
        (("zh", "en"), "attention", "isogloss-3 knows zh and en"),
        (("pt-BR", "en_US"), "attention", "isogloss-3 knows pt-BR and en_US"),
        (("sw", "en"), "eflomal", "isogloss-3 does not know sw to en"),
        (("en", "sw"), "eflomal", "isogloss-3 does not know en to sw"),
        ((None, "en"), "eflomal", "the languages are not said"),
    ],
)
def test_a_model_that_knows_both_languages_is_preferred(
    languages: tuple[str | None, str], taken: str, reason: str
) -> None:
    found = preference(*languages, DEFAULT_MODEL)
    assert found.aligner == taken
    assert reason in found.reason


def test_without_a_model_the_text_has_to_do() -> None:
    assert preference("de", "en", "no-such-model").aligner == "eflomal"


def test_the_name_is_that_of_the_aligner_that_was_taken() -> None:
    languages = {"source_language": "de", "target_language": "en"}
    auto = aligner(**languages)
    assert auto.name == aligner("attention", **languages).name
    assert auto.name.startswith("attention-isogloss-3@")
    assert auto.align(PAIRS) == aligner("attention", **languages).align(PAIRS)
    assert remarks_of(auto, PAIRS) == {
        "words linked by attention (isogloss-3 knows de and en)": len(PAIRS)
    }


def test_what_is_to_be_kept_has_to_be_learnt(tmp_path: Path) -> None:
    languages = {"source_language": "de", "target_language": "en"}
    learning = aligner(save_to=tmp_path / "model", **languages)
    assert learning.name.startswith("eflomal-")
    learning.align(PAIRS)
    assert aligner(trained=tmp_path / "model", **languages).align(PAIRS)


def test_too_little_text_is_remarked_and_enough_is_not() -> None:
    unknown = aligner(source_language="sw", target_language="en")
    told = list(remarks_of(unknown, PAIRS))
    assert told[0].startswith("words linked by eflomal (isogloss-3 does not know sw")
    assert told[1] == "eflomal has learnt from 4 words only and may link wrongly; align more"
    plenty = [(["word"] * 100, ["word"] * 100)] * 200
    assert len(remarks_of(unknown, plenty)) == 1


def test_auto_comes_first() -> None:
    assert ALIGNERS[0] == "auto"
