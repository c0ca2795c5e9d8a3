"""How soon the program answers, beside sacrebleu's: processor time of both, run in turns.

python benchmarks/startup.py [--runs 10]
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from isogloss.sample import sample_path

BIN = Path(sys.executable).parent
SAMPLE = sample_path("cs-en")
OURS = {
    "--version": [BIN / "isogloss", "--version"],
    "--help": [BIN / "isogloss", "--help"],
    "evaluate -m bleu": [BIN / "isogloss", "evaluate", "-m", "bleu", SAMPLE],
}
THEIRS = {
    "--version": [BIN / "sacrebleu", "--version"],
    "--help": [BIN / "sacrebleu", "--help"],
    "evaluate -m bleu": [BIN / "sacrebleu", SAMPLE / "ref.txt", "-i", SAMPLE / "steady.txt"],
}


def seconds(command: Sequence[object]) -> float:
    """The processor time of one run, children included."""
    before = os.times()
    subprocess.run(list(map(str, command)), stdout=subprocess.DEVNULL, check=True)  # noqa: S603
    after = os.times()
    return (after.children_user - before.children_user) + (
        after.children_system - before.children_system
    )


def main() -> None:
    """Run both in turns, and print medians with their ratio."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=10)
    runs = parser.parse_args().runs
    print(f"{'':<20}{'isogloss':>10}{'sacrebleu':>11}{'ratio':>8}")
    for name, command in OURS.items():
        measured = [(seconds(command), seconds(THEIRS[name])) for _ in range(runs)]
        ours, theirs = (median(column) for column in zip(*measured, strict=True))
        print(f"{name:<20}{ours:>8.2f} s{theirs:>9.2f} s{ours / theirs:>8.1f}")


if __name__ == "__main__":
    main()
