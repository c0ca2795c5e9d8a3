"""Write docs/papers.md from docs/papers.toml: ``python docs/make_papers.py``.

A test fails when the page and the file differ, and when a row points at a module, a command, a page
or a test that is not there.
"""

import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
SOURCE, PAGE = FOLDER / "papers.toml", FOLDER / "papers.md"
STATES = {
    "reproduces": "a number of the paper comes out of the same data, digit by digit as printed",
    "here": "a formula, a method or a future work that isogloss has, without a number to reproduce",
    "differs": "the same is computed, and another number comes out; the row says why",
    "not comparable": "the same is computed, of other data or by another model",
    "not here": "isogloss does not have it",
}
BLOB = "../"


def read() -> dict[str, Any]:
    """The checked file."""
    return tomllib.loads(SOURCE.read_text(encoding="utf-8"))


def page() -> str:
    """The whole page."""
    given = read()
    counts = Counter(item["state"] for paper in given["paper"] for item in paper["item"])
    lines = ["# The four papers", "", given["introduction"].strip(), ""]
    lines += ["| state | items | what it means |", "|---|---|---|"]
    lines += [f"| {state} | {counts[state]} | {said} |" for state, said in STATES.items()]
    for paper in given["paper"]:
        lines += ["", f"## {paper['title']}", "", f"{paper['authors']} ({paper['link']}).", ""]
        lines += ["| item | state | the paper | here | where |", "|---|---|---|---|---|"]
        lines += [_row(item) for item in paper["item"]]
    return "\n".join(lines) + "\n"


def _row(item: dict[str, Any]) -> str:
    cells = [
        item["what"],
        item["state"],
        item.get("theirs", ""),
        item.get("ours", ""),
        _places(item),
    ]
    return "| " + " | ".join(cell.strip().replace("\n", " ") for cell in cells) + " |"


def _places(item: dict[str, Any]) -> str:
    """The command, the module, the page and the test, as far as there are any."""
    places = [f"`{item[key]}`" for key in ("command", "python") if key in item]
    if "doc" in item:
        places.append(f"[{item['doc'].partition('.md')[0]}]({item['doc']})")
    if "test" in item:
        file, _, _ = item["test"].partition("::")
        places.append(f"[test]({BLOB}{file})")
    return ", ".join(places)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
