"""The attack itself: damaged files one after another, and what the program must not do about them."""

import json
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random

from attack.arena import GIGABYTE, Arena, Outcome
from attack.mutations import mutated
from attack.oracles import WrongScoreError
from attack.targets import ODD_OPTIONS, Target

# Words of Python's that tell a person nothing about a file.
_INTERNALS = re.compile(
    r"Traceback|<class|object at 0x|NoneType|\b__\w+__\b|keyword argument|positional argument|"
    r"not subscriptable|unhashable|has no attribute|unsupported operand|not iterable|"
    r"index out of range|not supported between|unpack|codec can't|\[Errno|numpy|sqlalche|"
    r"invalid literal|could not convert|\bdict_|must be str|Error\b|float\(\)|int\(\)"
)
_WARNING = re.compile(r"\w*Warning: ")
_LONGEST_LINE = 1500


@dataclass(frozen=True)
class Fault:
    """A case that the program did not stand."""

    case: str
    what: str
    target: str
    file: str
    told: str


@dataclass
class Tally:
    """What became of all cases."""

    cases: int = 0
    faults: list[Fault] = field(default_factory=list)
    endings: Counter[str] = field(default_factory=Counter)
    slowest: float = 0.0
    largest: int = 0

    def add(self, other: "Tally") -> None:
        """Count the other's cases, too."""
        self.cases += other.cases
        self.faults += other.faults
        self.endings += other.endings
        self.slowest = max(self.slowest, other.slowest)
        self.largest = max(self.largest, other.largest)


def attack(
    targets: Sequence[Target],
    arena: Arena,
    seed: int,
    numbers: Sequence[int],
    keep: Path | None = None,
) -> Tally:
    """Run the cases of these numbers; the same seed and number are the same case."""
    tally = Tally()
    weights = [target.weight for target in targets]
    with tempfile.TemporaryDirectory(prefix="isogloss-attack-") as name:
        place = Path(name) / "case"
        for number in numbers:
            rng = Random(f"{seed}:{number}")
            (target,) = rng.choices(targets, weights)
            file = rng.choice(target.damaged)
            _lay_out(target, file, place, rng)
            if odd := _odd_options(target, rng):
                target = replace(target, arguments=(*target.arguments, *odd), oracle=None)
            outcome = arena.run(target.arguments, place)
            what = _fault(target, place, outcome, tally.endings)
            _count(tally, outcome)
            if what:
                tally.faults.append(
                    Fault(f"{seed}:{number}", what, target.name, file, outcome.told[-1500:])
                )
                if keep:
                    shutil.copytree(
                        place, keep / f"{seed}-{number}", symlinks=False, dirs_exist_ok=True
                    )
            shutil.rmtree(place)
    return tally


def _odd_options(target: Target, rng: Random) -> tuple[str, ...]:
    """Now and then, an option that a person may get wrong."""
    odd = ODD_OPTIONS.get(target.arguments[0], ())
    return rng.choice(odd) if odd and rng.random() < 0.1 else ()


def _count(tally: Tally, outcome: Outcome) -> None:
    tally.cases += 1
    tally.slowest = max(tally.slowest, outcome.seconds)
    tally.largest = max(tally.largest, outcome.memory)


def _lay_out(target: Target, file: str, place: Path, rng: Random) -> None:
    """The target's files: links to the whole ones, and the damaged one."""
    for path in target.folder.rglob("*"):
        here = place / path.relative_to(target.folder)
        here.parent.mkdir(parents=True, exist_ok=True)
        if path.is_file():
            # What a command may write to is copied.
            (shutil.copyfile if path.suffix in (".db", ".sqlite") else _link)(path, here)
    data = (place / file).read_bytes()
    (place / file).unlink()
    (place / file).write_bytes(mutated(data, target.kind(file), rng))


def _link(path: Path, here: Path) -> None:
    here.symlink_to(path)


def _fault(target: Target, place: Path, outcome: Outcome, endings: Counter[str]) -> str:
    """What the program did wrong; nothing where it did well, which is counted."""
    if outcome.code is None:
        return "it hangs"
    if outcome.memory > GIGABYTE:
        return f"it takes {outcome.memory / GIGABYTE:.1f} GB"
    if outcome.code < 0:
        return f"it is killed by signal {-outcome.code}"
    if "Traceback" in outcome.told or outcome.code not in (0, *target.may_fail):
        return f"it ends in a traceback, or with exit code {outcome.code}"
    if _WARNING.search(outcome.told):
        return "a warning of Python's is shown"
    if outcome.code:
        endings["told in one line"] += 1
        return _unclear(outcome.told) if outcome.code == 2 else ""
    return _wrong_result(target, place, outcome, endings)


def _unclear(told: str) -> str:
    lines = told.strip().split("\n")
    if len(lines) != 1 or not lines[0].startswith("isogloss: "):
        return "the complaint is not one line"
    if len(lines[0]) > _LONGEST_LINE:
        return "the complaint is too long"
    # What a file says is quoted, and may say anything.
    plain = re.sub(r"'[^']*'|\"[^\"]*\"", "", lines[0])
    return "the complaint shows Python's internals" if _INTERNALS.search(plain) else ""


def _wrong_result(target: Target, place: Path, outcome: Outcome, endings: Counter[str]) -> str:
    if "json" in target.arguments:
        try:
            json.loads(outcome.output, parse_constant=_no_constant)
        except ValueError as error:
            return f"the output is no JSON: {error}"
    if target.oracle is None:
        endings["accepted"] += 1
        return ""
    try:
        target.oracle(place, outcome.output)
    except WrongScoreError as error:
        return f"a wrong score: {error}"
    except Exception:  # the independent reader cannot make sense of it
        endings["accepted, not judged"] += 1
    else:
        endings["accepted, scores confirmed"] += 1
    return ""


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no JSON")
