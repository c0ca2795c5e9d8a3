"""Repeated words from 'chains extract' to 'chains agree', judged at real browsers in between."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from typer.testing import CliRunner

from annotate.browsing import Computer, all_saved, at_task, entered, press
from annotate.served_campaigns import CHAINS, LEASE, Served, running
from chromium import serious
from isogloss.annotate import Store, campaign_database, open_campaign, read_campaign
from isogloss.annotate.items import chain_contents
from isogloss.cli.main import app
from isogloss.errors import InputError
from isogloss.metrics.consistency import Chain, read_chains

SOURCE = ["医生 说 诊所", "诊所 医生 好"] * 6
REFERENCE = ["doctor says clinic", "clinic doctor good"] * 6
MANIFEST = """\
name = "clinic"
source_language = "zh"
target_language = "en"
source = "source.txt"
documents = "documents.txt"
references = {ref = "ref.txt"}
"""


def isogloss(*words: object) -> str:
    result = CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A test set without systems, its chains, and a campaign that asks about them."""
    documents = ["a"] * 6 + ["b"] * 6
    for name, lines in (("source", SOURCE), ("ref", REFERENCE), ("documents", documents)):
        (tmp_path / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    testset = tmp_path / "testset.toml"
    testset.write_text(MANIFEST, encoding="utf-8")
    chains = tmp_path / "chains"
    spaces = ("--source-words", "space", "--target-words", "space")
    isogloss("chains", "extract", testset, chains, *spaces)
    into = tmp_path / "campaign"
    plan = ("--phases", "consistency", "--chains", chains, "--redundancy", 2)
    isogloss("annotate", "init", testset, "--into", into, "-a", "ann,bob", *plan)
    return into


@pytest.fixture
def campaign(folder: Path) -> Iterator[Served]:
    plan = read_campaign(folder)
    store = Store(campaign_database(plan, folder, new=True))
    with running(store, open_campaign(plan, folder, store)) as served:
        yield served
    store.database.close()


def chains_of(document: str, folder: Path) -> list[Chain]:
    found = read_chains(folder.parent / "chains" / "chains.jsonl")
    return [chain for chain in found if chain.document == document]


def judge(page: Page, keys: list[list[str]]) -> None:
    """All words of a document: the keys of each; then the page says that this is all."""
    for each in keys:
        press(page, *each)
    press(page, "Enter")
    expect(page.get_by_text("Everything in this task is answered.")).to_be_visible()
    all_saved(page)


def test_repeated_words_from_extraction_to_agreement(
    folder: Path, campaign: Served, computer: Computer, tmp_path: Path
) -> None:
    document = campaign.task("consistency", "ann").document
    chains = chains_of(document, folder)
    assert len(chains) > 2
    ann = at_task(computer(), campaign, "consistency", "ann")
    expect(ann.locator(".chain .places > li")).to_have_count(len(chains[0].items))
    expect(ann.locator(".chain .places .context mark").first).to_have_text(chains[0].translation)
    judge(ann, [["1", "3", "j"], *[["y"]] * (len(chains) - 1)])
    expect(ann.get_by_role("checkbox", name="May differ at place 3")).not_to_be_checked()
    press(ann, *"k" * (len(chains) - 1))
    expect(ann.get_by_role("checkbox", name="May differ at place 3")).to_be_checked()
    assert serious(ann) == []
    bob = entered(computer(), campaign, "bob")
    own = campaign.store.tasks_of(campaign.actor("bob").id)
    task = next(task for task in own if task.document == document)
    bob.goto(f"{campaign.address}/#/task/{task.id}")
    bob.wait_for_selector(".workbench")
    judge(bob, [["n"], *[["y"]] * (len(chains) - 2), ["i"]])
    decided_and_exported(folder, campaign, computer, tmp_path, chains)


def decided_and_exported(
    folder: Path, campaign: Served, computer: Computer, out: Path, chains: list[Chain]
) -> None:
    """Only on the first word do ann and bob disagree; on the last, bob has no opinion."""
    first, last, number = chains[0], chains[-1], len(chains)
    files = {who: out / f"{who}.jsonl" for who in ("ann", "bob")}
    for who, path in files.items():
        isogloss("annotate", "export", folder, f"consistency-{who}.jsonl", "--to", path)
    given = {who: answers(path) for who, path in files.items()}
    assert given["ann"][first.id] == [0, 2]
    assert given["bob"][first.id] == list(range(len(first.items)))
    assert (len(given["ann"]), len(given["bob"])) == (number, number - 1)
    where = folder.parent / "chains" / "chains.jsonl"
    shown = json.loads(isogloss("chains", "agree", where, *files.values(), "-o", "json"))
    items = next(r for r in shown["results"] if r["unit"] == "items")
    assert items["judged"] == sum(len(chain.items) for chain in chains[:-1])
    assert items["FN"] == len(first.items) - 2  # ann wants them alike, bob does not
    assert items["FP"] == 0
    assert first.id not in answers_of(folder, out)
    assert answers_of(folder, out)[last.id] == []
    office = entered(computer(), campaign, "organiser")
    expect(office.get_by_role("link", name="consistency-bob.jsonl")).to_be_visible()
    office.get_by_role("link", name="Disagreements", exact=True).click()
    expect(office.locator("article.dispute").first).to_contain_text("may differ at place 1, 3")
    press(office, "1")
    expect(office.get_by_role("status")).to_contain_text("1 of 2 decided")
    assert answers_of(folder, out)[first.id] == [0, 2]
    decided = out / "decided.jsonl"
    table = json.loads(isogloss("chains", "stats", where, "--answers", decided, "-o", "json"))
    size = {r["class"]: r["count"] for r in table["results"] if r["table"] == "size"}
    assert size["chains"] == number
    assert size["items"] == sum(len(chain.items) for chain in chains) - 2


def answers(path: Path) -> dict[str, Any]:
    records = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return {record["chain"]: record["flexible"] for record in records}


def answers_of(folder: Path, out: Path) -> dict[str, Any]:
    isogloss("annotate", "export", folder, "consistency.jsonl", "--to", out / "decided.jsonl")
    return answers(out / "decided.jsonl")


def test_chains_of_another_text_are_refused() -> None:
    contents = chain_contents(CHAINS, [LEASE])
    assert contents["lease"]["items"] == ["chain:0"]
    with pytest.raises(InputError, match="no document 'lease'"):
        chain_contents(CHAINS, [])
    other = [f"{text} " for text in LEASE.source]
    changed = type(LEASE)("lease", other, LEASE.outputs)
    with pytest.raises(InputError, match="another text: segment 1"):
        chain_contents(CHAINS, [changed])


def test_an_answer_about_places_that_are_not_there_is_refused(
    campaign: Served, computer: Computer
) -> None:
    page = entered(computer(), campaign, "ann")
    task = campaign.task("consistency", "ann")
    value = {"same": False, "flexible": [999]}
    answer = {"key": "beyond-1", "task": task.id, "item": "chain:0", "revision": 0, "at": 1}
    sent = page.request.post(
        f"{campaign.address}/api/answers",
        data={"answers": [{**answer, "value": value}]},
        headers={"Origin": campaign.address},
    )
    assert sent.status == 422
    assert "places" in sent.json()["receipts"][0]["refused"]
