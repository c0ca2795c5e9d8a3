"""Answers and decisions as CSV hold what they hold as JSON lines, whatever people write."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotate.campaigning import Campaigning, answer_all
from isogloss.annotate import Campaign, Store, exported
from isogloss.annotate.answers import SAME, VALUES, checked_value
from isogloss.annotate.items import ItemName
from isogloss.annotate.results.adjudication import disagreements
from isogloss.annotate.storage.database import open_database
from isogloss.annotate.storage.schema import Submission, Task
from isogloss.formats import csv_lines
from isogloss.formats.campaign_files import shape_of
from isogloss.formats.flat import flat_records

NASTY = [
    "=1+1",
    "-5",
    "007",
    "1e5",
    "true",
    "null",
    "'quoted",
    "''",
    "[1]",
    '{"a": 1}',
    '"',
    "\r\n",
]
TEXTS = st.one_of(
    st.sampled_from(NASTY),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12),
)
SHARE = st.none() | st.integers(0, 4).map(lambda n: n / 4)
SCORE = st.none() | st.integers(0, 100)
PLACE = st.tuples(st.integers(0, 5), st.integers(5, 9)).map(lambda p: {"start": p[0], "end": p[1]})
ERROR = st.tuples(PLACE, TEXTS, st.booleans()).map(
    lambda e: {
        **e[0], "severity": "minor", "category": e[1], "missing": e[2],
        **({"side": "source"} if e[2] else {"prefilled": 3}),
    }
)  # fmt: skip
REPORTED = st.tuples(PLACE, TEXTS).map(lambda r: {**r[0], "side": "output", "text": r[1]})
SAID: Mapping[str, st.SearchStrategy[dict[str, Any]]] = {
    "phase1": st.fixed_dictionaries(
        {
            "adequacy": SHARE, "fluency": SHARE, "conflicting": st.booleans(), "note": TEXTS,
            "reported": st.lists(REPORTED, max_size=2),
        }
    ),
    "phase2": st.fixed_dictionaries(
        {
            "phenomena": st.dictionaries(st.sampled_from(["sense", "style"]), SHARE),
            "target": st.none() | st.lists(PLACE, max_size=2),
            "same_as": st.none() | st.sampled_from("AB"),
        }
    ),
    "da": st.fixed_dictionaries({"score": SCORE}),
    **dict.fromkeys(
        ("spans", "contrastive"),
        st.fixed_dictionaries({"score": SCORE, "errors": st.lists(ERROR, max_size=2)}),
    ),
    "consistency": st.fixed_dictionaries(
        {"same": st.just(False), "unsure": st.booleans(), "flexible": st.lists(st.integers(0, 9))}
    ),
    "document": st.fixed_dictionaries({"score": SCORE}),
    "preference": st.fixed_dictionaries(
        {
            "better": st.none() | TEXTS, "note": TEXTS,
            "reasons": st.lists(st.sampled_from(["terms", "style"]), max_size=3),
        }
    ),
}  # fmt: skip


def there(record: Mapping[str, Any]) -> dict[str, Any]:
    """A record without what is absent or empty, for which a cell has nothing."""
    parts = {
        key: {k: v for k, v in value.items() if v not in (None, "")}
        if isinstance(value, Mapping)
        else value
        for key, value in record.items()
    }
    return {key: value for key, value in parts.items() if value not in (None, "", {})}


def test_every_kind_of_answer_is_tried() -> None:
    assert set(SAID) == set(VALUES)


@pytest.mark.parametrize("kind", SAID)
@settings(
    max_examples=12,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=st.data())
def test_what_anybody_may_say_comes_back(tmp_path: Path, kind: Any, data: st.DataObject) -> None:
    value = SAID[kind].map(lambda said: checked_value(kind, said))
    decided = data.draw(value)
    place = {
        "kind": kind, "document": data.draw(TEXTS), "number": 0, "system": data.draw(TEXTS),
        "markable": data.draw(st.none() | TEXTS), "against": data.draw(TEXTS), "segment": 0,
        "place": data.draw(st.none() | st.just([1, 2])), "at": 12,
    }  # fmt: skip
    words = {name: data.draw(st.none() | TEXTS) for name in ("source", "target", "other")}
    answers = [
        {"annotator": data.draw(TEXTS), **place, "check": None, "value": data.draw(value),
         "decision": decision, **words}
        for decision in (None, decided)
    ]  # fmt: skip
    decisions = [{**place, "value": decided, "opinions": {"=ann": data.draw(value)}, **words}]
    for shape, records in (("answers", answers), ("decisions", decisions)):
        path = tmp_path / f"{shape}.csv"
        path.write_text("".join(f"{line}\n" for line in csv_lines(records)), "utf-8", newline="")
        assert shape_of(path.read_text("utf-8")) == shape
        assert [each.content for each in flat_records(path)] == list(map(there, records))


@pytest.mark.parametrize("note", [*NASTY, "two\nlines; ½ \U0001f600"])
def test_a_campaign_comes_back_from_its_spreadsheets(tmp_path: Path, note: str) -> None:
    """Lines, whole documents and preferences, with decisions of the organiser."""

    def say(task: Task, name: str, slots: Mapping[str, str], item: ItemName) -> dict[str, Any]:
        first = name == "ann"
        if task.kind == "phase1":
            return {"adequacy": 0.5 if first else 1.0, "fluency": 1.0, "note": note}
        if task.kind == "document":
            return {"score": 20 if first else 70}
        pair = task.content["pairs"][item.number]
        return {"better": pair[0] if first else SAME, "reasons": ["terms"], "note": note}

    database = open_database(tmp_path / "campaign.db")
    store = Store(database)
    plan = Campaign("test", "t", ("ann", "bob"), ("phase1", "document", "preference"), redundancy=2)
    Campaigning.of(plan, store)
    answer_all(store, say)
    organiser = next(actor for actor in store.actors() if actor.role == "organiser")
    for number, each in enumerate(disagreements(store)):
        value = {**each.opinions[number % 2].answer.value, **({"note": note} if number else {})}
        value = value if each.kind != "document" else {"score": 30}
        store.save(organiser.id, [Submission(f"d-{number:06}", each.task, each.item, 0, value, 9)])
    for name in ("answers", "decisions"):
        given = [json.loads(line) for line in exported(store, f"{name}.jsonl")]
        path = tmp_path / f"{name}.csv"
        lines = exported(store, path.name)
        path.write_text("".join(f"{line}\n" for line in lines), "utf-8", newline="")
        assert [each.content for each in flat_records(path)] == list(map(there, given))
        assert {each["kind"] for each in given} == {"phase1", "document", "preference"}
    database.close()
