"""The study, read once."""

import json
from pathlib import Path
from typing import Any

import pytest

from isogloss.markables.study.analysis import Analysis
from isogloss.markables.study.study import Study
from isogloss.markables.study.wmt20 import read_study


@pytest.fixture(scope="session")
def study_folder(shared_data: Path) -> Path:
    folder = shared_data / "elitr-wmt20"
    if not folder.is_dir():
        pytest.skip(f"the markable study is not at {folder}")
    return folder


@pytest.fixture(scope="session")
def study(study_folder: Path) -> Study:
    return read_study(study_folder)


@pytest.fixture(scope="session")
def analysis(study: Study) -> Analysis:
    return Analysis(study)


@pytest.fixture(scope="session")
def printed(study_folder: Path) -> dict[str, Any]:
    """The paper's numbers, parsed from its LaTeX sources."""
    return json.loads((study_folder / "EXPECTED.json").read_text(encoding="utf-8"))
