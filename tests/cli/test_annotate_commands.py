"""``isogloss annotate``: a campaign from its folder to its exports, through the program itself."""

import json
import re
import shlex
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.error import URLError

import httpx
import pytest

from isogloss.formats import read_collection, read_judgements, write_collection
from isogloss.sample import load_sample, sample_path
from program import run_program, started_program
from report.made_reports import parts_of

ROOT = Path(__file__).parents[2]


def isogloss(*arguments: object) -> subprocess.CompletedProcess[str]:
    return run_program(*arguments)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    into = tmp_path / "campaign"
    testset = sample_path("cs-en")
    made = isogloss("annotate", "init", testset, "--into", into, "-a", "ann,bob", "--phases", "da")
    assert made.returncode == 0, made.stderr
    return into


@contextmanager
def served(folder: Path, *options: str) -> Iterator[str]:
    """The server's own words, up to its address."""
    words = ("annotate", "serve", folder, "--port", 0, *options)
    with started_program(*words) as (process, lines):
        said = ""
        for line in lines:
            said += line
            if "serving at" in line:
                break
        try:
            yield said
        finally:
            process.terminate()


def fetched(url: str) -> str:
    for _ in range(50):
        try:
            with urllib.request.urlopen(url) as response:  # noqa: S310  (our own server)
                return str(response.read().decode())
        except URLError:
            time.sleep(0.1)
    raise AssertionError(f"{url} does not answer")


def test_a_campaign_is_served_kept_and_exported(folder: Path, tmp_path: Path) -> None:
    with served(folder) as said:
        links = re.findall(r"http://127\.0\.0\.1:\d+/a/[\w-]{43}", said)
        assert len(links) == 3
        assert "Go on to the campaign" in fetched(links[1])
    with served(folder) as said:
        assert "the one they were given" in said
    assert isogloss("annotate", "verify", folder).stderr.endswith("0 events, 0 faults\n")
    assert isogloss("annotate", "export", folder, "scores.tsv").stdout.startswith("annotator\t")
    assert "there are: events.jsonl" in isogloss("annotate", "export", folder, "all").stderr
    people = json.loads(isogloss("annotate", "agreement", folder, "-o", "json").stdout)
    assert [each["name"] for each in people["annotators"]] == ["ann", "bob"]
    copy = tmp_path / "copy.db"
    assert isogloss("annotate", "backup", folder, copy).returncode == 0
    assert copy.stat().st_size > 10_000
    assert "already" in isogloss("annotate", "backup", folder, copy).stderr


def test_markables_are_proposed_when_a_campaign_that_wants_them_opens(tmp_path: Path) -> None:
    into = tmp_path / "campaign"
    asked = ("--into", into, "-a", "ann", "--propose", 3)
    made = isogloss("annotate", "init", sample_path("cs-en"), *asked)
    assert made.returncode == 0, made.stderr
    with served(into) as said:
        proposed = re.search(r"(\d+) markables are proposed", said)
        assert proposed is not None, said
        assert said.index("/a/") < proposed.start(), "links come first: they are told once"
    listed = isogloss("annotate", "export", into, "events.jsonl").stdout.splitlines()
    assert len(listed) == int(proposed[1])
    assert all("proposed: rendered as" in line for line in listed)
    with served(into) as said:
        assert "proposed" not in said


def test_mistakes_are_told_in_one_line(folder: Path, tmp_path: Path) -> None:
    again = isogloss("annotate", "init", folder / "none", "--into", folder, "-a", "x")
    assert again.returncode == 2
    missing = isogloss("annotate", "serve", tmp_path / "nowhere")
    assert missing.returncode == 2
    assert "isogloss annotate init" in missing.stderr
    assert len(missing.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--systems", "steady,nobody"], "there is no system 'nobody'"),
        (["--documents", "news-99"], "news-99"),
        (["--domains", "poetry"], "poetry"),
        (["--scale", "50: half,20: little"], "the numbers must rise"),
        (["--scale", "a lot"], "write a number from 0 to 100 and what it means"),
        (["--phases", "da,guesses"], "there is no phase 'guesses'"),
        (["--redundancy", "3"], "of the 2 annotators"),
    ],
)
def test_what_cannot_be_judged_is_refused_before_a_campaign_is_made(
    tmp_path: Path, options: list[str], said: str
) -> None:
    into = tmp_path / "study"
    told = isogloss(
        "annotate", "init", sample_path("cs-en"), "--into", into, "-a", "ann,bob", *options
    )
    assert told.returncode == 2
    assert said in told.stderr
    assert len(told.stderr.splitlines()) == 1
    assert not into.exists()


