"""The page of the four papers is current, and what its rows point at is there."""

import re
import runpy
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import typer

from isogloss.cli.main import app

ROOT = Path(__file__).parents[1]
MADE = runpy.run_path(str(ROOT / "docs" / "make_papers.py"))
ITEMS = [item for paper in MADE["read"]()["paper"] for item in paper["item"]]
KEYS = {"what", "state", "theirs", "ours", "command", "python", "doc", "test"}


def pointing(key: str) -> list[str]:
    return sorted({item[key] for item in ITEMS if key in item})


def test_the_page_is_current() -> None:
    current = (ROOT / "docs" / "papers.md").read_text(encoding="utf-8")
    assert MADE["page"]() == current, "run 'python docs/make_papers.py'"


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: item["what"][:40])
def test_a_row_says_what_its_state_demands(item: dict[str, Any]) -> None:
    assert set(item) <= KEYS
    assert item["state"] in MADE["STATES"]
    assert not any("|" in text or "\n" in text for text in item.values())
    demanded = {
        "reproduces": {"theirs", "ours", "test"},
        "here": {"doc", "test"},
        "differs": {"theirs", "ours", "doc"},
        "not comparable": {"theirs", "ours", "doc"},
        "not here": {"ours"},
    }[item["state"]]
    if item["state"] == "here" and item["what"].startswith("Future work"):
        demanded = {"doc"}
    assert demanded <= set(item)


@pytest.mark.parametrize("name", pointing("python"))
def test_a_module_that_is_named_has_the_name(name: str) -> None:
    module, _, attribute = name.partition(":")
    assert hasattr(import_module(module), attribute)


@pytest.mark.parametrize("line", pointing("command"))
def test_a_command_that_is_named_is_there(line: str) -> None:
    program, *words = line.split()
    assert program == "isogloss"
    command: Any = typer.main.get_command(app)
    for word in words:
        if word.startswith("--"):
            assert word in {name for option in command.params for name in option.opts}
        else:
            command = command.get_command(None, word)
            assert command is not None, word


@pytest.mark.parametrize("target", pointing("doc"))
def test_a_page_that_is_named_has_the_section(target: str) -> None:
    page, _, section = target.partition("#")
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    headings = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S), re.M)
    anchors = {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings}
    assert not section or section in anchors


@pytest.mark.parametrize("target", pointing("test"))
def test_a_test_that_is_named_is_there(target: str) -> None:
    file, _, name = target.partition("::")
    assert f"def {name}(" in (ROOT / file).read_text(encoding="utf-8")
