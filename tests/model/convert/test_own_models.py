"""Exporting our own models: every shape scores as PyTorch does, wrong weights are refused."""

from pathlib import Path

import numpy as np
import pytest

from isogloss.errors import InputError
from isogloss.model import Pair, Paraphraser, read_card, verify_folder
from isogloss.model.convert import export_transformer
from isogloss.model.convert.network import NetworkShape, sinusoids
from model.tiny_models import HEADS, WIDTH, Network, TinyModel, export

pytest.importorskip("torch")
PAIR = Pair("the cat sat on a mat", "das Haus und die Maus", "de", "en")


def pieces(tiny: TinyModel) -> list[str]:
    return [tiny.processor.id_to_piece(n) for n in range(tiny.processor.vocab_size())]


def export_with(tiny: TinyModel, folder: Path, weights: dict, **shape: object) -> None:
    config = {"layers": 2, "heads": HEADS, "longest": 64} | shape
    card = {"name": "tiny", "languages": ["de", "en"], "licence": "CC0-1.0"}
    spm = tiny.folder / "sentencepiece.model"
    export_transformer(weights, config, pieces(tiny), spm, folder, card)


def test_the_folder_is_complete_and_verifies(tiny: TinyModel) -> None:
    verify_folder(tiny.folder)
    card = read_card(tiny.folder)
    assert (card.scheme, card.precision, card.separator) == ("prism", "float32", "<sep>")
    assert (card.max_source_length, card.max_target_length) == (64, 64)
    assert card.digest.startswith("sha256:")
    assert not list(tiny.folder.parent.glob(".converting-*"))


def test_a_deep_encoder_over_a_shallow_decoder(tmp_path: Path, tiny: TinyModel) -> None:
    network = Network(tiny.processor.vocab_size(), seed=3, encoder_layers=3, decoder_layers=1)
    export(tmp_path / "model", tiny.processor, network)
    (scores,) = Paraphraser.load(tmp_path / "model").score([PAIR])
    expected = TinyModel(tmp_path / "model", network, tiny.processor).log_probs(PAIR)
    assert scores.log_probs == pytest.approx(expected, abs=1e-4)


def test_stacked_projections_and_learned_positions_are_the_same_model(
    tmp_path: Path, tiny: TinyModel
) -> None:
    weights = dict(tiny.network.weights)
    for name in [name for name in weights if name.endswith("q_proj.weight")]:
        scope = name.removesuffix("q_proj.weight")
        for kind in ("weight", "bias"):
            parts = [weights.pop(f"{scope}{part}_proj.{kind}") for part in "qkv"]
            weights[f"{scope}in_proj_{kind}"] = np.concatenate(parts)
    for side in ("encoder", "decoder"):
        weights[f"{side}.embed_positions.weight"] = sinusoids(64, WIDTH)
    export_with(tiny, tmp_path / "model", weights, positions="learned")
    (scores,) = Paraphraser.load(tmp_path / "model").score([PAIR])
    assert scores.log_probs == pytest.approx(tiny.log_probs(PAIR), abs=1e-4)


def test_exporting_leaves_the_weights_as_they_were(tmp_path: Path, tiny: TinyModel) -> None:
    weights = {name: w.astype(np.float32) for name, w in tiny.network.weights.items()}
    before = {name: w.copy() for name, w in weights.items()}
    network = Network(tiny.processor.vocab_size())
    network.weights = weights
    export(tmp_path / "model", tiny.processor, network, quantization="int8")
    assert all(np.array_equal(weights[name], before[name]) for name in before)


def test_a_folder_is_not_overwritten_unasked(tmp_path: Path, tiny: TinyModel) -> None:
    export(tmp_path / "model", tiny.processor, tiny.network)
    with pytest.raises(InputError, match="there already"):
        export(tmp_path / "model", tiny.processor, tiny.network)
    config = {"layers": 2, "heads": HEADS}
    card = {"name": "second", "languages": ["de"], "licence": "MIT"}
    spm = tiny.folder / "sentencepiece.model"
    export_transformer(
        tiny.network.weights, config, pieces(tiny), spm, tmp_path / "model", card, overwrite=True
    )
    assert read_card(tmp_path / "model").name == "second"
    assert read_card(tmp_path / "model").max_source_length == 1024


def test_a_missing_weight_is_named(tmp_path: Path, tiny: TinyModel) -> None:
    weights = dict(tiny.network.weights)
    del weights["decoder.layers.1.fc1.weight"]
    with pytest.raises(InputError, match=r"no weight 'decoder\.layers\.1\.fc1\.weight'"):
        export_with(tiny, tmp_path / "model", weights)
    assert not (tmp_path / "model").exists()


def test_a_weight_without_a_place_is_refused(tmp_path: Path, tiny: TinyModel) -> None:
    with pytest.raises(InputError, match=r"'decoder\.layers\.1.*cannot be converted"):
        export_with(
            tiny, tmp_path / "model", tiny.network.weights, encoder_layers=2, decoder_layers=1
        )


def test_wrong_settings_are_refused(tmp_path: Path, tiny: TinyModel) -> None:
    for wrong, message in (
        ({"depth": 2}, "unknown entry 'depth'"),
        ({"activation": "tanh"}, "unknown activation 'tanh'"),
        ({"positions": "rotary"}, "unknown positions 'rotary'"),
    ):
        with pytest.raises(InputError, match=message):
            export_with(tiny, tmp_path / "model", tiny.network.weights, **wrong)
    with pytest.raises(InputError, match="unknown precision 'int4'"):
        export(tmp_path / "model", tiny.processor, tiny.network, quantization="int4")


def test_a_vocabulary_that_does_not_fit_is_refused(tmp_path: Path, tiny: TinyModel) -> None:
    every = pieces(tiny)
    config = {"layers": 2, "heads": HEADS}
    card = {"name": "tiny", "languages": ["de"], "licence": "CC0-1.0"}
    spm = tiny.folder / "sentencepiece.model"
    renamed = ["<fr>" if piece == "<de>" else piece for piece in every]
    twice = [every[-2] if piece == every[-1] else piece for piece in every]
    endless = ["<end>" if piece == "</s>" else piece for piece in every]
    for vocabulary, message in (
        (every[:-1], "pieces, but"),
        (renamed, "no '<de>'"),
        (twice, "a piece twice"),
        (endless, "no '</s>'"),
    ):
        with pytest.raises(InputError, match=message):
            export_transformer(
                tiny.network.weights, config, vocabulary, spm, tmp_path / "model", card
            )
    with pytest.raises(InputError, match="no '<break>'"):
        export(tmp_path / "model", tiny.processor, tiny.network, separator="<break>")
    with pytest.raises(InputError, match="no such file"):
        export_transformer(
            tiny.network.weights, config, every, tmp_path / "none", tmp_path / "model", card
        )


def test_positions_of_an_odd_width_end_in_zeros() -> None:
    assert sinusoids(4, 7).shape == (4, 7)
    assert not sinusoids(4, 7)[:, -1].any()
    assert sinusoids(1, 8).tolist() == [[0, 0, 0, 0, 1, 1, 1, 1]]


def test_a_shape_has_sensible_defaults() -> None:
    assert NetworkShape(6, 6, 8).pre_norm
