"""Temperature: log_softmax(logits / T), under every norm, and never taken for another."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from isogloss.errors import FormatError, InputError
from isogloss.model import MODEL_FILE, ModelFile, Pair, Paraphraser, ScoreCache
from isogloss.model.model_file import Variable
from model.tiny_models import Network, TinyModel, export, sentences

pytest.importorskip("torch")
TEXTS = sentences(30, seed=21)
PAIRS = [Pair(a, b, "de", "en") for a, b in zip(TEXTS[::2], TEXTS[1::2], strict=True)]
PAIRS += [Pair("the cat", "das Haus", "de", "en", ("a dog",), ("die Maus",))]


@pytest.mark.parametrize("pre_norm", [True, False])
@pytest.mark.parametrize("temperature", [0.25, 0.9, 2.0, 50.0])
def test_log_probs_are_those_of_the_divided_logits(
    tmp_path: Path, tiny: TinyModel, pre_norm: bool, temperature: float
) -> None:
    network = Network(tiny.network.pieces, pre_norm=pre_norm)
    export(tmp_path / "model", tiny.processor, network, separator="<sep>")
    yardstick = TinyModel(tmp_path / "model", network, tiny.processor)
    model = Paraphraser.load(tmp_path / "model", temperature=temperature)
    for pair, scores in zip(PAIRS, model.score(PAIRS), strict=True):
        assert scores is not None
        assert scores.log_probs == pytest.approx(yardstick.log_probs(pair, temperature), abs=1e-4)


def test_int8_stays_close(tmp_path: Path, tiny: TinyModel) -> None:
    export(tmp_path / "int8", tiny.processor, tiny.network, quantization="int8", separator="<sep>")
    model = Paraphraser.load(tmp_path / "int8", temperature=2.0)
    assert model.engine_id.precision.startswith("int8")
    for pair, scores in zip(PAIRS, model.score(PAIRS), strict=True):
        assert scores is not None
        assert scores.sum == pytest.approx(sum(tiny.log_probs(pair, 2.0)), rel=0.05)


def test_a_score_at_another_temperature_is_not_found(tmp_path: Path, tiny: TinyModel) -> None:
    def scored(temperature: float) -> tuple[list[float], int]:
        told = []
        cache = ScoreCache(tmp_path)
        model = Paraphraser.load(tiny.folder, cache=cache, temperature=temperature)
        scores = [s.mean for s in model.score(PAIRS, progress=told.append) if s is not None]
        return scores, told[-1].computed

    warm, computed = scored(2.0)
    assert computed == len(PAIRS)
    plain, computed = scored(1.0)
    assert computed == len(PAIRS)
    assert plain != pytest.approx(warm, abs=0.01)
    assert scored(2) == (warm, 0)  # the same number, written as an integer


def test_the_hotter_the_more_even(tiny: TinyModel) -> None:
    """Far up, every piece of the vocabulary is as probable as any other."""
    model = Paraphraser.load(tiny.folder, temperature=1e6)
    (scores,) = model.score(PAIRS[:1])
    assert scores is not None
    assert scores.mean == pytest.approx(-np.log(tiny.network.pieces), abs=1e-3)


@pytest.mark.parametrize("temperature", [0.0, -1.0, float("inf"), float("nan")])
def test_what_is_no_temperature_is_refused(tiny: TinyModel, temperature: float) -> None:
    with pytest.raises(InputError, match="must be above 0 and finite"):
        Paraphraser.load(tiny.folder, temperature=temperature)


def test_a_selftest_is_made_at_temperature_1(tiny: TinyModel) -> None:
    with pytest.raises(InputError, match="tested at temperature 1"):
        Paraphraser.load(tiny.folder, temperature=2.0).selftest()


def test_another_kind_of_model_is_refused(tmp_path: Path, tiny: TinyModel) -> None:
    for file in tiny.folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    model = ModelFile.read(tmp_path / MODEL_FILE)
    (tmp_path / MODEL_FILE).write_bytes(
        ModelFile("OtherSpec", 1, model.variables, model.aliases).to_bytes()
    )
    with pytest.raises(FormatError, match="a OtherSpec has no temperature"):
        Paraphraser.load(tmp_path, temperature=2.0)


def test_the_file_is_written_as_it_was_read(tiny: TinyModel) -> None:
    path = tiny.folder / MODEL_FILE
    assert ModelFile.read(path).to_bytes() == path.read_bytes()


@pytest.mark.parametrize("kind", [0, 4, 5])
def test_floats_of_every_width_come_back(kind: int) -> None:
    values = np.array([[1.0, -0.5], [0.0, 1024.0]], dtype=np.float32)  # exact in all of them
    stored = Variable((2, 2), kind, b"").holding(values)
    assert len(stored.data) == 4 * (4 if kind == 0 else 2)
    assert np.array_equal(stored.floats(), values)
    third = replace(stored, shape=(1,)).holding(np.array([1 / 3], dtype=np.float32))
    assert third.floats()[0] == pytest.approx(1 / 3, rel=2**-8)


def test_what_shares_a_variable_keeps_its_value() -> None:
    one, other = Variable.scalar(1.0), Variable.scalar(2.0)
    model = ModelFile("TransformerSpec", 1, {"a": one}, {"b": "a", "c": "a"})
    model.put("a", other)
    assert (model.get("a"), model.get("b"), model.get("c")) == (other, one, one)
    shared = ModelFile("TransformerSpec", 1, {"a": one}, {"b": "a", "c": "a"})
    shared.put("b", other)
    assert (shared.get("a"), shared.get("b"), shared.get("c")) == (one, other, one)
    assert shared.get("d") is None
