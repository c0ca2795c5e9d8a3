"""A tiny model for the metrics that need one."""

import pytest

from isogloss.model import registry
from model.tiny_models import TinyModel, random_heads, tiny_model


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> TinyModel:
    """A model of our own kind, with a yardstick in plain PyTorch."""
    folder = tmp_path_factory.mktemp("models") / "tiny"
    languages = ("cs", "de", "en", "zh")
    return tiny_model(folder, languages, longest=512, costs=random_heads())


@pytest.fixture
def tiny_as_default(tiny: TinyModel, monkeypatch: pytest.MonkeyPatch) -> TinyModel:
    """The tiny model in the place of the one that comes with isogloss."""
    monkeypatch.setattr(registry, "bundled_folder", lambda: tiny.folder)
    return tiny
