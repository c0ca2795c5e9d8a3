"""Judging chains: which items may be translated differently, and how far two annotators agree.

Answers lie in a file of JSON lines that only ever grows. Each line is on disk before the next
question is asked, and taking an answer back is a line of its own, so nothing is lost when a
session ends in whatever way::

    {"chain": "news-1:3", "flexible": [2], "annotator": "ann", "time": "2024-05-01T10:00:00+00:00"}
    {"undo": "news-1:3", "annotator": "ann", "time": "..."}
"""

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import combinations
from pathlib import Path

from isogloss.consistency.chains import Chain
from isogloss.errors import FormatError, InputError
from isogloss.formats.files import read_text
from isogloss.notation import json_value

Flexible = frozenset[int]
"""The items of a chain (counted from 0) that may be translated differently from the others."""

Answers = Mapping[str, Flexible]
"""By chain, in the order in which they were given."""


def read_answers(path: Path) -> dict[str, Flexible]:
    """The answers that stand: those given and not taken back."""
    answers: dict[str, Flexible] = {}
    lines = read_text(path).split("\n")
    lines.pop()  # after the last line end there is nothing, or a line that was never finished
    for number, line in enumerate(lines, 1):
        record = json_value(line, path, number)
        try:
            if "undo" in record:
                answers.pop(record["undo"], None)
            else:
                answers.pop(record["chain"], None)
                answers[record["chain"]] = frozenset(int(item) for item in record["flexible"])
        except (ValueError, TypeError, KeyError, OverflowError):
            remedy = "expected answers as 'isogloss chains annotate' writes them"
            raise FormatError("no answer", path=path, line=number, remedy=remedy) from None
    return answers


def answer_line(said: Mapping[str, object], annotator: str, when: datetime) -> str:
    """What somebody said, as a line of a file of answers."""
    told = {**said, "annotator": annotator, "time": when.isoformat(timespec="seconds")}
    return json.dumps(told, ensure_ascii=False)


@dataclass
class AnswerFile:
    """The answers of one annotator, as they are given."""

    path: Path
    annotator: str
    answers: dict[str, Flexible] = field(default_factory=dict)

    @classmethod
    def opened(cls, path: Path, annotator: str) -> "AnswerFile":
        """The file with the answers it holds already; a new one if there is none."""
        answers = read_answers(path) if path.exists() else {}
        opened = cls(path, annotator, answers)
        opened._cut_unfinished_line()
        return opened

    def give(self, chain: Chain, flexible: Iterable[int]) -> None:
        """Answer a chain; an earlier answer is replaced."""
        chosen = frozenset(flexible)
        if not chosen <= set(range(len(chain.items))):
            raise InputError(f"chain {chain.id!r} has no such items: {sorted(chosen)}")
        self._append({"chain": chain.id, "flexible": sorted(chosen)})
        self.answers.pop(chain.id, None)
        self.answers[chain.id] = chosen

    def undo(self) -> str | None:
        """Take the last answer back; the chain that is open again, `None` if there is none."""
        if not self.answers:
            return None
        last = next(reversed(self.answers))
        self._append({"undo": last})
        del self.answers[last]
        return last

    def _append(self, record: Mapping[str, object]) -> None:
        line = answer_line(record, self.annotator, datetime.now(UTC))
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("ab") as file:
                file.write(line.encode() + b"\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise InputError(f"{self.path}: cannot be written ({error.strerror})") from error

    def _cut_unfinished_line(self) -> None:
        """A line without its end was cut off by a crash: it was never an answer."""
        if self.path.exists():
            data = self.path.read_bytes()
            whole = data.rfind(b"\n") + 1
            if whole < len(data):
                with self.path.open("r+b") as file:
                    file.truncate(whole)


def true_chains(chains: Iterable[Chain], answers: Answers) -> tuple[Chain, ...]:
    """What must be translated alike: the answered chains without their flexible items."""
    kept = (chain.without(answers[chain.id]) for chain in chains if chain.id in answers)
    return tuple(chain for chain in kept if chain is not None)


# --- agreement -----------------------------------------------------------------------------------


def judged_items(
    chains: Iterable[Chain], *annotators: Answers
) -> tuple[list[tuple[bool, ...]], list[tuple[bool, ...]]]:
    """What each annotator says about every item and every pair of the chains that all judged.

    True: it must be translated like the others; a pair must if both of its items must.
    """
    items: list[tuple[bool, ...]] = []
    pairs: list[tuple[bool, ...]] = []
    for chain in chains:
        if all(chain.id in answers for answers in annotators):
            strict = [
                [index not in answers[chain.id] for index in range(len(chain.items))]
                for answers in annotators
            ]
            items += zip(*strict, strict=True)
            pairs += zip(*map(_pairs, strict), strict=True)
    return items, pairs


def _pairs(strict: Sequence[bool]) -> list[bool]:
    return [one and other for one, other in combinations(strict, 2)]
