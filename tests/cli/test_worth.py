"""``isogloss worth``: curves from judgements, tried on what they have not seen."""

import json
from pathlib import Path

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
