"""A small corpus that a tiny model can learn: numbers in two made-up languages."""

from pathlib import Path

import pytest

pytest.importorskip("torch", reason="training needs the extra [train]")

import torch

from isogloss.training.bitext import Bitext, read_bitext
from isogloss.training.cleaning import clean_bitext
from isogloss.training.packing import pack_all
from isogloss.training.vocabulary import sample_sentences, train_vocabulary

_WORDS = {
    "en": ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"],
    "de": ["null", "eins", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun"],
    "fr": ["zéro", "un", "deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf"],
}


@pytest.fixture(autouse=True, scope="session")
def _one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def numbers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with bitext, vocabulary, cleaned and packed data of number words."""
    folder = tmp_path_factory.mktemp("numbers")
    rows = ["en\tde\tfr"]
    for number in range(2000):
        digits = [int(digit) for digit in str(number * 7919 % 100_000)]
        cells = [" ".join(_WORDS[code][digit] for digit in digits) for code in ("en", "de", "fr")]
        if number % 10 == 0:
            cells[2] = ""
        rows.append("\t".join(cells))
    (folder / "numbers.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    bitext = read_bitext(folder / "numbers.tsv", block=8)
    _prepare(folder, bitext)
    return folder


def _prepare(folder: Path, bitext: Bitext) -> None:
    sentences = sample_sentences([bitext], 3000, 2.0)
    train_vocabulary(sentences, ("de", "en", "fr"), folder / "sentencepiece.model", size=318)
    clean_bitext(bitext, folder / "clean", {})
    pack_all(folder / "clean", folder / "packed", folder / "sentencepiece.model", processes=1)
