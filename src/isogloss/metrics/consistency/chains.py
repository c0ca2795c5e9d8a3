"""Lexical chains: the occurrences of a source word that a translation renders alike.

A data set of them says which repeated words *must* be translated alike: true consistency, in the
words of Lei et al. (2024). The file form is JSON lines, one chain a line::

    {"id": "news-1:3", "document": "news-1", "word": "漂浮", "translation": "floating",
     "part": "VERB", "items": [{"segment": 0, "token": 10, "start": 17, "end": 19}, ...]}

Items may also carry ``targets`` (places in the translation) and the sentences themselves
(``source``, ``target``), so that an annotator needs no other file.

Judging chains: which items may be translated differently, and how far two annotators agree.

Answers lie in a file of JSON lines that only ever grows. Each line is on disk before the next
question is asked, and taking an answer back is a line of its own, so nothing is lost when a
session ends in whatever way::

    {"chain": "news-1:3", "flexible": [2], "annotator": "ann", "time": "2024-05-01T10:00:00+00:00"}
    {"undo": "news-1:3", "annotator": "ann", "time": "..."}
"""

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import combinations
from pathlib import Path
from typing import Any

from isogloss.digest import short_digest
from isogloss.errors import FormatError, InputError
from isogloss.formats import read_lines, read_text, write_lines
from isogloss.metrics.consistency.mentions import WordPlace
from isogloss.notation import in_words, json_value


@dataclass(frozen=True, slots=True)
class ChainItem:
    """One occurrence: its segment and token, and its place in the segment's text."""

    segment: int
    token: int
    start: int
    end: int
    targets: tuple[tuple[int, int], ...] = ()
    source: str | None = None
    target: str | None = None

    @property
    def place(self) -> WordPlace:
        return WordPlace(self.segment, self.start, self.end)


@dataclass(frozen=True, slots=True)
class Chain:
    """A word of a document, its one translation, and the places where it stands."""

    id: str
    document: str
    word: str
    translation: str
    items: tuple[ChainItem, ...]
    part: str | None = None

    @property
    def pair_count(self) -> int:
        return len(self.items) * (len(self.items) - 1) // 2

    def without(self, flexible: AbstractSet[int]) -> "Chain | None":
        """The chain of the other items; `None` if fewer than two are left."""
        kept = tuple(item for index, item in enumerate(self.items) if index not in flexible)
        return replace(self, items=kept) if len(kept) > 1 else None


def chains_digest(chains: Iterable[Chain]) -> str:
    """A short digest of all that decides a score: documents, words and places."""
    told = [[c.document, c.word, [list(item.place) for item in c.items]] for c in chains]
    text = json.dumps(sorted(told), ensure_ascii=False)
    return short_digest(text, 12)


def read_chains(path: Path) -> tuple[Chain, ...]:
    """The chains of a file in JSON lines."""
    chains = tuple(_chain(path, number, line) for number, line in enumerate(read_lines(path), 1))
    seen: dict[str, int] = {}
    for number, chain in enumerate(chains, 1):
        if seen.setdefault(chain.id, number) != number:
            raise FormatError(
                f"chain {chain.id!r} stands in line {seen[chain.id]} already",
                path=path,
                line=number,
            )
    return chains


def write_chains(path: Path, chains: Iterable[Chain]) -> None:
    """Write chains as JSON lines."""
    write_lines(path, (json.dumps(_as_json(chain), ensure_ascii=False) for chain in chains))


def _as_json(chain: Chain) -> dict[str, Any]:
    cells: dict[str, Any] = {
        "id": chain.id,
        "document": chain.document,
        "word": chain.word,
        "translation": chain.translation,
    }
    if chain.part is not None:
        cells["part"] = chain.part
    return cells | {"items": [_item_as_json(item) for item in chain.items]}


def _item_as_json(item: ChainItem) -> dict[str, Any]:
    cells: dict[str, Any] = {
        "segment": item.segment,
        "token": item.token,
        "start": item.start,
        "end": item.end,
    }
    if item.targets:
        cells["targets"] = [list(place) for place in item.targets]
    texts = {"source": item.source, "target": item.target}
    return cells | {key: text for key, text in texts.items() if text is not None}


def _chain(path: Path, number: int, line: str) -> Chain:
    record = json_value(line, path, number)
    try:
        items = tuple(map(_item, record["items"]))
        chain = Chain(
            str(record["id"]),
            str(record["document"]),
            str(record["word"]),
            str(record["translation"]),
            items,
            record.get("part"),
        )
    except KeyError as error:
        raise FormatError(f"{error} is missing", path=path, line=number) from None
    except (ValueError, TypeError, AttributeError, OverflowError, InputError) as error:
        remedy = "expected chains as JSON lines, as 'isogloss chains' writes them"
        raise FormatError(
            f"no chain ({in_words(error)})", path=path, line=number, remedy=remedy
        ) from error
    if len(items) < 2:
        raise FormatError(f"chain {chain.id!r} has fewer than two items", path=path, line=number)
    return chain


def _item(record: Mapping[str, Any]) -> ChainItem:
    segment, token, start, end = (int(record[k]) for k in ("segment", "token", "start", "end"))
    if segment < 0 or token < 0 or not 0 <= start < end:
        raise InputError(f"impossible place: segment {segment}, characters {start} to {end}")
    return ChainItem(
        segment,
        token,
        start,
        end,
        targets=tuple(_target(place) for place in record.get("targets", ())),
        source=record.get("source"),
        target=record.get("target"),
    )


def _target(place: Sequence[int]) -> tuple[int, int]:
    start, end = place
    return int(start), int(end)


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
