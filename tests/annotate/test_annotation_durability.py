"""A server that is killed loses no answer that it acknowledged: a few trials of the benchmark."""

import subprocess
import sys
from pathlib import Path

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "campaigns.py"


def run(*arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, str(BENCHMARK), *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_sqlite_survives_kills() -> None:
    assert run("durability", "--trials", "5").endswith("answers, 0 lost or wrong\n")


def test_postgresql_survives_kills(empty_postgresql: str) -> None:
    said = run("durability", "--trials", "3", "--database", empty_postgresql)
    assert said.endswith("answers, 0 lost or wrong\n")


def test_annotators_at_once_lose_and_double_nothing() -> None:
    said = run("load", "--annotators", "20", "--every", "0.5", "--seconds", "2")
    assert said.endswith("0 lost or doubled\n")
