"""``isogloss check`` in a repository of its own: the workflow and the hook of examples/gate."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from lxml import etree

from isogloss.sample import sample_path

EXAMPLES = Path(__file__).parents[2] / "examples" / "gate"
BIN = str(Path(sys.executable).parent)


def run(command: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    names = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}", **environment}
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", command], cwd=folder, env=names,
        capture_output=True, text=True,
    )  # fmt: skip


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """The sample as somebody keeps it, with scores of today as the baseline."""
    shutil.copytree(sample_path("cs-en"), tmp_path / "evaluation")
    workflow = tmp_path / ".github" / "workflows"
    workflow.mkdir(parents=True)
    shutil.copy(EXAMPLES / "translation-quality.yml", workflow)
    shutil.copy(EXAMPLES / "pre-commit-config.yaml", tmp_path / ".pre-commit-config.yaml")
    made = run(
        "git init -q . && git config user.email a@example.org && git config user.name a && "
        "isogloss evaluate evaluation/testset.toml -m bleu,chrf -q "
        "--save evaluation/baseline.jsonl && git add -A && git commit -qm first",
        tmp_path,
    )
    assert made.returncode == 0, made.stderr
    return tmp_path


def scored_and_checked(repository: Path) -> subprocess.CompletedProcess[str]:
    """The steps of the workflow that are commands of ours, as GitHub runs them."""
    text = next((repository / ".github" / "workflows").iterdir()).read_text("utf-8")
    steps = yaml.safe_load(text)["jobs"]["gate"]["steps"]
    commands = [s["run"] for s in steps if s.get("name") in ("Score", "Check")]
    assert len(commands) == 2
    summary = str(repository / "summary.md")
    return run("\n".join(commands), repository, GITHUB_STEP_SUMMARY=summary)


def worsen(repository: Path) -> None:
    """A change that loses words everywhere."""
    output = repository / "evaluation" / "steady.txt"
    lines = output.read_text("utf-8").splitlines()
    output.write_text("".join(line.rpartition(" ")[0] + "\n" for line in lines), "utf-8")


def test_the_workflow_lets_through_what_is_as_good_and_stops_what_is_not(repository: Path) -> None:
    (repository / "summary.md").write_text("before\n", "utf-8")
    done = scored_and_checked(repository)
    assert done.returncode == 0, done.stderr
    assert "The gate opens: 6 checks" in done.stdout
    worsen(repository)
    done = scored_and_checked(repository)
    assert done.returncode == 1
    assert "FALLEN" in done.stdout
    told = (repository / "summary.md").read_text("utf-8")
    assert told.startswith("before\n### ✅")
    assert "### ❌" in told
    suites = etree.parse(repository / "gate.xml").getroot()
    assert (suites.get("tests"), suites.get("failures")) == ("6", "2")
    failed = suites.xpath("//testcase[failure]")
    assert {case.get("classname") for case in failed} == {"isogloss.steady"}
    assert {case.get("name") for case in failed} == {"bleu", "chrf"}


def test_the_hook_stops_a_commit(repository: Path) -> None:
    pytest.importorskip("pre_commit", reason="pre-commit is not installed")
    worsen(repository)
    commit = "pre-commit install -c .pre-commit-config.yaml && git add -A && git commit -m worse"
    done = run(commit, repository, PRE_COMMIT_HOME=str(repository / ".git" / "pre-commit"))
    assert done.returncode == 1, done.stdout + done.stderr
    assert "The gate stays closed" in done.stdout + done.stderr


def test_other_scores_are_a_mistake_and_no_verdict(repository: Path) -> None:
    command = (
        "isogloss evaluate evaluation/testset.toml -m 'bleu(lowercase=true),chrf' -q "
        "--save other.jsonl && isogloss check other.jsonl -b evaluation/baseline.jsonl -d bleu=1"
    )
    done = run(command, repository)
    assert done.returncode == 2
    assert "no scores of 'bleu'" in done.stderr
    wrong = run("isogloss check other.jsonl -b other.jsonl -d chrf", repository)
    assert wrong.returncode == 2
    assert "METRIC=POINTS, not 'chrf'" in wrong.stderr
