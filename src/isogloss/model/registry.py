"""Models by name, and models in use.

A model is asked for by the name it is installed under, or by the path of its folder. Installed
models lie side by side in one folder, or are packages of their own: each is an entry point of the
group ``isogloss.models`` that names the package whose folder it is. ``default`` is the model that
comes with isogloss. A model that is in use is loaded once and shared.
"""

import os
import sys
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path

from isogloss.errors import InputError
from isogloss.model.cache import ScoreCache
from isogloss.model.folder import CARD_FILE
from isogloss.model.model_file import Reading
from isogloss.model.paraphraser import Paraphraser
from isogloss.runtime import Device, Elsewhere, Runtime

DEFAULT_MODEL = "default"
ENTRY_POINTS = "isogloss.models"
_VARIABLE = "ISOGLOSS_MODELS"
_IN_A_CLONE = Path("packages", "model", "src", "isogloss_model")


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
    """Where the model that comes with isogloss lies: in a clone, beside the sources."""
    beside = Path(__file__).parents[3] / _IN_A_CLONE
    return beside if _is_model(beside) else _packaged().get(DEFAULT_MODEL, beside)


def _packaged() -> dict[str, Path]:
    """The models that are packages, by name; no package is loaded for being found."""
    found = {}
    for entry in entry_points(group=ENTRY_POINTS):
        spec = find_spec(entry.value)
        if spec is not None and spec.origin is not None:
            found[entry.name] = Path(spec.origin).parent
    return found


def installed_models() -> tuple[str, ...]:
    """The names under which models can be asked for, the one that comes along first."""
    bundled = (DEFAULT_MODEL,) if _is_model(bundled_folder()) else ()
    folder = models_folder()
    there = [path.name for path in folder.iterdir() if _is_model(path)] if folder.is_dir() else []
    packaged = [name for name, path in _packaged().items() if _is_model(path)]
    return (*bundled, *sorted({*there, *packaged} - {DEFAULT_MODEL}))


def find_model(name: str) -> Path:
    """The folder of an installed model, or the folder itself where a path is given."""
    if name == DEFAULT_MODEL:
        candidates = [bundled_folder()]
    else:
        candidates = [models_folder() / name, *_named(name), Path(name)]
    for folder in candidates:
        if _is_model(folder):
            return folder
    if name == DEFAULT_MODEL:
        raise InputError(
            "the model that comes with isogloss is not installed; pip install isogloss-model, or "
            "in a clone 'pip install ./packages/model'"
        )
    there = ", ".join(installed_models()) or "none"
    raise InputError(
        f"there is no model {name!r}; installed are: {there}; give the path of a model folder, "
        "or make one with 'isogloss model convert'"
    )


def _named(name: str) -> list[Path]:
    found = _packaged().get(name)
    return [] if found is None else [found]


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
    elsewhere = None if isinstance(runtime.cluster, str) else runtime.cluster
    # What is scored on other machines is loaded here for its words alone.
    device = runtime.device if elsewhere is None else "cpu"
    return _opened(folder, precision, device, runtime.cache, temperature, reading, elsewhere)


@lru_cache(maxsize=4)
def _opened(
    folder: Path,
    precision: str | None,
    device: Device,
    cache: Path | None,
    temperature: float,
    reading: Reading | None,
    elsewhere: Elsewhere | None,
) -> Paraphraser:
    opened = Paraphraser.load(
        folder,
        device,
        precision,
        cache=None if cache is None else ScoreCache(cache),
        temperature=temperature,
        reading=reading,
    )
    if elsewhere is not None:
        spec = ModelSpec(name_of(folder), opened.card.digest, precision, temperature, reading)
        opened.distant = elsewhere.scorer(spec)
    return opened


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """A model as another machine finds it: by its name, and a digest to know it by."""

    name: str
    digest: str
    precision: str | None = None
    temperature: float = 1.0
    reading: Reading | None = None

    def opened(self, device: Device) -> Paraphraser:
        """The model, loaded here; one that is called so but differs is refused."""
        folder = find_model(self.name)
        runtime = Runtime(device)
        found = open_model(folder, self.precision, runtime, self.temperature, self.reading)
        if found.card.digest != self.digest:
            raise InputError(
                f"{folder}: the model {self.name!r} differs from the one that was asked for; "
                "install the same model on all machines"
            )
        return found


def name_of(folder: Path) -> str:
    """What a model is called on every machine where it is installed; else its path."""
    if folder == bundled_folder():
        return DEFAULT_MODEL
    return folder.name if folder.parent == models_folder() else str(folder.resolve())
