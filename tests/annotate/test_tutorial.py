"""Tutorials: what is expected, who passes, and that nothing of it is an answer."""

from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from annotate.campaigning import ORIGIN, TEXTS, sent
from isogloss.annotate import Campaign, Store, check_unchanged, create_app, exported
from isogloss.annotate.campaign import PHASES
from isogloss.annotate.expectation import shortcomings
from isogloss.annotate.launch import opened
from isogloss.annotate.results.export import export_names
from isogloss.annotate.storage.database import open_database
from isogloss.annotate.storage.verification import faults
from isogloss.annotate.tutorial import read_tutorial, tutorial_tasks
from isogloss.errors import FormatError, InputError

SPANS = tutorial_tasks(Campaign("x", "x", ("ann",), ("spans",), tutorial="sample"), Path())


def test_the_bundled_tutorial_has_every_phase() -> None:
    plan = Campaign("x", "x", ("ann",), PHASES, chains="c", tutorial="sample")
    found = tutorial_tasks(plan, Path())
    assert set(found) == set(PHASES)
    for phase, task in found.items():
        assert set(task["expected"]) == set(task["items"]), phase
        assert all(each["explanation"] for each in task["expected"].values())


def mark(words: str, severity: str = "major", item: str = "seg:0/B", **more: Any) -> dict[str, Any]:
    text = SPANS["spans"]["outputs"][item[-1]][int(item[4])]
    start = text.index(words)
    place = {"start": start, "end": start + len(words)}
    return {**place, "severity": severity, "category": None, "missing": False, **more}


PAY, SUM = "tenant the rent", "15,800"


@pytest.mark.parametrize(
    ("item", "errors", "score", "lacking"),
    [
        ("seg:0/A", [], 95, []),
        ("seg:0/A", [mark("rent", item="seg:0/A")], 95, ["there is nothing to mark"]),
        ("seg:0/A", [], 40, ["a score from 80 to 100 was expected, not 40"]),
        ("seg:0/B", [mark(PAY), mark(SUM)], 30, []),
        ("seg:0/B", [mark(PAY), mark(SUM), mark("per month")], 30, []),
        ("seg:0/B", [mark(PAY), mark(SUM, "minor")], 30, ["“CZK 15,800” is major or critical"]),
        ("seg:0/B", [mark(PAY)], 30, ["“CZK 15,800” should be marked"]),
        (
            "seg:0/B",
            [mark(PAY), mark(SUM), mark("per month"), mark("fifth")],
            30,
            ["more was marked than is wrong"],
        ),
    ],
)
def test_what_a_span_answer_lacks(
    item: str, errors: list[Any], score: float, lacking: list[str]
) -> None:
    expected = SPANS["spans"]["expected"][item]
    assert shortcomings(item, expected, {item: {"errors": errors, "score": score}}) == lacking


@pytest.mark.parametrize(
    ("item", "expected", "value", "right"),
    [
        ("seg:0/B", {"below": "A"}, {"score": 50}, True),
        ("seg:0/B", {"below": "A"}, {"score": 70}, False),
        ("line:0/A", {"adequacy": [0, 0.5]}, {"adequacy": 0.5}, True),
        ("line:0/A", {"conflicting": True}, {"conflicting": False}, False),
        ("occ:0/A", {"no_error": True}, {"no_error": False}, False),
        ("occ:0/A", {"phenomena": ["sense"]}, {"phenomena": {"sense": 1.0}}, True),
        ("occ:0/A", {"phenomena": ["sense"]}, {"phenomena": {"sense": 1, "style": 0}}, False),
        ("occ:0/A", {"phenomena": ["sense"]}, {"phenomena": {}}, False),
        ("chain:0", {"same": True}, {"same": True}, True),
        ("chain:0", {"same": True}, {"same": False}, False),
        ("pair:0", {"better": "A", "reasons": ["terms"]}, {"better": "A", "reasons": []}, False),
        ("pair:0", {"better": "A"}, {"better": "A", "reasons": []}, True),
        ("pair:0", {"better": "same"}, {"better": "A", "reasons": []}, False),
    ],
)
def test_what_other_answers_lack(item: str, expected: Any, value: Any, right: bool) -> None:
    said = {"seg:0/A": {"score": 70}, item: value}
    assert (shortcomings(item, expected, said) == []) is right


