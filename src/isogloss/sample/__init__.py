"""The bundled sample: two small test sets that make document-level phenomena visible.

Both were written for this project, and so were their three systems: `steady` keeps to one
translation of a repeated term, `shifting` varies it from sentence to sentence, and `tangled` gives
two different terms the same one. ``README.md`` beside this file says what each document shows.
"""

from importlib.resources import files
from pathlib import Path

from isogloss.documents import Collection
from isogloss.errors import InputError
from isogloss.formats import read_collection

__all__ = ["SAMPLES", "load_sample", "sample_path"]

SAMPLES: tuple[str, ...] = ("cs-en", "zh-en")


def sample_path(name: str) -> Path:
    """The folder of the sample of that name, with its manifest ``testset.toml``."""
    if name not in SAMPLES:
        raise InputError(f"there is no sample {name!r}; there are: {', '.join(SAMPLES)}")
    return Path(str(files(__name__))) / name


def load_sample(name: str) -> Collection:
    """The sample of that name as a test set with its three systems."""
    return read_collection(sample_path(name))
