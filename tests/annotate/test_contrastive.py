"""Contrastive error spans: all translations of a segment against each other, equal ones once."""

import json
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from typer.testing import CliRunner

import isogloss
from annotate.browsing import Computer, all_saved, at_task, press
from annotate.campaigning import answer_all
from annotate.served_campaigns import LEASE, Served, served
from chromium import serious
from isogloss.annotate import (
    Campaign,
    Store,
    campaign_collection,
    campaign_overview,
    exported,
    open_campaign,
    write_campaign,
    write_exchange,
)
from isogloss.annotate.campaign import Checks
from isogloss.annotate.checks import planned_together
from isogloss.annotate.items import ItemName
from isogloss.annotate.results.adjudication import disagreements, standing_answers
from isogloss.annotate.storage.database import open_database
from isogloss.annotate.storage.schema import Submission, Task
from isogloss.annotate.storage.verification import faults
from isogloss.cli.main import app
from isogloss.formats import write_collection

SAMPLE = isogloss.load_sample("cs-en")
QUALITY = {"steady": 90, "echo": 90, "shifting": 75, "tangled": 40}
ONE, TWO = LEASE.outputs["one"], LEASE.outputs["two"]
TRIO = replace(LEASE, outputs={**LEASE.outputs, "echo": [ONE[0], "They clear it.", TWO[2]]})
"""The third one says the same as the first in one segment, and as the second in another."""


def letters(campaign: Served, *systems: str) -> str:
    return ", ".join(sorted(campaign.slot(system) for system in systems))


def row(page: Page, name: str) -> Any:
    return page.get_by_role("article", name=f"Translation {name}", exact=True).locator("h2")


def stored(campaign: Served, segment: int, *systems: str) -> list[Any]:
    values = campaign.values("contrastive")
    return [values.get(f"seg:{segment}/{campaign.slot(system)}") for system in systems]


def test_the_same_words_are_judged_once(computer: Computer, tmp_path: Path) -> None:
    with served(tmp_path, ["contrastive"], texts=(TRIO,), categories=()) as campaign:
        context = computer()
        page = at_task(context, campaign, "contrastive")
        twins = letters(campaign, "one", "echo")
        expect(page.locator("article.row")).to_have_count(2)
        row(page, twins).click()
        press(page, "o", "ArrowRight", "w", "4", "0")
        all_saved(page)
        one, echo, two = stored(campaign, 0, "one", "echo", "two")
        assert one == echo
        assert (one["score"], [e["end"] for e in one["errors"]], two) == (40, [10], None)
        expect(page.get_by_label("Category")).to_have_count(0)
        expect(page.locator(".bar .count")).to_have_text("2/9")
        press(page, "u")
        all_saved(page)
        assert [value["score"] for value in stored(campaign, 0, "one", "echo")] == [None, None]
        press(page, "4", "0", "p")  # as neighbours may make a difference
        expect(page.locator("article.row")).to_have_count(3)
        row(page, campaign.slot("echo")).click()
        press(page, "3", "5")
        all_saved(page)
        assert [v["score"] for v in stored(campaign, 0, "one", "echo")] == [40, 35]
        page.reload()
        expect(page.locator("article.row")).to_have_count(3)
        row(page, campaign.slot("echo")).click()
        page.get_by_role("button", name="Same words: judge together").click()
        expect(page.locator("article.row")).to_have_count(2)
        all_saved(page)
        assert [v["score"] for v in stored(campaign, 0, "one", "echo")] == [35, 35]
        assert faults(campaign.store) == []


