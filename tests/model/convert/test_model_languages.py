"""Language codes of models become the codes that people write."""

import json
from pathlib import Path

import pytest

from isogloss.errors import FormatError
from isogloss.model.convert import language_lists
from isogloss.model.convert.original import public_codes, read_json, special_tokens, vocabulary_file


@pytest.mark.parametrize("codes", [language_lists.M2M100, language_lists.NLLB])
def test_no_language_of_a_family_is_lost(codes: list[str]) -> None:
    public = public_codes(codes)
    assert set(public.values()) == set(codes)
    assert len(codes) == len(set(codes))


def test_scripts_are_kept_where_they_tell_codes_apart() -> None:
    assert public_codes(["zho_Hans", "zho_Hant", "yue_Hant"]) == {
        "zh": "zho_Hans",
        "zh-Hant": "zho_Hant",
        "yue": "yue_Hant",
    }
    assert public_codes(["de_DE", "iw", "nob_Latn"]) == {
        "de": "de_DE",
        "he": "iw",
        "nb": "nob_Latn",
        "no": "nob_Latn",
    }


def test_numbers_of_families() -> None:
    lists = (language_lists.M2M100, language_lists.MBART50, language_lists.NLLB)
    assert [len(codes) for codes in lists] == [100, 52, 202]


def test_a_vocabulary_without_gaps_is_wanted(tmp_path: Path) -> None:
    path = tmp_path / "vocab.json"
    path.write_text(json.dumps({"b": 1, "a": 0}))
    assert vocabulary_file(path) == ["a", "b"]
    path.write_text(json.dumps({"b": 2, "a": 0}))
    with pytest.raises(FormatError, match="gaps"):
        vocabulary_file(path)


def test_json_that_is_none_is_told(tmp_path: Path) -> None:
    path = tmp_path / "special_tokens_map.json"
    assert read_json(path) == {}
    assert special_tokens(tmp_path) == []
    path.write_text("[1]")
    with pytest.raises(FormatError, match="no JSON object"):
        read_json(path)
    path.write_text("{")
    with pytest.raises(FormatError, match="is not JSON"):
        read_json(path)
