"""``isogloss annotate``: a campaign from its folder to its exports, through the program itself."""

import json
import re
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError

import pytest

from isogloss.sample import sample_path


def isogloss(*arguments: object) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-m", "isogloss", *map(str, arguments)]
    return subprocess.run(words, capture_output=True, text=True, check=False)


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
    words = [sys.executable, "-m", "isogloss", "annotate", "serve", str(folder), "--port", "0"]
    process = subprocess.Popen(
        [*words, *options], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert process.stdout is not None
    said = ""
    for line in process.stdout:
        said += line
        if "serving at" in line:
            break
    try:
        yield said
    finally:
        process.terminate()
        process.wait(10)
        process.stdout.close()


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
