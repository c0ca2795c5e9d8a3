"""Fixtures that every part of the tests may use."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data beside the checkout; tests that need it skip where it is absent."""
    beside = Path(__file__).parents[2] / "shared" / "data"
    folder = Path(os.environ.get("ISOGLOSS_TEST_DATA", beside))
    if not folder.is_dir():
        pytest.skip(f"no real data at {folder} (set ISOGLOSS_TEST_DATA to use another folder)")
    return folder