def test_the_sample_is_tried_by_its_name(tmp_path: Path) -> None:
    made = isogloss("annotate", "init", "sample-cs-en", "--into", tmp_path / "c", "-a", "ann")
    assert made.returncode == 0, made.stderr
    shown = isogloss("annotate", "preview", tmp_path / "c", "-o", "json")
    assert "lease-flat" in shown.stdout
    unknown = isogloss("annotate", "init", "sample-xx", "--into", tmp_path / "d", "-a", "ann")
    assert unknown.returncode == 2


def test_a_test_set_without_systems_asks_nothing(tmp_path: Path) -> None:
    alone = tmp_path / "alone.jsonl"
    collection = read_collection(sample_path("cs-en"))
    write_collection(replace(collection, outputs=()), alone, "jsonl")
    told = isogloss("annotate", "init", alone, "--into", tmp_path / "c", "-a", "ann")
    assert told.returncode == 2
    assert "has no system to judge" in told.stderr


def test_an_export_that_is_none_is_told_what_there_is(folder: Path) -> None:
    with served(folder):
        pass
    told = isogloss("annotate", "export", folder, "mqm")
    assert told.returncode == 2
    assert "mtme (with --to), mqm.tsv (with --to)" in told.stderr


def test_a_busy_port_loses_no_links(folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as busy:
        port = busy.getsockname()[1]
        refused = isogloss("annotate", "serve", folder, "--port", port)
    assert refused.returncode == 2
    assert "choose another (--port)" in refused.stderr
    assert "/a/" not in refused.stdout
    with served(folder) as said:
        assert len(re.findall(r"/a/[\w-]{43}", said)) == 3, "it was not opened before"


def test_a_campaign_that_was_killed_while_it_opened_opens(folder: Path) -> None:
    words = [sys.executable, "-m", "isogloss", "annotate", "serve", str(folder), "--port", "0"]
    quiet = subprocess.DEVNULL
    with subprocess.Popen(words, stdout=quiet, stderr=quiet) as process:
        while not (folder / "campaign.db").exists() and process.poll() is None:
            time.sleep(0.001)
        process.kill()
    with served(folder, "--new-links") as said:
        assert len(re.findall(r"/a/[\w-]{43}", said)) == 3
    assert isogloss("annotate", "verify", folder).returncode == 0


def test_no_annotator_can_be_the_organiser(tmp_path: Path) -> None:
    said = isogloss(
        "annotate", "init", sample_path("cs-en"), "--into", tmp_path / "c", "-a", "ann,organiser"
    )
    assert said.returncode == 2
    assert "no annotator can be called 'organiser'" in said.stderr
    assert not (tmp_path / "c").exists()


def test_links_begin_with_the_public_address(folder: Path) -> None:
    options = ("--public-url", "https://campaign.example.org/", "--trusted-proxy", "127.0.0.1")
    with served(folder, *options) as said:
        links = re.findall(r"https://campaign\.example\.org/a/[\w-]{43}", said)
        assert len(links) == 3
        here = re.search(r"serving at (http://\S+);", said)
        assert here is not None
        request = urllib.request.Request(f"{here[1]}{links[1][28:]}")  # noqa: S310
        with urllib.request.urlopen(request) as response:  # noqa: S310
            assert "; Secure" in response.headers["set-cookie"]
    wrong = isogloss("annotate", "serve", folder, "--trusted-proxy", "*")
    assert (wrong.returncode, len(wrong.stderr.splitlines())) == (2, 1)


def test_what_is_no_campaign_is_neither_verified_nor_copied(folder: Path, tmp_path: Path) -> None:
    database, copy = folder / "campaign.db", tmp_path / "copy.db"

    def refused(*command: object) -> str:
        said = isogloss("annotate", *command)
        assert (said.returncode, len(said.stderr.splitlines())) == (2, 1), said.stderr
        return said.stderr

    assert "no such database" in refused("verify", folder)
    assert not database.exists()
    database.touch()
    assert "is empty" in refused("verify", folder)
    assert "is empty" in refused("backup", folder, copy)
    make_foreign(database)
    assert "no campaign's database" in refused("verify", folder)
    assert not copy.exists()


def make_foreign(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE bookmarks (url TEXT)")
    connection.close()


def test_damage_is_told_and_not_copied(folder: Path, tmp_path: Path) -> None:
    with served(folder):
        pass
    connection = sqlite3.connect(folder / "campaign.db")
    connection.execute("UPDATE texts SET content = replace(content, 'a', 'b')")
    connection.commit()
    connection.close()
    said = isogloss("annotate", "verify", folder)
    assert said.returncode == 1
    assert "texts: not what was written (its digest differs); restore a backup" in said.stderr
    assert said.stderr.endswith("1 fault\n")
    copied = isogloss("annotate", "backup", folder, tmp_path / "copy.db")
    assert copied.returncode == 2
    assert "no backup was made" in copied.stderr
    assert not (tmp_path / "copy.db").exists()


# --- from a campaign to metrics ------------------------------------------------------------------


def test_the_page_leads_from_a_campaign_to_metrics(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The commands of the documentation, with people at the server while it is served."""
    page = (ROOT / "docs" / "annotation.md").read_text(encoding="utf-8")
    section = page.partition("## From a campaign to metrics")[2]
    commands = section.partition("```console\n")[2].partition("```")[0].splitlines()
    assert len(commands) == 7
    monkeypatch.chdir(tmp_path)
    copy_sample(tmp_path)
    shown = {}
    for command in commands:
        words = shlex.split(command)[1:]
        if words[1] == "serve":
            with served(Path(words[2])) as said:
                given = sum(map(answer_everything, re.findall(r"http://\S+/a/[\w-]{43}", said)[1:]))
            continue
        done = isogloss(*words)
        assert done.returncode == 0, (command, done.stderr)
        shown[words[0]] = done.stdout
    collection = load_sample("cs-en")
    judged = read_judgements("answers.jsonl", collection)
    assert (judged.kind, judged.annotators) == ("esa", ("ann", "bob"))
    assert len(judged.items) == given == 2 * 3 * collection.testset.segment_count
    assert "esa" in shown["metaeval"]
    assert "hybrid(a=bleu,b=chrf" in shown["tune"]
    people = parts_of((tmp_path / "report.html").read_text(encoding="utf-8"))["overview"]["people"]
    assert (people["kind"], people["annotators"]) == ("esa", 2)


def copy_sample(folder: Path) -> None:
    for file in sample_path("cs-en").iterdir():
        (folder / file.name).write_bytes(file.read_bytes())


def answer_everything(link: str) -> int:
    """Somebody scores every translation by the words it shares with the reference; how many."""
    testset = load_sample("cs-en").testset
    lines = {
        document.id: next(iter(document.references.values())) for document in testset.documents
    }
    address = link.partition("/a/")[0]
    answered = 0
    with httpx.Client(base_url=address, headers={"Origin": address}) as browser:
        assert browser.get(link).status_code == 200
        for listed in browser.get("/api/me").json()["tasks"]:
            task = browser.get(f"/api/tasks/{listed['id']}").json()
            answers = [answer(task, item, lines[task["document"]]) for item in task["items"]]
            sent = browser.post("/api/answers", json={"answers": answers})
            assert sent.status_code == 200, sent.text
            answered += sum("~" not in each["item"] for each in answers)  # checks are nobody's
    return answered


def answer(task: dict[str, Any], item: str, reference: Sequence[str | None]) -> dict[str, Any]:
    number, slot = item.removeprefix("seg:").partition("~")[0].split("/")
    said, wanted = (
        set(str(text).split())
        for text in (task["outputs"][slot][int(number)], reference[int(number)])
    )
    score = round(100 * len(said & wanted) / len(said | wanted))
    errors = [{"start": 0, "end": 1, "severity": "minor"}] if score < 50 else []
    key = f"{task['id']}-{item}".translate(str.maketrans(":/~", "---"))
    value = {"score": score, "errors": errors}
    return {"key": key, "task": task["id"], "item": item, "revision": 0, "at": 1, "value": value}
