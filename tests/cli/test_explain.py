"""``isogloss explain``, started as a person starts it: from scores, from texts, in every form."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from isogloss.sample import sample_path
from program import run_program

CS = sample_path("cs-en")


def isogloss(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    return run_program(*arguments, **environment)


def succeeded(*arguments: object, **environment: str) -> str:
    done = isogloss(*arguments, **environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def scores(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("explain") / "scores.jsonl"
    succeeded("evaluate", CS, "-m", "chrf,bleu,cohesion", "--save", path, "-q")
    return path


def test_from_saved_scores_and_texts(scores: Path) -> None:
    shown = succeeded("explain", "steady", "tangled", scores, "--testset", CS)
    title, summary, _, first, *_ = shown.splitlines()
    assert title == "steady against tangled · chrf · sample-cs-en, cs → en"
    assert summary.startswith("steady beats tangled by 27.93 chrf (78.89 against 50.95;")
    assert "[1]" in summary
    assert first.startswith("1 The difference")
    numbers = re.findall(r"^(\d+) [A-Z]", shown, re.M)
    assert numbers == [str(number) for number in range(1, len(numbers) + 1)]
    assert set(re.findall(r"\[(\d+)\]", summary)) <= set(numbers)
    assert re.search(r"^together +100% +\+27\.93 +100%$", shown, re.M)
    assert shown.count("\nsource     ") == 10


def test_at_once_from_loose_files_it_says_the_same() -> None:
    texts = [f"{name}={CS / name}.txt" for name in ("steady", "tangled")]
    loose = succeeded(
        *("explain", "steady", "tangled", "-m", "chrf", "-q", "--from", "cs", "--to", "en"),
        *("-s", CS / "source.txt", "-r", CS / "ref.txt", "-d", CS / "documents.tsv"),
        *("-t", texts[0], "-t", texts[1]),
    )
    whole = succeeded("explain", "steady", "tangled", "--testset", CS, "-m", "chrf", "-q")
    assert loose.splitlines()[1] == whole.splitlines()[1]


def test_a_reference_alone_will_do() -> None:
    """No source and no languages: nothing is said of what needs them."""
    shown = succeeded(
        *("explain", "a", "b", "-m", "chrf", "-q", "-r", CS / "ref.txt"),
        *("-t", f"a={CS / 'steady.txt'}", "-t", f"b={CS / 'tangled.txt'}"),
        *("-d", CS / "documents.tsv"),
    )
    assert shown.splitlines()[1].startswith("a beats b by 27.93 chrf")
    assert "\nreference  " in shown
    assert "\nsource " not in shown
    assert "untranslated" not in shown


def test_without_texts_it_says_what_it_lacks(scores: Path) -> None:
    shown = succeeded("explain", "steady", "tangled", scores, "-m", "bleu")
    assert shown.startswith("steady against tangled · bleu")
    assert "note: without the texts nothing is said of lengths, words and passages" in shown
    assert "Domains" in shown
    assert "Passages" not in shown


@pytest.mark.parametrize("columns", [80, 100])
def test_it_fits_the_screen(scores: Path, columns: int) -> None:
    shown = succeeded(
        *("explain", "steady", "tangled", scores, "--testset", CS),
        FORCE_COLOR="1",
        COLUMNS=str(columns),
        TERM="xterm",
    )
    lines = re.sub(r"\x1b\[[0-9;]*m", "", shown).splitlines()
    assert max(map(len, lines)) <= columns
    heads = [line.split() for line in lines if line.lstrip().startswith("text ")]
    assert heads
    assert all(head == ["text", "A", "B", "carries", "interval", "of", "A−B"] for head in heads)


def test_for_programs(scores: Path) -> None:
    told = json.loads(
        succeeded("explain", "steady", "tangled", scores, "--testset", CS, "-o", "json")
    )
    assert told["first"] == "steady"
    assert told["is_real"] is True
    difference = told["test"]["difference"]
    for view in ("domain", "length", "position", "kind", "document"):
        parts = [each["carries"] for each in told["results"] if each["view"] == view]
        assert sum(parts) == pytest.approx(difference, abs=1e-6)
    assert len(told["passages"]) == 10
    assert told["summary"] == " ".join(clause["text"] for clause in told["clauses"])
    rows = succeeded("explain", "steady", "tangled", scores, "-o", "tsv").splitlines()
    assert rows[0].startswith("view\tpart\tunits\tdocuments\tshare")


def test_to_send_around(scores: Path) -> None:
    arguments = ("explain", "steady", "tangled", scores, "--testset", CS, "-o")
    markdown = succeeded(*arguments, "md")
    assert markdown.startswith("## steady against tangled")
    for anchor in set(re.findall(r"\]\(#(\w+)\)", markdown)):
        assert f'<a id="{anchor}"></a>' in markdown
    page = succeeded(*arguments, "html")
    assert page.startswith("<!doctype html>")
    linked = set(re.findall(r'href="#(\w+)"', page))
    assert linked
    assert linked <= set(re.findall(r'<section id="(\w+)"', page))
    assert '<mark class="right">' in page
    assert "<script" not in page


def test_texts_stay_texts_on_the_page(tmp_path: Path) -> None:
    lines = {"s": "Ahoj <b>svete</b> & vy", "r": "Hello <b>world</b> & you"}
    lines |= {"a": "Hello <b>world</b> & you", "b": "<img src=x> nobody & you"}
    for name, line in lines.items():
        (tmp_path / name).write_text(f"{line}\n" * 8, encoding="utf-8")
    files = [tmp_path / name for name in "srab"]
    page = succeeded(
        *("explain", "a", "b", "-s", files[0], "-r", files[1], "-t", files[2], "-t", files[3]),
        *("-m", "chrf", "-q", "-o", "html"),
    )
    assert "<img" not in page
    assert "&lt;" in page


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("steady", "nobody"), "there are no scores of 'nobody'; there are: steady"),
        (("steady", "steady"), "'steady' is compared with itself"),
        (("steady", "tangled", "-m", "ter"), "has no scores of 'ter'|no scores of metric 'ter'"),
        (("steady", "tangled", "--human", "mqm"), "name the test set with --testset"),
        (("steady", "tangled", "--stored"), "--stored takes scores that lie beside a test set"),
    ],
)
def test_mistakes_are_told_in_a_line(scores: Path, arguments: tuple[str, ...], told: str) -> None:
    first, second, *options = arguments
    done = isogloss("explain", first, second, scores, *options)
    assert done.returncode == 2
    assert re.search(told, done.stderr)
    assert len(done.stderr.strip().splitlines()) == 1


def test_nothing_to_read_is_told() -> None:
    done = isogloss("explain", "a", "b")
    assert done.returncode == 2
    assert "there are no scores and no texts" in done.stderr
