"""``isogloss annotate people``, ``enrol``, ``extend``, ``close`` ...: the program itself."""

import json
import re
from pathlib import Path

import httpx
import pytest

from cli.test_annotate_commands import isogloss, served
from isogloss.sample import sample_path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A campaign that was served once."""
    into = tmp_path / "campaign"
    made = isogloss("annotate", "init", sample_path("cs-en"), "--into", into, "-a", "ann,bob",
                    "--phases", "da")  # fmt: skip
    assert made.returncode == 0, made.stderr
    with served(into):
        pass
    return into


def said(*command: object) -> str:
    done = isogloss("annotate", *command)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def refused(*command: object) -> str:
    done = isogloss("annotate", *command)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1), done.stderr
    return done.stderr


def test_people_come_go_and_take_over(folder: Path) -> None:
    added = said("people", "add", folder, "cyd")
    assert re.search(r"http://127\.0\.0\.1:\d+/a/[\w-]{43}", added)
    assert "takes over" in added
    said("people", "add", folder, "eva", "--role", "observer", "--nameless")
    assert "withdrawn" in said("people", "withdraw", folder, "bob", "--to", "cyd")
    listed = {
        each["name"]: each
        for each in json.loads(said("people", "list", folder, "-o", "json"))["results"]
    }
    assert listed["bob"] == {
        "name": "bob", "role": "annotator", "state": "withdrawn", "done": 0, "total": 0, "late": 0,
    }  # fmt: skip
    assert listed["ann"]["total"] + listed["cyd"]["total"] > 100
    assert "gave out" in said("extend", folder, "--redundancy", "2")
    assert "shown this once" in said("people", "link", folder, "bob")
    for wrong in (
        ("people", "withdraw", folder, "organiser"),
        ("people", "add", folder, "cyd"),
        ("people", "reassign", folder, "ann", "--to", "eva"),
        ("people", "link", folder, "nobody"),
        ("extend", folder, "--redundancy", "9"),
        ("extend", folder, "-d", "none-such"),
        ("extend", folder),
        ("enrol", folder),
    ):
        assert refused(*wrong)
    assert "0 faults" in said("verify", folder)


def test_a_campaign_closes_and_opens_again(folder: Path) -> None:
    assert "closed" in said("close", folder)
    assert "already" in said("close", folder)
    assert said("late", folder) == ""
    assert "again" in said("reopen", folder)
    assert "0 answers taken in" in said("late", folder, "--take")
    assert "0 faults" in said("verify", folder)


def test_a_crowd_enrols_at_several_campaigns_on_one_server(folder: Path, tmp_path: Path) -> None:
    crowd = tmp_path / "crowd"
    said("init", sample_path("cs-en"), "--into", crowd, "--phases", "da", "--redundancy", "2")
    with served(tmp_path) as told:
        assert "/c/crowd/a/" in told
        enrolment = said("enrol", crowd, "--places", "2", "--items", "5", "--id", "PID")
        link = re.search(r"http://\S+/c/crowd/e/[\w-]+", enrolment)
        assert link is not None, enrolment
        address = link[0].partition("/c/")[0]
        with httpx.Client(base_url=address, headers={"Origin": address}) as browser:
            assert browser.get(link[0]).status_code == 200
            body = {"token": link[0].rpartition("/")[2], "platform": "w1"}
            assert browser.post("/c/crowd/api/enrol", json=body).status_code == 200
            assert browser.get("/c/crowd/api/me").json()["enrolled"]
    (found,) = json.loads(said("enrol", crowd, "-o", "json"))["results"]
    assert (found["name"], found["platform"], found["state"]) == ("p001", "w1", "at work")
    assert "nobody else" in said("enrol", crowd, "--stop")
