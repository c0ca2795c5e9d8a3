"""The model folder: what is written is read back, what is damaged is noticed."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.errors import FormatError, InputError
from isogloss.model import ModelCard, model_digest, read_card, verify_folder, write_card
from isogloss.model.folder import CARD_FILE, Expectation

CARD = ModelCard(
    name="tiny",
    languages=("de", "zh"),
    scheme="prism",
    precision="int8",
    max_source_length=64,
    max_target_length=32,
    licence="CC0-1.0",
    separator="<sep>",
    target_languages=("de",),
    language_codes={"zh": "zh_CN"},
    card={"data": 'a "quoted"\nline', "steps": 7, "loss": 2.5, "tied": True, "sets": ["a", "b"]},
    selftest=(Expectation("the", "das", "de", -1.25), Expectation("a", "b", "de", -2.0, "en")),
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("model.bin", "config.json", "shared_vocabulary.json", "sentencepiece.model"):
        (tmp_path / name).write_bytes(name.encode())
    return tmp_path


def test_a_card_reads_back_as_it_was_written(folder: Path) -> None:
    written = write_card(folder, CARD)
    assert read_card(folder) == written
    assert written == replace(CARD, digest=model_digest(folder))


texts = st.text(st.characters(codec="utf-8"), max_size=20)


@settings(max_examples=60, deadline=None)
@given(
    st.dictionaries(
        texts,
        st.one_of(
            texts,
            st.integers(),
            st.booleans(),
            st.floats(allow_nan=False, allow_infinity=False),
            st.lists(texts),
        ),
        max_size=4,
    )
)
def test_any_card_reads_back(tmp_path_factory: pytest.TempPathFactory, free: dict) -> None:
    folder = tmp_path_factory.mktemp("card")
    for name in ("model.bin", "config.json", "shared_vocabulary.json", "sentencepiece.model"):
        (folder / name).touch()
    written = write_card(folder, replace(CARD, card=free))
    assert dict(read_card(folder).card) == dict(written.card)


def test_the_digest_covers_every_model_file_and_nothing_else(folder: Path) -> None:
    first = model_digest(folder)
    write_card(folder, CARD)
    (folder / "README.md").write_text("about")
    assert model_digest(folder) == first
    (folder / "model.bin").write_bytes(b"other")
    assert model_digest(folder) != first


def test_the_digest_keeps_names_and_contents_apart(folder: Path) -> None:
    first = model_digest(folder)
    (folder / "model.bin").write_bytes(b"model.bi")
    (folder / "config.json").write_bytes(b"nconfig.json")
    assert model_digest(folder) != first


def test_changed_files_do_not_verify(folder: Path) -> None:
    write_card(folder, CARD)
    verify_folder(folder)
    (folder / "model.bin").write_bytes(b"damaged")
    with pytest.raises(FormatError, match=r"paraphraser.toml: the card says sha256.*get the model"):
        verify_folder(folder)


def test_a_folder_without_a_card_is_no_model_folder(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="isogloss model convert"):
        read_card(tmp_path)


@pytest.mark.parametrize(
    "name", ["model.bin", "config.json", "shared_vocabulary.json", "sentencepiece.model"]
)
def test_a_missing_file_is_named(folder: Path, name: str) -> None:
    write_card(folder, CARD)
    (folder / name).unlink()
    with pytest.raises(FormatError, match=f"{re.escape(name)} missing"):
        read_card(folder)


def test_two_sentencepiece_models_stand_for_one(folder: Path) -> None:
    (folder / "sentencepiece.model").rename(folder / "source.model")
    with pytest.raises(FormatError, match=r"sentencepiece\.model missing"):
        write_card(folder, CARD)
    (folder / "target.model").touch()
    write_card(folder, CARD)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("format = 1", "format = 2", "format is 2, this version reads 1; update"),
        ("scheme =", "schema =", "unknown key 'schema'; a misspelling"),
        ('name = "tiny"\n', "", "'name' is missing"),
        ('name = "tiny"', "name = 3", "'name' must be a string, not 3"),
        ("max_source_length = 64", "max_source_length = true", "must be an integer"),
        ("max_source_length = 64", "max_source_length = 2", "leaves no room"),
        ('name = "tiny"', 'name = ""', "needs 'name'"),
        ("score = -1.25", "scor = -1.25", "unexpected keyword argument"),
        ("format = 1", "format 1", "is not TOML"),
    ],
)
def test_a_wrong_card_is_told(folder: Path, old: str, new: str, message: str) -> None:
    write_card(folder, CARD)
    text = (folder / CARD_FILE).read_text()
    assert old in text
    (folder / CARD_FILE).write_text(text.replace(old, new))
    with pytest.raises(FormatError, match=message):
        read_card(folder)


def test_a_model_writes_what_it_reads_unless_it_says_otherwise() -> None:
    assert CARD.writes == ("de",)
    assert replace(CARD, target_languages=None).writes == ("de", "zh")


def test_a_card_without_languages_is_refused() -> None:
    with pytest.raises(InputError, match="'languages'"):
        replace(CARD, languages=())