def client(store: Store, token: str) -> TestClient:
    found = TestClient(create_app(store), headers={"Origin": ORIGIN})
    found.get(f"/a/{token}")
    return found


def tried(browser: TestClient, attempt: int, scores: dict[str, float]) -> Any:
    answers = [
        {"item": item, "value": {"score": score}, "at": attempt} for item, score in scores.items()
    ]
    reply = browser.post("/api/tutorial/da", json={"attempt": attempt, "answers": answers})
    assert reply.status_code == 200, reply.text
    return reply.json()


WRONG = {f"seg:{n}/{slot}": 70 for n in range(3) for slot in "AB"}
RIGHT = {item: 95 if item.endswith("A") else 20 for item in WRONG}


def test_work_waits_for_the_tutorial(tmp_path: Path) -> None:
    store = Store(open_database(tmp_path / "c.db"))
    plan = Campaign("x", "x", ("ann", "bob"), ("da",), redundancy=2, tutorial="sample", tries=2)
    links = opened(plan, TEXTS, "", store, tutorial=tutorial_tasks(plan, tmp_path))
    ann, bob = (client(store, links.annotators[name]) for name in ("ann", "bob"))
    office = client(store, links.organiser)
    task = ann.get("/api/me").json()["tasks"][0]["id"]
    assert ann.get(f"/api/tasks/{task}").status_code == 403
    assert ann.post("/api/answers", json=sent(task, "seg:0/A", score=1)).status_code == 403

    half = tried(ann, 1, {"seg:0/A": 95})
    assert half["lessons"]["seg:0/A"]["lacking"] == []
    assert half["standing"]["attempts"] == 0
    again = tried(ann, 1, WRONG)  # what was checked stays
    assert again["task"]["answers"]["seg:0/A"]["value"] == {"score": 95}
    assert len(again["lessons"]) == 6
    assert (again["standing"]["best"], again["standing"]["tries_left"]) == (1, 1)
    assert ann.get("/api/tutorial/da?again=true").json()["lessons"] == {}
    done = tried(ann, 2, RIGHT)["standing"]
    assert (done["state"], done["best"], done["needed"]) == ("passed", 6, 5)
    assert ann.post("/api/answers", json=sent(task, "seg:0/A", score=1)).status_code == 200

    tried(bob, 1, WRONG)
    assert tried(bob, 2, WRONG)["standing"]["state"] == "failed"
    body = {"attempt": 3, "answers": [{"item": "seg:0/A", "value": {"score": 95}, "at": 1}]}
    assert bob.post("/api/tutorial/da", json=body).status_code == 422
    himself = {"name": "bob", "phase": "da", "at": 1}
    assert bob.post("/api/tutorials/let-in", json=himself).status_code == 403
    states = {each["name"]: each["tutorials"][0] for each in office.get("/api/tutorials").json()}
    assert {name: (s["state"], s["attempts"]) for name, s in states.items()} == {
        "ann": ("passed", 2),
        "bob": ("failed", 2),
    }
    let = office.post("/api/tutorials/let-in", json=himself).json()
    assert (let["state"], let["let_in"]) == ("passed", True)
    theirs = bob.get("/api/me").json()["tasks"][0]["id"]
    assert bob.get(f"/api/tasks/{theirs}").status_code == 200

    for name in export_names(store):
        lines = list(exported(store, name))
        assert not any("tutorial" in line for line in lines), name
        if name in ("events.jsonl", "answers.jsonl"):
            assert len(lines) == 1, "the one real answer"
    assert office.get("/api/overview").json()["annotators"][1]["done"] == 0
    assert faults(store) == []
    store.database.close()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('[[task]]\nphase = "x"', "a task says its phase"),
        ('[[task]]\nphase = "da"\ncolour = 1', "'colour' means nothing in a task"),
        ('[[task]]\nphase = "da"\nsource = ["a"]\noutputs = {A = ["b"]}', "asks nothing"),
        (
            '[[task]]\nphase = "da"\nsource = ["a"]\noutputs = {A = ["b"]}\n'
            'item = [{item = "seg:1/A", score = [0, 1]}]',
            "the task has no seg:1/A",
        ),
        (
            '[[task]]\nphase = "da"\nsource = ["a"]\noutputs = {A = ["b"]}\n'
            'item = [{item = "seg:0/A", explanation = "so"}]',
            "nobody could get it wrong",
        ),
        (
            '[[task]]\nphase = "spans"\nsource = ["a"]\noutputs = {A = ["b b"]}\n'
            'item = [{item = "seg:0/A", errors = [{words = "b"}]}]',
            "stand more than once",
        ),
        (
            '[[task]]\nphase = "da"\nsource = ["a"]\noutputs = {A = ["b", "c"]}\n'
            'item = [{item = "seg:0/A", score = [0, 1]}]',
            "translation A has 2 lines, the source 1",
        ),
        ("task = 3", "a tutorial has tasks"),
    ],
)
def test_a_file_that_cannot_be_used_says_why(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "t.toml").write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match=told):
        read_tutorial(tmp_path / "t.toml")


