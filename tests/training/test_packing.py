"""What is packed comes out again, cell by cell."""

from pathlib import Path

import numpy as np
import pytest

from isogloss.errors import FormatError, InputError
from isogloss.training.bitext import read_bitext
from isogloss.training.packing import PackedFolder, open_packed
from isogloss.training.vocabulary import Vocabulary


def test_every_cell_comes_back(numbers: Path) -> None:
    packed = open_packed(numbers / "packed" / "numbers")
    pieces = Vocabulary(numbers / "sentencepiece.model").pieces
    rows = list(read_bitext(numbers / "numbers.tsv").rows())
    assert packed.languages == ("en", "de", "fr")
    assert packed.rows == len(rows)
    for number in range(0, len(rows), 97):
        for column in range(3):
            ids = packed.sentence(column, number).tolist()
            assert pieces.decode(ids) == rows[number][column]


def test_a_damaged_set_is_refused(numbers: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "numbers"
    damaged.mkdir()
    for file in (numbers / "packed" / "numbers").iterdir():
        (damaged / file.name).write_bytes(file.read_bytes())
    ids = damaged / "ids.bin"
    ids.write_bytes(ids.read_bytes()[:-2])
    with pytest.raises(FormatError, match="lengths add up"):
        open_packed(damaged)


def test_a_corpus_takes_in_sets_that_arrive(numbers: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no packed data"):
        PackedFolder(tmp_path)
    _copy(numbers / "packed" / "numbers", tmp_path / "first")
    corpus = PackedFolder(tmp_path)
    assert not corpus.refresh()
    _copy(numbers / "packed" / "numbers", tmp_path / "second")
    assert corpus.refresh()
    assert len(corpus.sets) == 2
    assert np.array_equal(corpus.sets[0].lengths, corpus.sets[1].lengths)


def _copy(source: Path, target: Path) -> None:
    target.mkdir()
    for file in source.iterdir():
        content = file.read_bytes()
        if file.suffix == ".json":
            content = content.replace(b'"numbers"', f'"{target.name}"'.encode())
        (target / file.name).write_bytes(content)
