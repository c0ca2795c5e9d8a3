"""The documentation is true: its Python runs, its commands run, its tables are complete."""

import os
import re
import runpy
import shlex
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from isogloss.formats import known_formats
from isogloss.metrics.registry import BUILT_IN
from isogloss.sample import sample_path
from program import run_program

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_python_in_the_pages_runs(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for block in blocks(page, "python"):
        exec(compile(block, str(page), "exec"), {"__name__": "example"})  # noqa: S102


def test_the_readmes_example_shows_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (example,) = blocks(ROOT / "README.md", "python")
    exec(compile(example, "README.md", "exec"), {})  # noqa: S102
    shown = capsys.readouterr().out
    assert "steady comes first: ahead of all others on both bleu and chrf(word_order=2)" in shown
    assert "steady    63.30  [57.87, 68.73]        1" in shown
    assert (tmp_path / "scores.jsonl.zst").exists()


def test_the_readmes_table_is_what_the_demo_prints() -> None:
    (table,) = blocks(ROOT / "README.md", "text")
    shown = run_program("evaluate", sample_path("cs-en")).stdout
    answer, said = shown.splitlines()[:6], table.splitlines()
    assert " ".join(said).split() == " ".join(answer).split()
    assert said[-4:] == answer[-4:]  # only the sentence is folded


def test_the_readmes_commands_run(tmp_path: Path) -> None:
    """The files that the commands speak of are made from the sample."""
    sample = sample_path("cs-en")
    names = {"source.txt": "source.txt", "ref.txt": "ref.txt", "a.txt": "steady.txt"}
    names |= {"b.txt": "tangled.txt", "docs.tsv": "documents.tsv"}
    for ours, theirs in names.items():
        (tmp_path / ours).write_bytes((sample / theirs).read_bytes())
    text = (sample / "testset.toml").read_text(encoding="utf-8")
    for file in sample.iterdir():
        text = text.replace(f'"{file.name}"', f'"{file}"')
    (tmp_path / "testset.toml").write_text(text, encoding="utf-8")
    commands = [
        line
        for block in blocks(ROOT / "README.md", "console")
        for line in block.splitlines()
        if line.startswith("isogloss ")
    ]
    assert len(commands) >= 5
    for command in commands:
        words = command.partition(" > ")[0]
        done = run_program(*shlex.split(words)[1:], folder=tmp_path)
        assert done.returncode == 0, (command, done.stderr)


def test_what_the_page_of_tasks_says_is_so(tmp_path: Path) -> None:
    """Every line that a command is said to print; one command needs WMT's data."""
    sample, page = sample_path("cs-en"), ROOT / "docs" / "tasks.md"
    for file in sample.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    for ours, theirs in {"a": "steady.txt", "b": "tangled.txt", "docs": "documents.tsv"}.items():
        suffix = Path(theirs).suffix
        (tmp_path / f"{ours}{suffix}").write_bytes((sample / theirs).read_bytes())
    rows = blocks(ROOT / "docs" / "whole-documents.md", "json")
    for name, row in zip(("source", "a", "b"), rows, strict=False):
        (tmp_path / f"{name}.jsonl").write_text(row, encoding="utf-8")
    pattern = r"^```console\n(.*?)^```\n\n(?:^```text\n(.*?)^```)?"
    pairs = re.findall(pattern, page.read_text(encoding="utf-8"), re.M | re.S)
    assert len(pairs) == 5
    for command, said in pairs:
        if "wmt23" in command:
            continue
        done = run_program(*shlex.split(command)[1:], folder=tmp_path)
        assert done.returncode == 0, (command, done.stderr)
        shown = [line.rstrip() for line in done.stdout.splitlines()]
        assert [line for line in said.splitlines() if line not in shown] == [], command


def test_what_the_page_on_whole_documents_says_is_so(tmp_path: Path) -> None:
    page = ROOT / "docs" / "whole-documents.md"
    *files, line = blocks(page, "json")
    for name, row in zip(("source", "a", "b"), files, strict=True):
        (tmp_path / f"{name}.jsonl").write_text(row, encoding="utf-8")
    shown = {}
    for command in "".join(blocks(page, "console")).splitlines():
        words = shlex.split(command.partition(" > ")[0], comments=True)
        done = run_program(*words[1:], folder=tmp_path)
        assert done.returncode == 0, (command, done.stderr)
        shown[shlex.join(words)] = [each.rstrip() for each in done.stdout.splitlines()]
    assert line.strip() in shown["isogloss segment -s source.jsonl -t a.jsonl -o jsonl"]
    found = blocks(page, "text")[0].splitlines()
    assert shown["isogloss segment -s source.jsonl -t a.jsonl -t b.jsonl"][-len(found) :] == found


def test_every_metric_and_format_is_described() -> None:
    metrics = (ROOT / "docs" / "metrics.md").read_text(encoding="utf-8")
    formats = (ROOT / "docs" / "test-sets.md").read_text(encoding="utf-8")
    assert [e.name for e in BUILT_IN if f"| `{e.name}` |" not in metrics] == []
    assert [f.name for f in known_formats() if f"`{f.name}`" not in formats] == []


def test_the_command_line_page_is_current() -> None:
    made = runpy.run_path(str(ROOT / "docs" / "make_command_line.py"))
    current = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
    assert made["page"]() == current, "run 'make docs'"
    manual = (ROOT / "docs" / "isogloss.1").read_text(encoding="utf-8")
    assert made["manual"]() == manual, "run 'make docs'"


@pytest.mark.skipif(shutil.which("groff") is None, reason="there is no groff here")
def test_the_manual_page_is_read_without_a_warning() -> None:
    page = str(ROOT / "docs" / "isogloss.1")
    command = ["groff", "-man", "-Kutf8", "-Tutf8", "-ww", "-rLL=78n", page]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8")
    assert done.stderr == ""
    text = re.sub(r"\x1b\[[0-9;]*m|.\x08", "", done.stdout)
    assert "isogloss evaluate -s src.txt -r ref.txt" in text
    assert re.search(r"-m, --metrics|--metrics, -m", text)


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CONTRIBUTING.md"], ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text(encoding="utf-8")):
        if not target.startswith("http"):
            assert (page.parent / target).exists(), target


def test_the_licence_of_every_package_is_told() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = {k: v for k, v in project["optional-dependencies"].items() if k not in ("dev", "docs")}
    needed = [
        Requirement(text) for one in (project["dependencies"], *extras.values()) for text in one
    ]
    page = (ROOT / "docs" / "licences.md").read_text("utf-8")
    told = {canonicalize_name(name) for name in re.findall(r"^\| ([\w.-]+) \| \S", page, re.M)}
    ours = {canonicalize_name(each.name) for each in needed} - {"isogloss-model"}
    assert ours - told == set(), "run 'make docs'"
    assert "not installed" not in page


def test_the_readme_lists_every_page_once() -> None:
    listed = re.findall(r"^\| \[[^\]]+\]\((docs/[^)#]+)\) \|", PAGES[0].read_text("utf-8"), re.M)
    there = [f"docs/{p.name}" for s in ("*.md", "*.ipynb") for p in (ROOT / "docs").glob(s)]
    assert sorted(listed) == sorted(there), "a row for each page under 'Read on'"


def test_no_page_names_a_machine() -> None:
    home = os.path.expanduser("~")
    for page in PAGES:
        assert home + "/" not in page.read_text(encoding="utf-8")
