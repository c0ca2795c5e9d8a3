"""What can happen while people annotate loses no answer that was acknowledged: short trials."""

import random
import subprocess
import sys
from pathlib import Path

import pytest

from campaign_trials.flips import try_flips
from campaign_trials.postgresql import PostgreSQL
from campaign_trials.trials import clock_set_back, cut, killed, restarted, two_servers

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "campaigns.py"


def test_kills(place: str) -> None:
    rng = random.Random(7)
    outcomes = [killed(place, rng) for _ in range(3)]
    assert sum(outcome.saved for outcome in outcomes) > 0
    assert [fault for outcome in outcomes for fault in outcome.wrong] == []


def test_two_servers_on_one_database(place: str) -> None:
    outcome = two_servers(place, 1)
    assert outcome.saved > 0
    assert outcome.wrong == []


def test_a_clock_that_is_set_back(place: str) -> None:
    outcome = clock_set_back(place, 1)
    assert outcome.saved > 0
    assert outcome.wrong == []


def test_a_network_that_is_cut(place: str) -> None:
    outcome = cut(place, 2, random.Random(3))
    assert outcome.saved > 0
    assert outcome.times > 0
    assert outcome.wrong == []


def test_postgresql_that_is_restarted(postgresql_server: PostgreSQL, empty_postgresql: str) -> None:
    outcome = restarted(postgresql_server, 2)
    assert outcome.saved > 0
    assert outcome.wrong == []


def test_no_harmful_flip_of_a_bit_goes_unseen(tmp_path: Path) -> None:
    found = try_flips(tmp_path, 150, seed=4)
    assert found.harmful > 50
    assert (found.unseen, found.tracebacks) == (0, 0)


@pytest.mark.parametrize(
    ("what", "ending"),
    [
        (["load", "--annotators", "20", "--every", "0.5", "--seconds", "2"], "0 lost or doubled\n"),
        (["flips", "--flips", "3"], "0 tracebacks\n"),
        (["durability", "--kills", "1", "--full-disks", "0", "--seconds", "0.5"], "wrong\n"),
    ],
)
def test_the_benchmark_runs(what: list[str], ending: str) -> None:
    done = subprocess.run(
        [sys.executable, str(BENCHMARK), *what], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith(ending)
