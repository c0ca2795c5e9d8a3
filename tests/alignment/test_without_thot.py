"""Without sil-thot all but statistical alignment works, and what does not says what helps."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

# As on a machine without it: no import finds it.
PROGRAM = """
import sys

class Gone:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("thot", "yaml"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Gone())
sys.argv = ["isogloss", *sys.argv[1:]]
from isogloss.cli.main import main
main()
"""


def isogloss(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", PROGRAM, *arguments]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8")


@pytest.fixture(scope="module")
def sample() -> str:
    from isogloss.sample import sample_path

    return str(sample_path("cs-en"))


def test_metrics_read_attention_and_those_that_cannot_do_not_stop_others(sample: str) -> None:
    metrics = "ltcr,ltcr(aligner=hmm),chrf"
    done = isogloss("evaluate", sample, "-m", metrics, "-o", "json", "--no-cache")
    assert done.returncode == 3, done.stderr
    told = json.loads(done.stdout)
    scores = {(r["metric"], r["system"]): r["score"] for r in told["results"]}
    assert scores["ltcr", "steady"] == pytest.approx(94.02, abs=0.01)
    assert scores["chrf", "steady"] is not None
    assert scores["ltcr(aligner=hmm)", "steady"] is None
    assert "attention (isogloss-3 knows cs and en)" in done.stdout
    assert "isogloss[align]" in done.stderr


def test_who_asks_for_a_statistical_aligner_learns_what_helps(sample: str) -> None:
    asked = isogloss("align", sample, "--of", "steady", "--aligner", "eflomal", "--no-cache")
    assert asked.returncode == 2
    assert "statistical aligners need sil-thot, which is not installed" in asked.stderr
    assert "pip install 'isogloss[align]'" in asked.stderr


def test_languages_that_no_model_knows_are_not_linked(sample: str) -> None:
    files = [f"{sample}/{name}.txt" for name in ("source", "steady")]
    done = isogloss("align", *files, "--from", "cs", "--to", "sw", "--no-cache")
    assert done.returncode == 2
    said = (
        "words cannot be linked: isogloss-3 does not know cs to sw, and statistical aligners need"
    )
    assert said in done.stderr


def test_the_doctor_knows() -> None:
    done = isogloss("doctor", "-o", "jsonl")
    facts = [json.loads(line) for line in done.stdout.splitlines()]
    (fact,) = (fact for fact in facts if fact["topic"] == "Word alignment")
    assert fact["state"] == "absent"
    assert fact["remedy"] == "pip install 'isogloss[align]'"


def test_only_the_files_of_the_study_need_yaml(tmp_path: Path) -> None:
    (tmp_path / "processing").mkdir()
    (tmp_path / "processing" / "experiment.yaml").write_text("mts: []\n")
    done = isogloss("markables", "analyse", str(tmp_path))
    assert done.returncode == 2
    assert "pip install 'isogloss[study]'" in done.stderr
