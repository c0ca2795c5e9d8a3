"""A pool of annotators with known skill, for every kind of work: what they say, and their keys.

How good a translation is, is known: its system, its document, its segment. Annotators see that
with a mildness and a noise of their own, and say it in the way of the work. What they say can be
saved at once or typed at a browser.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np

from isogloss.annotate.answers import checked_value
from isogloss.annotate.campaign import Phase
from isogloss.annotate.items import DocumentText, ItemName
from isogloss.annotate.storage.schema import Task
from isogloss.metrics.consistency import Chain, ChainItem

Value = dict[str, Any]

QUALITY = {"best": 80.0, "middle": 62.0, "worst": 44.0}
"""By system, from 0 to 100."""
MILD = {"ann": 0.0, "bob": -6.0, "cyd": 6.0}
OF_DOCUMENTS, OF_SEGMENTS, OF_CHANCE = 5.0, 5.0, 6.0
"""Deviations: of a system between documents, between segments, and what annotators see in it."""
_EQUAL = 6.0  # nearer than this, nobody prefers either
_WRONG = 55.0  # below this something is marked
_HEAD = "tenant"


@dataclass(frozen=True)
class Kind:
    """A kind of work: its phases, and the judgements that it ends in (`None`: of no system)."""

    phases: tuple[Phase, ...]
    judgements: str | None


KINDS = {
    "da": Kind(("da",), "da"),
    "spans": Kind(("spans",), "esa"),
    "contrastive": Kind(("contrastive",), "cesa"),
    "document": Kind(("document",), "document"),
    "preference": Kind(("preference",), "preference"),
    "lines": Kind(("phase1",), "fluency-adequacy"),
    "markables": Kind(("phase1", "phase2"), "markable-errors"),
    "consistency": Kind(("consistency",), None),
}


@dataclass(frozen=True)
class Pool:
    """Everybody, and the texts that they judge; the same seed says the same."""

    seed: int
    documents: int = 4
    segments: int = 3

    def texts(self) -> list[DocumentText]:
        """Translations that all differ, with a word that comes in every segment."""
        words = dict(zip(QUALITY, ("Mieter", "Pächter", "Bewohner"), strict=True))
        return [
            DocumentText(
                f"doc{d}",
                [f"The {_HEAD} number {d + n} pays in time." for n in range(self.segments)],
                {system: self._lines(d, word) for system, word in words.items()},
                None,
                "en",
                "de",
                "legal" if d % 2 else "news",
            )
            for d in range(self.documents)
        ]

    def _lines(self, document: int, word: str) -> list[str | None]:
        return [f"Der {word} Nummer {document + n} zahlt." for n in range(self.segments)]

    def chains(self) -> list[Chain]:
        """The word that comes in every segment, where texts are asked about by themselves."""
        return [
            Chain(
                f"{text.id}:1",
                text.id,
                _HEAD,
                "Mieter",
                tuple(
                    ChainItem(n, n, 4, 10, ((4, 10),), source, text.outputs["best"][n] or "")
                    for n, source in enumerate(text.source)
                ),
            )
            for text in self.texts()
        ]

    def _rng(self, *what: object) -> np.random.Generator:
        return np.random.default_rng([self.seed, *map(ord, " ".join(map(str, what)))])

    def true(self, system: str, document: str, number: int | None) -> float:
        """How good a translation is; a document is what it is in the mean."""
        good = QUALITY[system] + self._rng(system, document).normal(0, OF_DOCUMENTS)
        if number is None:
            return float(good)
        return float(good + self._rng(system, document, number).normal(0, OF_SEGMENTS))

    def _seen(self, name: str, task: Task, system: str, number: int | None) -> float:
        chance = self._rng(name, task.kind, task.document, system, number).normal(0, OF_CHANCE)
        return self.true(system, task.document, number) + MILD[name] + float(chance)

    def say(self, task: Task, name: str, slots: Mapping[str, str], item: ItemName) -> Value:
        """What somebody says of an item, as it is stored."""
        return checked_value(cast(Phase, task.kind), self._say(task, name, slots, item))

    def _say(self, task: Task, name: str, slots: Mapping[str, str], item: ItemName) -> Value:
        if task.kind == "consistency":
            sure = self._rng(name, task.document, item.number).random() < 0.8
            return {"same": bool(sure), "unsure": False, "flexible": []}
        if task.kind == "preference":
            pair = task.content["pairs"][item.number]
            left, right = (self._seen(name, task, slots[slot], None) for slot in pair)
            return preferred(left - right, *pair)
        number = None if item.kind == "doc" else item.number
        return SAID[task.kind](self._seen(name, task, slots[str(item.slot)], number))


def _percent(seen: float) -> int:
    return int(np.clip(round(seen), 0, 99))


def preferred(ahead: float, first: str, second: str) -> Value:
    """The better of two, with a reason, or neither."""
    better = "same" if abs(ahead) < _EQUAL else first if ahead > 0 else second
    return {"better": better, "reasons": [] if better == "same" else ["meaning"], "note": ""}


def _scored(seen: float) -> Value:
    return {"score": _percent(seen)}


def _marked(seen: float) -> Value:
    wrong = {"start": 0, "end": 3, "severity": "major", "category": None, "missing": False}
    return {"score": _percent(seen), "errors": [wrong] if seen < _WRONG else []}


def _line(seen: float) -> Value:
    tenth = float(np.clip(round(seen / 10), 0, 9)) / 10
    return {"adequacy": tenth, "fluency": tenth}


def _occurrence(seen: float) -> Value:
    if seen >= _WRONG:
        return {"no_error": True, "phenomena": {}}
    return {"no_error": False, "phenomena": {"terminology": 0.75}}


SAID: Mapping[str, Callable[[float], Value]] = {
    "da": _scored,
    "document": _scored,
    "spans": _marked,
    "contrastive": _marked,
    "phase1": _line,
    "phase2": _occurrence,
}
SCORE: Mapping[str, Callable[[Value], float]] = {
    "phase1": lambda value: float(value["adequacy"] * value["fluency"]),
    "phase2": lambda value: -sum(value["phenomena"].values()),
}
"""The score in an answer, where it is not called so."""


def keys(kind: str, value: Value, pair: tuple[str, str] | None = None) -> list[str]:
    """What somebody types to say that; then the page is at the next item."""
    if kind == "consistency":
        return ["y" if value["same"] else "n"]
    if kind == "preference":
        turn = {"same": "e"} if pair is None else {pair[0]: "ArrowLeft", pair[1]: "ArrowRight"}
        return [turn.get(value["better"], "e"), *("1" for _ in value["reasons"]), "Enter"]
    if kind == "phase1":
        return [str(round(10 * value[name])) for name in ("adequacy", "fluency")]
    if kind == "phase2":
        return ["n"] if value["no_error"] else ["3", "r", "Enter"]
    mark = ["o", "w"] if value.get("errors") else []
    return [*mark, *f"{value['score']:02.0f}", "Enter"]


def written(pool: Pool, folder: Path) -> Path:
    """The texts as a test set; where it was written."""
    from isogloss.documents import Collection, Document, SystemOutput, TestSet
    from isogloss.formats import write_collection

    texts = pool.texts()
    documents = tuple(Document(t.id, tuple(t.source), {}, t.domain) for t in texts)
    outputs = tuple(
        SystemOutput(name, {t.id: tuple(t.outputs[name]) for t in texts}) for name in QUALITY
    )
    path = folder / "testset.jsonl"
    testset = TestSet("pool", "en", "de", documents)
    write_collection(Collection(testset, outputs), path, "jsonl")
    return path
