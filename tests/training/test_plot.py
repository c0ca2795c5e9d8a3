"""The plot of a run's log."""

import json
from pathlib import Path

import pytest

from isogloss.errors import FormatError
from isogloss.training.trainer import plot_log, read_log

pytest.importorskip("matplotlib", reason="plots need the extra [plots]")


def _log(path: Path) -> Path:
    lines = [
        {"step": 20, "loss": 9.0},
        {"step": 40, "loss": 7.0},
        {"step": 60, "loss": 6.0},
        {"step": 40, "loss": 7.5},  # resumed here
        {"step": 50, "validation": 8.0, "directions": {}},
        {"step": 50, "agreement": [0.3, 0.5], "temperature": 1.0, "sets": {}},
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def test_steps_that_were_done_again_count_once(tmp_path: Path) -> None:
    lines = read_log(_log(tmp_path / "log.jsonl"))
    assert [(line["step"], line["loss"]) for line in lines if "loss" in line] == [
        (20, 9.0), (40, 7.0), (40, 7.5),
    ]  # fmt: skip


def test_a_log_becomes_a_picture(tmp_path: Path) -> None:
    plot_log(_log(tmp_path / "log.jsonl"), tmp_path / "run.svg")
    picture = (tmp_path / "run.svg").read_text(encoding="utf-8")
    assert picture.startswith("<?xml")
    assert picture.count("<path") > 10


def test_what_is_no_log_is_said(tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_text('{"step": 1}\nnot json\n', encoding="utf-8")
    with pytest.raises(FormatError, match="2"):
        read_log(tmp_path / "log.jsonl")
    with pytest.raises(FormatError, match="no such log"):
        read_log(tmp_path / "other.jsonl")