def test_a_phase_without_a_task_has_no_tutorial(tmp_path: Path) -> None:
    (tmp_path / "t.toml").write_text(
        '[[task]]\nphase = "da"\nsource = ["a"]\noutputs = {A = ["b"]}\n'
        'item = [{item = "seg:0/A", score = [0, 1]}]',
        encoding="utf-8",
    )
    plan = Campaign("x", "x", ("ann",), ("da", "phase1"), tutorial="t.toml")
    assert set(tutorial_tasks(plan, tmp_path)) == {"da"}
    with pytest.raises(FormatError, match="no tutorial for spans"):
        tutorial_tasks(Campaign("x", "x", ("ann",), ("spans",), tutorial="t.toml"), tmp_path)


def test_the_example_of_the_docs_is_one(tmp_path: Path) -> None:
    docs = (Path(__file__).parents[2] / "docs" / "annotation.md").read_text(encoding="utf-8")
    example = docs.partition("--tutorial tutorial.toml")[2].partition("```toml\n")[2]
    (tmp_path / "tutorial.toml").write_text(example.partition("```")[0], encoding="utf-8")
    (task,) = read_tutorial(tmp_path / "tutorial.toml").values()
    assert task["expected"]["seg:0/A"]["errors"][0]["words"] == "1978"


def test_a_file_that_changed_after_opening_is_refused(tmp_path: Path) -> None:
    text = (
        '[[task]]\nphase = "da"\nsource = ["a"]\noutputs = {A = ["b"]}\n'
        'item = [{item = "seg:0/A", score = [0, 1]}]'
    )
    (tmp_path / "t.toml").write_text(text, encoding="utf-8")
    plan = Campaign("x", "x", ("ann",), ("da",), tutorial="t.toml", seed=1)
    store = Store(open_database(tmp_path / "c.db"))
    opened(plan, TEXTS, "", store, tutorial=tutorial_tasks(plan, tmp_path))
    check_unchanged(plan, tmp_path, store)
    (tmp_path / "t.toml").write_text(text.replace("[0, 1]", "[0, 2]"), encoding="utf-8")
    with pytest.raises(InputError, match=r"t.toml changed since the campaign was opened"):
        check_unchanged(plan, tmp_path, store)
    store.database.close()