def test_scores_are_seen_against_each_other(computer: Computer, tmp_path: Path) -> None:
    with served(tmp_path, ["contrastive"], texts=(TRIO,)) as campaign:
        page = at_task(computer(), campaign, "contrastive")
        scale = page.get_by_role("region", name="All on one scale")
        twins = letters(campaign, "one", "echo")
        row(page, twins).click()
        expect(scale).to_contain_text("not scored")
        press(page, "8", "0", "Enter", "3", "0")
        expect(scale).not_to_contain_text("not scored")
        pins = scale.get_by_role("button", name="Translation")
        expect(pins).to_have_count(2)
        low = scale.get_by_role("button", name=f"Translation {campaign.slot('two')}: 30")
        box = scale.locator(".pins").bounding_box()
        assert box is not None
        low.hover()
        page.mouse.down()
        page.mouse.move(box["x"] + 0.6 * box["width"], box["y"] + 10, steps=3)
        page.mouse.up()
        press(page, "c")
        expect(page.locator("mark.common")).not_to_have_count(0)
        for text in page.locator(".row .own").all():
            assert "pays rent" in " ".join(text.locator("mark.common").all_text_contents())
        assert serious(page) == []
        page.set_viewport_size({"width": 390, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert serious(page) == []
        all_saved(page)
        assert [value["score"] for value in stored(campaign, 0, "one", "two")] == [80, 60]


def test_without_a_network_both_of_two_wait(computer: Computer, tmp_path: Path) -> None:
    proposed = [{"start": 4, "end": 10, "severity": "major", "category": None, "missing": False}]
    numbered = [{**each, "prefilled": 0} for each in proposed]
    proposals = {(system, "lease", 0): numbered for system in ("one", "echo")}
    proposals["two", "lease", 2] = numbered
    with served(tmp_path, ["contrastive"], texts=(TRIO,), proposals=proposals) as campaign:
        context = computer()
        page = at_task(context, campaign, "contrastive")
        row(page, letters(campaign, "one", "echo")).click()
        context.set_offline(True)
        press(page, "x", "s", "m")
        expect(page.get_by_role("status").first).to_contain_text("Offline · 2 waiting")
        context.set_offline(False)
        all_saved(page)
        one, echo = stored(campaign, 0, "one", "echo")
        assert one == echo
        assert [each.get("prefilled") for each in one["errors"]] == [0, None]
        assert one["errors"][1]["side"] == "source"
        press(page, "j", "j")  # the same words, of which some are proposed as wrong: no twins
        expect(page.locator("article.row")).to_have_count(3)


def test_a_check_is_a_whole_segment_again() -> None:
    outputs = {"A": ["a b c d e f"] * 40, "B": ["g h i j k l"] * 39 + [None]}
    checks = planned_together(outputs, Checks(0.1, 0.1), "seed")
    numbered: dict[int | None, list[str]] = {}
    for check in checks:
        name = ItemName.parse(check.item)
        numbered.setdefault(name.check, []).append(check.kind)
        text = outputs[check.slot][check.segment]
        assert (check.text == text) == (check.kind != "degraded")
    kinds = sorted(map(sorted, numbered.values()))
    assert kinds == [["beside", "degraded"]] * 4 + [["repeat", "repeat"]] * 4
    drawn = [len(planned_together(outputs, Checks(0.01), str(n))) for n in range(300)]
    assert 0.25 < sum(map(bool, drawn)) / 300 < 0.55, "two fifths of a screen, on average"


@pytest.fixture
def judged(tmp_path: Path) -> Iterator[tuple[Path, Store]]:
    """Four systems, one of them the copy of another; ann is milder than bob."""
    steady = next(output for output in SAMPLE.outputs if output.name == "steady")
    collection = replace(SAMPLE, outputs=(*SAMPLE.outputs, replace(steady, name="echo")))
    write_collection(collection, tmp_path / "testset.jsonl", "jsonl")
    plan = Campaign(
        "leases", "testset.jsonl", ("ann", "bob"), ("contrastive",), redundancy=2, seed=3,
        checks=Checks(0.2, 0.2),
    )  # fmt: skip
    write_campaign(plan, tmp_path)
    with closing(open_database(tmp_path / "campaign.db")) as database:
        store = Store(database)
        open_campaign(plan, tmp_path, store)
        answer_all(store, said)
        yield tmp_path, store


def said(task: Task, name: str, slots: Mapping[str, str], item: ItemName) -> dict[str, Any]:
    """A score by the system, the segment and who says it; a check that is spoilt scores lower."""
    checks = {check["item"]: check["kind"] for check in task.content["checks"]}
    score = QUALITY[slots[str(item.slot)]] - item.number % 4 + (5 if name == "ann" else 0)
    if checks.get(str(item)) == "degraded":
        score -= 30
    wrong = {"start": 0, "end": 1, "severity": "minor", "category": None, "missing": False}
    return {"score": score, "errors": [wrong] * (score < 60)}


def test_equal_outputs_are_never_told_apart(judged: tuple[Path, Store]) -> None:
    folder, _ = judged
    command = ["annotate", "results", str(folder), "-o", "json"]
    told = json.loads(CliRunner().invoke(app, command, catch_exceptions=False).stdout)
    standings = {each["system"]: each for each in told["standings"]}
    assert standings["echo"]["score"] == standings["steady"]["score"]
    assert [standings[name]["cluster"] for name in QUALITY] == [1, 1, 2, 3]
    assert standings["echo"]["metric"] == "cesa"
    (pair,) = [p for p in told["results"] if {p["first"], p["second"]} == {"echo", "steady"}]
    assert (pair["difference"], pair["p"]) == (0, 1)
    rates = {each["system"]: each["count"] for each in told["errors"]}
    assert set(rates) == {"tangled"}


def test_checks_are_seen_and_kept_out(judged: tuple[Path, Store]) -> None:
    _, store = judged
    kinds = {answer.check["kind"] for answer in standing_answers(store) if answer.check}
    assert kinds == {"repeat", "degraded", "beside"}
    for person in campaign_overview(store).annotators:
        assert (person.repeat_difference, person.degraded_seen) == (0, 1)
    segments = sum(len(document) for document in SAMPLE.testset.documents)
    assert len(list(exported(store, "esa.jsonl"))) == 2 * 4 * segments


def test_what_was_said_goes_to_other_formats(judged: tuple[Path, Store]) -> None:
    folder, store = judged
    assert "cesa" in write_exchange(store, "mtme", folder / "mtme")
    assert (folder / "mtme" / "human-scores").is_dir()
    told = write_exchange(store, "mqm.tsv", folder / "mqm.tsv")
    marks = [e for a in standing_answers(store) if a.check is None for e in a.value["errors"]]
    assert told.startswith(f"{len(marks)} errors in ")


def test_disputes_are_decided_with_errors(judged: tuple[Path, Store]) -> None:
    folder, store = judged
    place = next(iter(disagreements(store)))
    organiser = next(actor for actor in store.actors() if actor.role == "organiser")
    value = {"score": 11, "errors": []}
    store.save(organiser.id, [Submission("decision", place.task, place.item, 0, value, 9)])
    for name in ("answers.jsonl", "esa.jsonl", "esa.csv", "scores.tsv"):
        path = folder / name
        path.write_text("".join(f"{line}\n" for line in exported(store, name)), "utf-8")
        found = isogloss.read_judgements(str(path), campaign_collection(store))
        assert found.kind == "cesa"
        (decided,) = [item for item in found.items if item.annotator == "organiser"]
        assert (decided.system, decided.score) == (place.system, 11)
