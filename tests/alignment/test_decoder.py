"""The decoder in NumPy against a plain PyTorch Transformer and against CTranslate2."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import pytest

from isogloss.alignment.decoder import PlainDecoder
from isogloss.alignment.reader import (
    AttentionReader,
    HeadNumbers,
    PieceAttention,
    _Kept,
)
from isogloss.errors import InputError
from isogloss.model import MODEL_FILE, Model, ModelFile, Pair, PieceTokeniser, attend
from isogloss.model.model_file import Variable
from model.tiny_models import HEADS, Network, TinyModel, export, sentences, tiny_model

pytest.importorskip("torch")
TEXTS = sentences(40, seed=5)
PAIRS = [Pair(a, b, "de", "en") for a, b in zip(TEXTS[::2], TEXTS[1::2], strict=True)]


def read(folder: Path, heads: HeadNumbers | None = None) -> list[PieceAttention]:
    found = list(AttentionReader(folder).read(PAIRS, heads))
    return [one for one in found if one is not None]


def expected(tiny: TinyModel, pair: Pair, layer: int) -> np.ndarray:
    """The yardstick's mean over heads: rows behind the start mark and the tag, no end mark."""
    return tiny.forward(pair)[0].attention[layer][2:, :-1]


@pytest.mark.parametrize("pre_norm", [True, False])
def test_every_layer_attends_as_it_should(pre_norm: bool, tmp_path: Path) -> None:
    tiny = tiny_model(tmp_path / "first")
    network = Network(tiny.processor.vocab_size(), decoder_layers=3, pre_norm=pre_norm)
    export(tmp_path / "model", tiny.processor, network, separator="<sep>")
    other = TinyModel(tmp_path / "model", network, tiny.processor)
    for pair, found in zip(PAIRS, read(other.folder), strict=True):
        assert found.weights.shape[:2] == (3, HEADS)
        for layer in range(3):
            mean = found.weights[layer].mean(axis=0)
            assert mean == pytest.approx(expected(other, pair, layer), abs=1e-5)
        # That the layers above are right shows that each head below is; and no two are alike.
        assert len({head.tobytes() for head in found.weights[0]}) == HEADS


@pytest.mark.parametrize("heads", [((0, 1),), ((1, 1), (0, 0)), ((0, 0), (0, 1))])
def test_chosen_heads_are_those_of_the_whole_decoder(
    heads: tuple[tuple[int, int], ...], tiny: TinyModel
) -> None:
    """Nothing is computed of the others, or of the layers above."""
    for whole, chosen in zip(read(tiny.folder), read(tiny.folder, heads), strict=True):
        mean = np.mean([whole.weights[head] for head in heads], axis=0)
        assert chosen.weights == pytest.approx(mean, abs=1e-6)


@pytest.mark.parametrize("quantization", ["int8", "float16", "bfloat16"])
def test_stored_precisions(quantization: str, tiny: TinyModel, tmp_path: Path) -> None:
    """Of the decoder alone: how exact an int8 encoder is depends on the processor."""
    folder = tmp_path / quantization
    export(folder, tiny.processor, tiny.network, separator="<sep>", quantization=quantization)
    whole, stored = PlainDecoder.read(tiny.folder), PlainDecoder.read(folder)
    assert whole is not None
    assert stored is not None
    pieces = [tiny.processor.encode(pair.target, out_type=str) for pair in PAIRS if pair.target]
    targets = [["<en>", *text] for text in pieces]
    states = [np.random.default_rng(7).normal(size=(6, 32)).astype(np.float32)] * len(targets)
    for exact, found in zip(
        whole.attention(states, whole.begin(targets)),
        stored.attention(states, stored.begin(targets)),
        strict=True,
    ):
        assert found.mean(axis=1) == pytest.approx(exact.mean(axis=1), abs=0.03)


def test_it_reads_what_ctranslate2_reads(tiny: TinyModel) -> None:
    theirs = attend(Model(tiny.folder, "cpu", None, None), PAIRS, "error")
    for ours, one in zip(read(tiny.folder), theirs, strict=True):
        assert one is not None
        assert ours.weights[-1].mean(axis=0) == pytest.approx(one.weights, abs=1e-5)
        assert (ours.target, ours.condition) == (one.target, one.condition)


def test_empty_texts_have_no_attention(tiny: TinyModel) -> None:
    pairs = [Pair("", "das", "de", "en"), PAIRS[0], Pair("the", "", "de", "en")]
    found = list(AttentionReader(tiny.folder).read(pairs))
    assert [one is None for one in found] == [True, False, True]


def test_what_is_too_long_is_refused(tiny: TinyModel) -> None:
    with pytest.raises(InputError, match="too long for the attention of tiny, which takes 64"):
        list(AttentionReader(tiny.folder).read([Pair("das Haus " * 60, "das", "de", "en")]))


