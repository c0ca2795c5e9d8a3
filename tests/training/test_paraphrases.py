"""Paraphrases by pivoting: what shares a translation, and nothing else."""

from pathlib import Path

from isogloss.training.bitext import Bitext
from isogloss.training.cleaning import clean_bitext
from isogloss.training.packing import PackedFolder, open_packed, pack_all, write_paraphrases
from isogloss.training.vocabulary import Vocabulary

_ROWS = [
    ("one two three four five", "eins zwei"),
    ("one two three four six", "eins zwei"),
    ("seven seven seven nine", "acht"),
    ("six six six six eight", "acht"),  # no piece in common but the space
    ("one", "neun"),
    ("one one", "neun"),  # too short
    ("two two two two", "zwei"),
]


def test_sentences_with_a_common_translation(numbers: Path, tmp_path: Path) -> None:
    bitext = Bitext("toy", ("en", "de"), lambda: iter(_ROWS))
    clean_bitext(bitext, tmp_path / "clean", {})
    packed, spm = tmp_path / "packed", numbers / "sentencepiece.model"
    pack_all(tmp_path / "clean", packed, spm, processes=1)
    found = write_paraphrases(PackedFolder(packed).sets, packed, fewest=1)
    assert found == {"en": 1}
    made = open_packed(packed / "par.en-en")
    assert (made.languages, made.block, made.rows) == (("en", "en"), None, 1)
    pieces = Vocabulary(spm).pieces
    texts = {pieces.decode(made.sentence(side, 0).tolist()) for side in (0, 1)}
    assert texts == {_ROWS[0][0], _ROWS[1][0]}


def test_texts_of_one_language_give_none(numbers: Path, tmp_path: Path) -> None:
    sets = [open_packed(numbers / "packed" / "numbers")]  # three languages
    assert write_paraphrases(sets, tmp_path) == {}
