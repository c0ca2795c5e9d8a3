"""Draw the house: which room imports which, and how large each is, into docs/house.svg.

    python docs/make_house.py

A room is a folder or a module of the package; an arrow goes from a room to one below that it uses.
Needs Graphviz (``apt-get install graphviz``). Prints the figures that CONTRIBUTING.md has.
"""

import ast
import subprocess
from collections import Counter, defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "isogloss"
PICTURE = Path(__file__).with_name("house.svg")
NOUNS = "nouns"  # single modules at the bottom: one box for all of them


def module_name(path: Path) -> str:
    """As it is imported."""
    parts = ("isogloss", *path.relative_to(PACKAGE).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in sorted(PACKAGE.rglob("*.py"))}
TREES = {name: ast.parse(path.read_text("utf-8")) for name, path in MODULES.items()}
# fmt: off
SINGLE = {
    "diagnosis", "evaluation", "notices", "probing", "stability", "texts", "tuning", "watching",
    "workflow",
}
# fmt: on


def room(module: str) -> str:
    """The box that a module lies in."""
    _, _, inner = module.partition(".")
    first = inner.partition(".")[0]
    if not first or first == "__main__":
        return ""
    return first if (PACKAGE / first).is_dir() or first in SINGLE else NOUNS


def used(module: str) -> set[str]:
    """The modules that one imports, wherever it does so."""
    found = set()
    for node in ast.walk(TREES[module]):
        if isinstance(node, ast.ImportFrom) and node.module:
            names = {f"{node.module}.{name.name}" for name in node.names}
            found |= {name if name in MODULES else node.module for name in names}
    return {name for name in found if name in MODULES and name != module}


def arrows() -> Counter[tuple[str, str]]:
    """How many modules of one room use another."""
    found: Counter[tuple[str, str]] = Counter()
    for module in MODULES:
        for other in {room(name) for name in used(module)}:
            if room(module) and other and other != room(module):
                found[room(module), other] += 1
    return found


def entrances() -> dict[str, set[str]]:
    """The modules of each room that others enter."""
    found: dict[str, set[str]] = defaultdict(set)
    for module in MODULES:
        for name in used(module):
            if room(name) != room(module):
                found[room(name)].add(name)
    return found


def repeated_classes() -> list[str]:
    """Public class names that more than one file has."""
    names = Counter(
        node.name
        for tree in TREES.values()
        for node in tree.body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    return sorted(name for name, times in names.items() if times > 1)


def function_lengths() -> list[int]:
    """How many lines the functions have, without their documentation."""
    lengths = []
    for tree in TREES.values():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                body = node.body[1:] if ast.get_docstring(node) and node.body[1:] else node.body
                lengths.append((node.end_lineno or 0) - body[0].lineno + 1)
    return sorted(lengths)


def drawing() -> str:
    """The rooms and their arrows, in Graphviz's language."""
    sizes = Counter(room(module) for module in MODULES)
    lines = [
        'digraph house { rankdir=TB; node [shape=box style="filled,rounded" fillcolor="#eef3fa"',
        'color="#5b7aa5" fontname="Helvetica" fontsize=12]; edge [color="#8a99ad"];',
    ]
    for name, number in sizes.items():
        if name:
            files = "file" if number == 1 else "files"
            lines.append(f'"{name}" [label="{name}\\n{number} {files}"];')
    lines.append(f'{{ rank=sink; "{NOUNS}" }}')
    lines += [
        f'"{a}" -> "{b}" [penwidth={min(1 + n / 6, 4):.1f}];'
        for (a, b), n in sorted(arrows().items())
        if b != NOUNS  # everybody uses the nouns
    ]
    return "\n".join([*lines, "}"])


def main() -> None:
    """Draw, and print the figures."""
    drawn = subprocess.run(
        ["dot", "-Tsvg"],  # noqa: S607
        input=drawing(),
        capture_output=True,
        text=True,
        check=True,
    )
    PICTURE.write_text(drawn.stdout, encoding="utf-8")
    lengths = function_lengths()
    repeated = repeated_classes()
    print(f"{len(MODULES)} files")
    print(f"{sum(map(len, entrances().values()))} modules entered from outside their room")
    print(f"{len(repeated)} public class names in several files: {', '.join(repeated)}")
    print(
        f"functions: median {lengths[len(lengths) // 2]} lines, "
        f"90 % at most {lengths[len(lengths) * 9 // 10]}"
    )


if __name__ == "__main__":
    main()
