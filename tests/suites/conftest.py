"""A tiny model, made once."""

import pytest

from model.tiny_models import TinyModel, tiny_model


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> TinyModel:
    return tiny_model(tmp_path_factory.mktemp("models") / "tiny")
