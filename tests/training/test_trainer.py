"""A tiny model learns, and an interrupted run ends where an uninterrupted one does."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from isogloss.training import checkpoints
from isogloss.training.batches import BatchSettings, StreamSettings
from isogloss.training.bitext import read_bitext
from isogloss.training.cleaning import clean_bitext
from isogloss.training.examples import ExampleSettings, MixtureSettings
from isogloss.training.model import ModelSettings
from isogloss.training.optimiser import Budget, Schedule
from isogloss.training.packing import pack_all
from isogloss.training.trainer import LOG, Trainer, TrainSettings

_TINY = ModelSettings(
    vocabulary=318, width=32, inner=64, heads=2, encoder_layers=2, decoder_layers=1,
    longest=64, dropout=0.1,
)  # fmt: skip


def _settings(numbers: Path, out: Path, steps: int, **changes) -> TrainSettings:
    stream = StreamSettings(
        numbers / "packed",
        numbers / "sentencepiece.model",
        BatchSettings(512, 512, ExampleSettings(64)),
        MixtureSettings(),
    )
    return TrainSettings(
        stream,
        out,
        Budget(steps=steps),
        _TINY,
        schedule=Schedule(warm_up_steps=5),
        log_every=10,
        **changes,
    )


def _losses(out: Path) -> list[float]:
    lines = [json.loads(line) for line in (out / LOG).read_text().splitlines()]
    return [line["loss"] for line in lines if "loss" in line]


def test_a_tiny_model_learns(numbers: Path, tmp_path: Path) -> None:
    Trainer(_settings(numbers, tmp_path, 120, rate=1e-2, matrix_rate=1e-2)).run()
    losses = _losses(tmp_path)
    assert losses[0] > 4.5
    assert losses[-1] < 2.4
    final = checkpoints.load(tmp_path / "final.pt")
    assert ModelSettings(**final["settings"]) == _TINY


@pytest.mark.parametrize("optimiser", ["muon", "adamw"])
def test_resumed_is_as_uninterrupted(numbers: Path, tmp_path: Path, optimiser: str) -> None:
    whole = _settings(numbers, tmp_path / "whole", 12, optimiser=optimiser, states=4)
    Trainer(whole).run()
    parts = _settings(numbers, tmp_path / "parts", 12, optimiser=optimiser, states=4)
    Trainer(parts).run(stop_after=8)  # the state of step 6 is the last one kept
    resumed = Trainer(parts)
    resumed.run()
    expected = checkpoints.load(tmp_path / "whole" / "final.pt")["weights"]
    found = checkpoints.load(tmp_path / "parts" / "final.pt")["weights"]
    assert resumed.step == 12
    assert all(torch.equal(expected[name], found[name]) for name in expected)


def test_held_out_rows_are_told_apart(numbers: Path, tmp_path: Path) -> None:
    """2,000 rows have no held-out block; ten copies of them, end to end, have one."""
    trainer = Trainer(_settings(numbers, tmp_path, 2))
    assert trainer.held_out is None
    table = (numbers / "numbers.tsv").read_text(encoding="utf-8").splitlines()
    (tmp_path / "many.tsv").write_text("\n".join([table[0], *table[1:] * 10]), encoding="utf-8")
    clean_bitext(read_bitext(tmp_path / "many.tsv"), tmp_path / "clean", {})
    spm = numbers / "sentencepiece.model"
    pack_all(tmp_path / "clean", tmp_path / "packed", spm, processes=1)
    settings = _settings(numbers, tmp_path / "run", 2)
    stream = replace(settings.stream, packed=tmp_path / "packed")
    Trainer(replace(settings, stream=stream, milestones=1)).run()
    lines = [json.loads(line) for line in (tmp_path / "run" / LOG).read_text().splitlines()]
    assert [3 < line["held_out"] < 20 for line in lines if "held_out" in line] == [True]


def test_averages_are_means(tmp_path: Path) -> None:
    for step, value in ((1, 0.0), (2, 1.0), (3, 5.0)):
        weights = {"x": torch.full((2,), value)}
        checkpoints.save_weights(tmp_path, step, weights, _TINY, keep=2)
    files = checkpoints.weight_files(tmp_path)
    assert [path.name for path in files] == ["weights-0000002.pt", "weights-0000003.pt"]
    settings, mean = checkpoints.average(files)
    assert settings == _TINY
    assert mean["x"].tolist() == [3.0, 3.0]