def changed(folder: Path, *names: str, to: Variable) -> None:
    file = ModelFile.read(folder / MODEL_FILE)
    for name in names:
        file.put(name, to)
    (folder / MODEL_FILE).write_bytes(file.to_bytes())


def small_integer(value: int) -> Variable:
    return Variable((), 1, bytes([value]))


@pytest.mark.parametrize("activation", [1, 2, 3])
def test_activations_are_those_of_ctranslate2(activation: int, tmp_path: Path) -> None:
    tiny = tiny_model(tmp_path / "model")
    changed(tiny.folder, "decoder/activation", to=small_integer(activation))
    test_it_reads_what_ctranslate2_reads(tiny)


def test_what_the_models_of_others_have_besides(tmp_path: Path) -> None:
    tiny = tiny_model(tmp_path / "model")
    norm = np.linspace(0.5, 1.5, 32, dtype=np.float32)
    names = [f"decoder/layernorm_embedding/{part}" for part in ("gamma", "beta")]
    changed(tiny.folder, *names, to=Variable((32,), 0, norm.tobytes()))
    changed(tiny.folder, "decoder/start_from_zero_embedding", to=small_integer(1))
    changed(tiny.folder, "decoder/scale_embeddings", to=Variable.scalar(2.5))
    test_it_reads_what_ctranslate2_reads(tiny)


@pytest.mark.parametrize(
    ("name", "variable"),
    [
        ("decoder/layer_0/something_new", Variable.scalar(0.0)),
        ("decoder/activation", Variable((), 1, b"\x05")),
    ],
)
def test_other_models_are_read_by_ctranslate2(
    name: str, variable: Variable, tmp_path: Path
) -> None:
    tiny = tiny_model(tmp_path / "model")
    assert PlainDecoder.read(tiny.folder) is not None
    changed(tiny.folder, name, to=variable)
    assert PlainDecoder.read(tiny.folder) is None
    reader = AttentionReader(tiny.folder)
    assert (reader.layers, reader.heads) == (1, 1)
    pairs = [PAIRS[0], Pair("", "das", "de", "en")]
    found, nothing = reader.read(pairs)
    theirs, _ = attend(Model(tiny.folder, "cpu", None, None), pairs, "error")
    assert nothing is None
    assert found is not None
    assert theirs is not None
    assert found.weights[0, 0] == pytest.approx(theirs.weights, abs=1e-6)


def test_states_of_a_source_are_kept_for_the_next_system(
    tiny: TinyModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader, fresh = AttentionReader(tiny.folder), AttentionReader(tiny.folder)
    list(reader.read(PAIRS, keep="condition"))
    expected = list(fresh.read(PAIRS))
    monkeypatch.setattr(reader._encoder, "states", None)  # nothing is left to encode
    assert_alike(reader.read(PAIRS, keep="condition"), expected)


def test_what_a_decoder_begins_with_a_source_is_kept_too(
    tiny: TinyModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = AttentionReader(tiny.folder)
    first = list(reader.read(PAIRS, keep="target"))
    monkeypatch.setattr(PlainDecoder, "begin", None)  # nothing is left to begin
    assert_alike(reader.read(PAIRS, keep="target"), first)


def assert_alike(
    found: Iterable[PieceAttention | None], expected: Sequence[PieceAttention | None]
) -> None:
    for one, other in zip(found, expected, strict=True):
        assert (one is None) == (other is None)
        if one is not None and other is not None:
            np.testing.assert_allclose(one.weights, other.weights, atol=1e-5)


def test_no_more_is_kept_than_there_is_room_for() -> None:
    kept: _Kept[str, str] = _Kept(10, len)
    kept.add([("a", "12345"), ("b", "12345")])
    assert kept.find("a") == "12345"
    kept.add([("c", "12345")])
    assert [kept.find(name) is not None for name in "abc"] == [True, False, True]


def test_what_is_kept_already_takes_no_more_room() -> None:
    kept: _Kept[str, str] = _Kept(10, len)
    for _ in range(5):
        kept.add([("a", "12345"), ("b", "12345")])
    assert [kept.find(name) for name in "ab"] == ["12345", "12345"]


def test_a_text_is_cut_into_pieces_once(tiny: TinyModel, monkeypatch: pytest.MonkeyPatch) -> None:
    reader = AttentionReader(tiny.folder)
    first = list(reader.read(PAIRS))
    monkeypatch.setattr(PieceTokeniser, "encode", None)  # nothing is left to cut
    assert_alike(reader.read(PAIRS), first)
    assert len(reader.lengths(TEXTS)) == len(TEXTS)
