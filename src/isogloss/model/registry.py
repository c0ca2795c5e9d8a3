"""Models by name, and models in use.

A model is asked for by the name it is installed under, or by the path of its folder. Installed
models lie side by side in one folder; ``default`` is the model that comes with isogloss. A model
that is in use is loaded once and shared.
"""

import os
import sys
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

from isogloss.errors import InputError
from isogloss.model.cache import ScoreCache
from isogloss.model.folder import CARD_FILE
from isogloss.model.model_file import Reading
from isogloss.model.paraphraser import Paraphraser
from isogloss.runtime import Device, Runtime

DEFAULT_MODEL = "default"
_VARIABLE = "ISOGLOSS_MODELS"


def models_folder() -> Path:
    """``$ISOGLOSS_MODELS``, or the platform's place for a user's data."""
    chosen = os.environ.get(_VARIABLE)
    if chosen:
        return Path(chosen)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "isogloss" / "models"
    variable = "LOCALAPPDATA" if sys.platform == "win32" else "XDG_DATA_HOME"
    base = os.environ.get(variable)
    return (Path(base) if base else Path.home() / ".local" / "share") / "isogloss" / "models"


def bundled_folder() -> Path:
    """Where the model that comes with isogloss lies."""
    return Path(str(files("isogloss.model"))) / "bundled"


def installed_models() -> tuple[str, ...]:
    """The names under which models can be asked for, the one that comes along first."""
    bundled = (DEFAULT_MODEL,) if _is_model(bundled_folder()) else ()
    folder = models_folder()
    others = (
        sorted(path.name for path in folder.iterdir() if _is_model(path)) if folder.is_dir() else []
    )
    return (*bundled, *others)


def find_model(name: str) -> Path:
    """The folder of an installed model, or the folder itself where a path is given."""
    candidates = (
        [bundled_folder()] if name == DEFAULT_MODEL else [models_folder() / name, Path(name)]
    )
    for folder in candidates:
        if _is_model(folder):
            return folder
    there = ", ".join(installed_models()) or "none"
    raise InputError(
        f"there is no model {name!r}; installed are: {there}; give the path of a model folder, "
        "or make one with 'isogloss model convert'"
    )


def _is_model(folder: Path) -> bool:
    return (folder / CARD_FILE).is_file()


def open_model(
    folder: Path,
    precision: str | None,
    runtime: Runtime,
    temperature: float = 1.0,
    reading: Reading | None = None,
) -> Paraphraser:
    """The loaded model; asked for again, it is the same object."""
    return _opened(folder, precision, runtime.device, runtime.cache, temperature, reading)


@lru_cache(maxsize=4)
def _opened(
    folder: Path,
    precision: str | None,
    device: Device,
    cache: Path | None,
    temperature: float,
    reading: Reading | None,
) -> Paraphraser:
    return Paraphraser.load(
        folder,
        device,
        precision,
        cache=None if cache is None else ScoreCache(cache),
        temperature=temperature,
        reading=reading,
    )
