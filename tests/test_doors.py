"""Rooms have doors: what a door does not offer is private to its room."""

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "isogloss"
DOORS = sorted(
    ".".join(("isogloss", *stub.parent.relative_to(PACKAGE).parts))
    for stub in PACKAGE.rglob("__init__.pyi")
    if stub.parent != PACKAGE
)


def module_name(path: Path) -> str:
    parts = ("isogloss", *path.relative_to(PACKAGE).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in PACKAGE.rglob("*.py")}


def inside(module: str, door: str) -> bool:
    return module == door or module.startswith(f"{door}.")


def entered(importer: str, module: str) -> str | None:
    """The door that should have been used, if the import goes past one."""
    closed = (d for d in DOORS if inside(module, d) and not inside(importer, d))
    return None if module in DOORS else max(closed, key=len, default=None)


def imports(source: str) -> Iterator[str]:
    """The modules that a program names; ``from a import b`` names a.b if that is a module."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module:
            for name in node.names:
                inner = f"{node.module}.{name.name}"
                yield inner if inner in MODULES else node.module
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names)


@pytest.mark.parametrize("importer", MODULES)
def test_rooms_are_entered_by_their_doors(importer: str) -> None:
    text = MODULES[importer].read_text(encoding="utf-8")
    past = {m: entered(importer, m) for m in imports(text) if entered(importer, m)}
    assert past == {}


@pytest.mark.parametrize("door", DOORS)
def test_what_a_door_offers_is_there(door: str) -> None:
    room = import_module(door)
    assert room.__doc__
    submodules = {name.removeprefix(f"{door}.").partition(".")[0] for name in MODULES}
    assert not submodules & set(room.__all__), "a module would take the place of the name"
    for name in room.__all__:
        assert getattr(room, name) is not None


def test_what_a_door_offers_is_used() -> None:
    """Other rooms, tests, benchmarks or docs use it; else it need not be offered."""
    used = ""
    for folder in ("src", "tests", "benchmarks", "docs", "web"):
        paths = [p for s in ("*.py", "*.md") for p in (ROOT / folder).rglob(s)]
        used += "".join(p.read_text("utf-8") for p in paths if "node_modules" not in p.parts)
    for door in DOORS:
        lists = re.findall(rf"from {re.escape(door)} import (\([^)]*\)|[^\n]*)", used)
        asked = {word for words in lists for word in re.findall(r"\w+", words)}
        assert set(import_module(door).__all__) <= asked, door


def blocks() -> Iterator[tuple[str, str]]:
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        for block in re.findall(r"```python\n(.*?)```", page.read_text("utf-8"), re.DOTALL):
            yield page.name, block


def test_pages_use_doors_only() -> None:
    for page, block in blocks():
        past = [module for module in imports(block) if entered("", module)]
        assert past == [], page
