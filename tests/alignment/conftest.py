"""The tiny model that the tests of attention share."""

import pytest

from model.tiny_models import TinyModel, tiny_model


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> TinyModel:
    """A tiny model of our own, not trained on anything."""
    return tiny_model(tmp_path_factory.mktemp("models") / "tiny")
