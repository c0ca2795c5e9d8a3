"""Whole documents: scores after the segments or by themselves, and which of two is better."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

import isogloss
from annotate.browsing import Computer, all_saved, at_task, entered, press
from annotate.campaigning import TEXTS, Campaigning, sent, tasks
from annotate.served_campaigns import served
from chromium import serious
from isogloss.annotate import Campaign, Store, exported
from isogloss.annotate.campaign import Phase
from isogloss.annotate.items import pairs_of
from isogloss.annotate.results.adjudication import standing_answers
from isogloss.annotate.storage.database import open_database
from isogloss.documents import Collection, Document, SystemOutput, TestSet
from isogloss.errors import InputError


@pytest.mark.parametrize("kind", ["da", "spans", "contrastive"])
def test_the_document_is_scored_after_its_segments(
    computer: Computer, tmp_path: Path, kind: Phase
) -> None:
    with served(tmp_path, [kind], document_scores=True) as campaign:
        page = at_task(computer(), campaign, kind)
        expect(page.get_by_text("Segment 1 of 4")).to_be_visible()
        marked = kind != "da"
        if marked:
            press(page, "o", "w")
        press(page, "j", "j", "j")
        expect(page.get_by_text("Now the document as a whole")).to_be_visible()
        expect(page.locator("article.here .whole-text .text")).to_have_count(3)
        expect(page.locator("article mark.major")).to_have_count(int(marked))
        expect(page.locator(".line.here")).to_have_count(0)
        press(page, "7", "5", "Enter", "x")
        assert serious(page) == []
        all_saved(page)
        found = list(standing_answers(campaign.store, "document"))
        slot = campaign.slot("one")
        said = {a.system: a.value for a in found}
        scores = {"one": 75, "two": 100} if slot == "A" else {"two": 75, "one": 100}
        assert said == {system: {"score": score} for system, score in scores.items()}
        segments = [a.item.kind for a in standing_answers(campaign.store, kind)]
        assert segments == ["seg"] * marked


def test_a_document_is_scored_once() -> None:
    with pytest.raises(InputError, match="one score from each annotator"):
        Campaign("test", "t", ("ann",), ("da", "spans"), document_scores=True)


def test_whole_documents_by_themselves(computer: Computer, tmp_path: Path) -> None:
    with served(tmp_path, ["document"]) as campaign:
        page = at_task(computer(), campaign, "document")
        press(page, "8", "2", "Enter", "4", "Enter")
        expect(page.get_by_text("Everything in this task is answered.")).to_be_visible()
        page.set_viewport_size({"width": 390, "height": 844})
        assert serious(page) == []
        all_saved(page)
        assert campaign.values("document") == {"doc:0/A": {"score": 82}, "doc:0/B": {"score": 40}}


def test_the_better_of_two_with_a_reason(computer: Computer, tmp_path: Path) -> None:
    with served(tmp_path, ["preference"], annotators=("ann", "bob")) as campaign:
        page = at_task(computer(), campaign, "preference")
        press(page, "ArrowRight")
        expect(page.locator(".bar .count")).to_have_text("0/1")  # a reason is missing
        press(page, "2", "5")
        page.get_by_label("In your words").fill("nothing is missing")
        press(page, "Enter")
        expect(page.locator(".bar .count")).to_have_text("1/1")
        assert serious(page) == []
        all_saved(page)
        reasons = ["completeness", "coherence"]
        value = {"better": "B", "reasons": reasons, "note": "nothing is missing"}
        assert campaign.values("preference") == {"pair:0": value}
        page = at_task(computer(), campaign, "preference", "bob")
        other = "one" if campaign.slot("two") == "B" else "two"
        left = campaign.slot(other, "bob") == "A"
        press(page, "ArrowLeft" if left else "ArrowRight", "1")
        all_saved(page)
        better = [a.value["better"] for a in standing_answers(campaign.store)]
        assert sorted(better) == ["one", "two"]
        organiser = entered(computer(), campaign, "organiser")
        organiser.get_by_role("link", name="1 disagreements to decide").click()
        expect(organiser.locator(".dispute")).to_contain_text("one against two")
        press(organiser, "e")
        organiser.locator(".decision").get_by_role("button", name="two").click()
        organiser.get_by_role("button", name="Decide like this").click()
        expect(organiser.get_by_text("1 of 1 decided")).to_be_visible()
        rows = [line.split("\t") for line in exported(campaign.store, "preferences.tsv")]
        assert [row[0] for row in rows] == ["annotator", "ann", "bob", "organiser"]
        assert rows[3][1:5] == ["lease", "one", "two", "two"]


def test_a_pair_is_of_two_letters(tmp_path: Path) -> None:
    database = open_database(tmp_path / "campaign.db")
    plan = Campaign("test", "t", ("ann",), ("preference", "spans"), document_scores=True)
    ann = Campaigning.of(plan, Store(database)).browser("ann")
    task = tasks(ann, "preference")[0]
    assert task["total"] == 3
    wrong = sent(task["id"], "pair:0", better="D", reasons=["style"])
    assert "may be better" in ann.post("/api/answers", json=wrong).json()["receipts"][0]["refused"]
    errors = [{"start": 0, "end": 1, "severity": "minor"}]
    marked = sent(tasks(ann, "spans")[0]["id"], "doc:0/A", errors=errors, score=3)
    assert (
        "marked in segments"
        in ann.post("/api/answers", json=marked).json()["receipts"][0]["refused"]
    )
    database.close()


def test_every_system_is_compared_about_as_often() -> None:
    systems = [f"s{n}" for n in range(7)]
    pairs = pairs_of(systems, 7, "secret", "d")
    drawn = [sum(name in pair for pair in pairs) for name in systems]
    assert len(set(pairs)) == 7
    assert max(drawn) - min(drawn) <= 1
    assert len(pairs_of(systems, 0, "secret", "d")) == 21
    assert pairs == pairs_of(systems[::-1], 7, "secret", "d"), "whoever lists them"


def test_scores_of_documents_are_human_judgements(tmp_path: Path) -> None:
    database = open_database(tmp_path / "campaign.db")
    plan = Campaign("test", "t", ("ann",), ("document",))
    campaign = Campaigning.of(plan, Store(database))
    ann = campaign.browser("ann")
    task = next(task for task in tasks(ann, "document") if task["document"] == "d0")
    for number, slot in enumerate("ABC"):
        body = sent(task["id"], f"doc:0/{slot}", key=f"document-{slot}", score=10 * number)
        assert ann.post("/api/answers", json=body).status_code == 200
    testset = TestSet("t", "en", "de", [Document(t.id, tuple(t.source)) for t in TEXTS])
    outputs = [
        SystemOutput(name, {t.id: tuple(t.outputs[name]) for t in TEXTS})
        for name in ("alpha", "beta", "gamma")
    ]
    collection = Collection(testset, outputs)
    for name in ("answers.jsonl", "scores.tsv"):
        file = tmp_path / name
        file.write_text("".join(f"{line}\n" for line in exported(campaign.store, name)))
        read = isogloss.read_judgements(str(file), collection)
        assert read.kind == "document"
        assert read.of_documents
        assert sorted(item.score or 0 for item in read.items) == [0, 10, 20]
    database.close()


def test_the_organiser_sees_work_as_it_is_done(computer: Computer, tmp_path: Path) -> None:
    with served(tmp_path, ["document"]) as campaign:
        context = computer()
        context.clock.install()
        organiser = entered(context, campaign, "organiser")
        done = organiser.locator("td.done")
        expect(done).to_contain_text("0/2")
        expect(organiser.get_by_role("link", name="Markables")).to_have_count(0)
        page = at_task(computer(), campaign, "document")
        press(page, "8", "2", "Enter", "4")
        all_saved(page)
        organiser.clock.fast_forward(11_000)
        expect(done).to_contain_text("2/2")
        expect(organiser.get_by_text("Whole documents, mean score")).to_be_visible()
        assert serious(organiser) == []
        for width in (1440, 390):
            organiser.set_viewport_size({"width": width, "height": 844})
            assert organiser.evaluate("document.documentElement.scrollWidth") <= width
