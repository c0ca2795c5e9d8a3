"""Models by name, and models in use.

A model is asked for by the name it is installed under, or by the path of its folder. Installed
models lie side by side in one folder; ``default`` is the model that comes with isogloss. A model
that is in use is loaded once and shared.
"""

import os
import sys
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

from isogloss.errors import InputError
from isogloss.paraphraser.cache import ScoreCache
from isogloss.paraphraser.costs import Reading
from isogloss.paraphraser.engine import Device
from isogloss.paraphraser.folder import CARD_FILE
from isogloss.paraphraser.paraphraser import Paraphraser

DEFAULT = "default"
_VARIABLE = "ISOGLOSS_MODELS"


@dataclass(frozen=True, slots=True)
class Runtime:
    """How a model is run: nothing of it belongs into a signature.

    `cache` is the folder of the score cache; `None` keeps no scores on disk.
    """

    device: Device = "cpu"
    cache: Path | None = None


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
    return Path(str(files("isogloss"))) / "model"


def installed() -> tuple[str, ...]:
    """The names under which models can be asked for, the one that comes along first."""
    bundled = (DEFAULT,) if _is_model(bundled_folder()) else ()
    folder = models_folder()
    others = (
        sorted(path.name for path in folder.iterdir() if _is_model(path)) if folder.is_dir() else []
    )
    return (*bundled, *others)


def find_model(name: str) -> Path:
    """The folder of an installed model, or the folder itself where a path is given."""
    candidates = [bundled_folder()] if name == DEFAULT else [models_folder() / name, Path(name)]
    for folder in candidates:
        if _is_model(folder):
            return folder
    there = ", ".join(installed()) or "none"
    raise InputError(
        f"there is no model {name!r}; installed are: {there}; give the path of a model folder, "
        "or make one with 'isogloss model convert'"
    )


def _is_model(folder: Path) -> bool:
    return (folder / CARD_FILE).is_file()


@lru_cache(maxsize=4)
def open_model(
    folder: Path,
    precision: str | None,
    runtime: Runtime,
    temperature: float = 1.0,
    reading: Reading | None = None,
) -> Paraphraser:
    """The loaded model; asked for again, it is the same object."""
    cache = None if runtime.cache is None else ScoreCache(runtime.cache)
    return Paraphraser.load(
        folder,
        runtime.device,
        precision,
        cache=cache,
        temperature=temperature,
        reading=reading,
    )
