"""The pages that are shipped were built from the sources that are there."""

import json
import runpy
from pathlib import Path
from typing import Any

import pytest

WEB = Path(__file__).parents[2] / "web"
PAGES = ("report", "annotate")


@pytest.fixture(scope="module")
def build() -> dict[str, Any]:
    return runpy.run_path(str(WEB / "finish_build.py"))


@pytest.mark.parametrize("page", PAGES)
def test_the_build_is_not_stale(build: dict[str, Any], page: str) -> None:
    notes = json.loads(build["notes"](page).read_text(encoding="utf-8"))
    assert notes["sources"] == build["digest_of_sources"](page), "run 'make web'"
    assert notes["files"] == build["digests_of_build"](page), "run 'make web'"


@pytest.mark.parametrize("script", ["generate_types.py", "generate_annotate_types.py"])
def test_the_types_are_those_of_the_model(script: str) -> None:
    made = runpy.run_path(str(WEB / script))
    assert made["TARGET"].read_text(encoding="utf-8") == made["typescript"](), "run 'make web'"


@pytest.mark.parametrize("page", PAGES)
def test_every_bundled_package_has_its_licence(build: dict[str, Any], page: str) -> None:
    text = build["licences_of"](page).read_text(encoding="utf-8")
    for name in build["bundled_packages"]():
        assert f"\n{name} " in text


def test_the_program_is_small_and_can_stand_in_a_page(build: dict[str, Any]) -> None:
    script = (build["built"]("report") / "report.js").read_text(encoding="utf-8")
    style = (build["built"]("report") / "report.css").read_text(encoding="utf-8")
    assert "</script" not in script.lower()
    assert "<!--" not in script, "it would change how a browser reads the script"
    assert "</style" not in style.lower()
    assert len(script) + len(style) < 300_000
