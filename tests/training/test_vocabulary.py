"""The shared vocabulary: what a text is too small for is said, and leaves nothing behind."""

from pathlib import Path

import pytest

from isogloss.errors import InputError
from isogloss.training.vocabulary import Vocabulary, train_vocabulary

LANGUAGES = ("de", "en")
SENTENCES = [f"das Haus Nummer {n} ist the house number {n}" for n in range(200)]


def test_a_text_that_is_too_small_says_how_many_pieces_it_has(tmp_path: Path) -> None:
    model = tmp_path / "new" / "sentencepiece.model"
    with pytest.raises(InputError, match=r"for 32,000 pieces: ask for at most (\d+)") as raised:
        train_vocabulary(SENTENCES, LANGUAGES, model)
    assert not model.exists()
    most = int(str(raised.value).split("at most ")[1].split(",")[0])
    train_vocabulary(SENTENCES, LANGUAGES, model, size=most)
    assert Vocabulary(model).size == most


def test_what_the_trainer_refuses_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no vocabulary of 300 pieces could be learnt"):
        train_vocabulary([], LANGUAGES, tmp_path / "sentencepiece.model", size=300)
