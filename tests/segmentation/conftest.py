"""The bundled model, loaded once, as the tests of this room read with it."""

import pytest

from isogloss.model import DEFAULT_MODEL, find_model, open_model
from isogloss.runtime import Runtime
from isogloss.segmentation.cutting import Segmenter
from isogloss.segmentation.readers import ModelReader


@pytest.fixture(scope="session")
def model_reader() -> ModelReader:
    return ModelReader(open_model(find_model(DEFAULT_MODEL), None, Runtime()))


@pytest.fixture(scope="session")
def german_english(model_reader: ModelReader) -> Segmenter:
    """What cuts English translations of German texts."""
    return Segmenter("de", "en", model_reader)
