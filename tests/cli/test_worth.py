"""``isogloss worth``: curves from judgements, tried on what they have not seen."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from isogloss.sample import sample_path
from program import run_program

PAIRS = ("cs-en", "zh-en")
WORTH = {"steady": 3.0, "shifting": 2.0, "tangled": 1.0}


def succeeded(*arguments: object) -> str:
    done = run_program(*arguments, COLUMNS="100")
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Five test sets of two language pairs, whose people mostly like what the metric likes."""
    rng = np.random.default_rng(0)
    folders = []
    for number in range(5):
        pair = PAIRS[number % 2]
        folder = tmp_path_factory.mktemp("sets") / f"set{number}"
        succeeded("convert", sample_path(pair), folder, "--into", "mtme")
        said = [
            f"{system}\t{worth + rng.normal()}\n"
            for system, worth in WORTH.items()
            for _ in (sample_path(pair) / f"{system}.txt").read_text().splitlines()
        ]
        scores = folder / "human-scores" / f"{pair}.made.seg.score"
        scores.parent.mkdir()
        scores.write_text("".join(said))
        folders.append(folder)
    return folders


def test_curves_are_tried_on_each_language_pair_and_on_other_sets(
    judged: list[Path], tmp_path: Path
) -> None:
    *learnt, other = judged
    arguments = ("worth", *learnt, "--test", other, "--human", "made", "-m", "chrf", "-q")
    saved, plots = tmp_path / "curves.toml", tmp_path / "plots"
    found = json.loads(succeeded(*arguments, "-o", "json", "--save", saved, "--plots", plots))
    places = {record["tried_on"] for record in found["results"]}
    assert places == {"left out", "cs-en", "zh-en", "set4 cs-en"}
    pairs = dict.fromkeys(places, 0)
    for record in found["results"]:
        pairs[record["tried_on"]] += record["contests"]
    assert pairs["left out"] == pairs["cs-en"] + pairs["zh-en"]
    names = ("chrf", "chrf.cs-en", "chrf.zh-en", "chrf.set4.cs-en")
    assert {path.name for path in plots.iterdir()} == {f"{n}.reliability.svg" for n in names}
    assert 'metric = "chrf"' in saved.read_text()


def test_the_table_names_what_curves_were_tried_on(judged: list[Path]) -> None:
    shown = succeeded("worth", *judged[:4], "--human", "made", "-m", "chrf", "-q")
    for place in ("4 sets, each left out", "cs-en (2 sets)", "zh-en (2 sets)"):
        assert place in shown


def test_where_people_go_against_the_metric_saved_curves_are_silent(
    judged: list[Path], tmp_path: Path
) -> None:
    first, other, second, _, third = judged
    contrary = tmp_path / "contrary"
    shutil.copytree(other, contrary)
    said = contrary / "human-scores" / "zh-en.made.seg.score"
    rows = [line.split("\t") for line in said.read_text().splitlines()]
    said.write_text("".join(f"{system}\t{-float(score)}\n" for system, score in rows))
    saved = tmp_path / "curves.toml"
    learnt = ("worth", first, second, third, contrary, "--human", "made", "-m", "chrf", "-q")
    assert "zh-en: saved curves quote nothing there" in succeeded(*learnt, "--save", saved)
    (pair,) = json.loads(succeeded(*learnt, "-o", "json"))["silent"]
    assert (pair["source"], pair["target"], pair["testsets"]) == ("zh", "en", 1)
    assert pair["loss"] > np.log(2)

    def compared(testset: Path) -> dict[str, Any]:
        scores = tmp_path / "scores.jsonl"
        succeeded("evaluate", testset, "-m", "chrf", "--save", scores, "-q")
        return json.loads(succeeded("compare", scores, "--worth", saved, "-o", "json"))

    spoken, silent = compared(first), compared(contrary)
    assert all(row["preferred"] is not None for row in spoken["results"])
    assert all(row["preferred"] is None for row in silent["results"])
