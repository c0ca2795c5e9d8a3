"""Annotators beside each other: who is milder, who drifts, who does not read; where they differ."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from annotate.campaigning import answer_all
from isogloss.annotate import Campaign, Store, campaign_overview, campaign_voices
from isogloss.annotate.campaign import Checks
from isogloss.annotate.items import DocumentText, ItemName
from isogloss.annotate.launch import opened
from isogloss.annotate.people import withdraw
from isogloss.annotate.results.adjudication import disagreements
from isogloss.annotate.results.distance import answers_apart
from isogloss.annotate.results.manner import Readings
from isogloss.annotate.storage.database import open_database
from isogloss.annotate.storage.schema import Task
from isogloss.annotate.wire_organiser import AnnotatorConduct

DOCUMENTS, SEGMENTS = 12, 6
GOOD = {"one": 75.0, "two": 60.0, "three": 45.0}
WORDS = "These are the words of a sentence, so many that some of them can be displaced. "
TEXTS = [
    DocumentText(
        f"d{n}", ["Zdroj."] * SEGMENTS, {name: [f"{name} {n} {WORDS}"] * SEGMENTS for name in GOOD}
    )
    for n in range(DOCUMENTS)
]
Opinion = Callable[[str, float, int, float], float]
"""Score by annotator, what is true, the document's place in their work, and chance."""


@contextmanager
def judged(
    folder: Path,
    opinion: Opinion,
    checks: Checks,
    people: tuple[str, ...] = ("ann", "bob", "cyd"),
) -> Iterator[Store]:
    rng = np.random.default_rng(5)
    true = {(t.id, s, n): GOOD[s] + rng.normal(0, 8) for t in TEXTS for s in GOOD for n in range(9)}
    database = open_database(folder / "campaign.db")
    store = Store(database)
    plan = Campaign("c", "t", people, ("da",), redundancy=len(people), checks=checks, seed=4)
    opened(plan, TEXTS, "", store)
    done: dict[str, list[str]] = {name: [] for name in people}

    def say(task: Task, name: str, slots: Mapping[str, str], item: ItemName) -> dict[str, Any]:
        seen = done[name]
        if task.id not in seen:
            seen.append(task.id)
        kinds = {check["item"]: check["kind"] for check in task.content["checks"]}
        good = true[task.document, slots[str(item.slot)], item.number]
        if kinds.get(str(item)) == "degraded" and name != "bob":
            good -= 30
        return {"score": float(np.clip(opinion(name, good, len(seen), rng.normal(0, 3)), 0, 100))}

    answer_all(store, say)
    yield store
    database.close()


def by_name(store: Store) -> dict[str, AnnotatorConduct]:
    return {each.annotator: each for each in campaign_voices(store, "da").conduct}


def test_habits_are_told_from_chance(tmp_path: Path) -> None:
    def opinion(name: str, good: float, turn: int, chance: float) -> float:
        drift = 2.5 * (DOCUMENTS / 2 - turn) if name == "cyd" else 0
        return 50 + 0.6 * (good - 50) + 8 + chance if name == "bob" else good + drift + chance

    with judged(tmp_path, opinion, Checks(0.1, 0.1)) as store:
        found = by_name(store)
        assert campaign_overview(store).conduct == list(found.values())
    words = {name: " ".join(each.words) for name, each in found.items()}
    assert "has become stricter than the others over time" in words["cyd"]
    assert "uses less of the scale" in words["bob"]
    assert "spoilt items lower" in words["bob"]
    assert "over time" not in words["bob"] + words["ann"]
    drift = found["cyd"].drift
    assert drift is not None
    assert drift.low is not None
    assert drift.high is not None
    assert drift.low < -2.5 * (DOCUMENTS - 1) < drift.high < 0
    assert (found["ann"].documents, found["ann"].shared) == (DOCUMENTS, DOCUMENTS)
    assert found["bob"].spoilt_seen < found["bob"].spoilt


def test_where_all_are_alike_nobody_stands_out(tmp_path: Path) -> None:
    with judged(tmp_path, lambda _, good, turn, chance: good + chance, Checks(0, 0.1)) as store:
        found = by_name(store)
    assert {tuple(each.words) for each in found.values() if each.annotator != "bob"} == {
        ("nothing stands out",)
    }


def test_where_nobody_reads_everybody_stands_out(tmp_path: Path) -> None:
    def careless(name: str, good: float, turn: int, chance: float) -> float:
        return 50 + 10 * chance

    with judged(tmp_path, careless, Checks(0, 0.15)) as store:
        found = by_name(store)
    for each in found.values():
        assert each.spoilt_seen < 0.7 * each.spoilt
        assert "whoever reads sees at least 75%" in " ".join(each.words)


