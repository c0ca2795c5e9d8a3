"""Write docs/licences.md from the packages that are installed here: ``make docs``.

Every package that isogloss needs, directly or not, with the licence that its makers state. A test
fails when a package that pyproject.toml names is not on the page.
"""

import re
import tomllib
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PAGE = Path(__file__).with_name("licences.md")
FOR_MAKERS = ("dev", "docs")

INTRODUCTION = """\
# Licences

isogloss is licensed under the Apache License 2.0, its model likewise; `isogloss model info default`
names the texts that the model was trained on. Below are the packages that it needs, and those that
its extras add, with the licences that their makers state. `docs/make_licences.py` makes this page.

**Copyleft:** {copyleft}
They are used as they are, through Python's import. Nothing of them is inside isogloss's own wheel;
whoever passes them on together with it passes on their licences, too. sil-thot alone of them comes
with every installation: `pip uninstall sil-thot` leaves all but statistical word alignment.

<!-- made by docs/make_licences.py from the packages that are installed: `make docs` -->
"""

Row = tuple[str, str]


def page() -> str:
    """The whole page."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    groups = {"Always": project["dependencies"]}
    for extra, needed in sorted(project["optional-dependencies"].items()):
        if extra not in (*FOR_MAKERS, "align"):  # that one is among the first, or compiled
            groups[f"With `{extra}`"] = needed
    shown: dict[str, list[Row]] = {}
    known: set[str] = set()
    for title, needed in groups.items():
        rows = sorted({row for text in needed for row in closure(Requirement(text), known)})
        shown[title] = rows
        if title == "Always":
            known = {canonicalize_name(name) for name, _ in rows}
    strict = sorted(
        {f"{name} ({text})" for rows in shown.values() for name, text in rows if "GPL" in text}
    )
    tables = "".join(table(title, rows) for title, rows in shown.items() if rows)
    return INTRODUCTION.format(copyleft=f"{', '.join(strict)}.") + tables


def table(title: str, rows: list[Row]) -> str:
    """One group."""
    lines = [f"| {name} | {licence} |" for name, licence in rows]
    return "\n".join([f"\n## {title}\n", "| package | licence |", "|---|---|", *lines]) + "\n"


def closure(requirement: Requirement, known: set[str]) -> Iterator[Row]:
    """The package and all that it needs on this machine."""
    name = canonicalize_name(requirement.name)
    again = name in known
    if name.startswith("isogloss") or (again and not requirement.extras):
        return
    known = {*known, name}
    try:
        found = distribution(name)
    except PackageNotFoundError:
        yield requirement.name, "not installed where this page was made"
        return
    if not again:
        yield found.name, licence(found)
    for text in found.requires or ():
        needed = Requirement(text)
        extras = {"", *requirement.extras}
        if needed.marker is None or any(needed.marker.evaluate({"extra": e}) for e in extras):
            yield from closure(needed, known)


def licence(found: Distribution) -> str:
    """What the makers state: an expression, a line, or the classifiers."""
    told = found.metadata
    classifiers = [
        line.rpartition(" :: ")[2]
        for line in told.get_all("Classifier") or ()
        if line.startswith("License ::") and not line.endswith("OSI Approved")
    ]
    stated = told.get("License-Expression") or ", ".join(classifiers) or told.get("License") or ""
    line = stated.strip().partition("\n")[0].strip()
    return re.sub(r"\|", "/", line) if line else "not stated"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
