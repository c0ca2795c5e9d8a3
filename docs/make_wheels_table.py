"""Prints for which Pythons and machines everything that isogloss needs has a wheel on PyPI.

    python docs/make_wheels_table.py [--extras annotate,languages,frames]

Asks PyPI through pip (``pip install --dry-run --only-binary=:all:``) for every Python and platform,
for packages and what they need; nothing is installed. What they need in turn is chosen by the
markers of the machine that asks. What has no wheel is named, so that the markers of pyproject.toml
can follow.
"""

import argparse
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

from packaging.requirements import Requirement

PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
_GLIBC = ("2_17", "2_24", "2_26", "2_27", "2_28", "2_31", "2_34")
# What people call the machine, sys_platform and platform_machine there, and tags of its wheels.
PLATFORMS: Mapping[str, tuple[str, str, tuple[str, ...]]] = {
    "Linux x86_64": (
        "linux",
        "x86_64",
        ("manylinux2014_x86_64", *(f"manylinux_{version}_x86_64" for version in _GLIBC)),
    ),
    "Linux ARM": (
        "linux",
        "aarch64",
        ("manylinux2014_aarch64", *(f"manylinux_{version}_aarch64" for version in _GLIBC)),
    ),
    "macOS ARM": (
        "darwin",
        "arm64",
        (
            *("macosx_10_9_universal2", "macosx_10_13_universal2"),
            *(f"macosx_{v}_0_{kind}" for v in (11, 12, 13, 14) for kind in ("arm64", "universal2")),
        ),
    ),
    "Windows x86_64": ("win32", "AMD64", ("win_amd64",)),
}
_OUR_OWN = frozenset({"isogloss", "isogloss-model"})
# Dictionaries come as source, of data alone: what reads them is asked for in their place.
_IN_PLACE_OF = {"sacrebleu[ja,ko]": ("sacrebleu", "mecab-python3", "mecab-ko")}


def requirements(extras: tuple[str, ...]) -> Iterator[Requirement]:
    """What isogloss asks for, with these extras."""
    project = tomllib.loads(PYPROJECT.read_text("utf-8"))["project"]
    asked = [*project["dependencies"]]
    for extra in extras:
        asked += project["optional-dependencies"][extra]
    for text in asked:
        for each in _IN_PLACE_OF.get(text, (text,)):
            if (requirement := Requirement(each)).name not in _OUR_OWN:
                yield requirement


def wanted(requirement: Requirement, python: str, platform: str) -> bool:
    """Whether it is asked for there."""
    if requirement.marker is None:
        return True
    system, machine, _ = PLATFORMS[platform]
    there = {"sys_platform": system, "platform_machine": machine, "python_version": python}
    return requirement.marker.evaluate({**there, "extra": ""})


def lacking(requirements: list[Requirement], python: str, platform: str) -> list[str]:
    """The packages without a wheel there; all are asked for at once, and one by one on failure."""
    asked = [r for r in requirements if wanted(r, python, platform)]
    if _resolves(asked, python, platform):
        return []
    return [r.name for r in asked if not _resolves([r], python, platform)]


def _resolves(asked: list[Requirement], python: str, platform: str) -> bool:
    tags = [word for tag in PLATFORMS[platform][2] for word in ("--platform", tag)]
    names = [str(each).partition(";")[0] for each in asked]
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--target", "none"]
    command += ["--ignore-installed", "--only-binary=:all:", "--python-version", python]
    command += ["--implementation", "cp", *tags, *names]
    return subprocess.run(command, capture_output=True).returncode == 0  # noqa: S603


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--extras", default="", help="extras to ask for as well, with commas")
    extras = tuple(filter(None, parser.parse_args().extras.split(",")))
    asked = list(requirements(extras))
    print(f"| | {' | '.join(PYTHONS)} |")
    print("|---" * (len(PYTHONS) + 1) + "|")
    for platform in PLATFORMS:
        cells = (lacking(asked, python, platform) for python in PYTHONS)
        row = " | ".join(", ".join(cell) or "all" for cell in cells)
        print(f"| {platform} | {row} |", flush=True)


if __name__ == "__main__":
    main()
