"""Without sil-thot all but statistical alignment works, and what does not says what helps."""

import json
import subprocess
import sys
from typing import Any

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


def records(*arguments: str) -> list[dict[str, Any]]:
    done = isogloss(*arguments, "-o", "json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["results"]  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def sample() -> str:
    from isogloss.sample import sample_path

    return str(sample_path("cs-en"))


def test_words_are_linked_by_attention_instead(sample: str) -> None:
    done = isogloss("evaluate", sample, "-m", "ltcr,chrf", "--no-cache")
    assert done.returncode == 0, done.stderr
    assert "attention (isogloss-3 knows cs and en)" in done.stdout + done.stderr


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


def test_a_metric_that_needs_it_does_not_stop_the_others(sample: str) -> None:
    done = isogloss("evaluate", sample, "-m", "ltcr(aligner=hmm),chrf", "-o", "json", "--no-cache")
    assert done.returncode == 3, done.stderr
    scores = {(r["metric"], r["system"]): r["score"] for r in json.loads(done.stdout)["results"]}
    assert scores["chrf", "steady"] is not None
    assert scores["ltcr(aligner=hmm)", "steady"] is None
    assert "isogloss[align]" in done.stderr


def test_the_doctor_knows() -> None:
    (fact,) = (r for r in records("doctor") if r["topic"] == "Word alignment")
    assert fact["state"] == "absent"
    assert fact["remedy"] == "pip install 'isogloss[align]'"


def test_only_the_files_of_the_study_need_yaml(tmp_path: Any) -> None:
    (tmp_path / "processing").mkdir()
    (tmp_path / "processing" / "experiment.yaml").write_text("mts: []\n")
    done = isogloss("markables", "analyse", str(tmp_path))
    assert done.returncode == 2
    assert "pip install 'isogloss[study]'" in done.stderr
