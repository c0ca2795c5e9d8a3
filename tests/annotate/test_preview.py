"""The work as it will be: the same as what is given out, and nothing of it kept; batches, order."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import expect
from typer.testing import CliRunner

from annotate.browsing import Computer, entered, press
from annotate.campaigning import TEXTS
from annotate.served_campaigns import LEASE, served
from chromium import serious
from isogloss.annotate import Campaign, Store, open_campaign, planned_work, read_campaign
from isogloss.annotate.campaign import Checks, changed_settings
from isogloss.annotate.checks import planned
from isogloss.annotate.items import DocumentText
from isogloss.annotate.launch import opened
from isogloss.annotate.storage.database import open_database
from isogloss.cli.main import app
from isogloss.errors import InputError
from isogloss.sample import sample_path

INIT = ["annotate", "init", str(sample_path("cs-en")), "-a", "ann,bob", "--phases", "da,spans"]
MORE = ["--batch", "3", "--order", "testset", "--seed", "7", "--tutorial", "sample"]


def run(*words: object) -> str:
    result = CliRunner().invoke(app, [*map(str, words)])
    assert result.exit_code == 0, result.output
    return result.output


def test_a_dry_run_makes_nothing_and_tells_all(tmp_path: Path) -> None:
    into = tmp_path / "study"
    told = run(*INIT, *MORE, "--into", into, "--dry-run")
    assert not into.exists()
    assert "The work of ann, in its order" in told
    assert "leaflet-ointment" in told
    run(*INIT, *MORE, "--into", into)
    assert run("annotate", "preview", into) == told, "the same seed, the same work"
    assert not (into / "campaign.db").exists()


def test_a_preview_is_what_is_given_out(tmp_path: Path) -> None:
    into = tmp_path / "study"
    run(*INIT, *MORE, "--into", into)
    rows = json.loads(run("annotate", "preview", into, "--annotator", "bob", "-o", "json"))[
        "results"
    ]
    store = Store(open_database(into / "campaign.db"))
    open_campaign(read_campaign(into), into, store)
    found = [task for task in planned_work(store, 3) if task.annotator == "bob"]
    same = ("phase", "batch", "document", "screens", "questions", "checks")
    assert [[row[name] for name in same] for row in rows] == [
        [getattr(task, name) for name in same] for task in found
    ]
    order = [task.document for task in found if task.phase == "da"]
    assert order == [d for d in store.documents() if d in order], "as in the test set"
    assert [task.batch for task in found if task.phase == "da"] == [1, 1, 1, 2]
    da = [row for row in rows if row["phase"] == "da"]
    assert da[0]["hours"] == pytest.approx(da[0]["questions"] * 28 / 3600)
    assert [row["hours"] for row in rows if row["phase"] == "spans"] == [None] * 4
    store.database.close()


def test_pages_of_a_preview_can_be_clicked_through(computer: Computer, tmp_path: Path) -> None:
    into = tmp_path / "study"
    run(*INIT, *MORE, "--into", into)
    words = [sys.executable, "-m", "isogloss", "annotate", "preview", str(into)]
    process = subprocess.Popen(
        [*words, "--annotator", "ann", "--pages"], stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    said = ""
    for line in process.stdout:
        said += line
        if "Ctrl-C ends" in line:
            break
    try:
        page = computer().new_page()
        page.goto(next(w for w in said.split("ann: ")[1].split() if w.startswith("http")))
        page.wait_for_selector("html[data-ready]")
        expect(page.get_by_text("Preview: nothing is kept")).to_be_visible()
        page.get_by_role("link", name="Begin", exact=True).click()
        page.wait_for_selector(".workbench")
        press(page, "7", "5", "h")
        expect(page.get_by_role("link", name="Go on where you stopped")).to_be_visible()
        assert serious(page) == []
        assert page.evaluate("navigator.serviceWorker.getRegistrations().then(a => a.length)") == 0
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(20)
        process.stdout.close()
    assert sorted(path.name for path in into.iterdir()) == ["campaign.toml", "guidelines.md"]


def test_a_break_comes_after_a_batch(computer: Computer, tmp_path: Path) -> None:
    texts = [DocumentText(f"d{n}", LEASE.source[:1], {"one": ["He pays."]}) for n in range(3)]
    with served(tmp_path, ["da"], texts, batch=2, order="testset") as campaign:
        page = entered(computer(), campaign)
        page.set_viewport_size({"width": 390, "height": 844})
        expect(page.get_by_role("heading", name="Batch")).to_have_text(
            ["Batch 1 of 2", "Batch 2 of 2"]
        )
        page.get_by_role("link", name="Begin", exact=True).click()
        for title, rest in (("d0", False), ("d1", True)):
            expect(page.get_by_role("heading", level=1)).to_have_text(title)
            press(page, "5", "Enter")
            break_ = page.get_by_text("Batch 1 of 2 is done: a good moment for a break.")
            expect(page.get_by_text("Everything in this task is answered.")).to_be_visible()
            expect(break_).to_have_count(int(rest))
            assert page.evaluate("document.documentElement.scrollWidth") <= 390
            if not rest:
                page.get_by_role("link", name="Next task").click()
        press(page, "h")
        expect(page.get_by_role("heading", name="Batch").first).to_have_text("Batch 1 of 2 · done")


def test_settings_are_frozen_and_wrong_ones_are_refused(tmp_path: Path) -> None:
    plan = Campaign("x", "t", ("ann",), ("da",), batch=3)
    store = Store(open_database(tmp_path / "c.db"))
    opened(plan, TEXTS, "", store)
    for name, value in (
        ("batch", 4),
        ("order", "testset"),
        ("tutorial", "sample"),
        ("pass_mark", 0.5),
        ("tries", 2),
    ):
        said = {"batch": 3, name: value}
        changed = Campaign("x", "t", ("ann",), ("da",), **said)  # type: ignore[arg-type]
        assert changed_settings(changed, store.fact("campaign")) == [name]
    store.database.close()
    for wrong in ({"batch": -1}, {"order": "size"}, {"pass_mark": 0.0}, {"tries": -1}):
        with pytest.raises(InputError, match=next(iter(wrong))):
            Campaign("x", "t", ("ann",), ("da",), **wrong)  # type: ignore[arg-type]


def test_short_documents_have_checks_now_and_then() -> None:
    outputs = {"A": ["One two three four."] * 5, "B": ["Five six seven eight."] * 5}
    found = [len(planned(outputs, Checks(0.03, 0.03), str(n))) for n in range(2000)]
    assert sum(found) / 2000 == pytest.approx(2 * 10 * 0.03, abs=0.06)
    assert set(found) == {0, 1, 2}
