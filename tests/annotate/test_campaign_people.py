"""People come and go while a campaign runs: nothing is lost, nothing is asked of nobody twice."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import pytest

from annotate.campaigning import TEXTS, Campaigning, sent, tasks
from annotate.served_campaigns import ALIGNED, CHAINS, LEASE, MARKABLE
from isogloss.annotate import Campaign, Store
from isogloss.annotate.campaign import Checks
from isogloss.annotate.items import DocumentText, ItemName
from isogloss.annotate.launch import opened, task_slots
from isogloss.annotate.people import (
    add_person,
    close,
    extend_documents,
    extend_redundancy,
    members,
    new_link,
    reassign,
    reopen,
    take_late,
    withdraw,
)
from isogloss.annotate.results.adjudication import standing_answers
from isogloss.annotate.storage.schema import Late, Saved, Submission, Task
from isogloss.annotate.storage.verification import faults
from isogloss.annotate.work import piece_of
from isogloss.errors import InputError

PLAN = Campaign(
    "test",
    "t",
    ("ann", "bob"),
    ("da", "preference"),
    redundancy=1,
    seed=5,
    checks=Checks(0.3, 0.3),
    document_scores=True,
)


def tasks_of(store: Store, who: str) -> list[Task]:
    actor = next(each for each in store.actors() if each.name == who)
    return [task for task in store.tasks_of(actor.id) if task.content["items"]]


def value_of(task: Task, score: float) -> dict[str, Any]:
    if task.kind == "preference":
        return {"better": "same", "reasons": [], "note": ""}
    return {"score": score}


def answered(store: Store, task: Task, items: list[str], score: float = 50) -> None:
    given = [
        Submission(f"{task.id}-{item}"[:60], task.id, item, 0, value_of(task, score), 1000)
        for item in items
    ]
    assert all(isinstance(each, Saved) for each in store.save(task.actor, given))


def judged_things(store: Store, task: Task) -> set[tuple[Any, ...]]:
    """What a task asks about, with systems by their names; checks apart."""
    actor = next(each for each in store.actors() if each.id == task.actor)
    letters = task_slots(store, actor, store.text(task.document))
    found = set()
    for item in task.content["items"]:
        name = ItemName.parse(item)
        if name.kind == "pair":
            pair = tuple(sorted(letters[slot] for slot in task.content["pairs"][name.number]))
            found.add((task.kind, task.document, pair))
        elif name.check is None:
            found.add((task.kind, task.document, name.kind, name.number, letters[name.slot or ""]))
    return found


def everything(store: Store) -> list[tuple[Any, ...]]:
    return [thing for task in store.tasks_of() for thing in judged_things(store, task)]


def test_who_leaves_hands_over_what_is_open_and_keeps_what_was_said(store: Store) -> None:
    Campaigning.of(PLAN, store)
    before = sorted(everything(store), key=str)
    begun, *_ = tasks_of(store, "ann")
    said = begun.content["items"][:3]
    answered(store, begun, said)
    done = withdraw(store, "ann")
    assert (done.left, done.tasks) == (0, 2)
    assert sorted(everything(store), key=str) == before, "asked of somebody, and of nobody twice"
    (kept,) = tasks_of(store, "ann")
    assert kept.content["items"] == said
    assert {each.annotator for each in standing_answers(store)} == {"ann"}
    ann, bob = (next(m for m in members(store) if m.name == name) for name in ("ann", "bob"))
    assert (ann.state, ann.done, ann.total) == ("withdrawn", 3, 3)
    assert (bob.state, bob.done) == ("active", 0)
    assert faults(store) == []


def test_checks_go_along_with_what_they_check(store: Store) -> None:
    Campaigning.of(PLAN, store)
    task = next(each for each in tasks_of(store, "ann") if each.kind == "da")
    checked = task.content["checks"][0]["of"]
    answered(store, task, [checked])
    withdraw(store, "ann")
    moved = next(each for each in tasks_of(store, "bob") if piece_of(each) == piece_of(task))
    items = set(moved.content["items"])
    assert {check["item"] for check in moved.content["checks"]} <= items
    assert all(check["of"] in items for check in moved.content["checks"])
    asked = {item for item in items if "~" in item}
    assert asked == {check["item"] for check in moved.content["checks"]}
    letters = task_slots(store, store.actors()[2], store.text(task.document))
    for check in moved.content["checks"]:
        text = store.text(task.document)["outputs"][letters[check["slot"]]][check["segment"]]
        assert sorted(check["text"]) == sorted(text), "it shows the system behind its new letter"


def test_nobody_judges_a_document_twice(store: Store) -> None:
    Campaigning.of(Campaign("test", "t", ("ann", "bob"), ("da",), redundancy=2), store)
    done = withdraw(store, "ann")
    assert (done.tasks, done.left) == (0, 10), "bob has both documents already"
    add_person(store, "cyd", share=False)
    assert reassign(store, "ann").left == 0
    assert len(tasks_of(store, "cyd")) == 2
    assert tasks_of(store, "ann") == []


def test_a_newcomer_takes_a_fair_share(store: Store) -> None:
    Campaigning.of(Campaign("test", "t", ("ann", "bob"), ("da", "phase1", "spans")), store)
    before = sorted(everything(store), key=str)
    answered(store, first := tasks_of(store, "ann")[0], first.content["items"][:1])
    welcome = add_person(store, "cyd")
    loads = {each.name: each.total - each.done for each in members(store)}
    assert welcome.work.tasks == len(tasks_of(store, "cyd")) >= 1
    assert loads["cyd"] > 0
    assert max(loads["ann"], loads["bob"]) - loads["cyd"] <= 5, "one document apart at most"
    assert first.id in {task.id for task in tasks_of(store, "ann")}, "what is begun stays"
    assert sorted(everything(store), key=str) == before
    actor = store.actor_with(welcome.token)
    assert actor is not None
    assert actor.name == "cyd"


@pytest.mark.parametrize("name", ["ann", "organiser", " x", "Organiser"])
def test_names_are_taken_once(store: Store, name: str) -> None:
    Campaigning.of(PLAN, store)
    with pytest.raises(InputError, match=r"already|organiser|spaces"):
        add_person(store, name)


def test_side_by_side_stays_together(store: Store) -> None:
    """A segment of which one translation is scored is judged again as a whole."""
    plan = Campaign("test", "t", ("ann",), ("contrastive",), document_scores=True)
    Campaigning.of(plan, store)
    task = tasks_of(store, "ann")[0]
    answered_item = next(item for item in task.content["items"] if item.startswith("seg:0/"))
    given = Submission("one-of-three", task.id, answered_item, 0, {"errors": [], "score": 5}, 1)
    store.save(task.actor, [given])
    add_person(store, "bob", share=False)
    reassign(store, "ann", ["bob"])
    moved = next(each for each in tasks_of(store, "bob") if each.document == task.document)
    systems = {thing[4] for thing in judged_things(store, moved) if thing[2:4] == ("seg", 0)}
    assert systems == {"alpha", "beta", "gamma"}
    numbers = [ItemName.parse(item).number for item in moved.content["items"] if "seg" in item]
    assert all(one <= other for one, other in pairwise(numbers)), "segments in their order"


def test_late_answers_are_refused_in_words_and_kept(store: Store) -> None:
    campaign = Campaigning.of(PLAN, store)
    ann = campaign.browser("ann")
    task = tasks(ann, "da")[0]["id"]
    items = ann.get(f"/api/tasks/{task}").json()["items"]
    assert ann.post("/api/answers", json=sent(task, items[0], score=7)).status_code == 200
    add_person(store, "cyd", share=False)
    reassign(store, "ann", ["cyd"])
    late = ann.post("/api/answers", json=sent(task, items[1], key="key-late1", score=8))
    assert late.status_code == 409
    assert "somebody else" in late.json()["receipts"][0]["refused"]
    withdraw(store, "ann")
    assert ann.get(f"/api/tasks/{task}").status_code == 403
    assert ann.get("/api/me").json()["standing"] == "withdrawn"
    again = sent(task, items[0], key="key-00001", score=7)
    assert ann.post("/api/answers", json=again).status_code == 200, "it was saved in time"
    late = ann.post("/api/answers", json=sent(task, items[2], key="key-late2", score=9))
    assert "withdrawn" in late.json()["receipts"][0]["refused"]
    assert [(each.item, each.value, each.reason) for each in store.late()] == [
        (items[1], {"score": 8}, "moved"),
        (items[2], {"score": 9}, "withdrawn"),
    ]
    assert len(list(store.events())) == 1
    assert faults(store) == []
    assert take_late(store) == (2, 0)
    assert store.late() == []
    assert [each.value for each in store.answers(task).values()] == [
        {"score": 7},
        {"score": 8},
        {"score": 9},
    ]
    (kept,) = (each for each in tasks_of(store, "ann") if each.id == task)
    assert kept.content["items"] == items[:3]
    assert faults(store) == []


def test_what_comes_late_is_bounded(store: Store) -> None:
    campaign = Campaigning.of(PLAN, store)
    ann = campaign.browser("ann")
    task = tasks(ann, "da")[0]["id"]
    item = ann.get(f"/api/tasks/{task}").json()["items"][0]
    close(store)
    for number in range(5):
        ann.post("/api/answers", json=sent(task, item, key=f"key-late{number}", score=number))
    assert [each.value["score"] for each in store.late()] == [4]
    stray = ann.post("/api/answers", json=sent(task, "seg:99/A", key="key-stray", score=1))
    assert "no item" in stray.json()["receipts"][0]["refused"]


def test_a_closed_campaign_takes_no_answers_and_opens_again(store: Store) -> None:
    campaign = Campaigning.of(PLAN, store)
    ann, organiser = campaign.browser("ann"), campaign.browser("organiser")
    task = tasks(ann, "da")[0]["id"]
    first, second = ann.get(f"/api/tasks/{task}").json()["items"][:2]
    ann.post("/api/answers", json=sent(task, first, score=7))
    assert close(store)
    assert not close(store)
    late = ann.post("/api/answers", json=sent(task, second, key="key-late1", score=8))
    assert "closed" in late.json()["receipts"][0]["refused"]
    assert ann.get("/api/me").json()["standing"] == "closed"
    assert organiser.get("/api/overview").json()["systems"][0]["judged"] == 1
    people = organiser.get("/api/people").json()
    assert (people["closed"], [each["late"] for each in people["people"]]) == (True, [0, 1, 0])
    assert reopen(store)
    assert organiser.post("/api/people/late", json={}).json() == {"taken": 1, "left": 0}
    assert ann.get("/api/me").json()["standing"] == "open"
    changed = ann.post("/api/answers", json=sent(task, second, 1, "key-later", score=3))
    assert changed.status_code == 200
    assert faults(store) == []


def test_a_late_answer_takes_no_newer_ones_place(store: Store) -> None:
    Campaigning.of(PLAN, store)
    task = next(each for each in tasks_of(store, "ann") if each.kind == "da")
    item = task.content["items"][0]
    close(store)
    old = Submission("from-a-train", task.id, item, 0, {"score": 1.0}, 1000)
    assert store.save(task.actor, [old]) == [Late("from-a-train", "closed")]
    reopen(store)
    store.save(task.actor, [Submission("from-a-desk", task.id, item, 0, {"score": 2.0}, 2000)])
    assert take_late(store) == (0, 1)
    assert store.answers(task.id)[item].value == {"score": 2.0}


def test_nothing_is_saved_after_the_organiser_was_told(store: Store) -> None:
    """Answers in full flight while the campaign closes: saved before, or late; nothing between."""
    Campaigning.of(PLAN, store)
    task = next(each for each in tasks_of(store, "ann") if each.kind == "da")
    items = task.content["items"]
    counts: list[int] = []

    def work(item: str) -> list[str]:
        outcomes = []
        for turn in range(6):
            given = Submission(f"{item}-{turn}", task.id, item, turn, {"score": turn}, turn)
            outcomes.append(type(store.save(task.actor, [given])[0]).__name__)
        return outcomes

    def shut() -> None:
        close(store)
        counts.append(len(list(store.events())))

    with ThreadPoolExecutor(len(items) + 1) as people:
        at_work = [people.submit(work, item) for item in items]
        people.submit(shut).result()
        found = [each.result() for each in at_work]
    saved = sum(outcomes.count("Saved") for outcomes in found)
    assert counts == [saved] == [len(list(store.events()))]
    assert all(sorted(o, key=["Saved", "Late"].index) == o for o in found)
    assert faults(store) == []


def test_more_people_and_more_documents(store: Store) -> None:
    plan = Campaign("test", "t", ("ann", "bob"), ("da", "document"), redundancy=1)
    Campaigning.of(plan, store)
    with pytest.raises(InputError, match="2 annotators"):
        extend_redundancy(store, 3)
    extend_redundancy(store, 2)
    for name in ("ann", "bob"):
        pieces = [piece_of(task) for task in tasks_of(store, name)]
        assert sorted(pieces) == sorted(
            (kind, text.id, "") for kind in ("da", "document") for text in TEXTS
        )
    more = DocumentText("d9", ["More."], {name: ["Mehr."] for name in ("alpha", "beta", "gamma")})
    done = extend_documents(store, [more])
    assert (done.tasks, done.items) == (4, 4 * 3)
    assert store.documents()[-1] == "d9"
    with pytest.raises(InputError, match="already"):
        extend_documents(store, [more])
    odd = DocumentText("d8", ["More."], {"alpha": ["Mehr."]})
    with pytest.raises(InputError, match="beta, gamma"):
        extend_documents(store, [odd])
    assert faults(store) == []


def test_repeated_words_prefilled_errors_and_markables_go_along(store: Store) -> None:
    plan = Campaign(
        "x", "t", ("ann", "bob"), ("spans", "consistency"), chains="c", prefilled="p", seed=3
    )
    error = {"start": 0, "end": 3, "severity": "minor", "category": None, "missing": False}
    begun = [{**error, "prefilled": 0}]
    opened(plan, [LEASE], "", store, CHAINS, {("one", "lease", 0): begun})
    extend_redundancy(store, 2)
    people = {actor.name: actor for actor in store.actors()}
    for name in ("ann", "bob"):
        spans, words = sorted(tasks_of(store, name), key=lambda task: task.kind, reverse=True)
        letters = task_slots(store, people[name], store.text("lease"))
        found = {letters[item[-1]]: errors for item, errors in spans.content["prefilled"].items()}
        assert found == {"one": begun}
        assert [chain["word"] for chain in words.content["chains"]] == ["nájemce"]
    items = [f"occ:{n}/{slot}" for n in range(3) for slot in ("A", "B")]
    content = {"items": items, "markable": MARKABLE, "aligned": ALIGNED}
    store.add_tasks([Task("markable", people["ann"].id, "phase2", "lease", 9, content)])
    said = {"no_error": True, "phenomena": {}}
    store.save(people["ann"].id, [Submission("no-error", "markable", "occ:0/A", 0, said, 1)])
    assert reassign(store, "ann", ["bob"]).tasks == 1, "the rest bob has already"
    moved = next(task for task in tasks_of(store, "bob") if task.kind == "phase2")
    assert (len(moved.content["items"]), moved.content["aligned"]) == (5, ALIGNED)
    letter = {name: task_slots(store, people[name], store.text("lease")) for name in ("ann", "bob")}
    kept = next(slot for slot, name in letter["bob"].items() if name == letter["ann"]["A"])
    assert f"occ:0/{kept}" not in moved.content["items"]
    assert faults(store) == []


def test_two_organisers_at_once_give_nothing_out_twice(place: str) -> None:
    from isogloss.annotate.storage.database import open_database

    servers = [Store(open_database(place)) for _ in range(2)]
    plan = Campaign("test", "t", ("ann", "bob", "cyd"), ("da", "document"), redundancy=1)
    Campaigning.of(plan, servers[0])
    before = sorted(everything(servers[0]), key=str)
    leaving = [(servers[0], "ann"), (servers[1], "ann"), (servers[0], "bob"), (servers[1], "bob")]
    with ThreadPoolExecutor(4) as clicks:
        list(clicks.map(lambda each: withdraw(*each), leaving))
    assert sorted(everything(servers[0]), key=str) == before
    assert {task.actor for task in servers[0].tasks_of() if task.content["items"]} == {
        each.id for each in servers[0].actors() if each.name == "cyd"
    }
    assert faults(servers[1]) == []
    for server in servers:
        server.database.close()


def test_the_last_organiser_stays_and_who_left_may_return(store: Store) -> None:
    campaign = Campaigning.of(PLAN, store)
    with pytest.raises(InputError, match="only organiser"):
        withdraw(store, "organiser")
    withdraw(store, "ann", keep=True)
    token = new_link(store, "ann")
    assert store.actor_with(campaign.tokens["ann"]) is None
    actor = store.actor_with(token)
    assert actor is not None
    assert actor.state == "active"
    assert len(tasks_of(store, "ann")) == 2


def test_the_organiser_does_all_of_it_in_the_browser(store: Store) -> None:
    campaign = Campaigning.of(PLAN, store)
    organiser = campaign.browser("organiser")

    def told(path: str, **body: Any) -> Mapping[str, Any]:
        found = organiser.post(f"/api/people{path}", json=body)
        assert found.status_code == 200, found.text
        told: Mapping[str, Any] = found.json()
        return told

    link = told("", name="cyd")["link"]
    assert campaign.browser().get(link.removeprefix("http://testserver")).status_code == 200
    assert told("/withdraw", name="ann")["left"] == 0
    told("/reassign", name="bob", to=["cyd"])
    told("/extend", redundancy=2)
    assert told("/close")["closed"]
    assert not told("/reopen")["closed"]
    people = {each["name"]: each for each in organiser.get("/api/people").json()["people"]}
    assert people["cyd"]["total"] > 0
    assert people["ann"]["state"] == "withdrawn"
    wrong = organiser.post("/api/people/withdraw", json={"name": "nobody"})
    assert wrong.status_code == 422
    assert "there are: organiser, ann" in wrong.json()["error"]
