"""A short attack for every change; the long one is benchmarks/attack.py.

The faults that the attack looks for are also put before it here, for an attack that finds nothing
proves nothing unless it would have found them.
"""

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from attack import oracles
from attack.arena import GIGABYTE, Outcome
from attack.attack import _fault
from attack.mutations import KINDS, mutated
from attack.targets import Target

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "attack.py"


def test_300_damaged_files_are_stood() -> None:
    """In a process of its own, since the attack forks, which pytest's threads do not like."""
    command = [sys.executable, str(BENCHMARK), "--cases", "300", "--seed", "20261116"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    told = {line.strip().partition("  ")[2]: line.split()[0] for line in done.stdout.splitlines()}
    assert int(told["told in one line"]) > 100
    assert int(told["accepted, scores confirmed"]) > 5


@pytest.mark.parametrize("kind", KINDS)
def test_every_damage_is_known_by_its_seed(kind: str) -> None:
    data = b'{"a": [1, "b"]}\n<x id="1"><y>c</y></x>\td\n' * 3
    for seed in range(200):
        assert mutated(data, kind, Random(seed)) == mutated(data, kind, Random(seed))
    assert len({mutated(data, kind, Random(seed)) for seed in range(200)}) > 50


TARGET = Target("t", Path(), ("compare", "x", "-o", "json"), ("x",))


@pytest.mark.parametrize(
    ("outcome", "fault"),
    [
        (Outcome(None, "", "", 20.0, 0), "it hangs"),
        (Outcome(2, "", "isogloss: a", 1.0, 2 * GIGABYTE), "it takes 2.0 GB"),
        (Outcome(-11, "", "", 1.0, 0), "it is killed by signal 11"),
        (Outcome(1, "", "Traceback (most recent call last):\n", 1.0, 0), "it ends in a traceback"),
        (Outcome(2, "", "isogloss: a\nb", 1.0, 0), "the complaint is not one line"),
        (Outcome(2, "", "b", 1.0, 0), "the complaint is not one line"),
        (Outcome(2, "", f"isogloss: {'a' * 2000}", 1.0, 0), "the complaint is too long"),
        (
            Outcome(2, "", "isogloss: a.json: list index out of range", 1.0, 0),
            "the complaint shows",
        ),
        (Outcome(0, "{}", "x.py:1: RuntimeWarning: overflow", 1.0, 0), "a warning of Python's"),
        (Outcome(0, '{"score": NaN}', "", 1.0, 0), "the output is no JSON"),
        (Outcome(0, "{}", "", 1.0, 0), ""),
        (Outcome(2, "", "isogloss: a.json:3: 'score' is missing", 1.0, 0), ""),
    ],
)
def test_every_fault_is_seen(outcome: Outcome, fault: str, tmp_path: Path) -> None:
    assert _fault(TARGET, tmp_path, outcome, Counter()).startswith(fault)
    assert bool(_fault(TARGET, tmp_path, outcome, Counter())) == bool(fault)


def test_a_wrong_score_is_seen(tmp_path: Path) -> None:
    rows = '{"doc": "d", "segment": 1, "references": {"ref": "a b c d e"}, "systems": {"s": "a b c d x"}}'
    (tmp_path / "set.jsonl").write_text(rows + "\n")
    told = '{"results": [{"metric": "bleu", "system": "s", "score": %s}]}'
    assert oracles.jsonl(tmp_path, told % "66.87403049764218")
    with pytest.raises(oracles.WrongScoreError):
        oracles.jsonl(tmp_path, told % "66.9")
