"""The exported model gives the probabilities of the trained one."""

from pathlib import Path

import numpy as np
import pytest
import torch

from isogloss.training import checkpoints
from isogloss.training.checkpoints import (
    compacted,
    export_weights,
    languages_of_vocabulary,
    restored,
    softened,
)
from isogloss.training.losses import token_losses
from isogloss.training.model import ModelSettings, Sequences, Transformer
from isogloss.training.vocabulary import END, Vocabulary

ctranslate2 = pytest.importorskip("ctranslate2")

_SIZE = ModelSettings(
    vocabulary=318, width=32, inner=64, heads=4, encoder_layers=3, decoder_layers=2, longest=64
)


def _model() -> Transformer:
    torch.manual_seed(7)
    model = Transformer(_SIZE).eval()
    for weight in model.parameters():
        if weight.ndim == 1:  # norms and biases away from ones and zeros, or mistakes would hide
            torch.nn.init.normal_(weight, 0.5, 0.2)
    return model


def _log_probabilities(model: Transformer, source: list[int], target: list[int], tag: int):
    read, write = [*source, END], [END, tag, *target]
    labels = torch.tensor([-1, *target, END])
    one = [Sequences(torch.tensor([0, len(s)], dtype=torch.int32), 64) for s in (read, write)]
    with torch.no_grad():
        states = model(
            torch.tensor(read), torch.arange(len(read)), one[0],
            torch.tensor(write), torch.arange(len(write)), one[1],
        )  # fmt: skip
        return -token_losses(states, model.embed_tokens.weight, labels)[1:].numpy()


def test_exported_scores_equal_trained_ones(numbers: Path, tmp_path: Path) -> None:
    model, spm = _model(), numbers / "sentencepiece.model"
    content = {"settings": _SIZE.described(), "weights": model.state_dict()}
    checkpoints.save(tmp_path / "final.pt", content)
    languages = languages_of_vocabulary(spm)
    assert languages == ("de", "en", "fr")
    export_weights(tmp_path / "final.pt", spm, tmp_path / "model", languages, "tiny", "float32")
    translator = ctranslate2.Translator(str(tmp_path / "model"), compute_type="float32")
    vocabulary = Vocabulary(spm)
    for source, target in (("one two three", "eins zwei drei"), ("nine", "vier fünf sechs acht")):
        ids = vocabulary.encode([source, target])
        pieces = [[vocabulary.pieces.id_to_piece(i) for i in side] for side in ids]
        scored = translator.score_batch([[*pieces[0], "</s>"]], [["<de>", *pieces[1]]], offset=1)
        expected = _log_probabilities(model, *ids, vocabulary.tag("de"))
        np.testing.assert_allclose(scored[0].log_probs, expected, atol=1e-4)


def test_a_temperature_divides_the_logits() -> None:
    weights = _model().state_dict()
    warm, plain = Transformer(_SIZE).eval(), _model()
    warm.load_state_dict(softened(weights, 2.0))
    ids = torch.arange(5, 12)
    one = Sequences(torch.tensor([0, len(ids)], dtype=torch.int32), 64)
    places = (ids, torch.arange(len(ids)), one)
    with torch.no_grad():
        torch.testing.assert_close(warm(*places, *places), plain(*places, *places) / 2)


def test_compact_forms_come_back() -> None:
    weights = _model().state_dict()
    for form, bound in (("float16", 1e-3), ("int8", 5e-3)):
        back = restored(compacted(weights, form))
        assert back.keys() == weights.keys()
        for name, weight in weights.items():
            error = (back[name] - weight).abs().max() / weight.abs().max()
            assert float(error) < bound


def test_parts_join_to_the_whole(tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    whole.write_bytes(bytes(range(256)) * 41)
    parts = checkpoints.write_parts(whole, tmp_path / "parts", 1000, "w")
    assert len(parts) == 11
    checkpoints.join_parts(parts[::-1], tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == whole.read_bytes()
