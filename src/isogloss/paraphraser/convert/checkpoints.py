"""Reading other people's weights: safetensors and PyTorch files as mappings of NumPy arrays.

Weights are read one by one when they are asked for, so that a model is never in memory twice.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.errors import FormatError, MissingExtraError

Array = NDArray[Any]
_NEEDED = "converting models needs torch and safetensors"


class NamedWeights(Mapping[str, Array]):
    """Arrays by name, each made when it is asked for."""

    def __init__(self, readers: Mapping[str, Callable[[], Array]]) -> None:
        self._readers = dict(readers)

    def __getitem__(self, name: str) -> Array:
        return self._readers[name]()

    def __contains__(self, name: object) -> bool:
        # The mapping's own test would read the weight to see whether it is there.
        return name in self._readers

    def __iter__(self) -> Iterator[str]:
        return iter(self._readers)

    def __len__(self) -> int:
        return len(self._readers)

    def renamed(self, rename: Callable[[str], str | None]) -> "NamedWeights":
        """The same weights under other names; one whose new name is `None` is left out."""
        names = {name: rename(name) for name in self._readers}
        return NamedWeights(
            {new: self._readers[name] for name, new in names.items() if new is not None}
        )

    def changed(self, change: Callable[[str, Array], Array]) -> "NamedWeights":
        """The same names, with every array changed when it is read."""
        return NamedWeights({name: partial(self._changed, change, name) for name in self})

    def _changed(self, change: Callable[[str, Array], Array], name: str) -> Array:
        return change(name, self._readers[name]())


def open_checkpoint(folder: Path) -> NamedWeights:
    """The weights of a Hugging Face model folder, in one file or in several."""
    for index in ("model.safetensors.index.json", "pytorch_model.bin.index.json"):
        if (folder / index).is_file():
            names: dict[str, str] = json.loads((folder / index).read_text())["weight_map"]
            return _merged([folder / file for file in sorted(set(names.values()))])
    for file in ("model.safetensors", "pytorch_model.bin"):
        if (folder / file).is_file():
            return _merged([folder / file])
    raise FormatError(
        "no weights here", path=folder, remedy="expected model.safetensors or pytorch_model.bin"
    )


def _merged(files: list[Path]) -> NamedWeights:
    readers: dict[str, Callable[[], Array]] = {}
    for file in files:
        readers |= _safetensors(file) if file.suffix == ".safetensors" else _pytorch(file)
    return NamedWeights(readers)


def _safetensors(path: Path) -> dict[str, Callable[[], Array]]:
    try:
        import torch  # noqa: F401 - safetensors reads through it: NumPy has no bfloat16
        from safetensors import SafetensorError, safe_open
    except ImportError as error:
        raise MissingExtraError(_NEEDED, "convert") from error
    try:
        file = safe_open(path, framework="pt")
    except (OSError, SafetensorError) as error:
        raise FormatError(f"cannot be read ({error})", path=path) from None
    names: list[str] = file.keys()  # type: ignore[no-untyped-call]
    return {name: partial(_safe_array, file, name) for name in names}


def _safe_array(file: Any, name: str) -> Array:
    return as_array(file.get_tensor(name))


def _pytorch(path: Path) -> dict[str, Callable[[], Array]]:
    return tensors(torch_module().load(path, map_location="cpu", weights_only=True, mmap=True))


def tensors(state: Mapping[str, Any]) -> dict[str, Callable[[], Array]]:
    """Readers for the tensors of a PyTorch state dictionary."""
    return {name: partial(as_array, tensor) for name, tensor in state.items()}


def as_array(tensor: Any) -> Array:
    """A PyTorch tensor as 32-bit floats."""
    array: NDArray[np.float32] = tensor.detach().float().cpu().numpy()
    return array


def torch_module() -> Any:
    """PyTorch, which only conversion needs."""
    try:
        import torch
    except ImportError as error:
        raise MissingExtraError(_NEEDED, "convert") from error
    return torch