def test_words_have_no_names_where_none_are_told(tmp_path: Path) -> None:
    def opinion(name: str, good: float, turn: int, chance: float) -> float:
        return good - 12 * (name == "bob") + chance

    with judged(tmp_path, opinion, Checks()) as store:
        withdraw(store, "cyd")
        named = campaign_overview(store).model_dump_json()
        nameless = campaign_overview(store, nameless=True)
    assert all(name in named for name in ("ann", "bob", "cyd"))
    told = nameless.model_dump_json()
    assert not any(re.search(rf"\b{name}\b", told) for name in ("ann", "bob", "cyd"))
    assert {each.annotator for each in nameless.conduct} == {f"annotator {n}" for n in (1, 2, 3)}


def test_of_two_the_other_is_a_number_too(tmp_path: Path) -> None:
    def opinion(name: str, good: float, turn: int, chance: float) -> float:
        return good - 12 * (name == "bob") + chance

    with judged(tmp_path, opinion, Checks(), people=("ann", "bob")) as store:
        words = " ".join(
            w for c in campaign_overview(store, nameless=True).conduct for w in c.words
        )
    assert "higher than annotator 2 on the same" in words
    assert "bob" not in words


def test_one_who_judges_alone_is_held_against_themselves() -> None:
    rng = np.random.default_rng(1)
    document = np.repeat(np.arange(20), 5)
    values = 60 - 1.5 * document + rng.normal(0, 5, 100)
    alone = Readings(np.array([values, np.full(100, np.nan)]), np.array([document] * 2), document)
    manner = alone.manner(0, 0.95)
    assert (manner.mildness, manner.agreement, manner.shared) == (None, None, 0)
    assert not manner.beside_others
    assert manner.drift is not None
    assert manner.drift.excludes(0)
    assert manner.drift.value == pytest.approx(-1.5 * 19, abs=4)


def test_two_documents_say_nothing() -> None:
    document = np.array([0, 0, 1, 1])
    values = np.array([[80.0, 70.0, 90.0, 75.0], [20.0, 15.0, 30.0, 10.0]])
    manner = Readings(values, np.array([[0.0, 1, 2, 3]] * 2), document).manner(0, 0.95)
    assert manner.mildness is not None
    assert (manner.mildness.value, manner.mildness.low, manner.drift) == (60, None, None)


def error(start: int, end: int, severity: str = "major") -> dict[str, Any]:
    return {"start": start, "end": end, "severity": severity, "missing": False}


@pytest.mark.parametrize(
    ("kind", "one", "other", "apart"),
    [
        ("da", {"score": 20}, {"score": 80}, 0.6),
        ("spans", {"score": 50, "errors": [error(0, 4)]}, {"score": 50, "errors": []}, 0.5),
        (
            "contrastive",
            {"score": None, "errors": [error(0, 4)]},
            {"score": 50, "errors": [error(2, 4)]},
            0.5,
        ),
        (
            "spans",
            {"score": 0, "errors": [error(0, 4, "minor")]},
            {"score": 0, "errors": [error(4, 6, "minor")]},
            0.25,
        ),
        ("preference", {"better": "one"}, {"better": "two"}, 1),
        ("preference", {"better": "same"}, {"better": "two"}, 0.5),
        ("consistency", {"same": True, "flexible": []}, {"same": False, "flexible": []}, 1),
        ("phase2", {"phenomena": {"a": 0.2}}, {"phenomena": {"a": 0.8}}, 0.3),
        ("phase2", {"phenomena": {"a": 0.2}}, {"phenomena": {"b": 0.2}}, 1),
        (
            "phase1",
            {"adequacy": 1, "fluency": None, "conflicting": True},
            {"adequacy": 0.5, "fluency": 1, "conflicting": True},
            0.25,
        ),
    ],
)
def test_how_far_answers_lie_apart(
    kind: str, one: dict[str, Any], other: dict[str, Any], apart: float
) -> None:
    assert answers_apart(kind, [one, one, other]) == pytest.approx(apart)


def test_the_furthest_apart_come_first(tmp_path: Path) -> None:
    def opinion(name: str, good: float, turn: int, chance: float) -> float:
        return good + 5 * chance

    with judged(tmp_path, opinion, Checks()) as store:
        apart = [place.apart for place in disagreements(store)]
    assert apart == sorted(apart, reverse=True)
    assert apart[0] > 2 * apart[-1] > 0
