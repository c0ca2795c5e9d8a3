"""The study, read once."""

import json
from pathlib import Path
from typing import Any

import pytest

from isogloss.metrics.markables.study import Analysis, MarkableStudy, read_study


@pytest.fixture(scope="session")
def study_folder(shared_data: Path) -> Path:
    folder = shared_data / "elitr-wmt20"
    if not folder.is_dir():
        pytest.skip(f"the markable study is not at {folder}")
    return folder


@pytest.fixture(scope="session")
def study(study_folder: Path) -> MarkableStudy:
    return read_study(study_folder)


@pytest.fixture(scope="session")
def analysis(study: MarkableStudy) -> Analysis:
    return Analysis(study)


@pytest.fixture(scope="session")
def printed(study_folder: Path) -> dict[str, Any]:
    """The paper's numbers, parsed from its LaTeX sources."""
    return json.loads((study_folder / "EXPECTED.json").read_text(encoding="utf-8"))
