"""The steps as commands: a run from packed data to a model folder, and help on everything."""

from argparse import ArgumentParser, _SubParsersAction
from pathlib import Path

import pytest

from isogloss.errors import InputError
from isogloss.model import read_card
from isogloss.training.arguments import parser
from isogloss.training.commands import main

_TINY = {
    "width": 32, "inner": 64, "heads": 2, "encoder-layers": 1, "decoder-layers": 1,
    "tokens": 512, "longest": 64, "warm-up": 2, "milestones": 2, "steps": 20,
}  # fmt: skip
_SIZES = [text for name, size in _TINY.items() for text in (f"--{name}", str(size))]


def _steps() -> dict[str, ArgumentParser]:
    (steps,) = (a for a in parser()._actions if isinstance(a, _SubParsersAction))
    return dict(steps.choices)


@pytest.mark.parametrize("step", list(_steps()))
def test_every_argument_is_explained(step: str) -> None:
    assert all(action.help for action in _steps()[step]._actions)


def test_from_packed_data_to_a_model(numbers: Path, tmp_path: Path, capsys) -> None:
    spm, run = str(numbers / "sentencepiece.model"), tmp_path / "run"
    packed = ["--packed", str(numbers / "packed"), "--vocabulary", spm]
    main(["train", *packed, "--out", str(run), *_SIZES])
    main(["plot", str(run / "log.jsonl"), "--out", str(tmp_path / "run.svg")])
    small, model = tmp_path / "small.pt", tmp_path / "model"
    main(["average", str(run), "--form", "int8", "--out", str(small)])
    exported = ["--vocabulary", spm, "--out", str(model), "--name", "tiny"]
    main(["export", str(small), *exported, "--temperature", "1.25"])
    assert read_card(model).name == "tiny"
    assert (tmp_path / "run.svg").stat().st_size > 1000
    capsys.readouterr()
    main(["bleu", str(model), str(numbers / "numbers.tsv"), "--sentences", "3"])
    directions = [line.split("\t")[0] for line in capsys.readouterr().out.splitlines()]
    assert sorted(directions) == ["de-en", "de-fr", "en-de", "en-fr", "fr-de", "fr-en"]


def test_a_malformed_mapping_is_refused(numbers: Path, tmp_path: Path) -> None:
    wrong = ["--set-weights", "llm=much", "--steps", "1", "--out", str(tmp_path)]
    spm = str(numbers / "sentencepiece.model")
    with pytest.raises(InputError, match="name=number"):
        main(["train", "--packed", str(numbers / "packed"), "--vocabulary", spm, *wrong])
