"""An attack on the readers and the commands, with files that are damaged at random.

    python benchmarks/attack.py [--cases 20000] [--seed 1] [--data ../shared/data] [--keep FOLDER]
    python benchmarks/attack.py --case 1:4711            one case again, with all that it says

Every case damages one file (see tests/attack/mutations.py) and runs a command on it in a process
of its own, bounded in time and memory. What must not happen: a traceback, a hang, more than 1 GB,
a complaint that is not one clear line, or a score that is not the one an independent reader gives.
Prints how the cases ended, and every fault; the exit code is 1 where there is one.
"""

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from multiprocessing import get_context
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
sys.path[0] = str(Path(__file__).parents[1] / "tests")  # where its parts are

from attack.arena import GIGABYTE, Arena  # noqa: E402
from attack.attack import Tally, attack  # noqa: E402
from attack.targets import Target, made_targets, real_targets  # noqa: E402

SECONDS = 60.0  # a busy machine may take long over what costs one second alone
_LOT = 250


def main() -> int:
    """Attack, and say what came of it."""
    given = _arguments()
    with tempfile.TemporaryDirectory(prefix="isogloss-targets-") as name:
        os.environ["ISOGLOSS_CACHE"] = f"{name}/cache-of-the-program"
        targets = made_targets(Path(name))
        if given.data:
            targets += real_targets(Path(name), given.data)
        if given.only:
            targets = [each for each in targets if given.only in each.name]
        seed, numbers = given.seed, range(given.cases)
        if given.case:
            seed, number = map(int, given.case.split(":"))
            numbers = range(number, number + 1)
        begin = time.monotonic()
        global _arena
        _arena, tally = Arena(SECONDS), Tally()
        try:
            for lot in range(0, len(numbers), _LOT):
                job = (targets, seed, numbers[lot : lot + _LOT], given.keep)
                with get_context("fork").Pool(1) as process:  # its memory goes with it
                    tally.add(process.apply(_attacked, job))
                passed = time.monotonic() - begin
                so_far = f"{tally.cases:,} cases, {len(tally.faults)} faults, {passed:.0f} s"
                print(so_far, file=sys.stderr, flush=True)
        except KeyboardInterrupt:
            print("interrupted: what was found up to here", file=sys.stderr)
        _tell(tally, len(targets), time.monotonic() - begin)
    return 1 if tally.faults else 0


_arena: Arena | None = None  # loaded once, and then inherited by every process


def _attacked(targets: list[Target], seed: int, numbers: range, keep: Path | None) -> Tally:
    assert _arena is not None
    tally = attack(targets, _arena, seed, numbers, keep)
    _arena.close()
    return tally


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--cases", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--case", help="SEED:NUMBER of one case to run again")
    parser.add_argument("--only", help="targets with this in their name")
    parser.add_argument("--data", type=Path, help="the folder of real data, if it is at hand")
    parser.add_argument("--keep", type=Path, help="a folder for the files of every fault")
    return parser.parse_args()


def _tell(tally: Tally, targets: int, seconds: float) -> None:
    for fault in tally.faults:
        last = fault.told.strip().split("\n")[-1][:300]
        print(f"{fault.case}  {fault.target}  {fault.file}: {fault.what}\n    {last}")
    rate = tally.cases / seconds
    print(f"{tally.cases:,} cases, {targets} targets, {seconds:,.0f} s ({rate:.0f} a second)")
    for ending, count in sorted(tally.endings.items()):
        print(f"{count:9,}  {ending}")
    kinds = Counter(fault.what.partition(":")[0] for fault in tally.faults)
    for kind, count in kinds.most_common():
        print(f"{count:9,}  FAULTS: {kind}")
    memory = tally.largest / GIGABYTE
    print(
        f"{len(tally.faults):9,}  faults; the slowest took {tally.slowest:.1f} s of processor "
        f"time, the largest {memory:.2f} GB"
    )


if __name__ == "__main__":
    sys.exit(main())
