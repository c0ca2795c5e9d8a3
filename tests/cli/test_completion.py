"""What shells offer at Tab: the shells themselves run the scripts that the program gives them."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import isogloss
from isogloss.cli.main import app
from isogloss.sample import sample_path

CS = sample_path("cs-en")
_BASH = """
source script
COMP_WORDS=({words}); COMP_CWORD={last}
_isogloss_completion isogloss
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
# Outside of its line editor zsh has no `_arguments`: this one shows what there is to choose from.
_ZSH = """
compdef() {{ }}
_arguments() {{ local all=${{1#*\\(\\(}}; print -rl -- ${{(Q)=all%\\)\\)}} }}
source script
words=({words}); CURRENT={count}
_isogloss_completion
"""
_FISH = """
source script
complete -C '{line}'
"""
_SCRIPTS = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program, a file of scores, and one of texts."""
    folder = tmp_path_factory.mktemp("completion")
    program = folder / "isogloss"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m isogloss "$@"\n')
    program.chmod(0o755)
    table = isogloss.evaluate(isogloss.load_sample("cs-en"), "ter,chrf")
    isogloss.write_scores(table, folder / "scores.jsonl")
    (folder / "rows.jsonl").write_text('{"source": "a", "reference": "b"}\n')
    return folder


def run(folder: Path, *command: str, **environment: str) -> str:
    env = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "HOME": str(folder)}
    env |= {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p), **environment}
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=env)
    return done.stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_offer_what_the_program_tells_them(folder: Path, shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell} here")
    script = run(folder, "isogloss", _ISOGLOSS_COMPLETE=f"source_{shell}")
    (folder / "script").write_text(script)
    line = "isogloss evaluate -m bleu,co"
    words = line.split()
    quoted = " ".join(f"'{word}'" for word in words)
    filled = _SCRIPTS[shell].format(words=quoted, last=len(words) - 1, count=len(words), line=line)
    shown = run(folder, shell, *(["-f"] if shell == "zsh" else []), "-c", filled)
    assert sorted(shown.split()) == ["bleu,cohesion", "bleu,comet", "bleu,coverage"]


@pytest.mark.parametrize(
    ("line", "there"),
    [
        ("isogloss eval", ["evaluate"]),
        ("isogloss list m", ["metrics"]),
        ("isogloss compare scores.jsonl -m ", ["ter", "chrf"]),
        ("isogloss compare scores.jsonl -m ter,", ["ter,chrf"]),
        ("isogloss compare rows.jsonl -m bl", ["bleu", "bleurt"]),
        ("isogloss explain ", ["steady", "shifting", "tangled"]),
        ("isogloss explain steady ", ["shifting", "tangled"]),
        ("isogloss stability scores.jsonl --use-system s", ["steady", "shifting"]),
        (f"isogloss evaluate {CS} --use-system t", ["tangled"]),
        ("isogloss evaluate rows.jsonl --use-system ", []),
        ("isogloss evaluate --to cs", ["cs"]),
        ("isogloss evaluate --format wmt-j", ["wmt-jsonl"]),
        ("isogloss convert --into mt", ["mtme"]),
        ("isogloss model info def", ["default"]),
    ],
)
def test_names_depend_on_what_there_is(
    folder: Path,
    line: str,
    there: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("_ISOGLOSS_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(line.count(" ")))
    with pytest.raises(SystemExit):
        app(prog_name="isogloss")
    assert capsys.readouterr().out.split() == there


def test_it_installs_itself(folder: Path, tmp_path: Path) -> None:
    """From within a shell, as people do it."""
    told = run(folder, "bash", "-c", "isogloss --install-completion; true", HOME=str(tmp_path))
    assert "completion installed" in told
    script = (tmp_path / ".bash_completions" / "isogloss.sh").read_text()
    assert "_isogloss_completion" in script
    assert "isogloss.sh" in (tmp_path / ".bashrc").read_text()
