"""Pieces: where they lie in the original text, and which of them the model knows."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.errors import FormatError, InputError
from isogloss.model import PiecedText
from isogloss.model.tokens import PieceTokeniser
from model.tiny_models import TinyModel


@pytest.fixture(scope="module")
def tokeniser(tiny: TinyModel) -> PieceTokeniser:
    pieces = [tiny.processor.id_to_piece(n) for n in range(tiny.processor.vocab_size())]
    return PieceTokeniser(tiny.folder / "sentencepiece.model", pieces)


@settings(max_examples=150, deadline=None)
@given(text=st.text(st.characters(codec="utf-8"), max_size=30))
def test_offsets_lie_in_the_text_and_never_go_back(tokeniser: PieceTokeniser, text: str) -> None:
    (pieced,) = tokeniser.encode([text])
    assert len(pieced.pieces) == len(pieced.offsets)
    assert all(0 <= start <= end <= len(text) for start, end in pieced.offsets)
    starts = [start for start, _ in pieced.offsets]
    assert starts == sorted(starts)
    # Only a word start may stand for nothing: every other piece comes from some character.
    for piece, (start, end) in zip(pieced.pieces, pieced.offsets, strict=True):
        assert start < end or piece == "▁"


def test_several_threads_and_one_agree(tokeniser: PieceTokeniser) -> None:
    texts = [f"das Haus {n} 🦄" for n in range(200)]
    assert tokeniser.encode(texts, threads=1) == tokeniser.encode(texts, threads=3)
    assert list(tokeniser.encoded(texts * 2)) == texts


def test_pieces_outside_the_vocabulary_are_replaced_by_the_unknown_one(tiny: TinyModel) -> None:
    known = PieceTokeniser(tiny.folder / "sentencepiece.model", ["▁the", "▁cat", "<unk>"])
    (pieced,) = known.encode(["the dog cat"])
    assert pieced.pieces == ("▁the", "▁dog", "▁cat")
    assert pieced.unknown == {1}
    assert pieced.tokens("<unk>") == ("▁the", "<unk>", "▁cat")


def test_known_pieces_are_handed_on_as_they_are() -> None:
    assert PiecedText(("a",), ((0, 1),)).tokens("<unk>") == ("a",)


def test_decoding_joins_pieces(tokeniser: PieceTokeniser) -> None:
    assert tokeniser.decode(["▁das", "▁Haus", "."]) == "das Haus."


def test_a_file_that_is_no_sentencepiece_model_is_told(tmp_path: Path) -> None:
    (tmp_path / "spm.model").write_bytes(b"nothing of the kind")
    with pytest.raises(FormatError, match="is no SentencePiece model"):
        PieceTokeniser(tmp_path / "spm.model", [])


def test_half_a_surrogate_is_told(tokeniser: PieceTokeniser) -> None:
    with pytest.raises(InputError, match="not Unicode"):
        tokeniser.encode(["\ud800"])
