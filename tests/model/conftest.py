"""The tiny model that several tests share."""

import pytest

from isogloss.model import Paraphraser
from model.tiny_models import TinyModel, tiny_model


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> TinyModel:
    """A tiny model of our own that knows a separator."""
    return tiny_model(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture(scope="session")
def paraphraser(tiny: TinyModel) -> Paraphraser:
    """The tiny model, loaded, without a disk cache."""
    return Paraphraser.load(tiny.folder)
