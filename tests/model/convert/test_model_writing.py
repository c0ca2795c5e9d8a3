"""A model folder appears whole, and takes the place of nothing but a model."""

import re
from pathlib import Path

import pytest

from isogloss.errors import FormatError, InputError
from isogloss.model import ModelCard, read_card
from isogloss.model.convert.conversion import write_folder
from isogloss.model.folder import CARD_FILE

CARD = ModelCard("tiny", ("en",), "prefix", "int8", 100, 100, "MIT")


def save(folder: Path) -> None:
    for name in ("model.bin", "config.json", "shared_vocabulary.json"):
        (folder / name).write_text("{}")


def written(folder: Path, pieces: Path, overwrite: bool = False) -> ModelCard:
    return write_folder(folder, CARD, {"sentencepiece.model": pieces}, save, overwrite=overwrite)


@pytest.fixture
def pieces(tmp_path: Path) -> Path:
    path = tmp_path / "pieces"
    path.write_text("x")
    return path


def test_a_model_is_replaced_by_a_model(tmp_path: Path, pieces: Path) -> None:
    folder = tmp_path / "models" / "tiny"
    first = written(folder, pieces)
    (folder / "old").write_text("")
    with pytest.raises(InputError, match="is there already"):
        written(folder, pieces)
    assert written(folder, pieces, overwrite=True) == first == read_card(folder)
    assert not (folder / "old").exists()
    assert [path.name for path in folder.parent.iterdir()] == ["tiny"]


def test_what_is_no_model_is_not_replaced(tmp_path: Path, pieces: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "thesis.tex").write_text("years of work")
    for target in (home, pieces, Path("/dev/null")):
        with pytest.raises(InputError, match="is no model folder, so it is not replaced"):
            written(target, pieces, overwrite=True)
    assert (home / "thesis.tex").read_text() == "years of work"


def test_a_link_to_a_model_stays_a_link(tmp_path: Path, pieces: Path) -> None:
    written(tmp_path / "real", pieces)
    (tmp_path / "link").symlink_to("real")
    written(tmp_path / "link", pieces, overwrite=True)
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real" / CARD_FILE).is_file()


def test_a_conversion_that_fails_leaves_the_old_model(tmp_path: Path, pieces: Path) -> None:
    folder = tmp_path / "tiny"
    written(folder, pieces)
    with pytest.raises(InputError, match="no such file"):
        written(folder, tmp_path / "missing", overwrite=True)
    assert read_card(folder).name == "tiny"
    assert {path.name for path in tmp_path.iterdir()} == {"tiny", "pieces"}


@pytest.mark.parametrize("languages", ['["en", ["de"]]', "[1]"])
def test_languages_that_are_no_codes_are_told(languages: str, tmp_path: Path, pieces: Path) -> None:
    written(tmp_path / "tiny", pieces)
    card = tmp_path / "tiny" / CARD_FILE
    text = re.sub(r"(?m)^languages = \[[^]]*\]", f"languages = {languages}", card.read_text())
    card.write_text(text)
    with pytest.raises(FormatError, match="'languages' must hold strings"):
        read_card(tmp_path / "tiny")
